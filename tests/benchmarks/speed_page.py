"""The page of speed: what a reader asks, answered by what was measured."""

from pathlib import Path

import speed_pictures
from speed_files_page import about_files, about_threads, of_file, table_of_files
from speed_found import SPACE, at, duration, durations, lines_of, paragraph, span, table, two_digits
from speed_peers import NOTES

#: Metrics are put together by what they cost: up to so many passes, or sorts.
BANDS = {
    "up to 10 passes": ("pass", 10),
    "up to 50 passes": ("pass", 50),
    "up to a sort": ("sort", 1),
    "up to 3 sorts": ("sort", 3),
    "up to 10 sorts": ("sort", 10),
    "more": ("sort", float("inf")),
}
#: Rows of the tables of predictions in memory, and the classes of one column of the table of peers.
SIZES, CLASSES = (10_000, 1_000_000, 100_000_000), 100


def write(found, docs, machine):
    """Write `speed.md` and its pictures in the folder of the documentation."""
    docs = Path(docs)
    docs.mkdir(exist_ok=True)
    speed_pictures.draw_all(found, docs / "pictures")
    (docs / "speed.md").write_text(page(found, machine), encoding="utf-8")


def page(found, machine):
    """Return the page in Markdown."""
    memory = [row for row in found if row["where"] == "memory"]
    wide = [row for row in found if row["where"] == "classes" and row["classes"] == CLASSES]
    peers = peer_rows(lines_of(memory), lines_of(wide))
    measured = f"""The machine of this page: {machine}. For predictions in memory, a time is the processor time of
        the fastest of several calls, and the memory is what Python allocates in a call, without its input. For files,
        a time is wall-clock time on all cores, and the memory is the peak of the process, with its libraries."""
    about_peers = f"""The table has the times for {SIZES[1]:,} rows of two classes, on one core. A ratio above 1 means
        that skconf is faster. Another column has the ratio for {SIZES[0]:,} rows of {CLASSES} classes. skconf and
        the other library both start from labels and probabilities. The last column says whether the values are
        equal."""
    return f"""# Speed

{in_short(found, peers)}

## How long a metric takes

{floors(lines_of(memory))}

{table_of_metrics(lines_of(memory))}

![Time and memory against rows: the times of most metrics lie between one pass and a few sorts](pictures/speed_rows.png)

The grey lines are for comparison: they show one sum over all probabilities ("one read"), one pass over a column, and
one sort. Orange lines are other libraries. Thin lines have no name. Dotted parts were not measured.

![Time and memory against classes: most metrics hardly grow, once the profile is made](pictures/speed_classes.png)

## Compared with other libraries

{paragraph(about_peers)}

{table_of_peers(peers)}

## Files

{about_files(found)}

{table_of_files(found)}

![Time and memory against rows of a file](pictures/speed_files.png)

## On more cores

{about_threads(found)}

## On your machine

    python -m pip install torchmetrics netcal relplot mapie polars duckdb
    python tests/benchmarks/speed.py measure
    python tests/benchmarks/speed.py compare main HEAD

The second line measures everything, with the peers that are installed, and writes this page, in about ten minutes.
The third line lists the jobs whose times differ between two commits by more than 10% and by more than the noise.

{paragraph(measured)}
"""


