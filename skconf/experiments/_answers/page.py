"""What files of graded answers show: in words, pictures and tables."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.messages import listed
from skconf._core.numbers import SMALLEST_P, number, p_value
from skconf.experiments._answers.experiment import AnswersResult
from skconf.experiments._answers.files import label_of
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import lay_out, title_of, wide
from skconf.report._page.chart import Axis, Chart, Mark, Points
from skconf.report._page.tables import TablePart, as_texts

#: The columns of the paper's tables, below what they judge.
_JUDGED = {
    "answers": ("error_rate",),
    "confidences": ("ece", "auc_confidence", "cross_entropy_confidence", "brier_confidence"),
    "both": ("aurc", "ecuas_0", "ecuas_1", "ecuas_128"),
}
_OF_CONFIDENCE = (*_JUDGED["confidences"], *_JUDGED["both"])
_HIGHER = "auc_confidence"
_SCORES = {"raw": "as they are", "calibrated": "calibrated in folds"}
#: A name of a quantity in a sentence.
_COST = "the cost ECUAS_0"
_ROW = 30
#: Rows of comparisons that a terminal shows.
_SHOWN = 12
_CERTAIN = 0.05
#: Where the largest confidence lies if confidences may be per cent.
_LIKE_PERCENT = (50, 100)
_NOTES = (
    "ER: share of wrong answers. Of confidences alone: ECE (ten bins), AUC_c, cross-entropy CE_c, Brier score BS_c.",
    "Of both: AURC; ECUAS_n, the cost of answers that are used or rejected, over all that a rejection may cost.",
    "ECUAS_0 punishes confident errors most. ECUAS_1 is ER + BS_c.",
    "Intervals and differences are those of new questions from the same source. Differences are paired by question.",
    "Differences of confidences alone are shown where the same questions are answered right; else they compare tasks.",
    "Confidences that are no probabilities are compared after calibration of both.",
    "Folds differ: calibration in them may lower AUC_c and raise AURC where confidences tell little.",
    "The best method depends on the metric by more than chance if two methods each beat the other (adjusted p < .05).",
    "Adjusted p-values hold for all differences of a task together (Holm).",
)


def answers_report(result: AnswersResult, source: Mapping[str, str]) -> ExperimentReport:
    """Return what systems and methods are worth.

    Parameters
    ----------
    result : AnswersResult
        From :func:`answers_experiment`.
    source : mapping of str to str
        What was run.

    Returns
    -------
    ExperimentReport
    """
    figures = result.figures
    tasks = list(figures["task"].unique())
    findings = [*(_best(result, task) for task in tasks), *_calibration(figures), *_by_metric(result)]
    findings += [*_printed(figures), *_graders(result)]
    tables = [TablePart("Answers read", _read(result.files))]
    for task in tasks:
        tables += _tables(result, task)
    charts = [chart for task in tasks for chart in _charts(figures[figures["task"] == task], task)]
    left_out = list(_counted(result.files))
    left_out += [f"Not compared: {pair}: {why}." for pair, why in result.unmatched.items()]
    return ExperimentReport(
        f"Answers and confidences: {', '.join(tasks)}",
        figures,
        list(filter(None, findings)),
        tables,
        left_out=[*left_out, *result.notices],
        charts=charts,
        notes=_NOTES,
        source={**source, "tasks": ", ".join(tasks), "systems": ", ".join(figures["system"].unique())},
        failed=[f"{file} is left out: {why}" for file, why in result.left_out.items()],
    )


def _name(row: Any) -> str:
    """Return the name of a system, a method and a grader."""
    graded = f" by {row.grader}" if row.grader else ""
    return f"{label_of(row.system, row.method)}{graded}"


def _best(result: AnswersResult, task: str) -> str:
    """Return what costs least in a task, and whether the next is worse by more than chance."""
    figures = result.figures
    costs = figures[(figures["task"] == task) & (figures["quantity"] == "ecuas_0") & figures["ours"].notna()]
    if len(costs["grader"].unique()) > 1:
        return ""  # which is best is the graders' question, below
    for scores in _SCORES:
        own = costs[costs["scores"] == scores].sort_values("ours")
        if len(own):
            break
    else:
        return f"{task}: too few right or wrong answers to calibrate confidences that are no probabilities."
    first = own.iloc[0]
    said = f"{task}: of confidences {_SCORES[scores]}, those of {_name(first)} cost least, ECUAS_0 "
    said += number(first["ours"], first["low"], first["high"])
    if len(own) < 2:
        return f"{said}."
    names = [label_of(row.system, row.method) for row in own.head(2).itertuples()]
    found = result.comparisons
    pair = found[
        (found["task"] == task)
        & (found["quantity"] == "ecuas_0")
        & (found["scores"] == scores)
        & found["first"].isin(names)
        & found["second"].isin(names)
    ]
    said += f"; the next are those of {_name(own.iloc[1])}, {number(own.iloc[1]['ours'])}"
    if pair.empty:
        return f"{said}, of another system and method: not compared."
    p = pair["p_adjusted"].iloc[0]
    surely = "more than chance explains" if p < _CERTAIN else "which may be chance"
    return f"{said}, {surely} (adjusted p {'' if p < SMALLEST_P else '= '}{p_value(p)})."


def _calibration(figures: pd.DataFrame) -> Iterator[str]:
    """Yield what calibration does to the cost of confidences that are probabilities."""
    costs = figures[figures["quantity"] == "ecuas_0"]
    costs = costs.pivot(index=["task", "system", "method", "grader"], columns="scores", values="ours").reindex(
        columns=list(_SCORES)
    )
    costs = costs.dropna()
    if len(costs):
        ratio = costs["calibrated"] / costs["raw"]
        yield (
            f"Calibration lowers {_COST} of {(ratio < 1).sum()} of {len(ratio)} confidences that are probabilities "
            f"(median factor {ratio.median():.2f})."
        )


def _ranked(part: pd.DataFrame) -> dict[str, set[str]]:
    """Return the methods with the best value of each quantity."""
    best = {}
    for quantity, own in part.groupby("quantity", sort=False):
        values = own.set_index("method")["ours"]
        top = values.max() if quantity == _HIGHER else values.min()
        best[str(quantity)] = set(values.index[np.isclose(values, top, rtol=1e-12, atol=0)])
    return best


def _with_scores(figures: pd.DataFrame, key: Sequence[str]) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Yield the figures of methods of one system: calibrated ones where one of the methods has no other."""
    for name, part in figures[figures["quantity"].isin(_OF_CONFIDENCE)].groupby(list(key), sort=False):
        if part["method"].nunique() > 1:
            raw = part[part["scores"] == "raw"]
            yield (
                name,
                raw
                if len(raw) == raw["method"].nunique() * len(_OF_CONFIDENCE)
                else part[part["scores"] == "calibrated"],
            )


