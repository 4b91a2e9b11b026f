"""How many values agree with the printed ones, and how many would agree by chance: in words and as a picture."""

from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from skconf._core.messages import listed
from skconf.experiments._shared.tables import title_of
from skconf.report._page.chart import Axis, Band, Chart, Mark, Points

#: A difference of at most this many standard errors is agreement; a normal distribution has this share within them.
_NEAR = 2
_CHANCE = float(ndtr(_NEAR) - ndtr(-_NEAR))
#: Notes on pages.
BESIDE = "Each entry: our value, the paper's value, and their difference in standard errors (s.e.), if comparable."
CHANCE = (
    f"If values differ only by sampling, {100 * _CHANCE:.1f}% of them are within {_NEAR} standard errors by chance. "
    "If rounding of the printed value explains a difference, it counts as 0."
)
#: At most this many values that differ are named.
_NAMED = 3
#: With fewer values, the expected number has a decimal.
_FEW = 20
#: Deviations beyond this many standard errors are drawn at the edge.
_EDGE = 6.0
#: Points of a row that are nearer than this, the width of a marker, are drawn above each other.
_WIDTH = _EDGE / 20
_ROW = 28


def agreement_words(cells: pd.DataFrame) -> list[str]:
    """Return in sentences how many cells agree with the printed values."""
    printed = cells[cells["paper"].notna()]
    if printed.empty:
        return ["The paper prints no values for this, so nothing is compared."]
    compared = printed[printed["note"] == ""]
    fixed = compared["standard_error"] == 0
    words = [*_of_varying(compared[~fixed]), *_of_fixed(compared[fixed])]
    return words or ["None of the printed values can be compared."]


def _of_varying(cells: pd.DataFrame) -> list[str]:
    """Return how many values with a standard error agree, and how many would agree by chance."""
    if cells.empty:
        return []
    near, chance = int((cells["deviation"].abs() <= _NEAR).sum()), _CHANCE * len(cells)
    agree = f"{near:,} of {len(cells):,} comparable values are within {_NEAR} standard errors of the printed ones"
    return [f"{agree}. By chance, about {chance:,.{int(len(cells) < _FEW)}f} would be."]


def _of_fixed(cells: pd.DataFrame) -> list[str]:
    """Return how many values without a standard error agree in all printed digits."""
    if cells.empty:
        return []
    other = cells[cells["deviation"] != 0]
    equal = f"{len(cells) - len(other):,} of {len(cells):,}"
    said = f"{equal} values with a standard error of 0 agree with the printed ones in all printed digits"
    if other.empty:
        return [f"{said}."]
    named = [_named(row) for _, row in other.head(_NAMED).iterrows()]
    named += [f"{len(other) - _NAMED:,} more"] if len(other) > _NAMED else []
    return [f"{said}. Others do not: {listed(named)}."]


def not_compared(cells: pd.DataFrame) -> list[str]:
    """Return which printed values cannot be compared, and why; nothing if all can be compared."""
    printed = cells[cells["paper"].notna()]
    noted = printed[printed["note"] != ""]
    if noted.empty:
        return []
    groups = [
        f"{len(part):,} of {listed([title_of(name) for name in part['quantity'].unique()])} ({note})"
        for note, part in noted.groupby("note", sort=False)
    ]
    return [f"{len(noted):,} of {len(printed):,} printed values cannot be compared: {'; '.join(groups)}."]


def distance_chart(cells: pd.DataFrame) -> list[Chart]:
    """Return a chart of the distances from the printed values: a row for each quantity with standard errors."""
    shown = cells[cells["paper"].notna() & (cells["note"] == "") & (cells["standard_error"] > 0)]
    shown = shown[shown["deviation"].notna()]
    if shown.empty:
        return []
    quantities = list(shown["quantity"].unique())
    row = shown["quantity"].map(quantities.index).to_numpy()
    across = shown["deviation"].clip(-_EDGE, _EDGE).to_numpy()
    marks: list[Mark] = [
        Band([-_NEAR, _NEAR], [-0.5, -0.5], [len(quantities) - 0.5] * 2, series=0),
        Points(across, row + _stacked(row, across), series=0),
    ]
    data = shown.drop(columns="note").dropna(axis="columns", how="all")
    return [
        Chart(
            "Distance from the paper",
            _farthest(shown),
            Axis("ours − printed, in standard errors", low=-1.05 * _EDGE, high=1.05 * _EDGE),
            Axis.named("", [title_of(name) for name in quantities]),
            marks,
            data,
            height=max(300, 70 + _ROW * len(quantities)),
        )
    ]


def _farthest(cells: pd.DataFrame) -> str:
    """Return which value is farthest from the printed one."""
    worst = cells.loc[cells["deviation"].abs().idxmax()]
    far = f"{worst['deviation']:+.1f}".replace("-", "\N{MINUS SIGN}")
    said = [
        f"Each point is a value. Values within {_NEAR} standard errors are in the shaded area.",
        f"The farthest is {_named(worst)}: {far}.",
    ]
    beyond = int((cells["deviation"].abs() > _EDGE).sum())
    return " ".join([*said, f"{beyond} beyond {_EDGE:g} are drawn at the edge."] if beyond else said)


def _named(cell: "pd.Series[Any]") -> str:
    """Return the name of a value: its quantity, and the columns before it in its row."""
    key = [str(cell[name]) for name in cell.index[: list(cell.index).index("quantity")] if pd.notna(cell[name])]
    return f"{title_of(cell['quantity'])} of {', '.join(key)}"


def _stacked(row: NDArray[np.intp], across: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances of points from the middle of their row, so that near points do not overlap."""
    rank, last = np.zeros(len(row), dtype=np.intp), dict[tuple[int, int], float]()
    for at in np.lexsort((across, row)):
        rank[at] = next(level for level in count() if across[at] - last.get((row[at], level), -np.inf) >= _WIDTH)
        last[row[at], rank[at]] = across[at]
    step = min(0.3, 0.45 / max((int(rank.max()) + 1) // 2, 1))
    return np.where(rank % 2, step, -step) * ((rank + 1) // 2)
