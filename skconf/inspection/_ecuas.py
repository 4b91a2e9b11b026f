"""ECUASDisplay: the cost of answers if the cost of a rejection is not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from skconf._core.checks import check_option
from skconf._core.probabilities import Floats
from skconf.inspection._base import Display
from skconf.inspection._drawing import (
    CLASSIFIER,
    CURVE,
    OF_ONE,
    REFERENCE,
    Style,
    artists,
    label_once,
    remove_references,
)
from skconf.inspection._findings import of_ecuas
from skconf.inspection._scales import SCALES, label_ticks, plain, spans_a_decade
from skconf.metrics import get_metric
from skconf.profile import ConfidenceProfile

#: The labels of the axes, by kind.
KINDS = {
    "n": ("n (larger n: cheap rejections count less)", "ECUAS, lower is better"),
    "reject_cost": ("cost of a rejection γ, where an error costs 1", "mean cost"),
    "answer": ("confidence", "cost of one answer"),
}

#: Costs of a rejection below this share of the largest are left out of a logarithmic axis.
_LEAST = 0.01
#: Lower costs than this share of the largest are below a logarithmic axis. Those of a model without errors have no end.
_LEAST_COST = 1e-6


@dataclass(eq=False, repr=False)
class ECUASDisplay(Display):
    """Expected cost against n, or against the cost of a rejection; or the cost of an answer against its confidence.

    An error costs 1. The number n is the parameter of :func:`skconf.metrics.ecuas_loss`.

    Parameters
    ----------
    x : ndarray of shape (n_points,)
        Values on the x axis: values of n, costs γ of a rejection, or possible confidences, according to `kind`.
    curves : dict of str to ndarray of shape (n_points,)
        Costs, by their label.
    kind : {"n", "reject_cost", "answer"}
        The meaning of `x`.
    error_rate : float
        The cost if everything is answered: a reference line for `kind="reject_cost"`.
    name : str, default=None
        Name of the classifier.
    scale : {"auto", "log", "linear"}, default="auto"
        Scale of the costs.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    skconf.metrics.ecuas_loss : The mean cost, averaged over all costs of a rejection.
    skconf.metrics.reject_cost_loss : The mean cost for one cost of a rejection.

    Notes
    -----
    ``kind="answer"`` draws figure 1 of [1]_. This figure does not depend on the predictions, only on n and on the
    number of classes.

    References
    ----------
    .. [1] L. Estienne, E. Ernst, M. Vera, P. Piantanida and L. Ferrer, ECUAS_n: A family of metrics for principled
       evaluation of uncertainty-augmented systems, arXiv:2605.20490, 2026.

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
    error_rate: float
    name: str | None = None
    scale: str = "auto"

    @classmethod
    def from_profile(
        cls,
        profile: ConfidenceProfile,
        *,
        name: str | None = None,
        kind: str = "n",
        values: ArrayLike | None = None,
        scale: str = "auto",
    ) -> Self:
        """Compute the numbers, without drawing them.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions.
        name : str, default=None
            Name of the classifier in the legend.
        kind : {"n", "reject_cost", "answer"}, default="n"
            "n" draws ECUAS against n. "reject_cost" draws the mean cost against the cost of a rejection. "answer" draws
            the ECUAS of a right answer and of a wrong answer against the confidence.
        values : array-like of shape (n_values,), default=None
            With "n": the values of n; None means some values from 0 to 128. With "reject_cost": the costs of a
            rejection; None means some costs from 0 to 1 − 1/K. With "answer": the values of n, with a pair of lines for
            each n; None means 0, 1 and 8.
        scale : {"auto", "log", "linear"}, default="auto"
            Scale of the costs. "auto" is logarithmic if the costs that are drawn span more than a factor of ten. With
            the kind "reject_cost", this rule ignores costs of a rejection below a hundredth of the largest one. With
            the kind "answer", the scale is always linear.

        Returns
        -------
        ECUASDisplay

        Raises
        ------
        ValueError
            If `kind` or `scale` is unknown, if `values` is empty or has a value out of range, or if there
            are fewer than two classes.
        """
        check_option(kind, "kind", KINDS)
        check_option(scale, "scale", SCALES)
        if profile.kind == "costs":
            raise ValueError("ECUASDisplay needs right and wrong answers, but this profile has costs of answers.")
        largest = get_metric("ecuas_loss").largest_uncertainty(profile.n_classes)
        defaults = {
            "n": np.append(0.0, 2.0 ** np.arange(-2, 7.5, 0.5)),
            "reject_cost": np.append(0.0, np.geomspace(largest / 1000, largest, 151)),
            "answer": (0, 1, 8),
        }
        given = np.sort(np.atleast_1d(np.asarray(defaults[kind] if values is None else values, dtype=np.float64)))
        if len(given) == 0:
            raise ValueError("values is empty. Pass at least one value, or None for the default.")
        x, metrics = given, {n: get_metric("ecuas_loss", n=n) for n in given.tolist() if kind != "reject_cost"}
        if kind == "reject_cost":
            curves = {"cost": _cost_at(given, profile)}
        elif kind == "n":
            curves = {"ECUAS": np.array([metric(profile) for metric in metrics.values()])}
        else:
            x = np.linspace(1 - largest, 1, 401)
            curves = {
                f"{outcome}, n = {n:g}": metric.cost(1 - x, np.full(len(x), cost), largest)
                for n, metric in metrics.items()
                for outcome, cost in (("right", 0.0), ("wrong", 1.0))
            }
        error_rate = float(np.average(profile.loss, weights=profile.sample_weight))
        return cls(x, curves, kind, error_rate, name, scale)

    _finding = staticmethod(of_ecuas)

    def _draw(self, ax: Any) -> None:
        xlabel, ylabel = KINDS[self.kind]
        ax.set(xlabel=xlabel, ylabel=ylabel)
        if self.kind == "answer":
            self._draw_answers(ax)
            return
        style = Style.next_on(ax)
        if self.kind == "reject_cost":
            ax.plot(self.x, self.x, label=label_once(ax, "always reject"), linestyle=":", **REFERENCE)
            remove_references(ax)
            if not style.number:
                ax.axhline(self.error_rate, label="never reject", gid=OF_ONE, **REFERENCE)
        ((label, values),) = self.curves.items()
        marker = style.marker if self.kind == "n" else None
        kind = {"marker": marker, "markersize": 4, "gid": CLASSIFIER, "label": self._label or label}
        ax.plot(self.x, values, **style.line, **kind)
        if self.kind == "n":
            ticks = [0.0, *4.0 ** np.arange(-1, np.log2(max(self.x[-1], 1)) // 2 + 1)]
            ax.set_xscale("symlog", linthresh=0.25)
            ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            ax.minorticks_off()
        _set_costs(ax, self.kind, self.scale)

    def _draw_answers(self, ax: Any) -> None:
        """Draw two lines for each n, as in the paper: a solid one for a right answer, a dashed one for a wrong one."""
        drawn = ax.get_legend_handles_labels()[1]
        for label, values in self.curves.items():
            if label in drawn:  # the line does not depend on the classifier: draw it once
                continue
            style = Style.of(len(drawn) // 2)
            ax.plot(
                self.x,
                values,
                color=style.color,
                linestyle=("-", "--")[len(drawn) % 2],
                marker=style.marker,
                markersize=4,
                markevery=0.2,
                label=label,
                gid=CURVE,
            )
            drawn.append(label)
        # At a confidence of 1, the cost of an error may be infinite.
        ax.set_ylim(0, 1.05 * max(values[:-1].max() for values in self.curves.values()))


def _set_costs(ax: Any, kind: str, scale: str) -> None:
    """Scale the axes to the costs of all classifiers on them. Reference lines may be cut off."""
    curves = [line.get_data() for line in artists(ax, CLASSIFIER)]
    last = max(x[-1] for x, _ in curves)
    first = _LEAST * last if kind == "reject_cost" else 0.0
    costs = np.concatenate([y[x >= first] for x, y in curves])
    positive = costs[costs > 0]
    wanted = scale == "log" or (scale == "auto" and spans_a_decade(costs))
    if len(positive) and (wanted or ax.get_yscale() == "log"):
        least = max(positive.min(), _LEAST_COST * positive.max())
        ax.set(yscale="log", ylim=(least / 1.25, 1.25 * positive.max()))
        if kind == "reject_cost" and last > 0:
            ax.set(xscale="log", xlim=(first, last))
            label_ticks(ax.xaxis, plain)
        label_ticks(ax.yaxis, plain)
    else:
        ax.set_ylim(0, 1.1 * costs.max() or 1.0)


def _cost_at(reject_costs: Floats, profile: ConfidenceProfile) -> Floats:
    """Return the value of `reject_cost_loss` for each cost of a rejection. Answers are sorted only once."""
    for cost in reject_costs.tolist():
        get_metric("reject_cost_loss", reject_cost=cost)  # raises where it is out of range
    ranking = profile.confidence_ranking
    accepted, errors = (np.append(0.0, np.cumsum(values)) for values in (ranking.weight, ranking.errors))
    count = np.searchsorted(1 - ranking.score, reject_costs, side="right")
    return (errors[count] + reject_costs * (accepted[-1] - accepted[count])) / accepted[-1]
