"""How many values agree with the printed ones, and how many would agree by chance: in words."""

from typing import Any

import pandas as pd
from scipy.special import ndtr

from skconf._core.messages import listed
from skconf.experiments._shared.tables import title_of

#: A difference of at most `_NEAR` standard errors is agreement; a normal distribution has the share `_CHANCE` within
#: them.
_NEAR = 2
_CHANCE = float(ndtr(_NEAR) - ndtr(-_NEAR))
#: Notes on pages.
BESIDE = "Each entry: our value, the paper's value, and their difference in standard errors (s.e.), if comparable."
CHANCE = (
    f"If values differ only by sampling, {100 * _CHANCE:.1f}% of them are within {_NEAR} standard errors by chance. "
    "If rounding of the printed value explains a difference, this difference counts as 0."
)
#: At most this many values that differ are named.
_NAMED = 3
#: With fewer values, the expected number has a decimal.
_FEW = 20


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
    return [f"{agree}. About {chance:,.{int(len(cells) < _FEW)}f} are expected by chance."]


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


def _named(cell: "pd.Series[Any]") -> str:
    """Return the name of a value: its quantity, and the entries of the columns before `quantity`."""
    key = [str(cell[name]) for name in cell.index[: list(cell.index).index("quantity")] if pd.notna(cell[name])]
    return f"{title_of(cell['quantity'])} of {', '.join(key)}"
