"""Pictures that several experiments have: a row for each name, with points of several series in it."""

from collections.abc import Mapping, Sequence

import pandas as pd

from skconf.report._page.chart import Axis, Chart, Mark, Points

#: Share of a row between two series, and between a point and the printed one.
_APART, _PRINTED = 0.24, 0.1
#: Height of a chart without its rows, and at least.
_FRAME, _LEAST = 70, 300
#: What the caption says of printed figures.
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
    """Return a picture with a row for each name: points of each series, and the printed figures beside them in grey.

    Parameters
    ----------
    title, finding : str
        Its title, and the sentence that says what is seen.
    axis : Axis
        The axis of the values.
    rows : sequence of str
        The names of the rows.
    series : mapping from str to DataFrame
        The points of each series by its name, "" for none: `row`, the name of its row; `ours`; perhaps `paper`, the
        printed figure; `low` and `high`, the ends of a line through the point.
    data : DataFrame
        The numbers behind it.
    what : str, default=""
        What rows are, above their names.
    behind : sequence of Mark, default=()
        What is drawn behind the points.
    height : float, default=36
        Height of a row.
    grey : str
        What the caption says of the printed figures, where there are any.

    Returns
    -------
    Chart
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
