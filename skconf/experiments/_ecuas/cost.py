"""The cost of a right and of a wrong answer by its confidence: Figure 1 of the ECUAS paper."""

import numpy as np
import pandas as pd

from skconf.experiments._shared.tables import where
from skconf.metrics import get_metric
from skconf.report._page.chart import Axis, Chart, Line, Mark

_ORDERS = (0, 1, 128)
#: Numbers of classes. An infinite number stands for a generative system.
_CLASSES = (2, 4, 16, np.inf)
_N_POINTS = 201
#: The largest confidence. At n = 0, the cost of a wrong answer with confidence 1 depends on `eps`.
_SUREST = 1 - 1e-3
#: Larger costs are not drawn.
_HIGHEST = 4.0


def ecuas_costs() -> pd.DataFrame:
    """Return the cost of a `right` and of a `wrong` answer by its confidence, from the confidence of a guess on."""
    tables = []
    for k in _CLASSES:
        confidence = np.linspace(1 / k, _SUREST, _N_POINTS)
        for n in _ORDERS:
            cost = get_metric("ecuas_loss", n=n).cost
            right, wrong = (cost(1 - confidence, np.full(_N_POINTS, given), 1 - 1 / k) for given in (0.0, 1.0))
            curves = {"n": n, "classes": k, "confidence": confidence, "right": right, "wrong": wrong}
            tables.append(pd.DataFrame(curves))
    return pd.concat(tables, ignore_index=True)


def cost_charts() -> list[Chart]:
    """Return a picture of the cost for each order: it falls for right answers and rises for wrong answers."""
    return [_chart(n, costs) for n, costs in ecuas_costs().groupby("n", sort=False)]


def _chart(n: float, costs: pd.DataFrame) -> Chart:
    marks: list[Mark] = []
    for series, (k, curve) in enumerate(costs.groupby("classes", sort=False)):
        name = f"K = {k:g}".replace("inf", "∞")
        for answer in ("right", "wrong"):
            cost = curve[answer].where(curve[answer] <= _HIGHEST)
            marks.append(Line(curve["confidence"], cost, name=name, series=series))
    surest = where(costs, confidence=_SUREST)["wrong"]
    finding = (
        "Both costs are 1 at the confidence 1/K of a guess. The cost of a right answer falls to 0, and the cost of a "
        f"wrong answer rises to between {surest.min():.2g} and {surest.max():.2g} at confidence {_SUREST:g}."
    )
    return Chart(
        f"Figure 1: cost of an answer at n = {n:g}",
        finding,
        Axis("confidence"),
        Axis("cost", high=min(_HIGHEST, max(1.0, float(costs["wrong"].max())) * 1.05)),
        marks,
        costs.drop(columns="n"),
    )
