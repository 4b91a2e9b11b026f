"""Metrics whose value is a matrix of sums."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from numpy.typing import NDArray

from skconf._core.checks import check_option
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.metrics._base.kinds import Additive, Sums, Term, divide
from skconf.profile import ConfidenceProfile


class MatrixOfSums(Additive):
    """A matrix of sums: it has values, also by group and merged, and no contribution to one number."""

    result: ClassVar[Any] = Floats

    def sums(self, profile: ConfidenceProfile, groups: Codes | None = None, n_groups: int = 1) -> Sums:
        """Return the sums, which are as large as the weights that were given."""
        return tuple(profile.weight_scale * part for part in super().sums(profile, groups, n_groups))

    def influence(self, profile: ConfidenceProfile) -> Floats:  # noqa: ARG002
        """Refuse: the value is a matrix, and no number that a sample could have an effect on."""
        raise TypeError(f"{self.info.name} has no per-sample contributions: it is a matrix, not a number.")


class ConfusionMatrix(MatrixOfSums):
    """A matrix with true classes in rows and claimed ones in columns."""

    normalize: str | None = None

    def __post_init__(self) -> None:
        check_option(self.normalize, "normalize", (None, "true", "pred", "all"))

    @abstractmethod
    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        """Return one term that adds up to the matrix, flat or not."""

    def combine(self, mass: NDArray[Any]) -> Any:
        if self.normalize is None:
            return mass
        summed = {"true": (-1,), "pred": (-2,), "all": (-2, -1)}[self.normalize]
        return divide(mass, mass.sum(axis=summed, keepdims=True), 0.0)
