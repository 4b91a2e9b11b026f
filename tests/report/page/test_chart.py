"""Charts: where things stand is computed by hand, from the frame that the picture itself draws."""

import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from skconf.report._page.chart import Axis, Band, Chart, Line, Points, Rule
from skconf.report._page.elements import Ids
from skconf.report._page.frame import text_width
from skconf.report._page.parts import ChartPart

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


def test_bands_have_their_edges():
    svg = _svg(Band([0, 1], [0.1, 0.2], [0.3, 0.4], series=0))
    (band,) = _subpaths(_classed(svg, "band")[0])
    assert band == pytest.approx(_expected(svg, [0, 1, 1, 0], [0.1, 0.2, 0.4, 0.3]), abs=0.11)


def test_rules_go_right_across():
    svg = _svg(Rule("wanted", x=0.25), Rule("limit", y=0.75))
    across, up = (_subpaths(line)[0] for line in _classed(svg, "line"))
    assert across == pytest.approx(_expected(svg, [0.25, 0.25], [0, 1]), abs=0.11)
    assert up == pytest.approx(_expected(svg, [0, 1], [0.75, 0.75]), abs=0.11)


def test_curves_stay_finite_and_clipped():
    text = Chart(
        "n",
        "f",
        _PERCENT,
        Axis("", "log", 0.01, 1),
        [
            Line([0, 0.5, 1], [0, math.inf, 0.5], series=0),
            Band([0, 1], [-1, 0], [math.inf, 2], series=1),
            Points([0.5], [0.1], [0], [math.nan]),
        ],
        pd.DataFrame(),
    ).svg("c")
    assert not re.search("nan|inf(?!inite|ding)", text.replace("finding", ""))
    svg = ET.fromstring(text)
    rectangle = svg.find(".//clipPath/rect")
    left, top, _, bottom = _frame(svg)
    assert float(rectangle.get("x")) == pytest.approx(left - 2, abs=0.11)
    assert float(rectangle.get("height")) == pytest.approx(bottom - top + 4, abs=0.11)
    assert svg.find(".//clipPath").get("id") == "c-clip"
    (clipped,) = (group for group in svg if group.get("clip-path") == "url(#c-clip)")
    assert [mark.get("class") for mark in clipped] == ["band s1", "line s0"]


def _texts(svg):
    """Return texts with their boxes."""
    found = []
    for text in svg.iter("text"):
        kinds, width = text.get("class").split(), text_width(text.text)
        left = float(text.get("x")) - width * (0.5 if "middle" in kinds else "end" in kinds)
        found.append((text.text, left, float(text.get("y")) - 10, left + width, float(text.get("y")) + 2))
    return found


def _curves(kind, count):
    """Return charts of the kinds that pages have, of random models."""
    rng = np.random.default_rng(count)
    names = ["forest", "boosting", "logistic regression", "naive Bayes", "a model with quite a long name"][:count]
    if kind == "reliability":
        x = np.linspace(0.05, 0.95, 10)
        marks = [Line([0, 1], [0, 1], "equal", dashed=True)]
        for series, name in enumerate(names):
            y = np.clip(x + rng.normal(0, 0.08, 10), 0, 1)
            marks += [Line(x, y, name, series), Points(x, y, y - 0.05, y + 0.05, name, series)]
        return Chart("n", "f", _PERCENT, _PERCENT, marks, pd.DataFrame())
    if kind == "nines":
        x = 1 - 10.0 ** -np.arange(0, 5)
        marks = [Line(x, 1 - x, "announced", dashed=True)]
        for series, name in enumerate(names):
            y = np.maximum((1 - x) ** rng.uniform(0.4, 1.1), 1e-3)
            marks += [Points(x, y, y / 2, y * 2, name, series)]
        return Chart(
            "n",
            "f",
            Axis("it says", "nines", 0, 0.9999),
            Axis("it is wrong", "log percent", 1e-3),
            marks,
            pd.DataFrame(),
        )
    x = np.arange(1, 2001) / 2000
    curves = [np.cumsum(np.sort(rng.random(2000)) < 0.01 * (1 + s)) / np.arange(1, 2001) for s in range(count)]
    marks = [
        Line(x, curve[::-1], name, s, step=True) for s, (curve, name) in enumerate(zip(curves, names, strict=True))
    ]
    return Chart(
        "n", "f", _PERCENT, Axis.around("wrong, of the answered", "log percent", *curves), marks, pd.DataFrame()
    )


