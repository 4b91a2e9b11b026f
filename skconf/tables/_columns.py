"""The columns of a table of predictions: what each of them holds."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from skconf._core.checks import check_threshold
from skconf._core.columns import PREFIX, Spellings
from skconf._core.docstrings import documented, entries_of_parameters
from skconf._core.grades import check_grades
from skconf._core.messages import option, shorten, suggest
from skconf._core.problems import DataError
from skconf._core.usual_names import USUAL
from skconf.tables._csv import first_line_is_data

_Documented = TypeVar("_Documented", bound=Callable[..., Any])


class NoPredictionsError(DataError):
    """The named columns and the columns with usual names do not hold predictions."""


@dataclass(frozen=True)
class Columns:
    """The columns of a table of predictions, and the facts that are the same for all of its rows.

    All functions that read such tables take these parameters; :func:`takes_columns` inserts them into their docstrings.

    Parameters
    ----------
    target, prediction : label, default=None
        Columns of true and predicted labels. None means ``y_true`` and ``y_pred``, if there are such columns.
    proba : label or list of labels, default=None
        Columns of the probabilities of the classes. A single column holds in each row the probability of `pos_label`,
        or a list with a number for each class. None means all columns whose names begin with ``proba_``; without such
        columns, ``y_proba``.
    correct, confidence : label, default=None
        Columns to use instead of labels and probabilities. `correct` holds 1 for a right answer and 0 for a wrong one,
        or a grade in [0, 1]. `confidence` holds the confidence in the answer. None means ``correct`` and
        ``confidence``.
    weight : label, default=None
        Column of sample weights. None means ``sample_weight``, if there is such a column.
    groups : label or list of labels, default=None
        Columns of groups.
    labels : array-like of shape (n_classes,), default=None
        Labels of the probabilities. Columns named ``LABEL`` or ``proba_LABEL`` are matched by name, other columns by
        their order. None means the part of each name after ``proba_``, converted to the type of the true labels. If
        the names do not begin with ``proba_``, and the data are a single table in memory, None means the names if one
        of them is a true label, and otherwise the sorted true labels.
    pos_label : label, default=None
        Positive class. None means the part after ``proba_`` in the name of a single column of probabilities, or else
        the second label.
    threshold : float, default=None
        Lowest confidence at which a prediction is accepted.
    grades : mapping from label to float, default=None
        The number in [0, 1] for each word in the columns of confidence and correctness, such as {"high": 0.9,
        "low": 0.3, "right": 1, "partly": 0.5, "wrong": 0}.

    Other Parameters
    ----------------
    abstained : label or False, default=None
        Column that is true where the model abstains, or a column of answers that are blank there. Rows in which the
        model abstains need no label, no grade and no confidence. None means ``abstained``, if there is such a column.
        False: the model never abstains.
    cluster : label or False, default=None
        Column that names the cluster of each row, such as its patient or its question, if rows of a cluster depend on
        each other. False: all rows are independent.
    score : label, default=None
        Column of another score that ranks the answers. It may hold any numbers.

    Attributes
    ----------
    named : list of labels
        The columns of the predictions and of their weights, without `abstained`, `cluster`, `score` and `groups`.
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
        given = [name for role in USUAL if role != "abstained" and (name := getattr(self, role)) is not None]
        object.__setattr__(self, "named", [*given, *self.proba])
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
        """Return the columns that must hold numbers, and are not also read as labels or groups.

        With `grades` there are none, because words may then stand for numbers.
        """
        if self.grades is not None:
            return []
        texts = [self.target, self.prediction, *self.groups]
        return [
            name for name in (self.correct, self.confidence, self.weight, *self.proba) if name not in [*texts, None]
        ]

    def found_in(self, names: Iterable[Any]) -> "Columns":
        """Return these columns, completed by the usual names in a table; raise if a column is missing or unclear."""
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
                f"cannot tell which of the columns {shorten(names_present)} hold the predictions"
                f"{first_line_is_data(names_present)}.",
                kind="no predictions",
                advice=f"Name one of these sets of columns: true labels ({option('target')}) and probabilities "
                f"({option('proba')}); true labels, predicted labels ({option('prediction')}) and confidence "
                f"({option('confidence')}); or correctness ({option('correct')}) and confidence.",
            )
        if roles["correct"] is not None:
            roles |= {"target": None, "prediction": None}
        return self._with(names_present, **roles, proba=None)

    def _with(self, names: list[Any], **roles: Any) -> "Columns":
        """Return a copy with other columns in these roles; raise if a column is missing or occurs twice."""
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
                f"the columns {shorten(more)} do not occur in {first}. Name the columns to read, so that they are the "
                "same in all tables."
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
        if labels_in_names(proba) is None:  # the names only count the columns, from 0 on
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
                f"cannot infer the labels of the columns {shorten(list(self.proba))} while rows are read in parts, "
                f"because a part may lack some labels. {remedy}"
            )


def takes_columns(**more: str) -> Callable[[_Documented], _Documented]:
    """Replace ``{columns}`` in a docstring by the parameters of :class:`Columns`.

    Each keyword is the name of a parameter. Its value is a sentence to add to the description of this parameter.
    """
    lines = []
    for names, entry in entries_of_parameters(Columns).items():
        lines.append(" ".join([entry, *(more[name] for name in names.split(", ") if name in more)]))
    return documented(columns="\n".join(lines))


def _labels_after_prefix(proba: Sequence[Any]) -> list[str] | None:
    """Return the part after ``proba_`` of each name; None unless all names begin with ``proba_``."""
    labels = [str(name).removeprefix(PREFIX) for name in proba if str(name).startswith(PREFIX)]
    return labels if len(labels) == len(proba) else None


def labels_in_names(proba: Sequence[Any]) -> list[str] | None:
    """Return the labels in the names of columns of probabilities; None if the names are only 0, 1, … in this order."""
    names = [str(name) for name in proba]
    return _labels_after_prefix(proba) or (None if names == [str(number) for number in range(len(names))] else names)


def _several(names: Any) -> list[Any]:
    """Return one name or several as a list."""
    if names is None:
        return []
    return list(names) if isinstance(names, list | tuple) else [names]
