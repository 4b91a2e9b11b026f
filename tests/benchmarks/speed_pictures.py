"""The pictures of the page of speed: seconds and memory against rows, classes, and rows of files."""

import matplotlib as mpl
import matplotlib.pyplot as plt
from speed_found import at, lines_of, two_digits

BLUE, GREY, PEER = "#0072B2", "#767676", "#B84A00"
#: Lines that are named, by kind and name: the others are thin.
NAMED = {
    ("floor", "one pass"): "one pass",
    ("floor", "one sort"): "one sort",
    ("floor", "one read"): "one read",
    ("metric", "cw_accuracy_score"): "cw_accuracy",
    ("metric", "expected_calibration_error"): "ECE",
    ("metric", "aurc_loss"): "AURC",
    ("metric", "smooth_calibration_error"): "smooth ECE",
    ("job", "profile"): "profile",
    ("job", "confidence_report"): "report",
    ("scikit-learn", "roc_auc_score", "confidence_roc_auc_score"): "scikit-learn: AUC",
    ("torchmetrics", "multiclass_calibration_error", "expected_calibration_error"): "torchmetrics: ECE",
    ("netcal", "ECE"): "netcal: ECE",
    ("relplot", "smECE"): "relplot: smooth ECE",
    ("MAPIE", "expected_calibration_error"): "MAPIE: ECE",
}


def draw_all(found, folder):
    """Draw the pictures that are in `found`."""
    mpl.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    folder.mkdir(exist_ok=True)
    rows = [row for row in found if row["where"] == "memory" and row["kind"] != "whole"]
    draw(folder / "speed_rows.png", rows, "rows", "rows of two classes", name_of, beyond=10**8)
    wide = [row for row in found if row["where"] == "classes" and row["kind"] != "whole"]
    draw(folder / "speed_classes.png", wide, "classes", f"classes, of {wide[0]['rows']:,} rows", name_of)
    files = [row for row in found if row["where"] == "file" and row["classes"] == 2 and not row["like"]]
    draw(
        folder / "speed_files.png", [row | {"seconds": row["wall"]} for row in files], "rows", "rows of a file", file_of
    )


def name_of(row):
    """Return the name of a line, if it has one."""
    return NAMED.get((row["kind"], row["name"], row["like"])) or NAMED.get((row["kind"], row["name"]))


def file_of(row):
    """Return the name of a line of files."""
    if row["kind"] in ("floor", "job"):
        return {"read": "read by pyarrow"}.get(row["name"], row["name"])
    return f"{row['kind']}: {row['name']}"


def draw(path, rows, axis, label, name_of, beyond=0):
    """Draw seconds and memory against rows or classes: the floor in grey, peers in orange, what is expected dotted."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.8), layout="constrained")
    for line in lines_of(rows).values():
        first = line[0]
        color = GREY if first["kind"] == "floor" else BLUE if first["kind"] in ("metric", "job") else PEER
        name = name_of(first)
        style = {"color": color, "alpha": 1 if name else 0.2, "linewidth": 1.5 if name else 0.8}
        for ax, field in zip(axes, ("seconds", "peak"), strict=True):
            _line(ax, line, axis, field, style | {"linestyle": "--" if first["kind"] == "floor" else "-"}, beyond)
        if name and len(line) > 1:
            last = max(row[axis] for row in line)
            x = max(last, beyond)
            axes[0].annotate(
                name, (x, at(line, x, axis)[0]), (4, 0), textcoords="offset points", color=color, va="center"
            )
    for ax, title in zip(axes, ("time", "most memory, MB"), strict=True):
        ax.set(xscale="log", yscale="log", xlabel=label)
        ax.set_title(title, loc="left")
    axes[0].yaxis.set_major_formatter(lambda seconds, _: _tick(seconds))
    axes[1].yaxis.set_major_formatter(lambda megabytes, _: two_digits(megabytes))
    if axes[1].get_ylim()[1] < 10 * axes[1].get_ylim()[0]:
        axes[1].set(yscale="linear", ylim=(0, None))
    for ax in axes:
        ax.minorticks_off()
    _part_texts(axes[0])
    figure.savefig(path, dpi=130)
    plt.close(figure)


def _tick(seconds):
    unit, scale = next(each for each in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)) if seconds >= each[1] or each[0] == "µs")
    return f"{two_digits(seconds / scale)} {unit}"


def _line(ax, line, axis, field, style, beyond):
    scale = 2**20 if field == "peak" else 1
    points = sorted((row[axis], row[field] / scale) for row in line if row.get(field, 0) / scale > 0.01 * (scale > 1))
    if not points:
        return
    ax.plot(*zip(*points, strict=True), marker="." if len(points) == 1 else None, **style)
    if points[-1][0] < beyond:
        last = (beyond, at(line, beyond, axis, field)[0] / scale)
        ax.plot(*zip(points[-1], last, strict=True), **style | {"linestyle": ":"})


def _part_texts(ax, least=11):
    """Move names apart that would cover each other."""
    ax.figure.draw_without_rendering()
    texts = sorted(ax.texts, key=lambda text: text.xy[1])
    below = None
    for text in texts:
        height = ax.transData.transform(text.xy)[1] * 72 / ax.figure.dpi
        place = height if below is None else max(height, below + least)
        text.xyann = (4, place - height)
        below = place
