"""RiskCoverageDisplay: the error rate of the accepted answers against their share."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skconf._core.checks import check_confidence_level, check_option
from skconf._core.probabilities import Floats
from skconf._core.proportions import exact_interval
from skconf._core.ranking import Ranking
from skconf.inspection._base import Display
from skconf.inspection._drawing import (
    CLASSIFIER,
    OF_ONE,
    REFERENCE,
    Style,
    artists,
    ink,
    label_of_threshold,
    label_once,
    remove_references,
    thinned,
)
from skconf.inspection._findings import of_risk_coverage
from skconf.inspection._risk_difference import RiskDifference
from skconf.inspection._scales import SCALES, axis_percent, label_ticks, points, spans_a_decade
from skconf.metrics import aurc_loss, risk_coverage_curve
from skconf.metrics._base.stratified_shares import StratifiedShares
from skconf.profile import ConfidenceProfile

#: Below this coverage, a curve may leave the axes: one error among few answers gives a high error rate.
_FEW = 0.05
#: Default level of the band of a difference.
_LEVEL = 0.95

#: What the axis of a difference shows.
_DIFFERENCE = "risk minus risk of the baseline, in points"


@dataclass(eq=False, repr=False)
class RiskCoverageDisplay(Display):
    """Risk-coverage curve, between the curves of an oracle and of a random order.

    Parameters
    ----------
    coverage, risk, thresholds : ndarray of shape (n_distinct,)
        The curve: see :func:`skconf.metrics.risk_coverage_curve`.
    aurc : float
        The area under the curve.
    threshold : float, default=None
        The threshold of the selective classifier that made the predictions. Its coverage and risk are marked.
    name : str, default=None
        Name of the classifier.
    low, high : ndarray of shape (n_distinct,), default=None
        Confidence interval of the risk, for each coverage separately.
    scale : {"auto", "log", "linear"}, default="auto"
        Scale of the risk.
    difference : RiskDifference, default=None
        The difference from a baseline: `coverage`, `value`, `low` and `high`. If given, it is drawn instead of the
        risk.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    skconf.metrics.aurc_loss : The area under the curve, with its ties in random order.

    Notes
    -----
    Tied predictions are drawn as if they were accepted in random order. If all predictions are tied, the curve is a
    horizontal line. A logarithmic scale cannot show a risk of 0. On such a scale, the curve begins at its first error,
    and the axis of the coverage begins shortly before this point. The upper limit of the risk axis ignores coverages
    below 5%, so a curve may be cut off there.

    A single classifier is drawn with two reference curves: a random order, whose risk is the error rate of all
    predictions, and an oracle, which rejects wrong predictions first.

    The band of a difference comes from a paired bootstrap with 500 draws of the rows or, if there are `groups`, of the
    clusters. In each draw, both models choose their thresholds again. The band begins at the coverage at which the two
    models together have ten errors. From there on, it holds at all coverages at once.

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
    low: Floats | None = None
    high: Floats | None = None
    scale: str = "auto"
    difference: RiskDifference | None = None

    @classmethod
    def from_profile(
        cls,
        profile: ConfidenceProfile,
        *,
        name: str | None = None,
        confidence_level: float | None = None,
        scale: str = "auto",
        baseline: ConfidenceProfile | None = None,
    ) -> Self:
        """Compute the numbers, without drawing them.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions.
        name : str, default=None
            Name of the classifier in the legend.
        confidence_level : float, default=None
            Level of the Clopper-Pearson interval of the risk, which is drawn as a band. None draws no band. The
            interval is valid for a single coverage that you choose before looking. With a `baseline`, this is the level
            of the band of the difference, which holds at all coverages at once; None then means 0.95.
        scale : {"auto", "log", "linear"}, default="auto"
            Scale of the risk. "auto" is logarithmic if the risks span more than a factor of ten.
        baseline : ConfidenceProfile, default=None
            Predictions of the same samples by another model. The display then draws the risk of the profile minus the
            risk of the baseline, both at the same coverage. A difference below 0 means fewer errors than with the
            baseline.

        Returns
        -------
        RiskCoverageDisplay

        Raises
        ------
        ValueError
            If `confidence_level` is out of range. If `confidence_level` is passed without a `baseline`, and answers are
            graded, have costs or come in clusters. If `scale` is not an allowed value. If `baseline` has other samples
            or other weights.
        """
        check_option(scale, "scale", SCALES)
        low, high = None, None
        curve = risk_coverage_curve(profile)
        if confidence_level is not None:
            check_confidence_level(confidence_level)
        difference = None
        if baseline is not None:
            difference = RiskDifference.of(profile, baseline, confidence_level or _LEVEL)
        elif confidence_level is not None:
            if profile.kind != "right or wrong" or profile.groups is not None:
                raise ValueError(
                    "confidence_level needs independent answers that are right or wrong. Leave it out for graded "
                    "answers, for costs and for answers in clusters."
                )
            size = effective_sizes(profile)
            stratified = StratifiedShares.from_the_top(profile, profile.score, profile.ranking.score)
            if stratified is None:
                low, high = exact_interval(curve.risk * size, (1 - curve.risk) * size, confidence_level)
            else:
                low, high = stratified.ends(confidence_level)
        area = aurc_loss(profile)
        curves = curve.coverage, curve.risk, curve.thresholds, area
        return cls(*curves, profile.threshold, name, low, high, scale, difference)

    _finding = staticmethod(of_risk_coverage)

    def _draw(self, ax: Any) -> None:
        style = Style.next_on(ax)
        if self.difference is not None:
            _draw_difference(ax, self.difference, style, self._label)
            return
        _draw_references(ax, None if style.number else self.risk[-1])
        label = ": ".join(filter(None, [self._label, f"AURC {self.aurc:.4f}"]))
        ax.plot(*thinned(*_through_ties(self.coverage, self.risk)), gid=CLASSIFIER, label=label, **style.line)
        if self.low is not None and self.high is not None:
            (x, low), (_, high) = thinned(self.coverage, self.low), thinned(self.coverage, self.high)
            ax.fill_between(x, low, high, color=style.color, alpha=0.18, linewidth=0)
        if self.threshold is not None:
            accepted = np.flatnonzero(self.thresholds >= self.threshold)[-1:]
            mark = {"marker": "o", "markersize": 7, "clip_on": False}  # the marker is whole at a coverage of 100%, too
            ax.plot(self.coverage[accepted], self.risk[accepted], color=style.color, **mark)
            shown = label_once(ax, label_of_threshold(self.threshold))
            ax.plot([], [], color=ink(ax), linestyle="none", label=shown, **mark)
        _set_axes(ax, self.scale)


