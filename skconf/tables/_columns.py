"""Predictions in tables: what each column holds, and what its entries mean."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.checks import check_threshold
from skconf._core.columns import PREFIX, Spellings, plain
from skconf._core.docstrings import documented, entries_of_parameters
from skconf._core.grades import check_grades, example_of, from_grades, has_grades, has_percentages, words_in
from skconf._core.groups import Groups
from skconf._core.labels import LabelColumn
from skconf._core.messages import option, shorten, suggest
from skconf._core.problems import DataError, as_data_error, row_in_words
from skconf._core.usual_names import USUAL
from skconf.profile import ConfidenceProfile
from skconf.profile._abstained import check_abstained
from skconf.profile._pairs import codes_of
from skconf.profile._profile import weigh_part
from skconf.tables._answers import Answers
from skconf.tables._csv import first_line_is_data
from skconf.tables._entries import (
    as_series,
    by_name,
    have_no_entry,
    holds_lists,
    in_type_of,
    labels_in,
    labels_of_truth,
    numbers_in,
    refuse_thousands,
    rows_where,
    says_yes,
    spelled_alike,
)
from skconf.tables._log_samples import states_of

_Documented = TypeVar("_Documented", bound=Callable[..., Any])


class NoPredictionsError(DataError):
    """The named columns and the columns with usual names do not hold predictions.

    Parameters
    ----------
    text, row, rest, **given
        As in :class:`DataError`.
    unnamed : sequence of str, default=()
        What :func:`first_line_is_data` says: it stands after the row, with the name of the file between its parts.
    """

    def __init__(
        self, text: str, row: int | None = None, rest: str = "", *, unnamed: Sequence[str] = (), **given: Any
    ) -> None:
        super().__init__(text, row, rest, **given)
        self.unnamed = unnamed

    def _what(self) -> str:
        file = self.place if Path(self.place).suffix and "'" not in self.place else "FILE"
        unnamed = f"'{file}'".join(self.unnamed)
        return f"{self.text}{row_in_words(self.row, self.row_id)}{unnamed}{self.rest}"


@dataclass(frozen=True)
class Columns:
    """The columns of a table of predictions, and the facts that are the same for all of its rows.

    All functions that read such tables take these parameters, and :func:`takes_columns` documents them there.

    Parameters
    ----------
    target, prediction : label, default=None
        Columns of true and predicted labels. None means ``y_true`` and ``y_pred``, if there are such columns.
    proba : label or list of labels, default=None
        Columns of the probabilities of the classes. A single column holds the probability of `pos_label`, or lists with
        a number for each class. None means all columns whose names begin with ``proba_``, or else ``y_proba``.
    correct, confidence : label, default=None
        Use these instead of labels and probabilities. `correct` holds 1 for a right answer and 0 for a wrong one, or a
        grade in [0, 1]. `confidence` holds the confidence in the answer. None means ``correct`` and ``confidence``.
    weight : label, default=None
        Column of sample weights. None means ``sample_weight``, if there is such a column.
    groups : label or list of labels, default=None
        Columns of groups.
    labels : array-like of shape (n_classes,), default=None
        Labels of the probabilities. Columns named ``LABEL`` or ``proba_LABEL`` are matched by name, other columns by
        their order. None means the part of the names after ``proba_``, in the type of the true labels. If the names
        have no such part, None means the sorted true labels, which are known only for a single table in memory.
    pos_label : label, default=None
        Positive class of a binary task. None means the part after ``proba_`` in the name of a single column of
        probabilities, or else the second label.
    threshold : float, default=None
        Lowest confidence at which a prediction is accepted.
    grades : mapping from label to float, default=None
        The number in [0, 1] for each word in the columns of confidence and correctness, such as {"high": 0.9,
        "low": 0.3, "right": 1, "partly": 0.5, "wrong": 0}.

    Other Parameters
    ----------------
    abstained : label or False, default=None
        Column that says where the model abstains: truth values, or a column that is blank in these rows. Such rows need
        no label, no grade and no confidence. None means ``abstained``, if there is such a column. False: the model
        never abstains.
    cluster : label or False, default=None
        Column of the cluster of each row, such as its patient or its question, if rows of a cluster depend on each
        other. False: rows do not depend on each other.
    score : label, default=None
        Column of another score that ranks the answers. It may hold any numbers.

    Attributes
    ----------
    named : list of labels
        The columns of the predictions, without the columns about rows: `abstained`, `cluster` and `groups`.
    needed : list of labels
        All columns that are read. Each is listed once.
    """

    target: Any = None
    proba: Any = None
    prediction: Any = None
    correct: Any = None
    confidence: Any = None
    weight: Any = None
    groups: Any = None
    labels: Any = None
    pos_label: Any = None
    threshold: float | None = None
    grades: Mapping[Any, float] | None = None
    abstained: Any = None
    cluster: Any = None
    score: Any = None
    named: list[Any] = field(init=False)
    needed: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        for name in ("proba", "groups"):
            object.__setattr__(self, name, _several(getattr(self, name)))
        if self.labels is not None:
            object.__setattr__(self, "labels", list(self.labels))
        if self.threshold is not None:
            check_threshold(self.threshold)
        if self.grades is not None:
            check_grades(self.grades)
        single = [getattr(self, role) for role in USUAL if role != "abstained"]
        object.__setattr__(self, "named", [name for name in [*single, *self.proba] if name is not None])
        beside = [name for name in (self.abstained_column, self.cluster_column, self.score) if name is not None]
        object.__setattr__(self, "needed", list(dict.fromkeys([*self.named, *beside, *self.groups])))

    @property
    def abstained_column(self) -> Any:
        """Column that says which rows abstain; None if there is none."""
        return None if self.abstained is False else self.abstained

    @property
    def cluster_column(self) -> Any:
        """Column of the clusters; None if there is none."""
        return None if self.cluster is False else self.cluster

    def numbers(self) -> list[Any]:
        """Return the columns that must hold numbers. Texts may be grades, and labels may be texts."""
        if self.grades is not None:
            return []
        texts = [self.target, self.prediction, *self.groups]
        return [
            name for name in (self.correct, self.confidence, self.weight, *self.proba) if name not in [*texts, None]
        ]

    def found_in(self, names: Iterable[Any]) -> "Columns":
        """Return the columns that a table has, with the usual names as defaults; raise if one is missing or unclear."""
        names_present = list(names)
        self.check(names_present)
        unnamed = [name for name in names_present if name not in self.named]
        given = self.correct is not None or self.confidence is not None
        roles: dict[str, Any] = {
            name: usual if getattr(self, name) is None and usual in unnamed else getattr(self, name)
            for name, usual in USUAL.items()
        }
        proba = list(self.proba) or [name for name in names_present if str(name).startswith(PREFIX)]
        proba = proba or [name for name in ("y_proba",) if name in names_present]
        if roles["target"] is not None and proba and not given:
            proba = self._in_order_of_labels(proba)
            labels = self.labels if self.labels is not None or len(proba) == 1 else _labels_after_prefix(proba)
            roles |= {"correct": None, "confidence": None}
            return self._with(names_present, **roles, proba=proba, labels=labels)
        labels_tell = roles["target"] is not None and roles["prediction"] is not None
        if roles["confidence"] is None or (roles["correct"] is None and not labels_tell):
            raise NoPredictionsError(
                f"cannot tell which of the columns {shorten(names_present)} hold the predictions",
                rest=".",
                unnamed=first_line_is_data(names_present),
                kind="no predictions",
                advice=f"Name the columns of true labels ({option('target')}) and probabilities ({option('proba')}); "
                f"or of true and predicted labels ({option('prediction')}) and confidence ({option('confidence')}); "
                f"or of correctness ({option('correct')}) and confidence.",
            )
        if roles["correct"] is not None:
            roles |= {"target": None, "prediction": None}
        return self._with(names_present, **roles, proba=None)

    def _with(self, names: list[Any], **roles: Any) -> "Columns":
        """Return these columns with other names; raise if one of them occurs twice."""
        columns = replace(self, **roles)
        columns.check(names)
        return columns

    def check(self, names: Iterable[Any]) -> None:
        """Raise if a column is missing or occurs twice."""
        counts = Counter(names)
        for name in self.needed:
            if counts[name] > 1:
                raise ValueError(f"there are {counts[name]} columns {name!r}. Leave out or rename all but one.")
            if name not in counts:
                raise ValueError(
                    f"there is no column {name!r}.{suggest(name, map(str, counts))} "
                    f"The columns are {shorten(list(counts))}: name one of them with {self._option_of(name)}."
                )
        if len(self.proba) > len(set(self.proba)):
            twice = next(name for name in self.proba if self.proba.count(name) > 1)
            raise ValueError(f"{option('proba')} names {twice!r} twice. Name each column once.")

    def check_further(self, names: Iterable[Any], asked: "Columns", first: str) -> None:
        """Raise if a further table lacks a column, or has a column of predictions that would not be read.

        `asked` are the columns that the user named, from which these columns were found in the first table. `first` is
        the name of the first table in messages.
        """
        further = list(names)
        self.check(further)
        more = [name for name in asked.found_in(further).needed if name not in self.needed]
        if more:
            raise ValueError(
                f"the columns {shorten(more)} do not occur in {first}. Name the columns to read, so that the same "
                "columns are read everywhere."
            )

    def _option_of(self, name: Any) -> str:
        """Return the parameter that names a column."""
        return next(
            option(role)
            for role in (*USUAL, "cluster", "score", "proba", "groups")
            if name in _several(getattr(self, role))
        )

    def _in_order_of_labels(self, proba: list[Any]) -> list[Any]:
        """Return the columns of probabilities in the order of the given labels, matched by name."""
        if self.labels is None or len(proba) == 1:
            return proba
        names, known = _labels_after_prefix(proba) or list(map(str, proba)), Spellings(self.labels)
        by_label = {known.label(name): column for name, column in zip(names, proba, strict=True) if name in known}
        if len(by_label) == len(proba) == len(self.labels):
            return [by_label[label] for label in self.labels]
        if _labels_in_names(proba) is None:  # the names only count the columns, from 0 on
            return proba
        if by_label or all(str(column).startswith(PREFIX) for column in proba):
            raise ValueError(
                f"the names of the columns {shorten(list(proba))} do not match {option('labels', list(self.labels))}. "
                f"Leave {option('labels')} out, or rename the columns."
            )
        return proba

    def check_labels_are_known(self) -> None:
        """Raise if the labels of the columns of probabilities can only be found from all rows together."""
        if self.proba and self.labels is None:
            remedy = (
                f"Pass both: {option('labels', ['no', 'yes'])}."
                if len(self.proba) == 1
                else f"Pass {option('labels')} in the order of the columns, or name the columns {PREFIX}LABEL."
            )
            raise ValueError(
                f"cannot infer the labels of the columns {shorten(list(self.proba))}: a part of the rows can lack "
                f"some labels. {remedy}"
            )

    def read(self, table: Any) -> ConfidenceProfile | None:
        """Return the predictions in a table, or None if it has no rows.

        It is a frame of pandas or polars, a Table or RecordBatch of pyarrow, or a mapping of arrays, and has all the
        columns: call `found_in` first.
        """
        self.check(column_names(table))
        lengths = {name: len(table[name]) for name in self.needed}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns must be of equal length, but their numbers of rows are {lengths}.")
        if lengths[self.needed[0]] == 0:
            return None
        rows = self._abstains(table)
        rows = check_abstained(rows) if rows.any() else rows
        weight = None
        if self.weight is not None:
            weight = numbers_in(table, self.weight)
            refuse_thousands(table, self.weight, [name for name in self.numbers() if name != self.weight])
        try:
            answers = rows_where(table, self.needed, ~rows) if rows.any() else table
            profile = self._classes(answers) if self.proba else self._correctness(answers)
        except ValueError as error:
            problem = as_data_error(error)
            problem.row = None if problem.row is None else int(np.flatnonzero(~rows)[problem.row])
            problem.columns = {name: getattr(self, name) for name in USUAL} | {"proba": list(self.proba)}
            raise problem from None
        if rows.any() or self.cluster_column is not None:
            named = None if self.cluster_column is None else _of_one_type(labels_in(table, self.cluster_column))
            profile = profile.beside(rows, codes_of(named, len(rows)))
        profile = profile if weight is None else weigh_part(profile, weight)
        return profile if self.threshold is None else replace(profile, threshold=self.threshold)

    def _abstains(self, table: Any) -> NDArray[np.bool_]:
        """Return which rows of a table abstain."""
        if self.abstained_column is None:
            return np.zeros(len(table[self.needed[0]]), dtype=np.bool_)
        return says_yes(as_series(table[self.abstained]), self.abstained, of_answers=self.abstained in self.named)

    def ungraded(self, table: Any) -> NDArray[np.bool_]:
        """Return which rows of a table have no grade, and do not abstain; none if no row has a grade."""
        no_row = np.zeros(len(table[self.needed[0]]), dtype=np.bool_)
        if self.correct is None or self.correct == self.abstained or not len(no_row):
            return no_row
        missing = have_no_entry(as_series(table[self.correct]), self.grades or ())
        if not missing.any():
            return no_row
        missing = missing & ~self._abstains(table)
        return no_row if missing.all() else missing

    def has_percentages(self, table: Any) -> bool:
        """Return whether confidences of a table are texts such as 95%."""
        return self.confidence is not None and not self.proba and has_percentages(as_series(table[self.confidence]))

    def states_of(self, table: Any, answers: Any) -> "pd.Series[Any]":
        """Return whether each row is an answer or why it abstains, by its grade and a column of answers."""
        grades = self._numbers(table, self.correct, of_truth=True).astype(np.float64)
        return pd.Series(states_of(grades, list(table[answers])), dtype=object, index=table.index)

    def read_truth(self, table: Any) -> NDArray[Any] | None:
        """Return the true labels of a table as plain texts, which do not depend on the format of the file."""
        return None if self.target is None else plain_labels(table, self.target)

    def read_predicted(self, table: Any) -> NDArray[Any] | None:
        """Return the predicted labels in a table as plain texts; None if the table has no such column."""
        return None if self.prediction is None else plain_labels(table, self.prediction)

    def read_score(self, table: Any, rows: NDArray[np.intp]) -> NDArray[Any] | None:
        """Return a column of the other score with NaN for all but some rows; None if the table has no such column."""
        if self.score is None:
            return None
        column = np.full(len(table[self.score]), np.nan)
        kept = np.isin(np.arange(len(column)), rows)
        try:
            column[kept] = numbers_in(rows_where(table, [self.score], kept), self.score)
        except DataError as error:
            error.row = None if error.row is None else int(rows[error.row])
            raise
        return column

    def read_groups(self, table: Any) -> Groups:
        """Return the group of every row of a table. Groups are sorted, so that most parts have the same order."""
        columns = [_sorted(labels_in(table, name), f"groups[{name!r}]") for name in self.groups]
        if len(columns) == 1:
            return columns[0]
        shape = [len(column) for column in columns]
        codes, cells = pd.factorize(np.ravel_multi_index([column.codes for column in columns], shape), sort=True)
        places = np.unravel_index(cells, shape)
        labels = [column.labels[place] for column, place in zip(columns, places, strict=True)]
        return Groups(np.asarray(codes, dtype=np.intp), pd.MultiIndex.from_arrays(labels))

    def _classes(self, table: Any) -> ConfidenceProfile:
        target = labels_in(table, self.target)
        labels = self.labels if self.labels is not None else self._labels_in_bare_names(target)
        if labels is not None:
            labels = in_type_of(target, labels)
            target = by_name(target, labels)
        else:
            target = spelled_alike(target)
        known = pd.unique(target) if labels is None else labels
        positive = self.pos_label
        if len(self.proba) == 1:
            named = _label_of_single(str(self.proba[0]), Spellings(known))
            positive = named if positive is None else positive
            if named is not None and plain(named) != plain(positive):
                raise ValueError(
                    f"column {self.proba[0]!r} is named after the label {named!r}, but a single column must be the "
                    f"probability of {option('pos_label')}, here {positive!r}. Pass {option('pos_label', named)}, or "
                    "name the other column."
                )
        parts = [self._numbers(table, name, lists=len(self.proba) == 1) for name in self.proba]
        _refuse_scores(self.proba, parts)
        if labels is None:
            n_classes = len(parts) if len(parts) > 1 else (*parts[0].shape, 2)[1]
            labels = labels_of_truth(target, n_classes, positive)
            known = known if labels is None else labels
            target = target if labels is None else by_name(target, labels)
        return ConfidenceProfile.from_predictions(
            target,
            parts[0] if len(parts) == 1 else np.stack(parts, axis=1),
            y_pred=None if self.prediction is None else by_name(labels_in(table, self.prediction), known),
            labels=labels,
            pos_label=None if positive is None else Spellings(known).label(positive),
        )

    def _labels_in_bare_names(self, target: Any) -> list[str] | None:
        """Return the names of the columns of probabilities if one of them is a true label.

        Names such as 0, 1, … may only count the columns. They are labels only if all true labels are such numbers, and
        0 is one of them.
        """
        if len(self.proba) == 1:
            return None
        names, distinct = _labels_in_names(self.proba), pd.unique(target)
        if names is None:
            names, texts = list(map(str, self.proba)), set(map(plain, distinct))
            return names if "0" in texts and texts <= set(names) else None
        known = Spellings(names)
        return names if any(label in known for label in distinct) else None

    def _numbers(self, table: Any, name: Any, *, of_truth: bool = False, lists: bool = False) -> NDArray[Any]:
        """Return a column of numbers or grades: of correctness with `of_truth`, else of confidences."""
        if holds_lists(table[name]):  # no words
            return numbers_in(table, name, lists=lists)
        if self.grades is not None and has_grades(values := as_series(table[name]), self.grades):
            return from_grades(values, self.grades, f"column {name!r}")
        if name in (self.correct, self.confidence) and has_percentages(values := as_series(table[name])):
            return from_grades(values, self.grades, f"column {name!r}")
        try:
            return numbers_in(table, name, or_truth=of_truth, lists=lists)
        except ValueError as error:
            if name == self.confidence and have_no_entry(as_series(table[name])).any():
                problem = as_data_error(error)
                problem.kind = "blank confidences"
                problem.advice = (
                    f"If the model abstains where there is no confidence, say so with {option('abstained', name)}."
                )
                raise problem from None
            if np.ndim(table[name]) > 1 or not (words := words_in(as_series(table[name]))):
                raise
            problem = as_data_error(error)
            problem.advice = (
                f"If {shorten(words)} are grades, give each a number with {option('grades')}: "
                f"{example_of(words, of_truth=of_truth)}."
            )
            raise problem from None

    def _correctness(self, table: Any) -> ConfidenceProfile:
        confidence = self._numbers(table, self.confidence)
        _refuse_scores([self.confidence], [confidence])
        if self.correct is not None:
            return ConfidenceProfile.from_correctness(self._numbers(table, self.correct, of_truth=True), confidence)
        target, prediction = labels_in(table, self.target), labels_in(table, self.prediction)
        answers = Answers(target, prediction, str(self.target), str(self.prediction))
        answers.check_spelling()
        answers.check_order()
        answers.check_confidence(confidence, str(self.confidence))
        return ConfidenceProfile.from_correctness(answers.right, confidence)


def takes_columns(**more: str) -> Callable[[_Documented], _Documented]:
    """Fill the place ``{columns}`` of a docstring with the parameters of :class:`Columns`.

    The keywords are sentences to add to the description of a parameter.
    """
    lines = []
    for names, entry in entries_of_parameters(Columns).items():
        lines.append(" ".join([entry, *(more[name] for name in names.split(", ") if name in more)]))
    return documented(columns="\n".join(lines))


def _refuse_scores(names: Sequence[Any], parts: Sequence[NDArray[Any]]) -> None:
    """Raise if a number is outside [0, 1]. The error names column and row, and says what the number may be."""
    least, largest = min(map(np.min, parts)), max(map(np.max, parts))
    if least >= 0 and largest <= 1:
        return
    rounding = max(8 * float(np.finfo(part.dtype).eps) if part.dtype.kind == "f" else 0.0 for part in parts)
    if least >= -rounding and largest <= 1 + rounding:
        return
    wrong = [(part < -rounding) | (part > 1 + rounding) for part in parts]
    row = min(int(np.argmax(rows if rows.ndim == 1 else rows.any(axis=1))) for rows in wrong if rows.any())
    column, part = next((name, part) for name, rows, part in zip(names, wrong, parts, strict=True) if rows[row].any())
    value = part[row][(part[row] < -rounding) | (part[row] > 1 + rounding)].flat[0] if part.ndim > 1 else part[row]
    percent = least >= 0 and 2 < largest <= 100 + rounding * 100
    grades = f", or give each a number with {option('grades')}: {value:g}={value / 100:g}" if len(parts) == 1 else ""
    remedy = (
        f"If the numbers are percentages, divide them by 100{grades}."
        if percent
        else "Pass probabilities (predict_proba). Convert scores or logits to probabilities with the softmax or "
        "logistic function."
    )
    text = f"column {column!r} has {value}, outside [0, 1], in "
    kind = "percentages" if percent else "out of range"
    raise DataError(text, row, ".", kind=kind, column=column, advice=remedy)


def _labels_after_prefix(proba: Sequence[Any]) -> list[str] | None:
    """Return the part of the names of columns after ``proba_``; None unless all begin with it."""
    labels = [str(name).removeprefix(PREFIX) for name in proba if str(name).startswith(PREFIX)]
    return labels if len(labels) == len(proba) else None


def _labels_in_names(proba: Sequence[Any]) -> list[str] | None:
    """Return the labels in the names of columns of probabilities; None if the names only count the columns."""
    names = [str(name) for name in proba]
    return _labels_after_prefix(proba) or (None if names == [str(number) for number in range(len(names))] else names)


def _label_of_single(name: str, known: Spellings) -> str | None:
    """Return the label in the name of a single column of probabilities; None if there is none."""
    if name.startswith(PREFIX):
        return name.removeprefix(PREFIX)
    return name if name != "0" and name in known else None  # "0" is the name of a column without a name


def _sorted(values: Any, name: str) -> Groups:
    """Return the groups in a column, sorted as labels, even if categories have their own order."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.ndim == 1 and len(values):
        low = values.min()
        if int(values.max()) - int(low) < len(values):  # looked up in a table
            wide = values if values.dtype.kind == "u" else values.astype(np.int64)  # a difference may need more bits
            places = (wide - low).astype(np.intp)
            there = np.zeros(len(values), dtype=np.bool_)
            there[places] = True
            rank = np.cumsum(there, dtype=np.intp) - 1
            return Groups(
                rank[places], pd.Index([int(low) + place for place in np.flatnonzero(there).tolist()], dtype=object)
            )
    column = LabelColumn(values, name)
    if len(column.kinds()) > 1:
        column.sorted_distinct()  # raises if they cannot be sorted together
    order = sorted(range(len(column.distinct)), key=column.distinct.__getitem__)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return Groups(rank[column.codes], pd.Index([column.distinct[place] for place in order], dtype=object))


def plain_labels(table: Any, name: Any) -> NDArray[Any]:
    """Return a column of labels as plain texts, which do not depend on the format of the file."""
    codes, distinct = pd.factorize(labels_in(table, name))
    return np.array([plain(label) for label in distinct], dtype=object)[codes]


def column_names(table: Any) -> list[Any]:
    """Return the names of the columns of a table of any kind."""
    names = getattr(table, "column_names", None)  # of pyarrow
    return list(names if names is not None else getattr(table, "columns", table))


def _of_one_type(labels: Any) -> Any:
    """Return labels as plain texts where some are numbers and some are texts, as ids of a log may be."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind != "O" or len({*map(type, labels)}) == 1:
        return labels
    return np.array(list(map(plain, labels)), dtype=object)


def _several(names: Any) -> list[Any]:
    """Return one name or several as a list."""
    if names is None:
        return []
    return list(names) if isinstance(names, list | tuple) else [names]
