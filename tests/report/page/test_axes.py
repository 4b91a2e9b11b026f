"""Axes: places computed by hand, ticks, and texts."""

import math

import numpy as np
import pytest

from skconf.report._page.axes import Axis


@pytest.mark.parametrize(
    ("axis", "value", "place"),
    [
        (Axis("", "linear", 10, 30), 15, 0.25),
        (Axis("", "linear", 30, 10), 15, 0.75),
        (Axis("", "percent"), 0.3, 0.3),
        (Axis("", "log", 1e-3, 10), 1e-2, 0.25),
        (Axis("", "log percent", 0.01, 1), 0.1, 0.5),
        (Axis("", "nines", 0, 0.9999), 0.9, 0.25),
        (Axis("", "nines", 0.9, 0.9999), 0.999, 2 / 3),
        (Axis.named("", ["a", "b"]), 0, 0.75),
        (Axis("", "linear", 0, 1), math.nan, math.nan),
        (Axis("", "linear", 0, 1), math.inf, math.inf),
        (Axis("", "log", 0.1, 1), 0, -math.inf),
        (Axis("", "nines", 0, 0.9), 1, math.inf),
    ],
)
def test_place(axis, value, place):
    assert axis.place(value) == pytest.approx(place, nan_ok=True)


@pytest.mark.parametrize(
    ("axis", "texts"),
    [
        (Axis("", "percent"), "0%|20%|40%|60%|80%|100%"),
        (Axis("", "percent", 0.93, 0.95), "93.0%|93.5%|94.0%|94.5%|95.0%"),
        (Axis("", "linear", -1, 1), "−1.0|−0.5|0.0|0.5|1.0"),
        (Axis("", "linear", 0, 25_000), "0|5,000|10,000|15,000|20,000|25,000"),
        (Axis("", "log percent", 1e-3, 1), "0.1%|1%|10%|100%"),
        (Axis("", "log", 0.1, 2), "0.1|0.2|0.5|1|2"),
        (Axis("", "nines", 0, 0.999), "0|0.9|0.99|0.999"),
        (Axis.named("", ["a", "b"]), "a|b"),
    ],
)
def test_texts(axis, texts):
    assert "|".join(axis.written(6).values()).replace("\N{NO-BREAK SPACE}", " ") == texts


@pytest.mark.parametrize("scale", ["linear", "percent", "log", "log percent", "nines"])
def test_ticks_are_few_ascending_and_inside(scale):
    rng = np.random.default_rng(0)
    for _ in range(100):
        values = 10 ** rng.uniform(-6, 0, 2) if scale != "nines" else 1 - 10 ** rng.uniform(-6, 0, 2)
        axis = Axis.around("", scale, values)
        places = axis.place(values)
        assert (places >= -1e-9).all(), (axis, values)
        assert (places <= 1 + 1e-9).all(), (axis, values)
        for most in (2, 4, 6):
            written = axis.written(most)
            ticks = axis.place(list(written))
            assert 1 <= len(written) <= most
            assert (np.diff(ticks) > 0).all()
            assert ticks[0] >= -1e-9
            assert ticks[-1] <= 1 + 1e-9
            assert len(set(written.values())) == len(written)


def test_around_leaves_out_what_the_scale_cannot_show():
    axis = Axis.around("", "log", [0, math.nan, 0.03], [math.inf, 0.4])
    assert (axis.low, axis.high) == (pytest.approx(0.02), pytest.approx(0.5))
    assert Axis.around("", "log percent", [0, 0]).low > 0
    assert Axis.around("", "linear", [5, 5]).written(6)


@pytest.mark.parametrize(("scale", "low", "high"), [("cube", 0, 1), ("log", 0, 1), ("nines", 0, 1), ("linear", 2, 2)])
def test_ends_that_do_not_fit_the_scale_are_refused(scale, low, high):
    with pytest.raises(ValueError, match="scale"):
        Axis("", scale, low, high)