def _draw_difference(ax: Any, difference: RiskDifference, style: Style, label: str | None) -> None:
    """Draw the difference from a baseline, which is the line at 0."""
    if not style.number:
        ax.axhline(0, label="baseline", **REFERENCE)
    x, low, high = difference.coverage, difference.low, difference.high
    ax.fill_between(x, low, high, color=style.color, alpha=0.18, linewidth=0)
    seen = np.isfinite(low) | ~np.isfinite(low).any()  # with fewer errors, the difference jumps
    ax.plot(x[seen], difference.value[seen], gid=CLASSIFIER, label=label, **style.line)
    ax.set(xlabel="coverage: share of predictions accepted", ylabel=_DIFFERENCE, xlim=(0, 1))
    label_ticks(ax.xaxis, axis_percent)
    label_ticks(ax.yaxis, points)


def _draw_references(ax: Any, error_rate: float | None) -> None:
    """Draw the curves of a random order and of an oracle with this error rate. If it is None, remove them."""
    remove_references(ax)
    if error_rate is None:
        return
    # The oracle accepts every right prediction before the first wrong one.
    covered = np.linspace(1 - error_rate, 1, 200)
    ideal = np.divide(covered - covered[0], covered, out=np.ones(200), where=covered > 0)
    curve = np.append(0, covered), np.append(0, ideal)
    ax.plot(*curve, linestyle=":", label="oracle", gid=OF_ONE, **REFERENCE)
    ax.axhline(error_rate, label="random order", gid=OF_ONE, **REFERENCE)


def _set_axes(ax: Any, scale: str) -> None:
    """Scale the axes to all curves on them."""
    curves = [line.get_data() for line in artists(ax, CLASSIFIER)]
    seen = [risk[coverage >= _FEW] for coverage, risk in curves]
    positive = [risk[risk > 0] for _, risk in curves]
    highest = 1.25 * max(risk.max() for risk in seen) or 0.01
    wanted = scale == "log" or (scale == "auto" and any(map(spans_a_decade, seen)))
    ax.set(xlabel="coverage: share of predictions accepted", ylabel="selective risk: errors among them")
    if any(map(len, positive)) and (wanted or ax.get_yscale() == "log"):
        first = min(_first_error(*curve) for curve in curves)
        lowest = min(risk.min() for risk in positive if len(risk))
        left = np.floor(20 * min(first, 0.9) - 0.5) / 20
        ax.set(yscale="log", ylim=(lowest / 1.5, highest), xlim=(max(left, 0.0), 1))
    else:
        ax.set(xlim=(0, 1), ylim=(-0.02 * highest, highest))
    label_ticks(ax.xaxis, axis_percent)
    label_ticks(ax.yaxis, axis_percent)


def _first_error(coverage: Floats, risk: Floats) -> float:
    """Return the smallest coverage at which an accepted answer is wrong; 1 if there is none."""
    level = np.flatnonzero(risk != risk[0])[:1] if risk[0] == 0 else np.flatnonzero(risk == risk[0])[-1:]
    return float(coverage[level[0]]) if len(level) else 1.0


def effective_sizes(profile: ConfidenceProfile) -> Floats:
    """Return how many predictions each threshold accepts; with weights, their effective number by Kish."""
    accepted: Floats = np.cumsum(profile.ranking.weight)
    if profile.sample_weight is None:
        return accepted
    squares = Ranking.of(profile.score, ~profile.correct, profile.sample_weight**2).weight
    return accepted**2 / np.cumsum(squares)


def _through_ties(coverage: Floats, risk: Floats) -> tuple[Floats, Floats]:
    """Add points to a curve where many predictions have the same score, but not before the first error."""
    before = np.append(0.0, coverage[:-1])
    gap = coverage - before
    grid = np.linspace(0, 1, 501)[1:]
    level = np.searchsorted(coverage, grid).clip(max=len(coverage) - 1)
    first = np.argmax(risk > 0)
    tied = (gap > 1.5 * gap.min()) | (gap > 2 / len(grid))
    tied[first] &= first == 0
    between = np.union1d(coverage, grid[tied[level]])
    errors = np.interp(between, np.append(0.0, coverage), np.append(0.0, coverage * risk))
    return np.append(0.0, between), np.append(risk[0], errors / between)