@pytest.mark.parametrize("kind", ["reliability", "nines", "risk"])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_texts_do_not_overlap_nor_leave_the_picture(kind, count):
    for chart in _curves(kind, count).panels():
        svg = ET.fromstring(chart.svg("c"))
        texts = _texts(svg)
        for first, *one in texts:
            assert one[0] >= -2, first
            assert one[1] >= 0, first
            assert one[2] <= chart.width + 2, first
            assert one[3] <= chart.height, first
        for (first, *one), (second, *other) in combinations(texts, 2):
            apart = one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]
            assert apart, (first, second)


def _legend(chart):
    """Return texts of a legend, and the classes of their samples."""
    entries = ET.fromstring(chart.legend())
    samples = [[part.get("class") for part in entry.find("svg") if part.get("class")] for entry in entries]
    return dict(zip(("".join(entry.itertext()) for entry in entries), samples, strict=True))


def test_legend_has_each_name_once_beside_a_sample_of_its_marks():
    marks = [
        Line([0, 1], [0, 1], "equal", dashed=True),
        Points([0.5], [0.5], series=1),
        Line([0, 1], [0.1, 0.9], "second", 1),
        Line([0, 1], [0.2, 0.8], "announced", 1, dashed=True),
        Line([0, 1], [0.4, 0.6], "third", 2),
        Points([0.1], [0.4], series=2),
        Band([0, 1], [0, 0], [1, 1], series=0),
        Line([0, 1], [0.3, 0.7], "first", 0),
        Points([0.1], [0.3], name="first", series=0),
        Rule("wanted", x=0.5),
    ]
    chart = Chart("n", "f", _PERCENT, _PERCENT, marks, pd.DataFrame())
    assert _legend(chart) == {
        "first": ["band s0", "line s0", "points s0"],
        "second": ["line s1"],
        "announced": ["line s1 dashed"],
        "third": ["line s2", "points s2"],
        "equal": ["line quiet dashed"],
        "wanted": ["line quiet dashed"],
    }
    assert Chart("n", "f", _PERCENT, _PERCENT, [Line([0, 1], [0, 1])], pd.DataFrame()).legend() is None


