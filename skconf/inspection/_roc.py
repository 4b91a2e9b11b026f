"""CWROCDisplay: the classical and the confidence-weighted ROC curve."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.metrics import auc

from skconf._core.probabilities import Floats
from skconf.inspection._base import REFERENCE, Display, Style, label_once, thinned
from skconf.metrics import cw_roc_auc_score, cw_roc_curve, get_metric
from skconf.profile import ConfidenceProfile


@dataclass(eq=False, repr=False)
class CWROCDisplay(Display):
    """Confidence-weighted ROC curve beside the classical one, as in figures 1 and 2 of the paper [1]_.

    Of two classes, the curve is that of the positive class. Of more, it is that of `pos_label` against the rest, if
    there is one, and else the mean of the curves of all classes against the rest.

    Parameters
    ----------
    fpr, tpr : ndarray of shape (n_points,)
        The classical curve.
    cw_fpr, cw_tpr : ndarray of shape (n_cw_points,)
        The confidence-weighted curve.
    auc, cw_auc : float
        The areas under them; of several classes, the mean of the areas.
    name : str, default=None
        Name of the classifier in the legend.

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

    _legend_inside: ClassVar[str | None] = "lower right"  # usually the emptiest corner

    @classmethod
    def from_profile(cls, profile: ConfidenceProfile, *, name: str | None = None) -> Self:
        """Compute the numbers, without drawing them.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions, and the positive class.
        name : str, default=None
            Name of the classifier in the legend.

        Returns
        -------
        CWROCDisplay
        """
        # The classical curve is the weighted one with equal confidences.
        classical = replace(profile, confidence=np.ones(len(profile)))
        if profile.positive_class is not None:
            (cw_fpr, cw_tpr), (fpr, tpr) = cw_roc_curve(profile)[:2], get_metric("cw_roc_curve").value(classical)[:2]
            return cls(fpr, tpr, cw_fpr, cw_tpr, float(auc(fpr, tpr)), float(auc(cw_fpr, cw_tpr)), name)
        areas = float(get_metric("cw_roc_auc_score").value(classical)), cw_roc_auc_score(profile)
        return cls(*_mean_curve(classical), *_mean_curve(profile), *areas, name)

    def _draw(self, ax: Any) -> None:
        style = Style.next_on(ax)
        ax.axline((0, 0), (1, 1), linestyle=":", label=label_once(ax, "random order"), **REFERENCE)
        prefix = "" if self._label is None else f"{self._label}\n"
        ax.plot(
            *thinned(self.cw_fpr, self.cw_tpr),
            color=style.color,
            linestyle=style.linestyle,
            linewidth=2.5,
            alpha=0.7,
            gid=style.gid,
            label=f"{prefix}cwAUC {self.cw_auc:.4f}, AUC {self.auc:.4f}",
        )
        ax.plot(*thinned(self.fpr, self.tpr), color="0.15", linewidth=0.8, label=label_once(ax, "classical ROC"))
        ax.set(
            xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect=1
        )


def _mean_curve(profile: ConfidenceProfile) -> tuple[Floats, Floats]:
    """Return the mean height of the curves of all classes that have one, against the rest."""
    at = np.linspace(0, 1, 1001)
    metric = get_metric("cw_roc_curve")
    curves = (metric.value(replace(profile, positive_class=k)) for k in range(profile.proba.shape[1]))
    heights = [np.interp(at, curve.fpr, curve.tpr) for curve in curves if not np.isnan(curve.fpr[0] + curve.tpr[0])]
    mean = np.mean(heights, axis=0) if heights else np.full(len(at), np.nan)
    # Where a curve rises straight up from 0, its height there is the upper end of that.
    return np.append(0.0, at), np.append(0.0, mean)
