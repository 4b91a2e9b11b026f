"""CWROCDisplay: the classical and the confidence-weighted ROC curve."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import auc

from skconf._core.checks import check_option
from skconf._core.probabilities import Floats
from skconf.inspection._base import Display
from skconf.inspection._drawing import (
    CLASSIFIER,
    OF_ONE,
    REFERENCE,
    Style,
    artists,
    displays,
    ink,
    label_once,
    remove_references,
    thinned,
)
from skconf.inspection._findings import of_roc
from skconf.inspection._scales import set_normal
from skconf.metrics import cw_roc_auc_score, cw_roc_curve, get_metric
from skconf.profile import ConfidenceProfile

#: The scales of the axes; the area above which "auto" chooses the normal one, and the least area of all curves there.
SCALES, _GOOD, _BENT = ("auto", "normal", "linear"), 0.9, 0.6

#: Id of a classical curve.
_CLASSICAL = "skconf classical"


@dataclass(eq=False, repr=False)
class CWROCDisplay(Display):
    """Confidence-weighted ROC curve and classical ROC curve, as in figures 1 and 2 of the paper [1]_.

    With two classes, the display shows the curves of the positive class. With more classes, it shows the curves of
    `pos_label` against the rest. Without `pos_label`, it shows the mean of the curves of each class against the rest.

    Parameters
    ----------
    fpr, tpr : ndarray of shape (n_points,)
        The classical curve.
    cw_fpr, cw_tpr : ndarray of shape (n_cw_points,)
        The confidence-weighted curve.
    auc, cw_auc : float
        The areas under the curves. If there is no positive class, the mean of the areas of all classes.
    name : str, default=None
        Name of the classifier.
    scale : {"auto", "normal", "linear"}, default="auto"
        Scale of both axes.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    skconf.metrics.cw_roc_auc_score : The area under the confidence-weighted curve.

    References
    ----------
    .. [1] F. Martin-Maroto, N. Abderrahaman-Elena and G. G. de Polavieja, Beyond ECE: Calibrated Size Ratio, Risk
       Assessment, and Confidence-Weighted Metrics, arXiv:2605.01796, 2026.

    Examples
    --------
    >>> from skconf.inspection import CWROCDisplay
    >>> display = CWROCDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.9, 0.5, 0.6])
    >>> round(display.auc, 2), round(display.cw_auc, 2)
    (0.75, 0.86)
    """

    fpr: Floats
    tpr: Floats
    cw_fpr: Floats
    cw_tpr: Floats
    auc: float
    cw_auc: float
    name: str | None = None
    scale: str = "auto"

    _legend_inside: ClassVar[str] = "lower right"  # all curves end in one corner, and rarely come here

    @classmethod
    def from_profile(cls, profile: ConfidenceProfile, *, name: str | None = None, scale: str = "auto") -> Self:
        """Compute the numbers, without drawing them.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions, and the positive class.
        name : str, default=None
            Name of the classifier.
        scale : {"auto", "normal", "linear"}, default="auto"
            Scale of both axes. "normal" draws only the upper left quarter, where errors are few, and scales it by
            quantiles of the normal distribution, as in detection error tradeoff curves. "auto" means "normal" on
            three conditions: at least one area exceeds 0.9, no area is 0.6 or less, and every curve on these axes has a
            point inside this quarter. Otherwise, "auto" means "linear".

        Returns
        -------
        CWROCDisplay

        Raises
        ------
        ValueError
            If `scale` is not an allowed value.
        """
        check_option(scale, "scale", SCALES)
        # The classical curve is the weighted one with equal confidences.
        classical = replace(profile, confidence=np.ones(len(profile)))
        if profile.positive_class is not None:
            (cw_fpr, cw_tpr), (fpr, tpr) = cw_roc_curve(profile)[:2], get_metric("cw_roc_curve").value(classical)[:2]
            return cls(fpr, tpr, cw_fpr, cw_tpr, float(auc(fpr, tpr)), float(auc(cw_fpr, cw_tpr)), name, scale)
        areas = float(get_metric("cw_roc_auc_score").value(classical)), cw_roc_auc_score(profile)
        return cls(*_mean_curve(classical), *_mean_curve(profile), *areas, name, scale)

    _finding = staticmethod(of_roc)

    def _draw(self, ax: Any) -> None:
        style = Style.next_on(ax)
        if not style.number:
            ax.axline((0, 0), (1, 1), linestyle=":", label="random order", gid=OF_ONE, **REFERENCE)
        name = "" if self._label is None else f"{self._label}: "
        ax.plot(*thinned(self.fpr, self.tpr), color=style.color, linewidth=0.7, gid=_CLASSICAL)
        ax.plot([], [], color=ink(ax), linewidth=0.7, label=label_once(ax, "thin: classical ROC"))
        label = f"{name}cwAUC {self.cw_auc:.4f}, AUC {self.auc:.4f}"
        ax.plot(*thinned(self.cw_fpr, self.cw_tpr), linewidth=2.0, gid=CLASSIFIER, label=label, **style.line)
        ax.set(xlabel="false positive rate", ylabel="true positive rate")
        if _is_in_the_corner([*displays(ax, type(self)), self]):
            _spread_the_corner(ax)
        elif ax.get_xscale() in ("linear", "function"):
            ax.set(xscale="linear", yscale="linear")
            ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect=1)


def _is_in_the_corner(shown: Sequence[CWROCDisplay]) -> bool:
    """Return whether the axes show only the corner: the upper left quarter of the usual square.

    With the scale "auto", they do so only if every curve bends in this corner. A curve near the diagonal only touches
    the corner, and a curve without errors has no point in it.
    """
    if any(each.scale == "normal" for each in shown):
        return True
    if not any(each.scale == "auto" and max(each.auc, each.cw_auc) > _GOOD for each in shown):
        return False
    curves = [curve for each in shown for curve in ((each.fpr, each.tpr), (each.cw_fpr, each.cw_tpr))]
    return min(min(each.auc, each.cw_auc) for each in shown) > _BENT and all(
        _in_corner(*curve).any() for curve in curves
    )


def _in_corner(fpr: Floats, tpr: Floats) -> NDArray[np.bool_]:
    """Return which points of a curve are in the upper left quarter, and not on its left or upper edge."""
    return np.asarray((fpr > 0) & (fpr <= 0.5) & (tpr >= 0.5) & (tpr < 1))


def _spread_the_corner(ax: Any) -> None:
    """Scale the axes by normal quantiles, with limits that show the bend of every curve."""
    curves = [line.get_data() for line in artists(ax, _CLASSICAL)]
    seen = [_in_corner(*curve) for curve in curves]
    lowest = min([fpr[some].min() for (fpr, _), some in zip(curves, seen, strict=True) if some.any()], default=0.01)
    missed = min([1 - tpr[some].max() for (_, tpr), some in zip(curves, seen, strict=True) if some.any()], default=0.01)
    remove_references(ax)
    ax.set_aspect("auto")
    set_normal(ax.xaxis, lowest / 1.5, 0.5)
    set_normal(ax.yaxis, 0.5, 1 - missed / 1.5)
    # The upper left corner of the usual square; the diagonal touches it at its lower right end.
    ax.set(xlabel="false positive rate, up to 50%", ylabel="true positive rate, from 50%")


def _mean_curve(profile: ConfidenceProfile) -> tuple[Floats, Floats]:
    """Return the average of the curves of each class against the rest. Classes without a curve are left out."""
    at = np.linspace(0, 1, 1001)
    metric = get_metric("cw_roc_curve")
    curves = (metric.value(replace(profile, positive_class=k)) for k in range(profile.proba.shape[1]))
    heights = [np.interp(at, curve.fpr, curve.tpr) for curve in curves if not np.isnan(curve.fpr[0] + curve.tpr[0])]
    mean = np.mean(heights, axis=0) if heights else np.full(len(at), np.nan)
    # If a curve rises vertically at 0, its height there is the upper end of the vertical line.
    return np.append(0.0, at), np.append(0.0, mean)
