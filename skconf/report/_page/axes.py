"""Place values on the axes of charts, and choose which values are written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.numbers import aligned, exact
from skconf._core.pictures import NINES, nines

#: What is drawn for a limit of 0 on a logarithmic axis.
FLOOR = 1e-12

Scale: TypeAlias = Literal["linear", "percent", "log", "log percent", "nines", "category"]


@dataclass(frozen=True, eq=False)
class Axis:
    """An axis.

    Parameters
    ----------
    label : str
        The label, with the unit.
    scale : {"linear", "percent", "log", "log percent", "nines", "category"}, default="linear"
        "percent" and "log percent" write shares as percentages. "nines" is −log10(1 − c), for confidences: 0.9, 0.99,
        0.999 are equally far from each other. "category" has rows 0, 1, ...; see `named`.
    low, high : float, default=0 and 1
        Values at the ends of the axis. Values beyond are clipped.
    names : sequence of str, default=()
        For categories, the texts at 0, 1, ... On other scales, round values are written where there is room.

    Raises
    ------
    ValueError
        If the scale is unknown, or the ends do not fit it.
    """

    label: str
    scale: Scale = "linear"
    low: float = 0.0
    high: float = 1.0
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.scale not in get_args(Scale):
            raise ValueError(f"scale must be one of {', '.join(get_args(Scale))}, got {self.scale!r}.")
        with np.errstate(all="ignore"):
            ends = self._stretched([self.low, self.high])
        if not np.isfinite(ends).all() or ends[0] == ends[1]:
            raise ValueError(
                f"low and high must be two different numbers that an axis with the scale {self.scale!r} can show, got "
                f"{self.low}, {self.high}."
            )

    @classmethod
    def named(cls, label: str, names: Sequence[str]) -> "Axis":
        """Return an axis of categories. The first is at 0; on a vertical axis, that is at the top."""
        return cls(label, "category", len(names) - 0.5, -0.5, names)

    @classmethod
    def around(cls, label: str, scale: Scale, *values: ArrayLike) -> "Axis":
        """Return an axis with round ends around all finite values that its scale can show."""
        axis = cls(label, scale, *_WIDEST[scale])
        every = np.concatenate([np.ravel(np.asarray(value, dtype=float)) for value in values])
        with np.errstate(all="ignore"):
            stretched = axis._stretched(every)
        shown = every[np.isfinite(stretched)]
        if not len(shown):
            return axis
        low, high = _round_ends(scale, float(shown.min()), float(shown.max()))
        return cls(label, scale, low, high)

    @property
    def is_log(self) -> bool:
        """Whether the scale is logarithmic."""
        return self.scale in ("log", "log percent")

    def place(self, values: ArrayLike) -> NDArray[Any]:
        """Return the places of values: 0 at `low`, 1 at `high`; infinite for values off the scale, NaN for NaN."""
        with np.errstate(all="ignore"):
            stretched = self._stretched(values)
            low, high = self._stretched([self.low, self.high])
        return np.asarray((stretched - low) / (high - low))

    def written(self, most: int) -> dict[float, str]:
        """Return the values to write at the axis, at most ``most`` unless they are categories, with their texts."""
        if self.scale == "category":
            return {float(row): name for row, name in enumerate(self.names)}
        values = self._round_values(most)
        return dict(zip(values, self._texts(values), strict=True))

    def _stretched(self, values: ArrayLike) -> NDArray[Any]:
        values = np.asarray(values, dtype=float)
        if self.is_log:
            return np.log10(np.where(values < 0, 0.0, values))
        if self.scale == "nines":
            return nines(values)
        return values

    def _round_values(self, most: int) -> list[float]:
        low, high = sorted((self.low, self.high))
        if self.is_log:
            ticks = _round_logs(low, high)
        elif self.scale == "nines":
            ticks = [0.0, *NINES.tolist()]
        else:
            ticks = _round_steps(low, high, most)
        # The ends are inside, also after rounding.
        inside = [value for value in ticks if -1e-9 <= self.place(value) <= 1 + 1e-9]
        every = -(-len(inside) // max(most, 1))
        # Counted from the end, because the last nines matter most.
        return inside[(len(inside) - 1) % every :: every] if inside else []

    def _texts(self, values: Sequence[float]) -> list[str]:
        is_percent = self.scale in ("percent", "log percent")
        shown = [100 * value for value in values] if is_percent else list(values)
        texts = [exact(value) for value in shown] if self.is_log or self.scale == "nines" else aligned(shown)
        return [f"{text}%" for text in texts] if is_percent else texts


_WIDEST: dict[Scale, tuple[float, float]] = {
    "linear": (0.0, 1.0),
    "percent": (0.0, 1.0),
    "log": (1e-3, 1.0),
    "log percent": (1e-3, 1.0),
    "nines": (0.0, 0.999),
    "category": (0.0, 1.0),
}


def _round_ends(scale: Scale, low: float, high: float) -> tuple[float, float]:
    if scale == "nines":
        at = min(max(int(np.ceil(nines(high) - 1e-9)), 2), len(NINES))
        return min(float(np.floor(low * 10)) / 10, 0.9), float(NINES[at - 1])
    if scale in ("log", "log percent"):
        below, above = 10.0 ** np.floor(np.log10(low)), 10.0 ** np.floor(np.log10(high))
        first = max(factor for factor in (1, 2, 5) if factor * below <= low * (1 + 1e-9)) * below
        last = min(factor for factor in (1, 2, 5, 10) if factor * above >= high * (1 - 1e-9)) * above
        return (float(first), float(last)) if first < last else (float(first) / 2, float(last) * 2)
    if low == high:
        low, high = low - (abs(low) or 1) / 10, high + (abs(high) or 1) / 10
    step = _round_step((high - low) / 5)
    first, last = float(np.floor(low / step + 1e-9) * step), float(np.ceil(high / step - 1e-9) * step)
    return (max(first, 0.0), min(last, 1.0)) if scale == "percent" and low >= 0 and high <= 1 else (first, last)


def _round_step(width: float) -> float:
    """Return the smallest number of at least this width that is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(width))
    return float(power * min(factor for factor in (1, 2, 5, 10) if factor * power >= width * (1 - 1e-9)))


def _round_steps(low: float, high: float, most: int) -> list[float]:
    step = _round_step((high - low) / max(most, 1))
    while True:
        first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
        if last - first < max(most, 1):
            return [round(k * step, 12) for k in range(first, last + 1)]
        step = _round_step(step * 1.5)


def _round_logs(low: float, high: float) -> list[float]:
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    # With few decades, values between them help to read.
    factors = (1, 2, 5) if np.log10(high / low) < 2 else (1,)
    return [float(f"{factor}e{power}") for power in powers for factor in factors]