@pytest.mark.parametrize("kind", ["reliability", "nines", "risk"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_each_model_is_named_once_in_its_colour(kind, count):
    colours = [name for sample in _legend(_curves(kind, count)).values() for name in sample]
    assert {name.split()[1] for name in colours} - {"quiet"} == {f"s{series}" for series in range(count)}
    assert len(_legend(_curves(kind, count))) == count + (kind != "risk")


def test_panels_have_their_names_above_them_and_what_is_common_once():
    figure = ET.fromstring(ChartPart(_curves("reliability", 5)).html(Ids(scripted=False)))
    common, panels = figure.find("ul"), figure.find("div")
    assert [name.strip() for name in common.itertext()] == ["equal"]
    names = [["".join(entry.itertext()) for entry in panel.find("ul")] for panel in panels]
    assert names[:2] == [["forest"], ["boosting"]]
    assert len(names) == 5


def test_nothing_that_is_shown_can_be_markup():
    evil = "</svg><script>alert(1)</script>\"' onload=x"
    x, y = Axis(evil, "percent"), Axis.named(evil, [evil, "b"])
    marks = [Points([0.2, 0.3], [0, 1], name=evil, series=0), Rule(evil, x=0.5)]
    chart = Chart(evil, evil, x, y, marks, pd.DataFrame())
    svg, legend = ET.fromstring(chart.svg(evil)), ET.fromstring(chart.legend())
    shapes = {"svg", "title", "desc", "clipPath", "rect", "g", "path", "text"}
    for shown, tags in ((svg, shapes), (legend, {"ul", "li", "svg", "g", "path"})):
        assert {part.tag for part in shown.iter()} <= tags
        attributes = {name for part in shown.iter() for name in part.attrib}
        assert not any(name == "style" or name.startswith("on") or "href" in name for name in attributes)
    assert svg.find("title").text == evil
    assert [entry.find("svg").tail for entry in legend] == [evil, evil]


def test_pictures_have_a_name_and_a_finding():
    svg = _svg(Line([0, 1], [0, 1], series=0))
    assert svg.get("role") == "img"
    named, found = (svg.find(f"*[@id='{part}']") for part in svg.get("aria-labelledby").split())
    assert (named.tag, named.text, found.tag, found.text) == ("title", "name", "desc", "finding")


def test_panels_show_one_series_each():
    chart = _curves("reliability", 5)
    assert len(_curves("reliability", 3).panels()) == 1
    panels = chart.panels()
    assert [panel.name for panel in panels][:2] == ["n: forest", "n: boosting"]
    for series, panel in enumerate(panels):
        svg = ET.fromstring(panel.svg("c"))
        lines = [line.get("class") for line in _classed(svg, "line")]
        # The reference, the four others, and its own on top of them.
        assert sorted(lines) == sorted(["line quiet dashed", *["line quiet"] * 4, f"line s{series}"])
        assert lines[-1] == f"line s{series}"
        assert [group.get("class") for group in _classed(svg, "points")] == [f"points s{series}"]


def test_more_series_than_colours_have_a_panel_each():
    chart = Chart("", "", _PERCENT, _PERCENT, [Line([0, 1], [0, 1], series=k) for k in range(7)], pd.DataFrame())
    own = [
        [line.get("class") for line in _classed(ET.fromstring(panel.svg("a")), "line")][-1] for panel in chart.panels()
    ]
    assert own == [f"line s{k % 5}" for k in range(7)]


def test_long_texts_are_shortened_and_kept_whole_in_titles():
    long = "a very long name of a model, of which there are two, and this is the second"
    svg = _svg(x=Axis(long, "percent"), y=Axis.named("", [f"{long} 1", f"{long} 2"]))
    titles = [title.text for text in svg.iter("text") for title in text]
    assert sorted(titles) == [long, f"{long} 1", f"{long} 2"]
    rows = [text.text for text in _classed(svg, "end")]
    assert all("…" in row and text_width(row) <= 0.46 * 420 for row in rows)
    assert rows[0].startswith("a very")
    assert rows[0][-1] == "1"


def test_nothing_to_draw_is_no_error():
    nothing = np.full(3, np.nan)
    lines = [Line(nothing, nothing, "a", 0), Band(nothing, nothing, nothing, 2), Rule("c", y=math.nan)]
    svg = _svg(*lines, Points([], [], [], [], "b", 1))
    assert "nan" not in "".join(path.get("d") for path in svg.iter("path"))
    assert _svg().get("role") == "img"


def _all_charts():
    kinds = ("reliability", "nines", "risk")
    charts = [chart for kind in kinds for count in (3, 5) for chart in _curves(kind, count).panels()]
    return "".join(chart.svg(f"c{k}") for k, chart in enumerate(charts))


@pytest.mark.slow  # tests/report/test_document.py does so with whole pages
def test_bytes_repeat_in_another_process():
    code = f"import runpy; print(runpy.run_path({__file__!r})['_all_charts']())"
    environment = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONIOENCODING": "utf-8"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, check=True, encoding="utf-8")
    assert done.stdout.rstrip("\n") == _all_charts()


def test_panels_have_a_label_that_is_not_cut():
    x = replace(_PERCENT, label="share answered, most confident first")
    chart = replace(_curves("reliability", 5), x=x)
    assert {panel.x.label for panel in chart.panels()} == {"share answered"}
    assert "…" not in ChartPart(chart).html(Ids(scripted=False))


def test_panels_keep_what_belongs_to_no_series():
    lines = [Line([0, 1], [0, k / 5], f"model {k}", k) for k in range(4)]
    chart = Chart("n", "f", _PERCENT, _PERCENT, [Rule("r", y=0.5), Band([0, 1], 0, 0.1), *lines], pd.DataFrame())
    for panel in chart.panels():
        svg = ET.fromstring(panel.svg("c"))
        assert len(_classed(svg, "dashed")) == len(_classed(svg, "band")) == 1
        assert len(_legend(panel)) == 1
