"""ConfidenceReport: a DataFrame of numbers that is text in a terminal, and a page."""

import webbrowser
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from skconf._core.messages import visible
from skconf._core.numbers import bound, four_decimals
from skconf.report._page.tables import TablePart, wrapped

if TYPE_CHECKING:
    from skconf.report._evidence.evidence import Evidence

#: Columns that describe a metric; every other column is a model.
OF_THE_METRIC = ("best", "better", "range", "best_model", "verdict")

#: The separator of models, and of the verdicts on them.
BETWEEN = " | "
#: Width of the lines below a table.
_WIDTH = 80


class ConfidenceReport(pd.DataFrame):  # type: ignore[misc]
    """A DataFrame of metrics that is a page for people, too: the result of :func:`~skconf.confidence_report`.

    Entries are plain numbers and strings, and results derived from it (a column, a selection, a copy) are plain pandas.
    In a terminal it prints the verdict below, and a star at the better ones of several models if a difference is shown.
    A notebook shows the verdicts, what they rest on, and the table. :meth:`save` writes the whole report: whether its
    confidences may be trusted, when to abstain, which model is better, and where it fails.

    See Also
    --------
    confidence_report : Makes one from predictions.
    confidence_report_from_files : Makes one from files.

    Examples
    --------
    >>> from skconf import confidence_report
    >>> report = confidence_report([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6], metrics=["accuracy_score", "aurc_loss"])
    >>> report
    metric          value best  better  range
    accuracy_score 0.7500    1  higher  [0, 1]
    aurc_loss      0.0625    0  lower   [0, 1]
    >>> float(report.at["aurc_loss", "value"])
    0.0625
    >>> report.save("report.html")  # doctest: +SKIP
    """

    # pandas leaves these alone, and pickles them.
    _metadata = ["evidence"]  # noqa: RUF012
    evidence: "Evidence | None" = None

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
            Other parameters of :func:`~skconf.confidence_report`, such as `metrics` and `confidence_level`.

        Returns
        -------
        ConfidenceReport

        Raises
        ------
        ValueError
            If predictions are invalid, or an option is.
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
        >>> print(report.at["mean_confidence", "verdict"])
        No sign that it is too sure or too modest. The gap is 2.3 points [−.8, 9.6]; one of 4.1 would have been found in
        four of five such samples. At the top the sample is too small: a size ratio of 19.2 could be missed.
        """
        from skconf.report._report import report_on_estimators

        return cast(Self, report_on_estimators(estimator, X, y, sample_weight, options))

    def page(self, *, anonymous: bool = False) -> str:
        """Return the whole report as a page, which needs no other file and requests nothing.

        Parameters
        ----------
        anonymous : bool, default=False
            Leave out rows, slices, labels, and names of models and files.

        Returns
        -------
        str
            HTML. The same report on the same day has the same bytes; ``SOURCE_DATE_EPOCH`` sets the day.
        """
        from skconf.report._sections.document import as_page, plain_page

        return plain_page(self) if self.evidence is None else as_page(self.evidence, anonymous=anonymous)

    def save(self, path: str | PathLike[str], *, anonymous: bool = False) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : path-like
            The file, such as ``report.html``.
        anonymous : bool, default=False
            Leave out rows, slices, labels, and names of models and files.

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
            Leave out rows, slices, labels, and names of models and files.
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
            If the report is a table alone: of groups or classes, or of models of which some have costs.
        """
        from skconf.report._sections.model_card import model_card

        if self.evidence is None:
            raise ValueError(
                "This report has a table alone: of classes, of groups, or of models of which some have a correctness, "
                "and others costs. Make one of predictions of one kind by confidence_report()."
            )
        return model_card(self.evidence.anonymous() if anonymous else self.evidence)

    def text(self, *, width: int | None = None) -> str:
        """Return the whole report as text.

        Parameters
        ----------
        width : int, default=None
            Characters of a line; wider tables are parted. None stands for 100, and tables of any width.

        Returns
        -------
        str
        """
        from skconf.report._sections.document import as_text

        return as_text(self, width)

    def __repr__(self) -> str:
        return as_lines(self)

    def _repr_html_(self) -> str:
        from skconf.report._sections.document import as_fragment

        return as_fragment(self)