def _by_metric(result: AnswersResult) -> Iterator[str]:
    """Yield for how many systems the best method depends on the metric, and for how many by more than chance."""
    differ = {
        name: not set.intersection(*_ranked(part).values())
        for name, part in _with_scores(result.figures, ["task", "system", "grader"])
        if len(part)
    }
    if differ:
        surely = sum(differs and _both_better(result, *name) for name, differs in differ.items())
        said = (
            f"The best method depends on the metric (of {listed([title_of(name) for name in _OF_CONFIDENCE])}) in "
            f"{sum(differ.values())} of {len(differ)} systems with several methods"
        )
        beyond = f", and by more than chance explains in {surely or 'none'} of these"
        yield f"{said}{beyond if any(differ.values()) else ''}."


def _both_better(result: AnswersResult, task: str, system: str, grader: str) -> bool:
    """Return whether each of two methods is better than the other by some metric, by more than chance."""
    found, figures = result.comparisons, result.figures
    methods = figures.loc[(figures["task"] == task) & (figures["system"] == system), "method"].unique()
    pair = [found[name].isin([label_of(system, method) for method in methods]) for name in ("first", "second")]
    own = found[(found["task"] == task) & (found["grader"] == grader) & pair[0] & pair[1]]
    sure = own[(own["p_adjusted"] < _CERTAIN) & own["quantity"].isin(_OF_CONFIDENCE)]
    wins = (sure["difference"] > 0) == (sure["quantity"] == _HIGHER)
    return bool((wins.groupby([sure["first"], sure["second"]]).nunique() > 1).any())


def _printed(figures: pd.DataFrame) -> Iterator[str]:
    """Yield how many printed figures are met."""
    printed = figures[figures["paper"].notna()]
    if printed.empty:
        return
    met = int((printed["deviation"] == 0).sum())
    said = f"{met} of {len(printed)} published figures are met, as far as they are printed"
    other = printed[printed["deviation"] != 0]
    if len(other):
        said += (
            f"; of the others, {int((other['deviation'].abs() <= 3).sum())} lie within three standard errors, as other "
            "answers of the same system may"
        )
    yield f"{said}."


