"""ThresholdDisplay: metrics against the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from skconf._core.checks import check_option, check_prices
from skconf._core.pictures import nines
from skconf._core.probabilities import Floats
from skconf.inspection._base import Display
from skconf.inspection._drawing import (
    CLASSIFIER,
    CURVE,
    MARK,
    REFERENCE,
    Style,
    artists,
    displays,
    hide_and_remember,
    ink,
    label_once,
    mark_threshold,
    panels,
    thinned,
)
from skconf.inspection._findings import COST, of_threshold
from skconf.inspection._scales import NEAREST, SCALES, label_ticks, plain, set_nines
from skconf.metrics import get_metric
from skconf.profile import ConfidenceProfile

#: The metrics that are drawn, by the names of their scorers.
METRICS = {"coverage": "coverage", "selective_accuracy": "selective accuracy", "cwsa": "CWSA", "cwsa_plus": "CWSA+"}

#: Selective accuracy above which "auto" chooses the logarithmic scale.
_GOOD = 0.98

#: If more than a third of the thresholds are above this one, their axis is logarithmic in 1 − threshold.
_NEAR_ONE = 0.97
#: Costs are computed at this number of thresholds at most.
_MOST_LEVELS = 1000


@dataclass(eq=False, repr=False)
class ThresholdDisplay(Display):
    """Metrics against the threshold: selective accuracy, CWSA, CWSA+ and coverage, or a tuned classifier's metrics.

    If you draw several metrics of several classifiers on the same axes, these axes are split into a panel for each
    metric. Panels do not show targets.

    Parameters
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Thresholds, ascending.
    curves : dict of str to ndarray of shape (n_thresholds,)
        The curves, by label.
    threshold : float, default=None
        The chosen threshold. It is marked if it is finite.
    target : float, default=None
        The target of a tuned classifier. It is marked.
    name : str, default=None
        Name of the classifier.
    scale : {"auto", "log", "linear"}, default="auto"
        Scale of the vertical axis. It is ignored for a tuned classifier, and if `prices` were passed.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    skconf.metrics.cwsa_curve : The numbers.
    RiskCoverageDisplay : Risk by coverage, without thresholds.

    Examples
    --------
    >>> from skconf.inspection import ThresholdDisplay
    >>> display = ThresholdDisplay.from_predictions([1, 1, 0, 0], [0.9, 0.8, 0.7, 0.4], thresholds=[0.5, 0.75])
    >>> display.curves["coverage"]
    array([1. , 0.5])
    """

    thresholds: Floats
    curves: dict[str, Floats]
    threshold: float | None = None
    target: float | None = None
    name: str | None = None
    scale: str = "auto"

    @classmethod
    def from_profile(
        cls,
        profile: ConfidenceProfile,
        *,
        name: str | None = None,
        thresholds: ArrayLike | None = None,
        normalize: str = "accepted",
        metrics: Sequence[str] | None = None,
        scale: str = "auto",
        prices: Sequence[float] | None = None,
    ) -> Self:
        """Compute the numbers, without drawing them.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions.
        name : str, default=None
            Name of the classifier in the legend.
        thresholds : array-like of shape (n_thresholds,), default=None
            Thresholds in [0, 1). None means 0.50, 0.51, ..., 0.99. With `prices`, None means the distinct scores in
            [0, 1). If there are more than 1,000 of these scores, 1,000 are used.
        normalize : {"accepted", "all"}, default="accepted"
            Divide CWSA and CWSA+ by the weight of the accepted answers, or by the weight of all answers.
        metrics : sequence of str, default=None
            Which of "coverage", "selective_accuracy", "cwsa" and "cwsa_plus" to draw. None draws all. CWSA and CWSA+
            are left out if the answers are ranked by another score than the confidence.
        scale : {"auto", "log", "linear"}, default="auto"
            Scale of the vertical axis. "log" is logarithmic in 1 − value, so that 0.99 and 0.999 are separated. "auto"
            means "log" if the selective accuracy exceeds 0.98 at any threshold. With `prices`, the scale is linear.
        prices : pair of float, default=None
            The cost of an error and the cost of a rejection, such as (10, 1). The display then draws the mean cost of a
            case instead of metrics.

        Returns
        -------
        ThresholdDisplay

        Raises
        ------
        ValueError
            If a threshold is out of range. If `metrics`, `normalize` or `scale` is not an allowed value. If `prices`
            are negative, both 0, or passed together with `metrics`.
        """
        check_option(scale, "scale", SCALES)
        for chosen in () if metrics is None else metrics:
            check_option(chosen, "metrics", METRICS)
        if prices is not None:
            if metrics is not None:
                raise ValueError("With prices, only the cost of a case is drawn. Leave metrics out.")
            of_error, of_rejection = check_prices(prices)
            if of_error == of_rejection == 0:
                raise ValueError("prices are both 0, so every threshold costs the same. Pass a positive price.")
            thresholds = _where_costs_change(profile) if thresholds is None else thresholds
        metric = get_metric("cwsa_curve", thresholds=thresholds, normalize=normalize)
        metric.check_kind(profile)
        curve = metric.curve(metric.rows_of(profile).ranking)
        order = np.argsort(curve.thresholds)
        if prices is not None:
            errors = np.where(curve.coverage > 0, curve.coverage * (1 - curve.selective_accuracy), 0.0)
            costs = {COST: (of_error * errors + of_rejection * (1 - curve.coverage))[order]}
            return cls(curve.thresholds[order], costs, profile.threshold, name=name, scale=scale)
        shown = {"coverage": curve.coverage, "selective accuracy": curve.selective_accuracy}
        if profile.ranks_by_confidence:
            shown |= {"CWSA": curve.cwsa, "CWSA+": curve.cwsa_plus}
        wanted = METRICS.values() if metrics is None else [METRICS[chosen] for chosen in metrics]
        values = {label: values[order] for label, values in shown.items() if label in wanted}
        return cls(curve.thresholds[order], values, profile.threshold, name=name, scale=scale)

    @classmethod
    def from_tuned(cls, model: Any, *, name: str | None = None, ax: Any = None, title: str | None = "finding") -> Self:
        """Draw the metrics at each threshold that a tuned classifier tried.

        Parameters
        ----------
        model : TunedSelectiveClassifierCV
            A fitted classifier.
        name : str, default=None
            Name of the classifier in the legend.
        ax : matplotlib axes, default=None
            The axes to draw on. None makes a new figure.
        title : str, default="finding"
            Title of the axes. "finding" states the values at the threshold. None does not change the title.

        Returns
        -------
        ThresholdDisplay
            A display. Its attribute `curves` has the coverage and the risk from the classifier's ``cv_results_``. If
            there is a confidence level, `curves` also has the upper confidence limit of the risk. If the objective is
            neither the risk nor the coverage, `curves` also has the objective.

        Raises
        ------
        TypeError
            If the model is not a fitted TunedSelectiveClassifierCV.
        ValueError
            If the model's `target` is a mapping, or if it has `slices`. See its ``guarantees_``.
        """
        results = getattr(model, "cv_results_", {})
        if not results and hasattr(model, "guarantees_"):
            raise ValueError(
                f"There is no single sweep of thresholds to draw, because this {type(model).__name__} has several "
                "promises or slices. Its table guarantees_ shows what is promised, observed and guaranteed."
            )
        if "threshold" not in results:
            raise TypeError(f"from_tuned() needs a fitted TunedSelectiveClassifierCV, but got {model!r}.")
        shown = {
            "coverage": results["coverage"],
            "risk": results["risk"],
            "upper limit of the risk": results["risk_upper_bound"],
        }
        if model.objective == "cost":
            shown["mean cost"] = -results["objective"]
        elif model.objective not in ("risk", "coverage"):
            shown["objective" if callable(model.objective) else model.objective] = results["objective"]
        finite = np.flatnonzero(np.isfinite(results["threshold"]))[::-1]
        curves = {label: values[finite] for label, values in shown.items() if not np.isnan(values[finite]).all()}
        target = model.target if model.objective in ("risk", "coverage") else None
        return cls(results["threshold"][finite], curves, model.threshold_, target, name).plot(ax=ax, title=title)

    _finding = staticmethod(of_threshold)

    def _draw(self, ax: Any) -> None:
        others = displays(ax, type(self))
        if len(self._labels([*others, self])) > 1 and others:
            self._draw_panels(ax, [*others, self])
            return
        style = Style.next_on(ax)
        if len(self.curves) == 1:
            ((label, values),) = self.curves.items()
            named = {"gid": CLASSIFIER, "label": self._label or label, **style.line}
            ax.plot(*_thinned(self.thresholds, values), **named)
            ax.set_ylabel(label)
        else:
            self._draw_curves(ax, style)
            ax.set_ylabel("metric")
        if self.target is not None:
            shown = label_once(ax, f"target {self.target:g}")
            ax.axhline(self.target, linestyle=":", gid=MARK, label=shown, **REFERENCE)
        mark_threshold(ax, self.threshold, style)
        drawn = np.concatenate([line.get_ydata() for line in artists(ax, CURVE, CLASSIFIER)])
        _set_axes(ax, self.curves, drawn, self.scale)
        _separate_near_one(ax, [*others, self])
        ax.set(xlabel="threshold")
        if COST in self.curves:
            at = int(np.argmin(self.curves[COST]))
            look = {"marker": style.marker, "color": style.color, "linestyle": "none"}
            mark = {"gid": MARK, "label": label_once(ax, "cheapest")}
            ax.plot(self.thresholds[at], self.curves[COST][at], **mark, **look)

    @staticmethod
    def _labels(shown: Sequence[Any]) -> list[str]:
        """Return the labels of all curves."""
        return list(dict.fromkeys(label for each in shown for label in each.curves))

    @classmethod
    def _draw_panels(cls, ax: Any, shown: Sequence[Any]) -> None:
        """Draw several classifiers: a panel for each quantity. Lines on the axes themselves only serve the legend."""
        for artist in artists(ax, CLASSIFIER, CURVE, MARK):
            artist.remove()
        styles = hide_and_remember(ax, shown, labelled=True)
        labels = cls._labels(shown)
        for label, panel in zip(labels, panels(ax, labels, "threshold"), strict=True):
            having = [(each, style) for each, style in zip(shown, styles, strict=True) if label in each.curves]
            for each, style in having:
                panel.plot(*_thinned(each.thresholds, each.curves[label]), gid=CURVE, **style.line)
                mark_threshold(panel, each.threshold, style)
            drawn = np.concatenate([each.curves[label] for each, _ in having])
            _set_axes(panel, {label: drawn}, drawn, shown[-1].scale)
            _separate_near_one(panel, [each for each, _ in having])

    def _draw_curves(self, ax: Any, style: Style) -> None:
        """Draw several curves. Colours and markers identify the curves, line styles identify the classifiers."""
        ax.plot([], [], color=ink(ax), linestyle=style.linestyle, gid=CLASSIFIER, label=self._label)
        for number, (label, values) in enumerate(self.curves.items()):
            kind = Style.of(number)
            ax.plot(
                *_thinned(self.thresholds, values),
                color=kind.color,
                linestyle=style.linestyle,
                marker=kind.marker,
                markersize=4,
                markevery=(0.04 * number, 0.2),  # so that overlapping curves are visible
                label=label_once(ax, label),
                gid=CURVE,
            )


def _many_near_one(thresholds: Floats) -> bool:
    """Return whether so many thresholds are near 1 that a linear axis would hide them."""
    return bool(thresholds.max() <= 1 and np.mean(thresholds > _NEAR_ONE) > 1 / 3)


def _thinned(thresholds: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Return a curve with few points that looks the same on the axis of the thresholds."""
    place = nines(np.minimum(thresholds, 1 - NEAREST)) if _many_near_one(thresholds) else None
    return thinned(thresholds, values, place)


