"""ThresholdDisplay: what becomes of metrics as the threshold rises."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from skconf._probabilities import Floats
from skconf.inspection._base import COLOURS, LINES, Display
from skconf.metrics import cwsa_curve
from skconf.profile import ConfidenceProfile


@dataclass(eq=False)
class ThresholdDisplay(Display):
    """Selective accuracy, CWSA, CWSA+ and coverage against the threshold; or the sweep of a tuned classifier.

    Parameters
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Thresholds, ascending.
    curves : dict of str to ndarray of shape (n_thresholds,)
        What is drawn, by its label.
    threshold : float or None
        The threshold that was chosen; marked.
    name : str or None
        Title of the legend.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    skconf.metrics.cwsa_curve : The numbers.

    Notes
    -----
    `from_predictions` and `from_estimator` take `thresholds`, .50 to .99 by default, and `normalize`, see
    :func:`skconf.metrics.cwsa_curve`. `from_tuned` draws the sweep of a :class:`skconf.TunedSelectiveClassifierCV`.

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
    name: str | None = None

    titled: ClassVar[bool] = True

    @classmethod
    def from_profile(
        cls,
        profile: ConfidenceProfile,
        *,
        name: str | None = None,
        thresholds: ArrayLike | None = None,
        normalize: str = "accepted",
    ) -> Self:
        """Compute the display of a profile, without drawing it; see the notes."""
        curve = cwsa_curve(profile, thresholds=thresholds, normalize=normalize)
        order = np.argsort(curve.thresholds)
        shown = {
            "selective accuracy": curve.selective_accuracy,
            "CWSA": curve.cwsa,
            "CWSA+": curve.cwsa_plus,
            "coverage": curve.coverage,
        }
        values = {label: values[order] for label, values in shown.items()}
        return cls(curve.thresholds[order], values, profile.threshold, name)

    @classmethod
    def from_tuned(cls, model: Any, *, ax: Any = None) -> Self:
        """Draw the sweep of a fitted tuned classifier.

        Parameters
        ----------
        model : TunedSelectiveClassifierCV
            Fitted.
        ax : matplotlib axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ThresholdDisplay
        """
        results = model.cv_results_
        finite = np.flatnonzero(np.isfinite(results["threshold"]))[::-1]
        labels = {"coverage": "coverage", "risk": "risk", "risk_upper_bound": "upper limit of the risk"}
        curves = {label: results[key][finite] for key, label in labels.items()}
        if not (callable(model.objective) or model.objective in ("risk", "coverage")):
            curves[f"−{model.objective}" if model.objective == "cost" else model.objective] = results["objective"][
                finite
            ]
        curves = {label: values for label, values in curves.items() if not np.isnan(values).all()}
        return cls(results["threshold"][finite], curves, model.threshold_).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        for number, (label, values) in enumerate(self.curves.items()):
            ax.plot(
                self.thresholds,
                values,
                color=COLOURS[number % len(COLOURS)],
                linestyle=LINES[number % len(LINES)],
                label=label,
            )
        if self.threshold is not None and np.isfinite(self.threshold):
            ax.axvline(self.threshold, color="0.3", linewidth=1.0, label=f"threshold {self.threshold:.3g}")
        ax.set(xlabel="threshold", ylabel="value")
