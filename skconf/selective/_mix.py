"""The shares of the classes where a classifier is used; rows drawn with these shares; how many rows are enough."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom
from sklearn.utils import check_random_state

from skconf._core.labels import Codes
from skconf._core.prevalence import check_share, read_shares
from skconf._core.probabilities import Floats
from skconf.profile import ConfidenceProfile

#: The number of rows to draw is chosen so that a class has too few rows with at most this probability.
RUNS_OUT = 0.001
_ROUNDING = 1e-9  # relative rounding error of shares


class Mix(NamedTuple):
    """The class shares of the population in which a classifier is used.

    Attributes
    ----------
    ends : tuple of ndarray of shape (n_classes,)
        One array of class shares; for a range, two: one for each end of the range.
    """

    ends: tuple[Floats, ...]

    @classmethod
    def read(cls, prevalence: Any, classes: NDArray[Any]) -> "Mix":
        """Return the given shares. With two classes, a pair of numbers is a range."""
        items = prevalence.items() if isinstance(prevalence, Mapping) else ()
        pairs = [(label, each) for label, each in items if isinstance(each, tuple | list)]
        if not pairs:
            return cls((read_shares(prevalence, classes),))
        if len(classes) != 2 or len(pairs) > 1 or len(prevalence) > 1 or len(pairs[0][1]) != 2:
            raise ValueError(
                "prevalence is a range. A range is possible only with two classes, and only for one of "
                "them, as in {'fraud': (0.005, 0.02)}. Otherwise give one number for each class."
            )
        label, (low, high) = pairs[0]
        if check_share(low, f"prevalence of {label!r}") >= check_share(high, f"prevalence of {label!r}"):
            raise ValueError(
                f"prevalence of {label!r} must be a range from the lower to the higher share, but is {low!r} to "
                f"{high!r}."
            )
        return cls(tuple(read_shares({label: share}, classes) for share in (low, high)))

    @property
    def middle(self) -> Floats:
        """The shares to which probabilities are corrected. For a range, they are in the middle of its log odds."""
        shares = np.exp(np.mean([np.log(end) for end in self.ends], axis=0))
        return self.ends[0] if len(self.ends) == 1 else np.asarray(shares / shares.sum())

    def is_of(self, profile: ConfidenceProfile, clusters: Codes | None = None) -> bool:
        """Return whether the rows already have these shares, so that nothing is drawn or weighted.

        With clusters, the result is False: clusters may be larger in some classes, so one row of each cluster may have
        other shares than all rows.
        """
        if clusters is not None:
            return False
        held = np.bincount(profile.require("true_class"), profile.sample_weight, len(self.ends[0]))
        return len(self.ends) == 1 and bool(np.allclose(held / held.sum(), self.ends[0], rtol=_ROUNDING, atol=0))

    def refuse_range(self) -> None:
        """Raise if there is a range: it needs a confidence level."""
        if len(self.ends) > 1:
            raise ValueError(
                "prevalence is a range. A range needs a confidence_level, because it asks for a promise for every "
                "share in the range. Set a confidence_level, or give a single share."
            )


def draw_to_mix(codes: Codes, shares: Floats, random_state: Any) -> NDArray[np.intp]:
    """Return rows drawn to a mix of classes, ascending; no rows if a class has too few of them.

    If the rows of each class are independent draws from the class, the returned rows are independent draws from the
    mix.
    """
    # A random stream of its own: the same seed also draws rows of clusters, and what is held out.
    rng = np.random.default_rng([*check_random_state(random_state).randint(2**31, size=4).tolist(), 1])
    held = np.bincount(codes, minlength=len(shares))
    counts = rng.multinomial(most_rows(held, shares), shares)
    if (counts > held).any():
        return np.empty(0, dtype=np.intp)
    members = [np.flatnonzero(codes == k) for k in range(len(shares))]
    drawn = [rng.choice(rows, count, replace=False) for rows, count in zip(members, counts, strict=True)]
    return np.sort(np.concatenate(drawn))


def most_rows(held: NDArray[np.intp], shares: Floats) -> int:
    """Return how many rows of a mix can be drawn, so that a class runs out with a probability below 0.001."""
    low, high = 0, int(np.min((held + 1) / shares)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if binom.sf(held, middle, shares).sum() < RUNS_OUT:
            low = middle
        else:
            high = middle
    return low


def rows_by_class(n_rows: int, shares: Floats) -> NDArray[np.intp]:
    """Return how many rows of each class are enough to draw `n_rows` rows of the mix."""
    return np.asarray(binom.isf(RUNS_OUT / len(shares), n_rows, shares), dtype=np.intp)
