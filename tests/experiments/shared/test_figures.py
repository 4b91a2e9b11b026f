"""Charts drawn by matplotlib."""

import numpy as np

from skconf.experiments._shared.figures import Axis, Band, Chart, Line, Points, Rule, draw


def test_a_figure_draws_the_marks_of_charts():
    line, band = Line([1, 10], [0.2, 0.4], name="ours", series=0), Band([1, 10], [0.1, 0.2], [0.3, 0.5], series=0)
    over = Chart("a", "", Axis("n", "log", 1, 10), Axis("share", "percent"), [band, line, Rule("half", y=0.5)], None)
    points = Points([1.0, 2.0], [0, 1], [0.5, 1.5], [1.5, 2.5], name="theirs, $1$", series=1, along="x")
    rows = Chart("b", "", Axis("value", high=3.0), Axis.named("row", ["$first$", "second"]), [points], None)
    figure = draw([over, rows])
    first, second = figure.axes
    assert [panel.get_title() for panel in figure.axes] == ["a", "b"]
    assert first.get_xscale() == "log"
    np.testing.assert_array_equal(first.lines[-1].get_ydata(), [0.2, 0.4])
    assert [label.get_text() for label in second.get_yticklabels()] == ["$first$", "second"]
    assert second.get_ylim() == (1.5, -0.5)  # the first row on top
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["ours", "theirs, $1$"]
    texts = [*second.get_yticklabels(), *figure.legends[0].get_texts(), first.title, first.xaxis.label]
    assert not any(text.get_parse_math() for text in texts)  # a name is no formula
    assert len(draw([over, rows, over], columns=2, titles=["x", "y", "z"]).axes) == 3