def _graders(result: AnswersResult) -> Iterator[str]:
    """Yield what the grader decides."""
    table = result.graders
    if table.empty:
        return
    sure = table[table["p_adjusted"] < _CERTAIN]
    shown = table[table["quantity"] == "error_rate"]
    yield (
        f"Graders differ on {shown['differ'].sum():,} of {shown['n'].sum():,} grades; {len(sure)} of {len(table)} "
        "figures differ by more than chance explains."
    )
    best: dict[Any, dict[str, dict[str, set[str]]]] = {}
    for (*key, grader), part in _with_scores(result.figures, ["task", "system", "grader"]):
        best.setdefault(tuple(key), {})[grader] = _ranked(part)
    several = [list(by_grader.values()) for by_grader in best.values() if len(by_grader) > 1]
    pairs = [{str(sorted(one[name])) for one in found} for found in several for name in found[0]]
    if pairs:
        apart = sum(len(names) > 1 for names in pairs)
        yield f"They disagree on the best method in {apart} of {len(pairs)} pairs of a system and a metric."


def _counted(files: pd.DataFrame) -> Iterator[str]:
    """Yield what was counted as wrong, left out or only ranked."""
    wrong: Counter[str] = sum(map(Counter, files["wrong_grades"]), Counter())
    if wrong:
        yield f"Grades that count as wrong: {_in_words(wrong)}."
    if ungraded := int(files["without_grade"].sum()):
        yield f"{ungraded:,} grades are missing; these answers are left out."
    files = files.drop_duplicates(["task", "system", "method"])  # of several graders, one is shown
    if lacking := int(files["without_confidence"].sum()):
        right = int(files["of_these_right"].sum())
        yield f"{lacking:,} answers have no confidence and are left out; {right:,} of them are right."
    ranks = files[~files["probability"]]
    if len(ranks):
        yield (
            f"Confidences of {len(ranks)} of {len(files)} files are no probabilities, as some lie outside [0, 1]: they "
            "are ranked, and scored only after calibration."
        )
        percent = ranks[(ranks["smallest"] >= 0) & ranks["largest"].between(*_LIKE_PERCENT)]
        for row in percent.itertuples():
            named = f"{row.task}: {label_of(row.system, row.method)}"
            yield f"{named} reaches from {row.smallest:g} to {row.largest:g}: if these are per cent, write them with %."


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {count:,}" for word, count in Counter(counts).most_common())


def _read(files: pd.DataFrame) -> pd.DataFrame:
    """Return what was read, without what no file has."""
    shown = files.assign(
        confidences=[
            f"{number(low)} to {number(high)}" for low, high in zip(files["smallest"], files["largest"], strict=True)
        ]
    ).drop(columns=["smallest", "largest"])
    shown["wrong_grades"] = shown["wrong_grades"].map(_in_words)
    shown["probability"] = np.where(shown["probability"], "yes", "no")
    empty = [name for name in ("grader", "method", "wrong_grades") if (shown[name] == "").all()]
    none = [name for name in ("without_confidence", "of_these_right", "without_grade") if not shown[name].any()]
    return as_texts(shown.drop(columns=[*empty, *none])).rename(columns=lambda name: name.replace("_", " "))


def _tables(result: AnswersResult, task: str) -> Iterator[TablePart]:
    """Yield the tables of a task."""
    figures = result.figures[result.figures["task"] == task]
    for scores, words in _SCORES.items():
        part = figures[figures["scores"] == scores]
        if len(part):
            yield TablePart(f"{task}: confidences {words}", _table(part))
    printed = figures[figures["paper"].notna()]
    if len(printed):
        key = [name for name in ("system", "method", "grader") if (printed[name] != "").any()]
        yield lay_out(f"{task}: beside the published figures", wide(printed, key), key)
    pairs = result.comparisons[result.comparisons["task"] == task]
    if len(pairs):
        yield _differences(f"{task}: differences", pairs)
    graders = result.graders[result.graders["task"] == task]
    if len(graders):
        yield _differences(f"{task}: what the grader decides", graders)


