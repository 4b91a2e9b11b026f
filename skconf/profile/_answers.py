"""Answers: the arrays of a profile, and values computed from them."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, wraps
from types import MappingProxyType
from typing import Any, Literal, Self, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from skconf._core.costs import OwnCosts
from skconf._core.labels import Codes
from skconf._core.messages import from_probabilities
from skconf._core.probabilities import Floats, at_least_single, both_columns, row_blocks
from skconf._core.ranking import Ranking
from skconf.profile._abstained import Abstained

Function = TypeVar("Function", bound=Callable[..., Any])
#: What may be known about an answer. A cost is any number from 0 on; a grade is a correctness in [0, 1].
Kind = Literal["right or wrong", "graded", "costs"]
#: The end of a sentence that refuses answers of a kind.
KNOWN: Mapping[str, str] = MappingProxyType(
    {
        "right or wrong": "these answers are only known to be right or wrong",
        "graded": "these answers are graded between 0 and 1",
        "costs": "only costs and uncertainties of these answers are known",
    }
)


@dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """Hold the arrays of a profile, and compute values for metrics. :class:`ConfidenceProfile` documents them."""

    correctness: NDArray[Any]
    confidence: Floats
    score: Floats
    sample_weight: Floats | None = None
    classes: NDArray[Any] | None = None
    true_class: Codes | None = None
    predicted_class: Codes | None = None
    positive_class: int | None = None
    threshold: float | None = None
    reject_label: Any = None
    prediction_given: bool = False
    given_proba: NDArray[Any] | None = None
    weight_scale: float = 1.0
    answered: bool = False
    decided: Codes | None = None
    decisions: tuple[Any, ...] | None = None
    costs: Floats | None = None
    own_costs: OwnCosts | None = None
    groups: Codes | None = None
    topic: Codes | None = None
    topics: tuple[Any, ...] | None = None
    answer_cost: Floats | None = None
    uncertainty: Floats | None = None
    largest_uncertainty: float | None = None
    abstained: Abstained | None = None
    strata: Codes | None = None
    prevalence: tuple[float, ...] | None = None

    def __len__(self) -> int:
        return len(self.correctness)

    def __repr__(self) -> str:
        classes = "" if self.classes is None else f", n_classes={self.n_classes}"
        weighted = "" if self.sample_weight is None else ", weighted"
        kind = "" if self.kind == "right or wrong" else f", {self.kind}"
        abstained = "" if self.abstained is None else f", n_abstained={self.n_rows - self.n_samples}"
        return f"ConfidenceProfile(n_samples={self.n_samples}{abstained}{classes}{kind}{weighted})"

    def __getitem__(self, rows: slice | NDArray[Any]) -> Self:
        """Return the profile of some rows. A slice gives views; an index or a mask gives copies."""
        if not isinstance(rows, slice) and np.ndim(rows) == 0:
            raise TypeError(f"A profile can be indexed by a slice, a mask or an array of rows, but not by {rows!r}.")
        part = object.__new__(type(self))  # `replace` would take as long as some metrics of a block
        attributes = part.__dict__
        attributes["_computed"], attributes["_computed_of_confidence"] = {}, {}
        for name in _fields():
            value = getattr(self, name)
            attributes[name] = value[rows] if isinstance(value, np.ndarray) and name != "classes" else value
        if self.ranks_by_confidence:
            attributes["score"] = attributes["confidence"]
        attributes["abstained"] = None  # a part of the answers has no abstentions
        return part

    def blocks(self, most_rows: int | None = None) -> Iterator[tuple[slice, Self]]:
        """Yield the rows in parts that fit into the processor's cache.

        Parameters
        ----------
        most_rows : int, default=None
            Largest number of rows in a part. None chooses a number that fits into the cache.

        Yields
        ------
        rows : slice
            Rows of the part, as a slice of the profile.
        part : ConfidenceProfile
            Predictions of the part.
        """
        for rows in row_blocks(len(self), 1 if self.classes is None else len(self.classes), most_rows):
            # If there is a single part, it is the profile itself, which keeps results of one metric for the next.
            block = self if rows.stop - rows.start == len(self) else self[rows]
            if block.given_proba is not None and block.given_proba.dtype == np.float16:
                block = replace(block, given_proba=at_least_single(block.given_proba))
            yield rows, block

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.correctness)

    def beside(self, abstained: NDArray[np.bool_], groups: Codes | None = None) -> Self:
        """Return the same answers, together with the rows in which the model abstains.

        The added rows have no weights yet. Set the weights of all rows afterwards, with `with_weight`.

        Parameters
        ----------
        abstained : ndarray of shape (n_rows,), bool
            Whether the model abstains, for every row of the data.
        groups : ndarray of shape (n_rows,), default=None
            Groups of all rows, including the rows in which the model abstains.

        Returns
        -------
        ConfidenceProfile
        """
        of_answers, of_others = (None if groups is None else groups[rows] for rows in (~abstained, abstained))
        others = Abstained(abstained, None, of_others) if abstained.any() else None
        return replace(self, groups=of_answers, abstained=others)

    def of_rows(self, rows: NDArray[np.intp]) -> Self:
        """Return the profile of some rows.

        Parameters
        ----------
        rows : ndarray of shape (n_found,)
            Row numbers, counted from 0. Rows in which the model abstains are counted, too.

        Returns
        -------
        ConfidenceProfile
        """
        if self.abstained is None:
            return self[rows]
        answers, abstained = self.abstained.part(rows)
        return replace(self[answers], abstained=abstained if abstained.rows.any() else None)

    @property
    def n_rows(self) -> int:
        """Number of all rows: samples, and rows that abstain."""
        return self.n_samples if self.abstained is None else len(self.abstained.rows)

    @property
    def answer_rows(self) -> NDArray[np.intp]:
        """Row numbers of the samples, among all rows."""
        return np.arange(self.n_rows) if self.abstained is None else np.flatnonzero(~self.abstained.rows)

    @property
    def share_answered(self) -> float:
        """Weight of the samples divided by the weight of all rows."""
        if self.abstained is None or self.sample_weight is None or self.abstained.sample_weight is None:
            return self.n_samples / self.n_rows
        weight = float(self.sample_weight.sum())
        return weight / (weight + float(self.abstained.sample_weight.sum()))

    @property
    def accepted(self) -> NDArray[np.bool_] | None:
        """Which samples the selective classifier behind the predictions accepts; None without such a classifier."""
        if self.reject_label is None or self.threshold is None:
            return None
        return np.asarray(self.score >= self.threshold)

    @property
    def accepted_rows(self) -> NDArray[np.intp] | None:
        """Row numbers of the accepted samples; None if all samples, or none of them, are accepted."""
        if self.accepted is None or self.accepted.all() or not self.accepted.any():
            return None
        return np.flatnonzero(self.accepted)

    @cached_property
    def everything(self) -> Self:
        """The profile with all rows as samples: an abstention is not right, and its score is below every threshold."""
        if self.abstained is None:
            return self
        place, rows = self.abstained.place(), self.abstained.rows
        columns = {name: getattr(self, name) for name in _fields() if name != "classes"}
        columns = {name: value[place] for name, value in columns.items() if isinstance(value, np.ndarray)}
        score = np.where(rows, -np.inf, columns["score"])
        columns |= {"score": score, "confidence": score}
        if not self.ranks_by_confidence:
            columns["confidence"] = np.where(rows, 0.0, self.confidence[place])
        columns["correctness"] = np.where(rows, np.zeros_like(place, self.correctness.dtype), columns["correctness"])
        for name in ("sample_weight", "groups"):
            if name in columns:
                columns[name] = self.abstained.spread(getattr(self, name), getattr(self.abstained, name))
        return replace(self, **columns, abstained=None)

    @property
    def kind(self) -> Kind:
        """Whether answers are right or wrong, graded, or known by their costs."""
        if self.answer_cost is not None:
            return "costs"
        return "right or wrong" if self.correctness.dtype == np.bool_ else "graded"

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each answer is right.

        Raises
        ------
        ValueError
            If correctness is graded, or only costs are known.
        """
        if self.kind != "right or wrong":
            raise ValueError(f"This needs answers that are right or wrong, but {KNOWN[self.kind]}.")
        return self.correctness

    @property
    def loss(self) -> NDArray[Any]:
        """Loss of each answer: its cost if costs are known, or else 1 − its correctness (1 for a wrong answer)."""
        if self.answer_cost is not None:
            return self.answer_cost
        return ~self.correct if self.kind == "right or wrong" else 1.0 - self.correctness

    @property
    def n_classes(self) -> int | None:
        """Number of classes; None if it is unknown, as for a generative system."""
        return None if self.classes is None else len(self.classes)

    @property
    def given_weight(self) -> Floats | None:
        """Weights as they were given, before they were scaled to a safe range. Sums of weights need them."""
        if self.sample_weight is None or self.weight_scale == 1:
            return self.sample_weight
        return self.sample_weight * self.weight_scale

    @property
    def ranks_by_confidence(self) -> bool:
        """Whether the score is the confidence itself."""
        return self.score is self.confidence

    @cached_property
    def proba(self) -> NDArray[Any]:
        """Probabilities of shape (n_samples, n_classes), in the type in which they were given.

        Raises
        ------
        ValueError
            If the profile was built from correctness.
        """
        if self.given_proba is None:
            raise ValueError(
                "This needs the probabilities of all classes, but the profile was built from correctness only. "
                + from_probabilities()
            )
        if self.given_proba.ndim == 1:
            return both_columns(self.given_proba, self.require("positive_class"))
        return self.given_proba

    @cached_property
    def ranking(self) -> Ranking:
        """Weight and losses at every distinct score. All ranked metrics share this sort."""
        return Ranking.of(self.score, self.loss, self.sample_weight)

    @cached_property
    def confidence_ranking(self) -> Ranking:
        """Weight and losses at every distinct confidence. If the score is the confidence, this is `ranking`."""
        return self.ranking if self.ranks_by_confidence else replace(self, score=self.confidence).ranking

    def name_of(self, array: NDArray[Any]) -> Hashable:
        """Return where an array is stored: the name of a field, or the key of a stored result; None if it is nowhere.

        Parameters
        ----------
        array : ndarray
            An array that the profile stores, such as `profile.confidence`. A copy of the array is not found.

        Returns
        -------
        hashable
        """
        for held in (self._computed, self._computed_of_confidence, self.__dict__):
            for name, value in tuple(held.items()):  # a copy, because other threads may add results meanwhile
                if value is array:
                    return name
        return None

    @cached_property
    def _computed(self) -> dict[Hashable, Any]:
        """Stored results of functions with the decorator `computed_once`, by function and parameters."""
        return {}

    @cached_property
    def _computed_of_confidence(self) -> dict[Hashable, Any]:
        """Stored results of functions with the decorator `computed_once_of_confidence`, by function and parameters."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled. Computed results are left out, because their keys are functions."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_computed")}

    @overload
    def require(self, attribute: Literal["classes"]) -> NDArray[Any]: ...

    @overload
    def require(self, attribute: Literal["true_class", "predicted_class"]) -> Codes: ...

    @overload
    def require(self, attribute: Literal["positive_class"]) -> int: ...

    def require(self, attribute: str) -> Any:
        """Return an attribute; if this profile lacks it, raise an error that says what is missing.

        Parameters
        ----------
        attribute : {"classes", "true_class", "predicted_class", "positive_class"}
            Name of the attribute.

        Returns
        -------
        ndarray or int
            The attribute.

        Raises
        ------
        ValueError
            If the attribute is None.
        """
        value = getattr(self, attribute)
        if value is not None:
            return value
        if attribute == "positive_class" and self.classes is not None:
            raise ValueError(
                f"There are {self.n_classes} classes, but no positive class. Pass pos_label, or average='macro', "
                "'micro', 'weighted' or None."
            )
        raise ValueError(
            "This needs the true and predicted classes, but the profile was built from correctness only. "
            + from_probabilities()
        )


def computed_once(function: Function) -> Function:
    """Make a function store its result for each profile and each choice of its other parameters.

    Parameters
    ----------
    function : callable
        A function whose first argument is a profile. Its other arguments are hashable, and are passed by position.

    Returns
    -------
    callable
        The same function, but it returns the stored result if there is one.
    """
    return _kept(function, "_computed")


def computed_once_of_confidence(function: Function) -> Function:
    """Make a function that uses only confidences and scores store its results.

    Profiles that differ only in their correctness share the results.
    """
    return _kept(function, "_computed_of_confidence")


def _kept(function: Function, place: str) -> Function:
    @wraps(function)
    def ask(profile: Any, /, *parameters: Hashable) -> Any:
        computed, key = getattr(profile, place), (function, *parameters)
        if key not in computed:
            computed[key] = function(profile, *parameters)
        return computed[key]

    return cast(Function, ask)


@cache
def _fields() -> tuple[str, ...]:
    return tuple(field.name for field in fields(Answers))
