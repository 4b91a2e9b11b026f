"""Pictures that several experiments use: a row for each name, with the points of several series."""

from collections.abc import Mapping, Sequence

import pandas as pd

from skconf.report._page.chart import Axis, Chart, Mark, Points

#: Distance between two series, and between a point and the printed value, as shares of a row.
_APART, _PRINTED = 0.24, 0.1
#: Height of a chart without its rows, and the least height.
_FRAME, _LEAST = 70, 300
#: The words of the caption for printed values.
_GREY = "Grey: the paper's."


def rows_chart(
    title: str,
    finding: str,
    axis: Axis,
    rows: Sequence[str],
    series: Mapping[str, pd.DataFrame],
    data: pd.DataFrame,
    *,
    what: str = "",
    behind: Sequence[Mark] = (),
    height: float = 36,
    grey: str = _GREY,
) -> Chart:
    """Return a picture with a row for each name: the points of each series, and the printed values in grey.

    A series has the columns `row` (the name of its row) and `ours` (the point). It may also have `paper` (the printed
    value), and `low` and `high` (the ends of a line through the point). A single series is called "". `data` has the
    numbers of the picture, and `what` is the heading of the names of rows. The marks `behind` are drawn behind the
    points. If there are printed values, the caption ends with `grey`.
    """
    is_printed = any(points["paper"].notna().any() for points in series.values() if "paper" in points)
    marks: list[Mark] = list(behind)
    for number, (name, points) in enumerate(series.items()):
        place = points["row"].map(list(rows).index) + _APART * (number - (len(series) - 1) / 2)
        if is_printed:
            place -= _PRINTED / 2
            marks.append(Points(points["paper"], place + _PRINTED))
        low, high = points.get("low"), points.get("high")
        marks.append(Points(points["ours"], place, low, high, name or None, number, along="x"))
    said = f"{finding} {grey}" if is_printed else finding
    return Chart(
        title, said, axis, Axis.named(what, rows), marks, data, height=max(_LEAST, _FRAME + height * len(rows))
    )
