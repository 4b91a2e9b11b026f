"""The report of the arena: findings, tables and pictures."""

from collections.abc import Mapping, Sequence

import pandas as pd

from skconf._core.messages import listed
from skconf.experiments._arena.tables import (
    LOSSES,
    OTHERS,
    RUN,
    change,
    compare,
    share,
    tails,
    times,
)
from skconf.experiments._shared.charts import rows_chart
from skconf.experiments._shared.report import ExperimentReport
from skconf.report._page.chart import Axis, Chart, Rule
from skconf.report._page.tables import TablePart

KINDS = {"two": "two classes", "many": "more than two classes"}
_NOTES = (
    "A run is a data set, a model and a number of calibration samples. Runs share data and are not independent.",
    "A difference says by how many percent the loss of a calibrator is higher than the loss of {champion}.",
    "A difference is the geometric mean, over runs, of the ratio of the two losses, minus 1.",
    "Before two losses are divided, 0.001 is added to each. So two very small losses hardly differ.",
    "The 95% intervals of differences treat the runs of a data set as one cluster.",
    "A run is left out if one of the two calibrators did not finish it.",
    "CSR is the size ratio, and z its distance from 1 in standard deviations.",
    "With n calibration samples, CSR and z use at most n test samples.",
    "Times are median processor seconds on one core, for fit and prediction together.",
)
_ROW = 24


def arena_report(result: pd.DataFrame, champion: str, source: Mapping[str, str]) -> ExperimentReport:
    """Return the report of the arena."""
    if not len(result):
        raise ValueError(
            "there is no run: each run needs its calibration samples and 150 test samples, and no data set has so "
            "many. Pass smaller sizes."
        )
    if not ((result["calibrator"] == champion) & (result["failure"] == "")).any():
        raise ValueError(f"there is no result of {champion!r} to compare with. Add it to the calibrators.")
    is_two = result["n_classes"] == 2
    parts = {"two": result[is_two], "many": result[~is_two]}
    parts = {kind: part for kind, part in parts.items() if (part["calibrator"] == champion).any()}
    findings, tables, charts = [], [], []
    for kind, part in parts.items():
        compared = compare(part, champion)
        compared = compared[compared["runs"] > 0]  # the others failed
        findings += _findings(kind, part, compared, champion)
        tables += _tables(kind, part, compared, champion)
        charts += [] if compared.empty else [_difference_chart(kind, compared, champion)]
    failures = result[result["failure"] != ""]
    return ExperimentReport(
        "Calibrators in the arena",
        result,
        findings,
        [*tables, *_failures(failures)],
        charts=charts,
        notes=[note.replace("{champion}", champion) for note in _NOTES],
        source=source,
    )


def _findings(kind: str, part: pd.DataFrame, compared: pd.DataFrame, champion: str) -> list[str]:
    n_runs = len(part[RUN].drop_duplicates())
    n_sets = part["data"].nunique()
    on = f"{n_sets:,} data set{'s' * (n_sets != 1)}"
    sentences = [f"{KINDS[kind].capitalize()}: {n_runs:,} run{'s' * (n_runs != 1)} on {on}."]
    package = part.groupby("calibrator")["package"].first()
    outside = compared[(package.reindex(compared.index) != package[champion]).to_numpy()]
    overall = _hardest(compared, champion) if len(compared) else ""
    abroad = _hardest(outside, champion) if len(outside) else ""
    if abroad and abroad != overall:
        sentences.append(f"Compared with other packages, {abroad}")
    if overall:
        sentences.append(f"Compared with all other calibrators, {overall}")
    own = tails(part).loc[champion]
    sentences.append(
        f"{champion} has a size ratio above 3 in {share(own['csr_3'])} of runs, and a z above 3 in {share(own['z_3'])}."
    )
    return [" ".join(sentences)]


def _hardest(rivals: pd.DataFrame, champion: str) -> str:
    """Name the strongest rival for each loss, against which the champion wins least often."""
    each = []
    for loss, title in LOSSES.items():
        least = rivals[f"{loss}_wins"].idxmin()
        row = rivals.loc[least]
        difference = change(row[loss], row[f"{loss}_low"], row[f"{loss}_high"])
        wins = f"{share(row[f'{loss}_wins'])} of runs"
        each.append(f"against {least} by {title} ({wins}; loss of {least} compared with {champion}: {difference})")
    return f"{champion} wins least often {listed(each)}."