def ends_of(model: Any) -> tuple[str, str]:
    """Return the names of the columns with the ends of a model's intervals."""
    return f"{model} low", f"{model} high"


class _Column(NamedTuple):
    """A column as text, with its header."""

    header: str
    cells: list[str]
    marks: list[bool]
    is_text: bool


def _columns(frame: pd.DataFrame) -> list[_Column]:
    shown = []
    for name, column in frame.items():
        if name not in ("best_model", "verdict"):
            write, is_text = _writer(name, column)
            cells = [write(value) for value in column]
            marks = [str(name) in best.split(BETWEEN) for best in frame.get("best_model", [""] * len(frame))]
            shown.append(_Column(visible(str(name)), cells, marks, is_text))
    return shown


def _verdicts(frame: pd.DataFrame) -> list[str]:
    """Return the verdict on each model."""
    return [each for verdict in frame.get("verdict", ()) if verdict for each in verdict.split(BETWEEN)]


def _stars(frame: pd.DataFrame) -> list[str]:
    """Return the meaning of a star, if there may be one."""
    stars = frame.attrs.get("marks", "") if "best_model" in frame else ""
    return [stars] if stars else []


def _writer(name: Any, column: Any) -> tuple[Callable[[Any], str], bool]:
    """Return the format of the entries of a column, and whether they are text, which is aligned on the left."""
    if name == "best":
        return (lambda value: "" if np.isnan(value) else f"{value:g}"), False
    if pd.api.types.is_float_dtype(column):
        return four_decimals, False
    if isinstance(column.dtype, pd.IntervalDtype):
        return (lambda bounds: f"[{bound(bounds.left)}, {bound(bounds.right)}]"), True
    return (lambda value: visible(str(value))), not pd.api.types.is_numeric_dtype(column)


def as_lines(frame: pd.DataFrame, *, verdicts: bool = True, width: int | None = None) -> str:
    """Return a table as text, with a star at the better ones of several models, and perhaps the verdicts below.

    A table that is wider than `width` is parted, and each part begins with the names of the rows.
    """
    labels = [visible(str(label)) for label in frame.index]
    names = lines = _block(visible(str(frame.index.name or "")), labels, is_text=True)
    parts: list[list[str]] = []
    for header, cells, marks, is_text in _columns(frame):
        if any(marks):
            header, cells = f"{header} ", [cell + " *"[mark] for cell, mark in zip(cells, marks, strict=True)]
        block, gap = _block(header, cells, is_text), "  " if is_text else " "
        if width is not None and lines is not names and len(lines[0] + gap + block[0]) > width:
            parts.append([*lines, ""])
            lines = names
        lines = [line + gap + cell for line, cell in zip(lines, block, strict=True)]
    shown = [line for part in parts for line in part] + lines
    said = [*_stars(frame), *(_verdicts(frame) if verdicts else [])]
    below = [wrapped(visible(line), min(_WIDTH, width or _WIDTH), "  ") for line in said]
    return "\n".join(line.rstrip() for line in [*shown, *([""] if below else []), *below])


def _block(header: str, cells: list[str], is_text: bool) -> list[str]:
    """Return a header and its cells at one width."""
    width = max(map(len, [header, *cells]))
    return [f"{cell:{'<' if is_text else '>'}{width}}" for cell in [header, *cells]]


def as_table(frame: pd.DataFrame, *, verdicts: bool = True) -> TablePart:
    """Return a table for a page, with a star at the better ones of several models, and perhaps the verdicts below."""
    shown = {visible(str(frame.index.name or "")): [visible(str(label)) for label in frame.index]}
    for column in _columns(frame):
        shown[column.header] = [cell + "*" * mark for cell, mark in zip(column.cells, column.marks, strict=True)]
    said = [*_stars(frame), *(_verdicts(frame) if verdicts else [])]
    return TablePart("", pd.DataFrame(shown), tuple(map(visible, said)))
