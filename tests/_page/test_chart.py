"""Charts: where things stand is computed by hand, from the frame that the picture itself draws."""

import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from skconf._page.chart import Axis, Band, Bars, Chart, Line, Points, Rule

_PERCENT = Axis("x", "percent")


def _svg(*marks, x=_PERCENT, y=_PERCENT, **more):
    text = Chart("name", "finding", x, y, marks, pd.DataFrame(), **more).svg("c")
    return ET.fromstring(text)


def _classed(svg, name):
    return [found for found in svg.iter() if name in found.get("class", "").split()]


def _numbers(text):
    return [float(found) for found in re.findall(r"-?[\d.]+", text)]


def _subpaths(element):
    return [np.reshape(_numbers(part), (-1, 2)) for part in element.get("d").split("M")[1:]]


def _frame(svg):
    """Return left, top, right and bottom of the frame: ends of the lines of the grid."""
    ends = np.vstack([_subpaths(line)[0] for line in _classed(svg, "grid")])
    return *ends.min(axis=0), *ends.max(axis=0)


def _expected(svg, x, y):
    """Return the place of shares of the axes."""
    left, top, right, bottom = _frame(svg)
    return np.column_stack([left + np.asarray(x) * (right - left), bottom - np.asarray(y) * (bottom - top)])


def _centres(svg):
    return [_numbers(part)[:2] for part in _classed(svg, "marker")[0].get("d").split("M")[1:]]


def test_points_and_intervals_stand_where_their_values_are():
    svg = _svg(Points([0, 0.2, 1], [0, 0.7, 1], [0, 0.6, 0.9], [0.1, 0.75, 1], series=1))
    assert _centres(svg) == pytest.approx(_expected(svg, [0, 0.2, 1], [0, 0.7, 1]), abs=0.11)
    ends = np.vstack(_subpaths(_classed(svg, "interval")[0]))
    wanted = _expected(svg, [0, 0, 0.2, 0.2, 1, 1], [0, 0.1, 0.6, 0.75, 0.9, 1])
    assert ends == pytest.approx(wanted, abs=0.11)


def test_places_on_nines_and_log():
    x, y = Axis("", "nines", 0, 0.999), Axis("", "log percent", 0.001, 0.1)
    svg = _svg(Points([0, 0.9, 0.99], [0.1, 0.01, 0.001]), x=x, y=y)
    assert _centres(svg) == pytest.approx(_expected(svg, [0, 1 / 3, 2 / 3], [1, 0.5, 0]), abs=0.11)


def test_points_outside_are_left_out_and_their_intervals_end_at_the_frame():
    svg = _svg(Points([0.5, 0.5, 2, math.nan], [0.5, -1, 0.5, 0.5], [-3, 0, 0, 0], [math.inf, 1, 1, 1]))
    assert len(_centres(svg)) == 1
    (interval,) = _subpaths(_classed(svg, "interval")[0])
    assert interval == pytest.approx(_expected(svg, [0.5, 0.5], [0, 1]), abs=0.11)


def test_horizontal_intervals_of_categories():
    x, y = Axis("", "linear", 0, 10), Axis.named("", ["first", "second"])
    svg = _svg(Points([3, 5], [0, 1], [2, 4], [6, 7], along="x"), x=x, y=y)
    assert _centres(svg) == pytest.approx(_expected(svg, [0.3, 0.5], [0.75, 0.25]), abs=0.11)


def test_lines_break_at_nan():
    svg = _svg(Line([0, 0.5, 0.6, 0.8, 1], [0, 0.3, math.nan, 0.1, 0.4], series=0))
    first, second = _subpaths(_classed(svg, "line")[0])
    assert first == pytest.approx(_expected(svg, [0, 0.5], [0, 0.3]), abs=0.11)
    assert second == pytest.approx(_expected(svg, [0.8, 1], [0.1, 0.4]), abs=0.11)


def test_steps_hold_until_the_next():
    svg = _svg(Line([0, 0.5, 1], [0.2, 0.8, 0.4], series=0, step=True))
    (corners,) = _subpaths(_classed(svg, "line")[0])
    assert corners == pytest.approx(_expected(svg, [0, 0.5, 0.5, 1, 1], [0.2, 0.2, 0.8, 0.8, 0.4]), abs=0.11)


def test_bars_and_bands_have_their_edges():
    svg = _svg(Bars([0, 0.5], [0.5, 1], 0, [0.25, 0.75], series=0), Band([0, 1], [0.1, 0.2], [0.3, 0.4], series=0))
    bars = np.vstack(_subpaths(_classed(svg, "bars")[0]))
    wanted = _expected(svg, [0, 0, 0.5, 0.5, 0.5, 0.5, 1, 1], [0, 0.25, 0.25, 0, 0, 0.75, 0.75, 0])
    assert bars == pytest.approx(wanted, abs=0.11)
    (band,) = _subpaths(_classed(svg, "band")[0])
    assert band == pytest.approx(_expected(svg, [0, 1, 1, 0], [0.1, 0.2, 0.4, 0.3]), abs=0.11)


def test_rules_go_right_across():
    svg = _svg(Rule("wanted", x=0.25), Rule("limit", y=0.75))
    across, up = (_subpaths(line)[0] for line in _classed(svg, "line"))
    assert across == pytest.approx(_expected(svg, [0.25, 0.25], [0, 1]), abs=0.11)
    assert up == pytest.approx(_expected(svg, [0, 1], [0.75, 0.75]), abs=0.11)