def in_short(found, peers):
    """Return the answer."""
    lines, size = lines_of(row for row in found if row["where"] == "memory"), SIZES[1]
    metrics = sorted(at(line, size)[0] for (kind, _, _), line in lines.items() if kind == "metric")
    half, most = metrics[len(metrics) // 2], metrics[int(0.9 * len(metrics))]
    files, rows = of_file(found)
    ten, intervals = (files["job", name, ""]["wall"] for name in ("ten metrics", "ten metrics with intervals"))
    text = f"""**In short.** For a million predictions in memory, half of the metrics take less than {duration(half)}
        each, nine of ten less than {duration(most)}, and the whole report
        {duration(*at(lines["job", "confidence_report", ""], size))}. For a file of {rows:,} rows, ten metrics take
        {duration(ten)}, and with intervals {duration(intervals)}. """
    if peers:
        quicker = [f"{row['peer']} is faster than `{row['ours']}`" for row in peers if row["ratio"] < 0.9]
        quicker += [
            f"For {CLASSES} classes, {row['peer']} is faster than `{row['ours']}`"
            for row in peers
            if row["wide"] and row["wide"][0] < 0.9 * row["wide"][1]
        ]
        text += f"{'. '.join(quicker) or 'No other library is faster at any of these tasks'}. "
    text += "**Use something else** in two cases. If predictions are on a GPU, torchmetrics computes there. "
    sums = [(files[key]["wall"], key[0]) for key in files if key[1:] == ("three sums", "")]
    if sums:
        one = files["job", "one metric", ""]["wall"]
        text += f"""If you need only sums of columns, use {min(sums)[1]}: it takes {duration(min(sums)[0])} for this
            file, and one metric of skconf takes {duration(one)}."""
    return paragraph(text)


def floors(lines):
    """Say what nothing can be below, and what a call adds."""
    size = SIZES[1]
    keys = ("floor", "one pass", ""), ("floor", "one sort", ""), ("job", "profile", "")
    pass_, sort, profile = (duration(*at(lines[key], size)) for key in keys)
    return paragraph(f"""For comparison: for {size:,} rows of two classes, one pass over a column takes
        {pass_}, and one sort {sort}. The times in the table are for a metric that gets a `ConfidenceProfile`. If a
        metric gets labels and probabilities instead, it first makes a profile of them, which takes {profile}. A number
        with ≈ was not measured, but extrapolated from smaller sizes.""")


def table_of_metrics(lines):
    """Put metrics together that cost alike, and give the least and the most of their times."""
    size = SIZES[1]
    floor = {name: at(lines["floor", f"one {name}", ""], size)[0] for name in ("pass", "sort")}
    bands = {band: {} for band in BANDS}
    for (kind, name, _), line in sorted(lines.items()):
        if kind in ("metric", "job"):
            seconds = at(line, size)[0]
            band = next(band for band, (of, most) in BANDS.items() if seconds <= most * floor[of])
            bands[band][name] = line
    rows = []
    for band, inside in bands.items():
        if inside:
            times = [durations([at(line, n) for line in inside.values()]) for n in SIZES]
            peaks = [at(line, size, field="peak")[0] / 2**20 for line in inside.values()]
            rows.append([band, *times, span(peaks), ", ".join(f"`{name}`" for name in inside)])
    return table(["takes", *(f"{n:,} rows" for n in SIZES), f"MB, {size:,} rows", "metrics"], rows)


def peer_rows(lines, wide):
    """Return what each peer's function and ours take, and by how much their values differ."""
    found = []
    for (kind, name, like), line in lines.items():
        if kind in ("floor", "metric", "job", "whole"):
            continue
        both = [line, lines["whole", like, ""]]
        times = [at(each, SIZES[1]) for each in both]
        many = [wide[key][0]["seconds"] for key in ((kind, name, like), ("whole", like, "")) if key in wide]
        found.append(
            {
                "ours": like,
                "peer": kind,
                "name": name,
                "ratio": times[0][0] / times[1][0],
                "times": times,
                "peaks": [at(each, SIZES[1], field="peak")[0] / 2**20 for each in both],
                "wide": many if len(many) == 2 else [],
                "differ": _difference(*both),
            }
        )
    return sorted(found, key=lambda row: (row["ours"], -row["ratio"]))


def _difference(theirs, ours):
    """Return by how much two values differ at the rows of the table, relative to what is larger than 1."""
    both = max({row["rows"] for row in theirs if row["rows"] <= SIZES[1]} & {row["rows"] for row in ours})
    a, b = (next(row["value"] for row in rows if row["rows"] == both) for rows in (theirs, ours))
    return max(abs(x - y) / max(1, abs(y)) for x, y in zip(a, b, strict=False))


def table_of_peers(peers):
    """Set each function of a peer beside ours."""
    rows = []
    for row in peers:
        times = [duration(*each) for each in row["times"]]
        # Python does not see the memory of torch.
        peaks = "–" if row["peer"] == "torchmetrics" else ", ".join(map(two_digits, row["peaks"]))
        wide = f"{two_digits(row['wide'][0] / row['wide'][1])}{SPACE}×" if row["wide"] else "–"
        why = f": it {NOTES[row['name']]}" if row["name"] in NOTES else ""
        values = "equal" if row["differ"] < 1e-9 else f"{row['differ']:.0e} apart{why}"
        ratio = f"{two_digits(row['ratio'])}{SPACE}×"
        rows.append([f"`{row['ours']}`", f"{row['peer']} `{row['name']}`", *times, ratio, wide, peaks, values])
    head = ["metric", "peer", "theirs", "ours", "ratio", f"ratio, {CLASSES} classes", "MB: theirs, ours", "values"]
    return table(head, rows)
