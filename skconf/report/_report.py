"""ConfidenceReport: numbers in tables, text in a terminal, and a page."""

import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Self

import pandas as pd
from numpy.typing import ArrayLike

from skconf.profile import ConfidenceProfile
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.files import evidence_of_files
from skconf.report._evidence.predictions import source_of
from skconf.report._evidence.tables import TableAlone, table_of_slices, table_of_thresholds
from skconf.report._sections.document import (
    as_fragment,
    as_page,
    as_text,
    group_findings,
    group_texts,
    table_fragment,
    table_page,
)
from skconf.report._sections.model_card import model_card as model_card_of
from skconf.report._sections.summary import summary
from skconf.report._sections.table import as_lines, as_table, frame_of, notes_of
from skconf.report._sections.verdicts import verdicts_of
from skconf.tables._columns import takes_columns
from skconf.tables._paths import Paths


class ConfidenceReport:
    """A report on the confidences of a classifier, or of several: the result of :func:`~skconf.confidence_report`.

    Its attributes hold the numbers. In a terminal it prints the table of metrics and the verdict below, with a star at
    the better ones of several models if a difference is shown. A notebook shows the verdicts, what they rest on, and
    the table. :meth:`save` writes the whole report: whether its confidences may be trusted, when to abstain, which
    model is better, and where it fails.

    Make one by :func:`~skconf.confidence_report`, :meth:`from_estimator` or :meth:`from_files`.

    Attributes
    ----------
    frame : DataFrame
        The table of metrics, with a row for each. See :func:`~skconf.confidence_report` for its columns.
    verdict : dict of model to str
        The verdict of :func:`skconf.inference.assess_confidence` on each model. The key of a single model that was not
        named is "value", like its column of the table. Empty for a table of classes or groups.
    thresholds : DataFrame
        Thresholds for the errors that people allow: a row for each model and each share of errors (or of what is lost,
        or mean cost), with the columns

        - ``model``, ``target`` : the model, and the errors allowed;
        - ``threshold``, ``coverage`` : the threshold that was observed to keep them with the largest coverage, among at
          least 20 answers; NaN where there is none. Of costs, the largest uncertainty that is accepted;
        - ``risk``, ``risk_low``, ``risk_high`` : the errors observed there, with their interval;
        - ``guaranteed_threshold``, ``guaranteed_coverage`` : the threshold at which errors among new answers are at
          most those allowed, with a probability of the level of the report; NaN where there is none;
        - ``guarantee`` : "guaranteed"; or why there is none: "no rule" applies to weights and costs; "too few rows"; no
          threshold was "never observed" to keep it; it rests on "few answers"; or "more rows" would do;
        - ``n_needed`` : how many rows, or groups, would do; 0 where that is not known.
    slices : DataFrame
        The slices that were asked for, worst first: a row for each model and slice, with the columns ``model``,
        ``slice``, ``n_samples``, ``confidence`` and ``accuracy`` (``correctness`` of graded answers, ``uncertainty``
        and ``cost`` of costs), ``low`` and ``high`` (ends of the interval of the latter), and ``p_value`` (of as many
        errors if confidences are right, after Holm's adjustment). Without rows if there are no slices.

    See Also
    --------
    confidence_report : A report on predictions in memory.

    Examples
    --------
    >>> from skconf import confidence_report
    >>> report = confidence_report([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6], metrics=["accuracy_score", "aurc_loss"])
    >>> report
    metric          value best  better  range
    accuracy_score 0.7500    1  higher  [0, 1]
    aurc_loss      0.0625    0  lower   [0, 1]
    >>> float(report.frame.at["aurc_loss", "value"])
    0.0625
    >>> print(report.verdict["value"])
    Too few to say: 1 of 4 answers is wrong, where the confidences imply 0.8. Overconfidence of 58.8 points would be
    missed in one of five such samples.
    >>> report.save("report.html")  # doctest: +SKIP
    """

    def __init__(self, source: Evidence | TableAlone) -> None:
        self._source = source
        self.frame: pd.DataFrame = frame_of(source) if isinstance(source, Evidence) else source.frame

    @property
    def evidence(self) -> Evidence | None:
        """What the answers to a reader's questions rest on; None if there is a table alone."""
        if isinstance(self._source, Evidence) and not self._source.is_mixed:
            return self._source
        return None

    @property
    def verdict(self) -> dict[Any, str]:
        """The verdict on each model."""
        return verdicts_of(self._source) if isinstance(self._source, Evidence) else {}

    @cached_property
    def thresholds(self) -> pd.DataFrame:
        """Thresholds for the errors that people allow."""
        return pd.DataFrame() if self.evidence is None else table_of_thresholds(self.evidence)

    @cached_property
    def slices(self) -> pd.DataFrame:
        """The slices that were asked for, worst first."""
        return pd.DataFrame() if self.evidence is None else table_of_slices(self.evidence)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None, **options: Any
    ) -> Self:
        """Report on the predictions of a fitted classifier, or of several.

        Parameters
        ----------
        estimator : estimator, or mapping of str to estimator
            A fitted classifier with ``predict_proba``; or several, by name. The threshold of a
            :class:`~skconf.SelectiveClassifier` is that of the report.
        X : array-like of shape (n_samples, n_features)
            Samples that did not train it.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        **options : dict
            Other parameters of :func:`~skconf.confidence_report`, such as `metrics`, `prevalence` and `by`.

        Returns
        -------
        ConfidenceReport

        Raises
        ------
        ValueError
            If predictions or an option are invalid.
        TypeError
            If the estimator has no ``predict_proba``, or an option is unknown.

        See Also
        --------
        skconf.ConfidenceProfile.from_estimator : The predictions alone.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from skconf import ConfidenceReport
        >>> X, y = load_iris(return_X_y=True)
        >>> report = ConfidenceReport.from_estimator(GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2])
        >>> print(report.verdict["value"])
        No sign of miscalibration: average confidence is 98.3%, and 96.0% of answers are right (95% interval
        88.8–99.2). Overconfidence of 5.6 points would be found in four of five such samples; but from 0.9 up, up to
        7.7% of answers may be wrong.
        """
        several = isinstance(estimator, Mapping)
        profiles = {}
        for name, model in (estimator if several else {"value": estimator}).items():
            try:
                profiles[name] = ConfidenceProfile.from_estimator(model, X, y, sample_weight=sample_weight)
            except (TypeError, ValueError) as error:
                if several:
                    error.add_note(f"The error is in the predictions of the model {name!r}.")
                raise
        source = source_of(profiles if several else profiles["value"], **options)
        if isinstance(source, Evidence) and not several:
            source = replace(source, name=type(estimator).__name__)
        return cls(source)

    @classmethod
    @takes_columns(
        target="Where columns under the usual names do not suffice, those of many other tools are found: see Notes.",
        groups="The report has a row for each group, and a column for each metric, at any size of the files. To find "
        "the groups where the model fails, use `slices`.",
    )
    def from_files(
        cls,
        files: Paths | Mapping[str, Paths],
        *,
        target: Any = None,
        proba: Any = None,
        prediction: Any = None,
        correct: Any = None,
        confidence: Any = None,
        weight: Any = None,
        groups: Any = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        threshold: float | None = None,
        grades: Mapping[Any, float] | None = None,
        abstained: Any = None,
        cluster: Any = None,
        score: Any = None,
        metrics: Any = None,
        confidence_level: float | None = None,
        in_batches: bool | None = None,
        ids: Any = None,
        truth: str | PathLike[str] | None = None,
        slices: Any = None,
        errors: float | Sequence[float] | None = None,
        prices: Sequence[float] | None = None,
        prevalence: Mapping[Any, float] | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> Self:
        r"""Report on predictions in files, as :func:`~skconf.confidence_report` does for those in memory.

        Parameters
        ----------
        files : path, list of paths, or mapping of str to such
            Files of Parquet, CSV or JSON lines with a row for each prediction, as :func:`~skconf.accumulate` takes
            them: a path, a pattern, a folder, or a list of these, which are all parts of one model. A mapping holds the
            files of several models, which are then shown side by side. Or a log of a language model for each, as
            :func:`~skconf.read_log` takes it, whose `correct` and `confidence` have its meaning.
        {columns}
        abstained : label, default=None
            Column of which rows are no answers, but abstain: truth values, or a column whose blank entries do. Such a
            row needs no label, no grade and no confidence. None stands for ``abstained``, if there is such a column; of
            a log, for the rules of :func:`~skconf.read_log`. Not in batches.
        cluster : label, default=None
            Column of what each row is of, such as its patient or its question, where rows of one depend on each other:
            intervals and guarantees draw these. None stands for the id of a log, if ids repeat. Not in batches.
        score : label, default=None
            Column of another score that selection may rank by, any numbers, such as the mean of the confidence and of
            another model's probability of this answer. Thresholds for the errors that you allow are then shown by both,
            and are guaranteed together: take the better one. Not in batches.
        metrics : iterable of str or callable, "all" or None, default=None
            As in :func:`~skconf.confidence_report`. Metrics that need all confidences at once are left out in batches,
            with a warning.
        confidence_level : float, default=None
            Level of confidence intervals, between 0 and 1. None leaves them out. Not in batches.
        in_batches : bool, default=None
            Read batch by batch, in memory that does not grow with the files. True does so always, False never, None if
            there are groups, a model has several files, or all files together hold more than 100 MB, decompressed.
        ids : label, default=None
            Column of ids by which the rows of several models are matched, in any order, before they are compared. Each
            model must have the same ids, each once. None matches them by place, and only where the true labels
            agree row by row.
        truth : path, default=None
            File of the true labels, if those of predictions have none: a row for each prediction, in any order, matched
            by `ids`, which are in both (None stands for a column called id, or so). `target` names its column of true
            labels; None stands for the only one besides the ids, or one that is called label, target or so. Not in
            batches.
        slices : label or list of labels, default=None
            Columns by which to look where it fails, as in :func:`~skconf.confidence_report`; not in batches. Texts that
            are numbers count as numbers, unless one begins with a zero, such as 007.
        errors : float or sequence of float, default=None
            Shares of errors that you allow, as in :func:`~skconf.confidence_report`.
        prices : pair of float, default=None
            What an error costs, and a case that is sent to a person, as in
            :func:`~skconf.confidence_report`.
        prevalence : mapping of label to float, default=None
            Share of each class where the predictions are used, as in :func:`~skconf.confidence_report`; not in batches.
        n_jobs : int, default=None
            Number of threads that read in batches, as in :func:`~skconf.accumulate`; any number gives the same values.
        progress : bool, default=False
            Show on standard error how much has been read.

        Returns
        -------
        ConfidenceReport
            The report of :func:`~skconf.confidence_report`; with `groups`, a row for each group instead, with the
            number of its predictions in the column ``count``. In batches, sums are exact; areas under curves of more
            than 65,536 distinct confidences have an error, and a warning names its bound.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ImportError
            If a Parquet file is given and pyarrow is not installed.
        ValueError
            If an entry is missing or invalid, a column is missing, or labels are needed: the message names file, column
            and row. If `in_batches` is False, but batches are needed.

        See Also
        --------
        skconf.accumulate : Scores of files, with intervals, or of tables of Dask and Spark.
        skconf.inference.compare : Paired differences between models.

        Notes
        -----
        Columns are guessed only where one reading alone fits their names and the first 10,000 rows: true labels, called
        ``label``, ``target``, ``class``, ``truth`` and the like; probabilities that sum to 1, in columns that are named
        by the true labels, all in one way; a single probability of the label 1; predicted labels and the confidence in
        them. Where several fit, an error names them, and the parameter that decides. No guess is against a parameter.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from skconf import ConfidenceReport
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "predictions.csv")
        ...     _ = file.write_text("y_true,proba_0,proba_1\n0,.9,.1\n1,.1,.9\n1,.2,.8\n0,.4,.6\n")
        ...     report = ConfidenceReport.from_files(file, metrics=["accuracy_score", "aurc_loss"])
        >>> report
        metric          value best  better  range
        accuracy_score 0.7500    1  higher  [0, 1]
        aurc_loss      0.0625    0  lower   [0, 1]
        """
        columns = {
            "target": target,
            "proba": proba,
            "prediction": prediction,
            "correct": correct,
            "confidence": confidence,
            "weight": weight,
            "groups": groups,
            "labels": labels,
            "pos_label": pos_label,
            "threshold": threshold,
            "grades": grades,
            "abstained": abstained,
            "cluster": cluster,
            "score": score,
        }
        return cls(
            evidence_of_files(
                files,
                columns,
                metrics,
                in_batches=in_batches,
                progress=progress,
                ids=ids,
                truth=truth,
                slices=slices,
                errors=errors,
                prices=prices,
                prevalence=prevalence,
                confidence_level=confidence_level,
                n_jobs=n_jobs,
            )
        )

    def page(self, *, anonymous: bool = False) -> str:
        """Return the whole report as a page, which needs no other file and requests nothing.

        Parameters
        ----------
        anonymous : bool, default=False
            Leave out rows, slices, labels, and names of models, groups and files.

        Returns
        -------
        str
            HTML. The same report on the same day has the same bytes; ``SOURCE_DATE_EPOCH`` sets the day.
        """
        if anonymous:
            return type(self)(self._source.anonymous()).page()
        if self.evidence is None:
            if isinstance(self._source, TableAlone):
                return table_page(as_table(self._source.named, self._notes()), self._source)
            return table_page(as_table(self.frame, self._notes()), TableAlone(self.frame, self._source.origin))
        return as_page(self.evidence)

    def save(self, path: str | PathLike[str], *, anonymous: bool = False) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : path-like
            The file, such as ``report.html``.
        anonymous : bool, default=False
            Leave out rows, slices, labels, and names of models, groups and files.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        Path(path).write_text(self.page(anonymous=anonymous), encoding="utf-8")

    def open(self, *, anonymous: bool = False) -> None:
        """Show the page in a browser.

        Parameters
        ----------
        anonymous : bool, default=False
            Leave out rows, slices, labels, and names of models, groups and files.
        """
        with NamedTemporaryFile("w", suffix=".html", prefix="skconf-", delete=False, encoding="utf-8") as file:
            file.write(self.page(anonymous=anonymous))
        webbrowser.open(Path(file.name).as_uri())

    def model_card(self, *, anonymous: bool = False) -> str:
        """Return a short text for a model card: a sentence for each question, numbers, limits and hashes of files.

        Parameters
        ----------
        anonymous : bool, default=False
            Leave out names of models and files.

        Returns
        -------
        str
            Markdown.

        Raises
        ------
        ValueError
            If the report has a table only: that of groups or classes, or that of models some of which have costs.
        """
        if self.evidence is None:
            raise ValueError(
                "This report has a table alone: of classes, of groups, or of models of which some have a correctness, "
                "and others costs. Call confidence_report() with predictions of one kind for a whole report."
            )
        return model_card_of(self.evidence.anonymous() if anonymous else self.evidence)

    def text(self, *, width: int | None = None) -> str:
        """Return the whole report as text.

        Parameters
        ----------
        width : int, default=None
            Characters of a line; wider tables are parted. None stands for 80, and tables of any width.

        Returns
        -------
        str
        """
        if self.evidence is not None:
            return as_text(self.frame, self.evidence, width)
        if not isinstance(self._source, TableAlone) or not group_findings(self._source):
            return as_lines(self.frame, self._notes(), width)
        return "\n\n".join([as_lines(self._source.named, self._notes(), width), *group_texts(self._source, width)])

    def summary(self, *, width: int | None = None) -> str:
        """Return the report in a few sentences: may I trust it, when to abstain, which model, and where it fails worst.

        Parameters
        ----------
        width : int, default=None
            Characters of a line. None stands for 80.

        Returns
        -------
        str
            A paragraph for each question; of groups, where it fails; of classes, their table.
        """
        if self.evidence is not None:
            return summary(self.evidence).text(width)
        found = group_findings(self._source) if isinstance(self._source, TableAlone) else []
        return "\n".join(each.text(width) for each in found) or as_lines(self.frame, self._notes(), width)

    def _notes(self) -> list[str]:
        """Return what stands below the table."""
        return notes_of(self._source) if isinstance(self._source, Evidence) else []

    def __repr__(self) -> str:
        return as_lines(self.frame, self._notes())

    def _repr_html_(self) -> str:
        if self.evidence is None:
            return table_fragment(as_table(self.frame, self._notes()))
        return as_fragment(self.frame, self.evidence)
