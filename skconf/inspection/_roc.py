"""CWROCDisplay: the classical and the confidence-weighted ROC curve."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.metrics import auc, roc_curve

from skconf._probabilities import Floats
from skconf.inspection._base import REFERENCE, Display, label_once, style
from skconf.metrics import cw_roc_curve
from skconf.profile import ConfidenceProfile


@dataclass(eq=False)
class CWROCDisplay(Display):
    """Confidence-weighted ROC curve beside the classical one.

    Of two classes, the curve is that of the positive class. Of more, it is the mean of the curves of each class against
    the rest, or with `pos_label` that of one class.

    Parameters
    ----------
    fpr, tpr : ndarray of shape (n_points,)
        The classical curve.
    cw_fpr, cw_tpr : ndarray of shape (n_cw_points,)
        The confidence-weighted curve.
    auc, cw_auc : float
        The areas under them.
    name : str or None
        What the legend calls the classifier.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    skconf.metrics.cw_roc_auc_score : The area under the confidence-weighted curve.

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

    columns: ClassVar[int] = 1

    @classmethod
    def from_profile(cls, profile: ConfidenceProfile, *, name: str | None = None) -> Self:
        """Compute the display of a profile, without drawing it."""
        true_class = profile.require("true_class")
        classes = range(profile.proba.shape[1]) if profile.positive_class is None else [profile.positive_class]
        classical, weighted = [], []
        for k in classes:
            of_class = replace(profile, positive_class=k)
            weighted.append(cw_roc_curve(of_class)[:2])
            score = profile.proba[:, k].astype(np.float64)
            classical.append(roc_curve(true_class == k, score, sample_weight=profile.sample_weight)[:2])
        (fpr, tpr), (cw_fpr, cw_tpr) = _mean_curve(classical), _mean_curve(weighted)
        return cls(fpr, tpr, cw_fpr, cw_tpr, float(auc(fpr, tpr)), float(auc(cw_fpr, cw_tpr)), name)

    def _draw(self, ax: Any) -> None:
        look = style(ax)
        prefix = "" if self.name is None else f"{self.name}, "
        ax.plot([0, 1], [0, 1], label=label_once(ax, "random order"), **REFERENCE)
        ax.plot(self.cw_fpr, self.cw_tpr, color=look["color"], label=f"{prefix}cwAUC {self.cw_auc:.4f}")
        ax.plot(self.fpr, self.tpr, color=look["color"], linestyle="--", label=f"{prefix}AUC {self.auc:.4f}")
        ax.set(
            xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect=1
        )


def _mean_curve(curves: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Return the mean height of several curves at every place where one of them has a point."""
    if len(curves) == 1:
        return curves[0]
    at = np.linspace(0, 1, 1001)
    heights = [np.interp(at, fpr, tpr) for fpr, tpr in curves if not (np.isnan(fpr[0]) or np.isnan(tpr[0]))]
    # np.interp takes the last of several points at the same place: the curve starts at 0 all the same.
    return np.append(0.0, at), np.append(0.0, np.mean(heights, axis=0))
