"""Answers: the arrays of a profile, and values computed from them."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, wraps
from types import MappingProxyType
from typing import Any, Literal, Self, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.costs import costs_given_truth, read_costs_by_sample
from skconf._core.inputs import position_of, scaled_weight
from skconf._core.labels import Codes
from skconf._core.messages import from_probabilities, option
from skconf._core.prevalence import read_shares, weights_to_shares
from skconf._core.probabilities import Floats, at_least_single, both_columns, row_blocks
from skconf._core.ranking import Ranking
from skconf.profile._abstained import Abstained
from skconf.profile._similarity import check_similarity, similarity_of

Function = TypeVar("Function", bound=Callable[..., Any])
#: What may be known about an answer. A cost is any number from 0 on; a grade is a correctness in [0, 1].
Kind = Literal["right or wrong", "graded", "costs"]
#: The end of a sentence that refuses answers of a kind.
KNOWN: Mapping[str, str] = MappingProxyType(
    {
        "right or wrong": "only right or wrong is known of these answers",
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
        """Yield parts of the rows that fit into the processor's cache.

        Parameters
        ----------
        most_rows : int, default=None
            Largest number of rows of a part. None chooses a number that fits into the cache.

        Yields
        ------
        rows : slice
            Position of the part.
        part : ConfidenceProfile
            Predictions of the part.
        """
        for rows in row_blocks(len(self), 1 if self.classes is None else len(self.classes), most_rows):
            # A single part is the profile itself, and keeps what one metric computes for the next.
            block = self if rows.stop - rows.start == len(self) else self[rows]
            if block.given_proba is not None and block.given_proba.dtype == np.float16:
                block = replace(block, given_proba=at_least_single(block.given_proba))
            yield rows, block

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.correctness)

    def beside(self, abstained: NDArray[np.bool_], groups: Codes | None = None) -> Self:
        """Return the same answers together with rows that abstain, without weights.

        Parameters
        ----------
        abstained : ndarray of shape (n_rows,), bool
            Whether each row abstains.
        groups : ndarray of shape (n_rows,), default=None
            Groups of all rows.

        Returns
        -------
        ConfidenceProfile
        """
        of_answers, of_others = (None if groups is None else groups[rows] for rows in (~abstained, abstained))
        others = Abstained(abstained, None, of_others) if abstained.any() else None
        return replace(self, groups=of_answers, abstained=others)

    def of_rows(self, rows: NDArray[np.intp]) -> Self:
        """Return the profile of some rows by their numbers, also of rows that abstain.

        Parameters
        ----------
        rows : ndarray of shape (n_found,)
            Numbers of the rows.

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
        """The numbers of the samples among all rows."""
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
        """Which samples a selective classifier accepts; None without one, because a threshold alone rejects nothing."""
        if self.reject_label is None or self.threshold is None:
            return None
        return np.asarray(self.score >= self.threshold)

    @property
    def accepted_rows(self) -> NDArray[np.intp] | None:
        """Numbers of the samples that a classifier accepts; None if it rejects none or all."""
        if self.accepted is None or self.accepted.all() or not self.accepted.any():
            return None
        return np.flatnonzero(self.accepted)

    @cached_property
    def everything(self) -> Self:
        """All rows as samples. Rows that abstain are not right, and have a score below every threshold."""
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
        """Loss of each answer: 1 for a wrong one, or 1 − its graded correctness, or its cost."""
        if self.answer_cost is not None:
            return self.answer_cost
        return ~self.correct if self.kind == "right or wrong" else 1.0 - self.correctness

    @property
    def n_classes(self) -> int | None:
        """Number of classes; None if it is unknown, as for a generative system."""
        return None if self.classes is None else len(self.classes)

    @property
    def given_weight(self) -> Floats | None:
        """Weights on the scale on which they were given, for sums of weights."""
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
        """Weight and losses at every distinct confidence. It is `ranking`, unless the score is not the confidence."""
        return self.ranking if self.ranks_by_confidence else replace(self, score=self.confidence).ranking

    def name_of(self, array: NDArray[Any]) -> Hashable:
        """Return the name under which the profile holds an array: a field, or a key of `computed_once`; else None.

        Parameters
        ----------
        array : ndarray
            The array. It must be the same object, not an equal one.

        Returns
        -------
        hashable
        """
        for held in (self._computed, self._computed_of_confidence, self.__dict__):
            for name, value in tuple(held.items()):  # as it is now: other threads may compute on the same profile
                if value is array:
                    return name
        return None

    @cached_property
    def _computed(self) -> dict[Hashable, Any]:
        """Results of functions that compute once for each profile, by function and parameters."""
        return {}

    @cached_property
    def _computed_of_confidence(self) -> dict[Hashable, Any]:
        """Results of functions that use only confidences and scores, and are the same for any correctness."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled. Computed results are left out, because their keys are functions."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_computed")}

    def with_correctness(self, correctness: NDArray[Any]) -> Self:
        """Return the same confidences with another correctness. Results that depend only on confidences are shared.

        Parameters
        ----------
        correctness : ndarray of shape (n_samples,)
            Booleans, or numbers in [0, 1]. They are not checked.

        Returns
        -------
        ConfidenceProfile
            A new profile.
        """
        other = replace(self, correctness=correctness)
        other.__dict__["_computed_of_confidence"] = self._computed_of_confidence
        return other

    def with_weight(self, sample_weight: ArrayLike | None) -> Self:
        """Return the same predictions with other weights.

        Parameters
        ----------
        sample_weight : array-like of shape (n_rows,) or None
            Non-negative weights of all rows, also of rows that abstain. None removes the weights.

        Returns
        -------
        ConfidenceProfile
            A new profile.

        Raises
        ------
        ValueError
            If a weight is negative or missing, if all are zero, or if there is not one weight for each row.
        """
        weight, weight_scale = scaled_weight(sample_weight, self.n_rows)
        abstained = self.abstained
        if abstained is not None:
            rows = abstained.rows
            abstained = replace(abstained, sample_weight=None if weight is None else weight[rows])
            weight = None if weight is None else weight[~rows]
        return replace(
            self, sample_weight=weight, weight_scale=weight_scale, abstained=abstained, strata=None, prevalence=None
        )

    def at_prevalence(self, prevalence: Mapping[Any, float]) -> Self:
        """Return the same predictions, weighted to other shares of the classes.

        Rows get weights by their class, so that metrics have the values for the given shares. For example, half of your
        rows are frauds, but you want the metrics for a population in which 0.3% are frauds. Probabilities stay
        unchanged. The classes become strata with a fixed number of rows; intervals and comparisons take this into
        account.

        Parameters
        ----------
        prevalence : mapping of label to float
            Share of each class, above 0 and below 1. Shares sum to 1. With two classes, one share is enough.

        Returns
        -------
        ConfidenceProfile
            A new profile. If the profile has weights, they are used within each class.

        Raises
        ------
        TypeError
            If `prevalence` is not a mapping, or if a share is not a number.
        ValueError
            If a label is unknown or missing. If a share is out of range, or belongs to a class without rows. If rows
            abstain. If the profile has no classes.

        See Also
        --------
        skconf.calibration.correct_prevalence : Corrects the probabilities.
        skconf.inference.estimate_prevalence : Estimates the shares from rows without labels.

        Notes
        -----
        This assumes label shift: where the model is used, the rows of each class are like those in this profile.
        Recall, specificity, balanced accuracy and areas under ROC curves of classes stay the same. Metrics that mix
        classes change.

        Examples
        --------
        >>> from skconf import ConfidenceProfile
        >>> from skconf.metrics import cprecision_score
        >>> profile = ConfidenceProfile.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.7, 0.9])
        >>> rare = profile.at_prevalence({1: 0.01})
        >>> rare.sample_weight.tolist()
        [1.98, 1.98, 0.02, 0.02]
        >>> print(f"{cprecision_score(profile):.3f}, {cprecision_score(rare):.3f}")
        0.696, 0.023
        """
        if self.classes is None or self.true_class is None:
            raise ValueError(
                f"{option('prevalence')} needs the true class of each row, but only its correctness is known. "
                + from_probabilities()
            )
        classes, true_class = self.classes, self.true_class
        if self.abstained is not None:
            raise ValueError(
                f"{option('prevalence')} weights rows by their class, but rows in which the model abstains have no "
                "class. Leave one of the two out."
            )
        shares = read_shares(prevalence, classes, option("prevalence"))
        weighted = self.with_weight(weights_to_shares(true_class, classes, shares, self.sample_weight))
        return replace(weighted, strata=true_class, prevalence=tuple(shares.tolist()))

    def with_costs(self, costs: ArrayLike | None) -> Self:
        """Return the same answers with costs of each sample, for :func:`skconf.metrics.reject_cost_loss`.

        Parameters
        ----------
        costs : array-like of shape (n_samples, n_decisions) or (n_samples, n_classes, n_decisions) or None
            Cost of each decision for each sample: for its true class only (2 dimensions), or for every class (3
            dimensions). Classes and decisions are in the order of this profile. None removes the costs.

        Returns
        -------
        ConfidenceProfile
            A new profile.

        Raises
        ------
        ValueError
            If costs have another shape, or are negative or not finite. If the answers are not known.
        """
        if costs is None:
            return self if self.costs is None else replace(self, costs=None)
        if not (self.answered or self.prediction_given):
            raise ValueError("costs of each sample need the answers. Build the profile with y_pred.")
        classes = self.require("classes")
        n_decisions = len(classes if self.decisions is None else self.decisions)
        true_class, given = self.require("true_class"), read_costs_by_sample(costs)
        return replace(self, costs=costs_given_truth(given, true_class, len(classes), n_decisions))

    def with_similarity(self, similarity: ArrayLike) -> Self:
        """Return the same answers, graded by the similarity of predicted and true class.

        The confidence becomes the expected similarity, Σ_k p_k κ(ŷ, k), with κ the similarity and ŷ the predicted
        class. It is calibrated if the answers with confidence c have a mean similarity of c. Calibrated probabilities
        are enough for this.

        Parameters
        ----------
        similarity : array-like of shape (n_classes, n_classes)
            Correctness in [0, 1] for each pair of predicted class (rows) and true class (columns), in the order of
            `classes`. In a DataFrame, such as the result of :func:`skconf.profile.tree_similarity`, the names of rows
            and columns are the classes.

        Returns
        -------
        ConfidenceProfile
            A graded profile without classes, because answers are no longer only right or wrong.

        Raises
        ------
        ValueError
            If the matrix has another shape or values outside [0, 1]. If the profile has no probabilities.
        """
        classes = self.require("classes")
        matrix = similarity_of(check_similarity(similarity), classes)
        predicted, proba = self.require("predicted_class"), np.asarray(self.proba, dtype=np.float64)
        expected = np.clip(np.einsum("ij,ij->i", proba, matrix[predicted]), 0.0, 1.0)
        return replace(
            self,
            correctness=matrix[predicted, self.require("true_class")],
            confidence=expected,
            score=expected if self.ranks_by_confidence else self.score,
            **cast(dict[str, Any], dict.fromkeys(_OF_CLASSES)),
            prediction_given=False,
            answered=False,
        )

    def with_positive(self, pos_label: Any) -> Self:
        """Return the same predictions with another positive class.

        Parameters
        ----------
        pos_label : label
            One of `classes`.

        Returns
        -------
        ConfidenceProfile
            A new profile.

        Raises
        ------
        ValueError
            If there is no such class, or if the profile has no classes.
        """
        return replace(self, positive_class=position_of(self.require("classes"), pos_label), given_proba=self.proba)

    @overload
    def require(self, attribute: Literal["classes"]) -> NDArray[Any]: ...

    @overload
    def require(self, attribute: Literal["true_class", "predicted_class"]) -> Codes: ...

    @overload
    def require(self, attribute: Literal["positive_class"]) -> int: ...

    def require(self, attribute: str) -> Any:
        """Return an attribute that some profiles lack; raise an error that says what is missing.

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
            If it is None.
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
    """Make a function of a profile compute once for each profile and its other parameters.

    Parameters
    ----------
    function : callable
        A function of a profile and hashable parameters, by position.

    Returns
    -------
    callable
        The function. It returns stored results if there are any.
    """
    return _kept(function, "_computed")


def computed_once_of_confidence(function: Function) -> Function:
    """Make a function of only confidences and scores compute once, also for answers with another correctness."""
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


#: Fields that are None where there are no classes.
_OF_CLASSES = (
    "classes",
    "true_class",
    "predicted_class",
    "positive_class",
    "reject_label",
    "given_proba",
    "decided",
    "decisions",
    "costs",
)
