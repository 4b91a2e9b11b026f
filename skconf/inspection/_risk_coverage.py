"""RiskCoverageDisplay: the error rate among the answers, the more of them there are."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from skconf._probabilities import Floats
from skconf.inspection._base import REFERENCE, Display, label_once, style
from skconf.metrics import aurc_loss, risk_coverage_curve
from skconf.profile import ConfidenceProfile


@dataclass(eq=False)
class RiskCoverageDisplay(Display):
    """Risk-coverage curve, between that of an oracle and that of a random order.

    Parameters
    ----------
    coverage, risk, thresholds : ndarray of shape (n_distinct,)
        The curve, see :func:`skconf.metrics.risk_coverage_curve`.
    aurc : float
        The area under it.
    threshold : float or None
        The threshold of the selective classifier the predictions came from; marked.
    name : str or None
        What the legend calls the classifier.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    Examples
    --------
    >>> from skconf.inspection import RiskCoverageDisplay
    >>> display = RiskCoverageDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6])
    >>> display.risk
    array([0.  , 0.  , 0.25])
    """

    coverage: Floats
    risk: Floats
    thresholds: Floats
    aurc: float
    threshold: float | None = None
    name: str | None = None

    columns: ClassVar[int] = 1

    @classmethod
    def from_profile(cls, profile: ConfidenceProfile, *, name: str | None = None) -> Self:
        """Compute the display of a profile, without drawing it."""
        curve = risk_coverage_curve(profile)
        return cls(curve.coverage, curve.risk, curve.thresholds, aurc_loss(profile), profile.threshold, name)

    def _draw(self, ax: Any) -> None:
        look = style(ax)
        error = self.risk[-1]
        # The oracle accepts every right prediction before the first wrong one.
        covered = np.linspace(max(1 - error, 1e-12), 1, 200)
        oracle = np.append(0.0, covered), np.append(0.0, 1 - (1 - error) / covered)
        ax.plot(*oracle, label=label_once(ax, "oracle"), linestyle=":", **REFERENCE)
        ax.plot([0, 1], [error, error], label=label_once(ax, "random order"), linestyle="-", **REFERENCE)
        parts = [
            self.name,
            f"AURC {self.aurc:.4f}",
            None if self.threshold is None else f"threshold {self.threshold:.3g}",
        ]
        label = ", ".join(part for part in parts if part)
        at = np.inf if self.threshold is None else self.threshold
        ax.plot(
            self.coverage,
            self.risk,
            color=look["color"],
            linestyle=look["linestyle"],
            marker=look["marker"],
            markevery=np.flatnonzero(self.thresholds >= at)[-1:].tolist(),  # the last that is accepted
            label=label,
        )
        ax.set(xlabel="coverage", ylabel="selective risk (error rate)", xlim=(0, 1.02))
        ax.autoscale(axis="y")
        ax.set_ylim(bottom=0)