def _table(part: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each system, method and grader, and a column for each metric."""
    key = [name for name in ("system", "method", "grader") if (part[name] != "").any()]
    texts = part.assign(text=[number(*row) for row in part[["ours", "low", "high"]].itertuples(index=False, name=None)])
    rows = texts[key].drop_duplicates()
    cells = texts.pivot(index=key, columns="quantity", values="text").reindex(pd.MultiIndex.from_frame(rows))
    shown: dict[tuple[str, str], Any] = {("", name): rows[name].tolist() for name in key}
    shown[("", "n")] = [f"{n:,}" for n in texts.drop_duplicates(key)["n"]]
    for heading, quantities in _JUDGED.items():
        for quantity in quantities:
            if quantity in cells:
                shown[heading, title_of(quantity)] = cells[quantity].fillna("–").tolist()
    return pd.DataFrame(shown)


def _differences(title: str, pairs: pd.DataFrame) -> TablePart:
    """Return differences with their intervals, those of the cost first."""
    first = pairs.assign(later=pairs["quantity"] != "ecuas_0").sort_values("later", kind="stable")
    key = [name for name in ("system", "method", "grader") if name in first and first[name].nunique() > 1]
    shown = pd.DataFrame({name: first[name] for name in key})
    shown["metric"] = first["quantity"].map(title_of)
    if first["scores"].nunique() > 1:
        shown["confidences"] = first["scores"]
    shown[["first", "second"]] = first[["first", "second"]]
    shown["difference"] = [
        number(*row) for row in first[["difference", "low", "high"]].itertuples(index=False, name=None)
    ]
    shown["p, adjusted"] = first["p_adjusted"].map(p_value)
    shown["questions"] = [f"{n:,}" for n in first["n"]]
    shown["right for one only"] = [f"{n:,}" for n in first["differ"]]
    return TablePart(title, shown, rows_in_text=_SHOWN)


def _charts(figures: pd.DataFrame, task: str) -> Iterator[Chart]:
    """Yield the cost of each system and method, and how well its confidences tell right from wrong."""
    graders = list(figures["grader"].unique())
    for grader in graders:
        by = f", graded by {grader}" if grader else ""
        own = figures[figures["grader"] == grader]
        costs = own[own["quantity"] == "ecuas_0"]
        if costs["ours"].notna().any():
            best = costs.loc[costs["ours"].idxmin()]
            first = f"{label_of(best.system, best.method)}, {_SCORES[best.scores]}"
            said = f"{first}, costs least: {number(best['ours'])}. Lines: intervals."
            label = "ECUAS_0, log scale"
            yield _rows(f"Cost ECUAS_0: {task}{by}", said, Axis.around(label, "log", *_seen(costs)), costs)
        areas = own[(own["quantity"] == "auc_confidence") & (own["scores"] == "raw")]
        if areas["ours"].notna().any():
            best = areas.loc[areas["ours"].idxmax()]
            said = f"{label_of(best.system, best.method)} tells best: {number(best['ours'])}; .5 is chance."
            label = "AUC of the confidence for right answers"
            yield _rows(
                f"Right from wrong: {task}{by}", said, Axis.around(label, "linear", [0.5], *_seen(areas)), areas
            )


def _seen(part: pd.DataFrame) -> list[Any]:
    return [part[name] for name in ("ours", "low", "high", "paper")]


def _rows(title: str, finding: str, across: Axis, part: pd.DataFrame) -> Chart:
    """Return a picture with a row for each system and method, and a series for each kind of scores."""
    labels = list(map(label_of, part["system"], part["method"]))
    rows = list(dict.fromkeys(labels))
    at = pd.Series([rows.index(label) for label in labels], index=part.index, dtype=float)
    marks: list[Mark] = []
    kinds = [scores for scores in _SCORES if (part["scores"] == scores).any()]
    for series, scores in enumerate(kinds):
        own = part[part["scores"] == scores]
        row = at[own.index] + 0.24 * (series - (len(kinds) - 1) / 2)
        name = _SCORES[scores] if len(kinds) > 1 else None
        marks += [
            Points(own["paper"], row + 0.14),
            Points(own["ours"], row, own["low"], own["high"], name=name, series=series, along="x"),
        ]
    printed = " Grey: published." if part["paper"].notna().any() else ""
    data = part[["task", "system", "method", "grader", "scores", "quantity", "ours", "low", "high", "paper"]]
    return Chart(
        title,
        f"{finding}{printed}",
        across,
        Axis.named("system, method", rows),
        marks,
        data.dropna(axis="columns", how="all"),
        height=max(300, 70 + _ROW * len(rows)),
    )