def _tables(kind: str, part: pd.DataFrame, compared: pd.DataFrame, champion: str) -> list[TablePart]:
    name, strongest = KINDS[kind], [champion, *compared.index]
    others = compare(part, champion, OTHERS).reindex(compared.index)
    return [
        TablePart(f"Wins of {champion}, {name}", _losses(compared, LOSSES, ("runs", "failed"))),
        TablePart(
            f"Wins of {champion} by number of calibration samples, {name}: Brier, log loss", _by_size(part, champion)
        ),
        TablePart(f"The tail, {name}", _tail(part, strongest)),
        TablePart(f"Other losses compared with {champion}, {name}", _losses(others, OTHERS)),
        TablePart(f"Seconds by number of calibration samples, {name}", _seconds(part, strongest)),
    ]


def _losses(compared: pd.DataFrame, losses: Mapping[str, str], counts: Sequence[str] = ()) -> pd.DataFrame:
    """Return how often the champion wins by each loss, and by how much the loss of the others is higher."""
    shown: dict[tuple[str, str], list[str]] = {("", "calibrator"): list(compared.index)}
    shown |= {("", name): [f"{number:,}" for number in compared[name]] for name in counts}
    for loss, title in losses.items():
        differences = compared[[loss, f"{loss}_low", f"{loss}_high"]]
        shown[title, "wins"] = [share(value) for value in compared[f"{loss}_wins"]]
        shown[title, "higher by"] = [change(*row) for row in differences.itertuples(index=False)]
    return pd.DataFrame(shown)


def _by_size(part: pd.DataFrame, champion: str) -> pd.DataFrame:
    sizes = sorted(part["n"].unique())
    by_size = {size: compare(part[part["n"] == size], champion) for size in sizes}
    names = compare(part, champion).index
    shown: dict[tuple[str, str], list[str]] = {("", "calibrator"): list(names)}
    for size, table in by_size.items():
        for loss, title in LOSSES.items():
            column = table.reindex(names)
            shown[f"{size:,}", f"{title} wins"] = [share(value) for value in column[f"{loss}_wins"]]
            shown[f"{size:,}", f"{title} higher by"] = [change(value) for value in column[loss]]
    return pd.DataFrame(shown)


def _tail(part: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    shares = tails(part).reindex(names).dropna()
    titles = {"csr_3": "CSR > 3", "z_1": "z > 1", "z_3": "z > 3"}
    shown = {"calibrator": list(shares.index)}
    return pd.DataFrame(shown | {title: [share(v) for v in shares[column]] for column, title in titles.items()})


def _seconds(part: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    seconds = times(part).reindex(names)
    shown = {"calibrator": list(seconds.index)}
    return pd.DataFrame(shown | {f"{size:,}": [f"{v:.4f}" for v in seconds[size]] for size in sorted(seconds)})


def _failures(failures: pd.DataFrame) -> list[TablePart]:
    """Return the calibrators that did not finish runs, with the reasons, if there are any."""
    if failures.empty:
        return []
    counts = failures.groupby(["calibrator", "failure"]).size().sort_values(ascending=False)
    first = counts.reset_index(name="runs").groupby("calibrator", sort=False)
    table = first.agg(runs=("runs", "sum"), reason=("failure", "first")).reset_index()
    shown = table.assign(runs=[f"{n:,}" for n in table["runs"]]).rename(columns={"reason": "most often"})
    return [TablePart("Runs that a calibrator did not finish", shown)]


def _difference_chart(kind: str, compared: pd.DataFrame, champion: str) -> Chart:
    """Return a chart of the differences between the losses of all others and of the champion."""
    most = 1.0
    points = {
        title: pd.DataFrame(
            {
                "row": compared.index,
                "ours": compared[loss].clip(upper=most).to_numpy(),
                "low": compared[f"{loss}_low"].clip(upper=most).to_numpy(),
                "high": compared[f"{loss}_high"].clip(upper=most).to_numpy(),
            }
        )
        for loss, title in LOSSES.items()
    }
    ahead = int((compared[[f"{loss}_low" for loss in LOSSES]] > 0).all(axis=1).sum())
    floor = min(0.0, *(float(part[["ours", "low", "high"]].min().min()) for part in points.values()))
    return rows_chart(
        f"Losses compared with {champion}, {KINDS[kind]}",
        f"Right of 0, {champion} is better. Of {len(compared)} other calibrators, {ahead} are clearly worse in both "
        f"losses: the 95% intervals of both differences are above 0. Differences above {most:.0%} are drawn at the "
        "edge.",
        Axis("loss higher by", "percent", low=min(-0.05, 1.1 * floor), high=1.02 * most),
        list(compared.index),
        points,
        compared.reset_index(names="calibrator"),
        what="calibrator",
        behind=[Rule("level", x=0.0)],
        height=_ROW,
    )
