"""ConfidenceReport: numbers in tables, text in a terminal, and a page."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from numbers import Integral
from os import PathLike
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from skconf._core.columns import is_table, keys_of
from skconf._core.inputs import check_order
from skconf._core.problems import noted
from skconf._core.response import costs_of_samples
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
from skconf.selective._cells import columns_of
from skconf.tables._columns import takes_columns
from skconf.tables._paths import Paths

#: Ends of names that a page must not have, and what to do for such a file.
_OTHER_FORMATS = {
    ".pdf": ", open it, and print it in a browser",
    ".md": ", or write the text of model_card()",
    ".csv": ", or write the table by frame.to_csv(path)",
    ".json": ", or write the table by frame.to_json(path)",
}


def check_page_name(path: str | PathLike[str]) -> None:
    """Raise if the name of a page ends like a file of another format."""
    if advice := _OTHER_FORMATS.get(Path(path).suffix.lower()):
        raise ValueError(f"{str(path)!r} is not the name of an HTML page. Pass a name such as 'report.html'{advice}.")


class ConfidenceReport:
    """A report on the confidences of a classifier, or of several: the result of :func:`~skconf.confidence_report`.

    In a terminal, it prints the table of metrics and the verdict. With several models, a star marks a model that is
    significantly better than the baseline, by default the first model. A notebook shows the verdicts, the numbers of
    errors, and the table. :meth:`save` writes the whole report: can I trust the confidences, when should the model
    abstain, which model is better, and where do models fail.

    Attributes
    ----------
    frame : DataFrame
        The table with a row for each metric. See :func:`~skconf.confidence_report` for its columns.
    verdict : dict of model to str
        The verdict of :func:`skconf.inference.assess_confidence` on each model. A single model without a name has the
        key "value". The dict is empty for a table of classes or groups.
    thresholds : DataFrame
        A row for each model and each target. A target is a limit of the error rate, of the mean loss of graded answers,
        or of the mean cost. The columns are

        - ``model``, ``target``.
        - ``threshold``, ``coverage`` : the lowest threshold with an observed error rate of at most the target, and its
          coverage. NaN if no such threshold accepts 20 answers. If answers have costs, ``threshold`` is the largest
          accepted uncertainty.
        - ``risk``, ``risk_low``, ``risk_high`` : the error rate observed at this threshold, with its interval.
        - ``guaranteed_threshold``, ``guaranteed_coverage`` : a threshold at which the error rate of new answers is at
          most the target. This holds for all models at once with probability `confidence_level` (95% if None). NaN
          without a guarantee.
        - ``guarantee`` : "guaranteed", or why there is no guarantee. "no rule": there are weights or costs. "too few
          rows": no threshold could be guaranteed with so few rows. "more rows": more rows like these would be enough.
          "never observed": no threshold that accepts at least 20 answers has an error rate below the target. "few
          answers": thresholds with such an error rate accept too few answers for a guarantee.
        - ``n_needed`` : how many rows, or clusters of rows, would be enough; 0 if unknown.
    slices : DataFrame
        A row for each model and requested slice, worst first, with columns

        - ``model``, ``slice``, ``n_samples``.
        - ``confidence``, ``accuracy`` : the mean confidence, and the accuracy. For graded answers, ``accuracy`` is
          named ``correctness``. For costs, ``confidence`` and ``accuracy`` are named ``uncertainty`` and ``cost``.
        - ``low``, ``high`` : the interval of the accuracy.
        - ``p_value`` : the probability of at least as many errors as observed, if confidences are calibrated; adjusted
          by Holm's method.

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
    Too few to say: 1 of 4 answers is wrong, where the confidences imply 0.8 errors. Even overconfidence of 58.8 points
    would be missed in one of five data sets like this one.
    >>> report.save("report.html")  # doctest: +SKIP
    """

    def __init__(self, source: Evidence | TableAlone) -> None:
        self._source = source
        self.frame: pd.DataFrame = frame_of(source) if isinstance(source, Evidence) else source.frame

    @property
    def evidence(self) -> Evidence | None:
        """The numbers from which the report answers its questions; None if the report is only a table."""
        if isinstance(self._source, Evidence) and not self._source.is_mixed:
            return self._source
        return None

    @property
    def verdict(self) -> dict[Any, str]:
        """The verdict on each model."""
        return verdicts_of(self._source) if isinstance(self._source, Evidence) else {}

    @cached_property
    def thresholds(self) -> pd.DataFrame:
        """Thresholds for allowed errors."""
        return pd.DataFrame() if self.evidence is None else table_of_thresholds(self.evidence)

    @cached_property
    def slices(self) -> pd.DataFrame:
        """The requested slices, worst first."""
        return pd.DataFrame() if self.evidence is None else table_of_slices(self.evidence)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Report on the predictions of a fitted classifier, or of several.

        Parameters
        ----------
        estimator : estimator, or mapping of str to estimator
            A fitted classifier with ``predict_proba``, or a mapping of names to classifiers. If a classifier is a
            :class:`~skconf.SelectiveClassifier`, the report uses its threshold.
        X : array-like of shape (n_samples, n_features)
            Samples that were not used to train the classifier.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        groups : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient. Intervals and guarantees take into account that samples of
            a cluster depend on each other.
        **options : dict
            Other parameters of :func:`~skconf.confidence_report`, such as `metrics`. `slices` may also be the name of a
            column of `X`, or a list of names, but not as many names as samples (if `X` has no names: positions).

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
        88.8–99.2). If there were overconfidence of 5.6 points, it would be found in four of five data sets like this
        one. At a confidence of 0.9 or more, as many as 7.7% of answers may be wrong.
        """
        several = isinstance(estimator, Mapping)
        check_order(X=X, y=y, slices=options.get("slices"))
        options["slices"] = _in_columns(options.get("slices"), X, y)
        profiles = {}
        for name, model in (estimator if several else {"value": estimator}).items():
            with noted(name, several=several):
                profile = ConfidenceProfile.from_estimator(model, X, y, sample_weight=sample_weight, groups=groups)
                costs = costs_of_samples(model, X, profile.n_rows)
                known = costs is not None and costs.shape[1] == profile.n_classes  # else a label of y has no costs
                profiles[name] = profile.with_costs(costs) if known else profile
        source = source_of(profiles if several else profiles["value"], **options)
        if isinstance(source, Evidence) and not several:
            source = replace(source, name=type(estimator).__name__)
        return cls(source)

    @classmethod
    @takes_columns(
        target="In files without these columns, columns with other usual names are found: see Notes.",
        groups="The report then has a row for each group and a column for each metric. Files may be of any size. To "
        "find the groups where the model fails, use `slices`.",
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
        r"""Report on predictions in files, as :func:`~skconf.confidence_report` reports on predictions in memory.

        Parameters
        ----------
        files : path, list of paths, or mapping of str to these
            Parquet, CSV or JSON lines files with a row for each prediction, as in :func:`~skconf.accumulate`: a path, a
            pattern, a folder, or a list of these, all of one model. Pass a mapping for several models. A language
            model may have one log instead; `correct` and `confidence` are then the parameters of
            :func:`~skconf.read_log`.
        {columns}
        abstained : label or False, default=None
            Column that is true, or blank, where the model abstains. These rows need no label, no grade and no
            confidence. None means the column ``abstained``, if there is one. For a log, and for graded answers in JSON
            lines, None means the rules in the notes of :func:`~skconf.read_log`. False means that the model never
            abstains. Not in batches.
        cluster : label or False, default=None
            Column with the cluster of each row, such as the patient or the question, if rows of a cluster depend on
            each other. Intervals then allow for this, and guarantees use one answer of each cluster. For a log, None
            means the column ``id``. For other files, None means a column with a name such as ``id``, or else
            ``patient``, if its values repeat and, on average, each has at most 100 rows. False means that rows are
            independent. Not in batches.
        score : label, default=None
            Column with another score that ranks answers for selection, for example the mean of the confidences that
            two models have in the same answer. The report then shows thresholds for both scores. Their guarantees hold
            together, so you may use the better threshold. Not in batches.
        metrics : iterable of str or callable, "all" or None, default=None
            As in :func:`~skconf.confidence_report`. Reading in batches leaves out metrics that need all confidences at
            once, with a warning.
        confidence_level : float, default=None
            As in :func:`~skconf.confidence_report`. Not in batches.
        in_batches : bool, default=None
            Whether to read in batches, in constant memory. None means True if you pass `groups`, if a model has several
            files, or if all files together hold more than 100 MB after decompression.
        ids : label, default=None
            Column of ids, by which rows of several models are matched. Each model must have the same ids, in any order.
            If ids repeat, as in logs of several epochs, the rows of an id are matched in their order. None matches rows
            by position, and compares models only if true labels and columns such as ``id`` agree in every row.
        truth : path, default=None
            File of the true labels, if the files of predictions lack them. It has a row for each prediction, in any
            order. Rows are matched by the column `ids`, which both files must have; None means a column with a name
            such as id. `target` names the column of true labels; None means the only column besides the ids, or a
            column with a name such as label or target. Not in batches.
        slices : label or list of labels, default=None
            Columns that divide the rows into slices, as in :func:`~skconf.confidence_report`. If all strings of a
            column are numbers, they are read as numbers, unless one begins with a zero, such as 007. Not in batches.
        errors : float or sequence of float, default=None
            As in :func:`~skconf.confidence_report`.
        prices : pair of float, default=None
            Two prices, such as (10, 1), as in :func:`~skconf.confidence_report`.
        prevalence : mapping of label to float, default=None
            As in :func:`~skconf.confidence_report`. Not in batches.
        n_jobs : int, default=None
            Number of threads that read batches.
        progress : bool, default=False
            Show on stderr how much has been read.

        Returns
        -------
        ConfidenceReport
            The report of :func:`~skconf.confidence_report`. With `groups`, the column ``count`` has the number of
            predictions of each group. In batches, areas under curves with more than 65,536 distinct confidences are
            approximate; a warning gives the bound of the error.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ImportError
            If a Parquet file is given and pyarrow is not installed.
        ValueError
            If an entry is missing or invalid, or a column is missing; the message names the file, the column and the
            row. If the labels of the probabilities are unknown. If `in_batches` is False, and there are `groups` or
            several files of a model, which need batches.

        See Also
        --------
        skconf.accumulate : Scores of files, with intervals, or of tables of Dask and Spark.
        skconf.inference.compare : Paired differences between models.

        Notes
        -----
        Columns are guessed from their names and the first 10,000 rows, but only if exactly one reading fits. These are
        found: true labels with a name such as ``label``, ``target``, ``class`` or ``truth``; probabilities that sum to
        1, in columns named after the true labels, such as ``p_cat`` and ``p_dog``; a single probability of the label 1;
        predicted labels with a confidence. If several readings fit, an error lists them, and names the parameter that
        chooses one of them. A guess never contradicts a parameter that you pass.

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
        """Return the whole report as a page, which needs no other file and loads nothing from the network.

        Parameters
        ----------
        anonymous : bool, default=False
            As in :meth:`save`.

        Returns
        -------
        str
            HTML. The same report on the same day gives the same bytes. The environment variable ``SOURCE_DATE_EPOCH``
            sets the day.
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
        ValueError
            If the file's name is that of another format, such as ".pdf".
        """
        check_page_name(path)
        Path(path).write_text(self.page(anonymous=anonymous), encoding="utf-8")

    def open(self, *, anonymous: bool = False) -> None:
        """Show the page in a browser.

        Parameters
        ----------
        anonymous : bool, default=False
            As in :meth:`save`.
        """
        with NamedTemporaryFile("w", suffix=".html", prefix="skconf-", delete=False, encoding="utf-8") as file:
            file.write(self.page(anonymous=anonymous))
        webbrowser.open(Path(file.name).as_uri())

    def model_card(self, *, anonymous: bool = False) -> str:
        """Return a short text for a model card: the summary, its limitations, and the hashes of files.

        Parameters
        ----------
        anonymous : bool, default=False
            As in :meth:`save`.

        Returns
        -------
        str
            Markdown.

        Raises
        ------
        ValueError
            If the report shows groups or classes, if it is on logs without confidences, or if only some models have
            costs.
        """
        if self.evidence is None:
            raise ValueError(
                "This report has only a table, which is not enough for a model card: it shows classes or groups, its "
                "logs have no confidences, or only some of its models have costs. Leave out by= or groups=, and report "
                "on models with costs separately."
            )
        return model_card_of(self.evidence.anonymous() if anonymous else self.evidence)

    def text(self, *, width: int | None = None) -> str:
        """Return the whole report as text.

        Parameters
        ----------
        width : int, default=None
            Characters of a line. Tables wider than this are split. None means 80 for sentences, and no limit for
            tables.

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
        """Return the report in a few sentences.

        Parameters
        ----------
        width : int, default=None
            Characters of a line. None means 80.

        Returns
        -------
        str
            A paragraph for each question that is answered. For groups, the text says only where the model fails. For
            classes, it is only their table.
        """
        if self.evidence is not None:
            return summary(self.evidence).text(width)
        found = group_findings(self._source) if isinstance(self._source, TableAlone) else []
        return "\n".join(each.text(width) for each in found) or as_lines(self.frame, self._notes(), width)

    def _notes(self) -> list[str]:
        """Return the notes below the table."""
        return notes_of(self._source) if isinstance(self._source, Evidence) else []

    def __repr__(self) -> str:
        return as_lines(self.frame, self._notes())

    def _repr_html_(self) -> str:
        if self.evidence is None:
            return table_fragment(as_table(self.frame, self._notes()))
        return as_fragment(self.frame, self.evidence)


def _in_columns(slices: Any, X: Any, y: ArrayLike) -> Any:
    """Return the columns of `X`, if `slices` names one or several of them; else `slices`, which has the values."""
    if isinstance(slices, str | Integral):
        return columns_of(X, [slices])
    may_be_names = isinstance(slices, list | tuple) and all(isinstance(name, str | Integral) for name in slices)
    if not may_be_names or len(slices) == len(np.asarray(y)):  # a value for each sample
        return slices
    n_columns = len(keys_of(X)) if is_table(X) else np.shape(X)[-1]
    return columns_of(X, list(dict.fromkeys(slices))) if 0 < len(slices) <= n_columns else slices
