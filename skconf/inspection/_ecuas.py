"""ECUASDisplay: what answers cost where abstaining has a price that is not known."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from skconf._probabilities import Floats
from skconf.inspection._base import COLOURS, LINES, REFERENCE, Display, label_once, style
from skconf.metrics import ecuas_loss, get_metric, reject_cost_loss
from skconf.metrics._checks import check_option
from skconf.profile import ConfidenceProfile

#: What is drawn, by kind: the label of the horizontal axis.
KINDS = {"n": "n", "reject_cost": "cost of an abstention γ", "answer": "confidence"}


@dataclass(eq=False)
class ECUASDisplay(Display):
    """Expected cost of use: against n, against the cost of an abstention, or of one answer against its confidence.

    Parameters
    ----------
    x : ndarray of shape (n_points,)
        n; the cost γ of an abstention; or the confidence of one answer.
    curves : dict of str to ndarray of shape (n_points,)
        Costs, by their label.
    kind : {"n", "reject_cost", "answer"}
        What `x` is.
    answer_all : float
        The cost of answering everything: the error rate. A reference for the cost of an abstention.
    name : str or None
        What the legend calls the classifier.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    skconf.metrics.ecuas_loss : Over all costs of an abstention.
    skconf.metrics.reject_cost_loss : At one of them.

    Notes
    -----
    `from_predictions` and `from_estimator` take `kind`, "n" by default, and `values`, the values of n: those drawn with
    ``kind="n"``, 0 to 128 by default, or those of the lines with ``kind="answer"``, 0, 1 and 8 by default; or costs γ.

    Examples
    --------
    >>> from skconf.inspection import ECUASDisplay
    >>> display = ECUASDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6], values=[0, 1])
    >>> display.curves["ECUAS"].round(3)
    array([0.512, 0.42 ])
    """

    x: Floats
    curves: dict[str, Floats]
    kind: str
    answer_all: float
    name: str | None = None

    @classmethod
    def from_profile(
        cls, profile: ConfidenceProfile, *, name: str | None = None, kind: str = "n", values: ArrayLike | None = None
    ) -> Self:
        """Compute the display of a profile, without drawing it; see the notes."""
        check_option(kind, "kind", KINDS)
        largest = 1.0 if profile.n_classes is None else 1 - 1 / profile.n_classes
        defaults = {
            "n": np.append(0.0, 2.0 ** np.arange(-2, 7.5, 0.5)),
            "reject_cost": np.linspace(0, largest, 101),
            "answer": [0, 1, 8],
        }
        given = np.asarray(defaults[kind] if values is None else values, dtype=np.float64)
        answer_all = float(np.average(~profile.correct, weights=profile.sample_weight))
        if kind == "answer":
            confidence = np.linspace(1 - largest, 1, 401)
            curves = {
                f"{outcome}, n = {n:g}": _cost_of_one(confidence, right=right, n=n, n_classes=profile.n_classes)
                for n in given.tolist()
                for outcome, right in (("wrong", False), ("right", True))
            }
            return cls(confidence, curves, kind, answer_all, name)
        if kind == "n":
            return cls(given, {"ECUAS": np.array([ecuas_loss(profile, n=n) for n in given])}, kind, answer_all, name)
        costs = np.array([reject_cost_loss(profile, reject_cost=cost) for cost in given])
        return cls(given, {"cost": costs}, kind, answer_all, name)

    def _draw(self, ax: Any) -> None:
        if self.kind == "answer":
            for number, (label, values) in enumerate(self.curves.items()):
                ax.plot(
                    self.x, values, color=COLOURS[number // 2 % len(COLOURS)], linestyle=LINES[number % 2], label=label
                )
            ax.set(ylabel="cost of one answer", xlabel=KINDS[self.kind])
            return
        look = style(ax)
        ((label, values),) = self.curves.items()
        if self.kind == "reject_cost":
            ax.plot(self.x, self.x, label=label_once(ax, "always abstain"), linestyle=":", **REFERENCE)
            ax.axhline(self.answer_all, label=label_once(ax, "never abstain"), linestyle="--", **REFERENCE)
        ax.plot(
            self.x,
            values,
            color=look["color"],
            linestyle=look["linestyle"],
            marker=look["marker"] if self.kind == "n" else None,
            markersize=4,
            label=self.name or label,
        )
        if self.kind == "n":
            ax.set_xscale("symlog", linthresh=0.25)
            ax.set_xticks([0, 0.25, 1, 4, 16, 64], ["0", "¼", "1", "4", "16", "64"])
            ax.minorticks_off()
        ax.set(xlabel=KINDS[self.kind], ylabel="ECUAS" if self.kind == "n" else "mean cost")
        ax.autoscale(axis="y")
        ax.set_ylim(bottom=0)


def _cost_of_one(confidence: Floats, *, right: bool, n: float, n_classes: int | None) -> Floats:
    """Return what an answer costs at each confidence."""
    if n_classes is None:
        profile = ConfidenceProfile.from_correctness(np.full(len(confidence), right), confidence)
    else:
        proba = np.empty((len(confidence), n_classes))
        proba[:] = ((1 - confidence) / max(n_classes - 1, 1))[:, np.newaxis]
        proba[:, 0] = confidence
        truth = np.full(len(confidence), 0 if right else 1)
        profile = ConfidenceProfile.from_predictions(truth, proba, labels=range(n_classes))
    each = np.arange(len(confidence))
    return get_metric("ecuas_loss", n=n).by_group(profile, each, len(each))