def _separate_near_one(ax: Any, shown: Sequence[Any]) -> None:
    """If many thresholds are near 1, make their axis logarithmic in 1 − threshold, so that they are apart."""
    thresholds = np.concatenate([each.thresholds for each in shown])
    if _many_near_one(thresholds):
        set_nines(ax.xaxis, np.clip(thresholds, 0.0, 1 - NEAREST))


def _where_costs_change(profile: ConfidenceProfile) -> Floats:
    """Return the thresholds at which costs may change: the distinct scores below 1; if they are many, only some."""
    levels = np.unique(np.asarray(profile.score, dtype=np.float64))
    levels = levels[(levels >= 0) & (levels < 1)]
    if len(levels) > _MOST_LEVELS:
        levels = levels[np.linspace(0, len(levels) - 1, _MOST_LEVELS).round().astype(np.intp)]
    return levels if len(levels) else np.zeros(1)


def _set_axes(ax: Any, curves: dict[str, Floats], drawn: Floats, scale: str) -> None:
    """Scale the vertical axis for the quantities in `curves`. `drawn` has the values of all curves on the axis."""
    values = np.concatenate(list(curves.values()))
    accuracy = curves.get("selective accuracy", np.zeros(1))
    if COST in curves:
        ax.set_ylim(0, 1.1 * float(drawn.max()) or 1.0)
    elif "risk" in curves:
        ax.set_yscale("symlog", linthresh=0.01)  # risks are small compared with coverages, and may be 0
        ax.set_ylim(min(np.nanmin(values), 0.0) - 0.001, 1.4 * max(np.nanmax(values), 1.0))
        label_ticks(ax.yaxis, plain)
    elif scale == "log" or (scale == "auto" and np.nanmax(accuracy, initial=0.0) > _GOOD):
        set_nines(ax.yaxis, drawn)
