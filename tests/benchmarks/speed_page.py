"""The page of speed: tables and pictures of what was measured."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

BLUE, GREY, PEER = "#0072B2", "#8a8a8a", "#D55E00"
#: Peers and jobs whose lines are named in the pictures.
NAMED = {
    "cw_accuracy_score": "cw_accuracy",
    "aurc_loss": "aurc",
    "smooth_calibration_error": "smooth ECE",
    "confidence_report": "confidence_report",
}


def write(found, docs, machine):
    """Write `speed.md` and its pictures in the folder of the documentation."""
    pictures = Path(docs) / "pictures"
    pictures.mkdir(exist_ok=True)
    mpl.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    in_memory = [row for row in found if row["where"] == "memory"]
    of_files = [row for row in found if row["where"] == "file"]
    draw(pictures / "speed_rows.png", [row for row in in_memory if row["classes"] == 2], "rows", "rows of two classes")
    wide = _largest([row for row in in_memory if row["classes"] > 1], "classes")
    draw(pictures / "speed_classes.png", wide, "classes", "classes, of 2 million probabilities at most")
    draw(pictures / "speed_files.png", [row for row in of_files if row["classes"] == 2], "rows", "rows of a file")
    (Path(docs) / "speed.md").write_text(page(in_memory, of_files, machine), encoding="utf-8")


def _largest(rows, axis):
    """Return, of each job at each place of an axis, the measurement with the most rows below 200,000."""
    best = {}
    for row in sorted(rows, key=lambda row: row["rows"]):
        if row["rows"] <= 100_000:
            best[row["name"], row["kind"], row[axis]] = row
    return list(best.values())


def draw(path, rows, axis, label):
    """Draw seconds and memory against rows or classes: the floor in grey, peers in orange."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    lines = {}
    for row in rows:
        lines.setdefault((row["kind"], row["name"]), []).append((row[axis], row["seconds"], row.get("peak", 0) / 2**20))
    for (kind, name), points in lines.items():
        x, seconds, peak = zip(*sorted(points), strict=True)
        is_peer = kind not in ("floor", "metric", "job")
        color = GREY if kind == "floor" else PEER if is_peer else BLUE
        named = kind != "metric" or name in NAMED
        style = {"color": color, "alpha": 1 if named else 0.25, "linestyle": "--" if kind == "floor" else "-"}
        for ax, y in zip(axes, (seconds, peak), strict=True):
            if max(y) > 0:
                ax.plot(x, y, marker="." if len(x) == 1 else None, linewidth=1.6 if named else 0.8, **style)
        if named and len(x) > 1:
            text = f"{kind}: {name}" if is_peer else NAMED.get(name, name)
            axes[0].annotate(text, (x[-1], seconds[-1]), (4, 0), textcoords="offset points", color=color, va="center")
    for ax, title in zip(axes, ("seconds of processors", "most memory, MB"), strict=True):
        ax.set(xscale="log", yscale="log", xlabel=label)
        ax.set_title(title, loc="left")
    _part_texts(axes[0])
    figure.savefig(path, dpi=130)
    plt.close(figure)


def _part_texts(ax, least=11):
    """Move names apart that would cover each other."""
    texts = sorted(ax.texts, key=lambda text: text.xy[1])
    below = None
    for text in texts:
        height = ax.transData.transform(text.xy)[1] * 72 / ax.figure.dpi
        place = height if below is None else max(height, below + least)
        text.xyann = (4, place - height)
        below = place


def page(in_memory, of_files, machine):
    """Return the page in Markdown."""
    most = max(row["rows"] for row in in_memory if row["classes"] == 2)
    here = [row for row in in_memory if row["rows"] == most and row["classes"] == 2]
    floor = {row["name"][:8]: row["seconds"] for row in here if row["kind"] == "floor"}
    pass_, sort = floor["one pass"], floor["one sort"]
    largest = max(row["rows"] for row in of_files if row["classes"] == 2)
    files = [row for row in of_files if row["rows"] == largest and row["classes"] == 2]
    polars = next((row["seconds"] for row in files if (row["kind"], row["name"]) == ("polars", "three sums")), None)
    beside = ", beside three bare sums of its columns by polars" if polars else ""
    return f"""# Speed

**In short.** Metrics of sums take some passes over the predictions, metrics of ranks a sort or two, and files a few
times their reading. This page is measured and written by one command, on your machine, too:

    python tests/benchmarks/speed.py measure
    python tests/benchmarks/speed.py compare main HEAD

The second says which jobs a change made slower or faster by more than 10 %, beyond the noise of its rounds.

Measured on {machine}. Seconds are those of processors, all threads
together, the fewest of some calls. Memory is what a call holds beyond its input; of files, what the process has held.
Grey lines are floors: reading, one pass, or one sort, and nothing else. Orange lines are peers that were installed.

## Predictions in memory

![Seconds and memory against rows: lines of metrics lie between one pass and a few sorts](pictures/speed_rows.png)

![Seconds and memory against classes](pictures/speed_classes.png)

At {most:,} rows of two classes one pass takes {1e3 * pass_:.2g} ms, and one sort {1e3 * sort:.2g} ms.

| metric or job | ms | passes | sorts | memory, MB | peers: ms |
|---|---|---|---|---|---|
{_rows_of(here, pass_, sort)}

## Files

![Seconds and memory against rows of a file](pictures/speed_files.png)

A file of Parquet with {largest:,} rows of two classes{beside}:

| job | s | million rows a second | memory of the process, MB |{" × polars |" if polars else ""}
|---|---|---|---|{"---|" if polars else ""}
{_rows_of_files(files, polars)}

Beyond these sizes time grows in proportion to the rows. Memory does not grow with files of Parquet.
"""


def _rows_of(rows, pass_, sort):
    peers = [row for row in rows if row["kind"] not in ("floor", "metric", "job")]
    lines = []
    for row in sorted((row for row in rows if row["kind"] in ("metric", "job")), key=lambda row: row["seconds"]):
        beside = ", ".join(
            f"{peer['kind']} {1e3 * peer['seconds']:.3g}" for peer in peers if peer["like"] == row["name"]
        )
        numbers = f"{1e3 * row['seconds']:.3g} | {row['seconds'] / pass_:.3g} | {row['seconds'] / sort:.2g}"
        lines.append(f"| `{row['name']}` | {numbers} | {row['peak'] / 2**20:.1f} | {beside} |")
    return "\n".join(lines)


def _rows_of_files(rows, polars):
    lines = []
    for row in sorted(rows, key=lambda row: row["seconds"]):
        name = row["name"] if row["kind"] in ("floor", "job") else f"{row['kind']}: {row['name']}"
        numbers = f"{row['seconds']:.2g} | {row['rows'] / row['seconds'] / 1e6:.3g} | {row['peak'] / 2**20:.0f} |"
        lines.append(f"| {name} | {numbers}" + (f" {row['seconds'] / polars:.2g} |" if polars else ""))
    return "\n".join(lines)
