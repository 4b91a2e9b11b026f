"""Figures of matplotlib, for the experiments' functions that draw them."""

from typing import Any


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure of matplotlib that belongs to no window.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("Figures need matplotlib: pip install 'skconf[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")
