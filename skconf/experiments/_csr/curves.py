"""ROC curves of the models of the CSR experiment, plain and weighted by confidence: the paper's Figures 1 and 2."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import auc, roc_curve

from skconf._core.pictures import spaced
from skconf.profile import ConfidenceProfile
from skconf.report._page.chart import Axis, Chart, Line, Mark

#: Columns of the result that hold curves: arrays of shape (n_points, 2), with false and true positive rates.
CURVES = {"roc": "ROC", "cw_roc": "cwROC"}
#: The most calibrations in a picture.
TOGETHER = 3
#: The most points of a kept curve.
_MOST_POINTS = 200


def measure_curves(profile: ConfidenceProfile) -> dict[str, Any]:
    """Return both curves of the first class against the rest, and its label as `curve_of`."""
    present, score = profile.require("true_class") == 0, profile.proba[:, 0]
    weights = {"roc": None, "cw_roc": profile.confidence}
    drawn = {name: roc_curve(present, score, sample_weight=weight)[:2] for name, weight in weights.items()}
    return {
        "curve_of": profile.require("classes")[0],
        **{name: spaced(np.column_stack(points), _MOST_POINTS) for name, points in drawn.items()},
    }


def curve_charts(result: pd.DataFrame) -> list[Chart]:
    """Return charts of the curves of each data set for the first seed; none if the result has no curves."""
    if not {*CURVES} <= {*result}:
        return []
    first = result[result["seed"] == result["seed"].iloc[0]]
    return [
        _chart(str(name), part.iloc[start : start + TOGETHER], len(part) > TOGETHER)
        for name, part in first.groupby("dataset", sort=False)
        for start in range(0, len(part), TOGETHER)
    ]


def _chart(dataset: str, rows: pd.DataFrame, is_part: bool) -> Chart:
    marks: list[Mark] = [Line([0, 1], [0, 1], dashed=True)]
    tables, areas = [], []
    for series, (_, row) in enumerate(rows.iterrows()):
        marks.append(Line(row["roc"][:, 0], row["roc"][:, 1]))
        marks.append(Line(row["cw_roc"][:, 0], row["cw_roc"][:, 1], name=row["calibration"], series=series))
        for name, title in CURVES.items():
            shares = pd.DataFrame(row[name], columns=["false_positive_rate", "true_positive_rate"])
            tables.append(shares.assign(calibration=row["calibration"], curve=title))
        plain, weighted = (float(auc(*row[name].T)) for name in CURVES)
        areas.append(f"{row['calibration']} {plain:.4f} and {weighted:.4f}")
    data = pd.concat(tables, ignore_index=True)
    of = f": {'; '.join(rows['calibration'])}" if is_part else ""
    return Chart(
        f"ROC and cwROC on {dataset}, class {rows['curve_of'].iloc[0]}{of}",
        f"Grey: ROC. Coloured: cwROC, weighted by confidence. Areas under both: {'; '.join(areas)}.",
        Axis("false positive rate"),
        Axis("true positive rate"),
        marks,
        data[["calibration", "curve", "false_positive_rate", "true_positive_rate"]],
        height=380,
    )
