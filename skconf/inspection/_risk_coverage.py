"""RiskCoverageDisplay: the error rate among the answers against their share."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skconf._core.probabilities import Floats
from skconf.inspection._base import REFERENCE, Display, Style, label_of_threshold, label_once, thinned
from skconf.metrics import aurc_loss, risk_coverage_curve
from skconf.profile import ConfidenceProfile

#: Coverage up to which a curve may leave the axes: a single error among few answers gives a high error rate.
_FEW = 0.05


@dataclass(eq=False, repr=False)
class RiskCoverageDisplay(Display):
    """Risk-coverage curve, between that of an oracle and that of a random order.

    Parameters
    ----------
    coverage, risk, thresholds : ndarray of shape (n_distinct,)
        The curve, see :func:`skconf.metrics.risk_coverage_curve`.
    aurc : float
        The area under it.
    threshold : float, default=None
        The threshold of the selective classifier the predictions came from; what it accepts is marked.
    name : str, default=None
        Name of the classifier in the legend.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    skconf.metrics.aurc_loss : The area under the curve, with its ties in random order.

    Notes
    -----
    Tied predictions are drawn as if they entered in random order: where all are tied, as a level line. The axes are
    scaled to the curve from a coverage of 5 % on.

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

    @classmethod
    def from_profile(cls, profile: ConfidenceProfile, *, name: str | None = None) -> Self:
        """Compute the numbers, without drawing them.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions.
        name : str, default=None
            Name of the classifier in the legend.

        Returns
        -------
        RiskCoverageDisplay
        """
        curve = risk_coverage_curve(profile)
        return cls(curve.coverage, curve.risk, curve.thresholds, aurc_loss(profile), profile.threshold, name)

    def _draw(self, ax: Any) -> None:
        style = Style.next_on(ax)
        error_rate = self.risk[-1]
        # The oracle accepts every right prediction before the first wrong one.
        covered = np.linspace(1 - error_rate, 1, 200)
        ideal = np.divide(covered - covered[0], covered, out=np.ones(200), where=covered > 0)
        ax.plot(np.append(0, covered), np.append(0, ideal), linestyle=":", label=label_once(ax, "oracle"), **REFERENCE)
        ax.axhline(error_rate, label=label_once(ax, "random order"), **REFERENCE)
        coverage, risk = _through_ties(self.coverage, self.risk)
        label = ", ".join(filter(None, [self._label, f"AURC {self.aurc:.4f}"]))
        kind = {"color": style.color, "linestyle": style.linestyle}
        (line,) = ax.plot(*thinned(coverage, risk), gid=style.gid, label=label, **kind)
        if self.threshold is not None:  # the marker represents the curve in the legend
            line.set(label=None, gid=None)
            label = f"{label}, {label_of_threshold(self.threshold)}"
            accepted = np.flatnonzero(self.thresholds >= self.threshold)[-1:]
            point = self.coverage[accepted], self.risk[accepted]
            ax.plot(*point, marker=style.marker, gid=style.gid, label=label, **kind)
        highest = 1.1 * risk[coverage >= _FEW].max() or 0.01
        if style.number:  # others are drawn already
            highest = max(highest, ax.get_ylim()[1])
        ax.set(xlabel="coverage", ylabel="selective risk", xlim=(0, 1.02), ylim=(-0.02 * highest, highest))


def _through_ties(coverage: Floats, risk: Floats) -> tuple[Floats, Floats]:
    """Return a curve that also has points between those of a few distinct scores, where tied predictions enter."""
    between = np.union1d(coverage, np.linspace(0, 1, 501)[1:])
    errors = np.interp(between, np.append(0.0, coverage), np.append(0.0, coverage * risk))
    return np.append(0.0, between), np.append(risk[0], errors / between)
