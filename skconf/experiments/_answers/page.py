"""What files of graded answers show: in words, pictures and tables."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.numbers import DASH, SMALLEST_P, number, p_value
from skconf.experiments._answers.experiment import AnswersResult
from skconf.experiments._answers.files import label_of
from skconf.experiments._shared.charts import rows_chart
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import beside_paper, plain_table, title_of, where
from skconf.report._page.chart import Axis, Chart
from skconf.report._page.tables import TablePart

#: The columns of the paper's tables, grouped by what they judge.
_JUDGED = {
    "answers": ("error_rate",),
    "confidences": ("ece", "auc_confidence", "cross_entropy_confidence", "brier_confidence"),
    "both": ("aurc", "ecuas_0", "ecuas_1", "ecuas_128"),
}
_SCORES = {"raw": "as they are", "calibrated": "calibrated in folds"}
#: The columns that identify the answers of a system with the grades of a grader.
_SYSTEM = ["task", "system", "grader"]
_ROW = 30
#: The number of comparisons that a terminal shows.
_SHOWN = 12
_CERTAIN = 0.05
#: If the largest confidence is in this range, confidences may be percentages.
_LIKE_PERCENT = (50, 100)
_NOTES = (
    "ER: share of wrong answers.",
    "Metrics of confidences: ECE (ten bins), area under the ROC curve AUC_c, cross-entropy CE_c, Brier score BS_c.",
    "Metrics of answers and confidences: AURC and ECUAS_n.",
    "ECUAS_n is the cost if answers may be rejected, averaged over possible costs of a rejection.",
    "ECUAS_0 punishes confident errors most. ECUAS_1 is the share of wrong answers plus the Brier score.",
    "Intervals and differences hold for new questions from the same source. Differences are paired by question.",
    "Metrics of confidences are compared only between files in which the same answers are right.",
    "If confidences of a file are not probabilities, metrics that need probabilities are computed after calibration.",
    "Each fold has its own calibrator. This may lower AUC_c and raise AURC if confidences say little.",
    "Adjusted p-values hold for all differences of a task together (Holm).",
)


def answers_report(result: AnswersResult, source: Mapping[str, str]) -> ExperimentReport:
    """Return what the answers of systems cost, and how systems and methods differ."""
    figures, read = result.figures, result.files
    tasks = list(figures["task"].unique())
    findings = [*(_least_cost(result, task) for task in tasks), *_calibration(figures)]
    unmatched = [f"Not compared: {pair}: {why}." for pair, why in result.unmatched.items()]
    return ExperimentReport(
        f"Answers and confidences: {', '.join(tasks)}",
        figures,
        [*filter(None, findings), *_published(figures), *_graders(result.graders)],
        [_answers_read(read), *(table for task in tasks for table in _tables(result, task))],
        left_out=[*_left_out(read), *unmatched, *result.notices],
        charts=[chart for task in tasks for chart in _charts(where(figures, task=task), task)],
        notes=_NOTES,
        source={**source, "tasks": ", ".join(tasks), "systems": ", ".join(figures["system"].unique())},
        failed=[f"{file} is left out: {why}" for file, why in result.left_out.items()],
    )


def _name(row: Any) -> str:
    """Return the name of a system, a method and a grader."""
    graded = f" by {row.grader}" if row.grader else ""
    return f"{label_of(row.system, row.method)}{graded}"


def _least_cost(result: AnswersResult, task: str) -> str:
    """Name the system and method with the least cost in a task; say whether the next one clearly costs more."""
    costs = where(result.figures, task=task, quantity="ecuas_0").dropna(subset="ours")
    if costs["grader"].nunique() > 1:
        return ""  # the sentence on graders says which is best
    scores = next((scores for scores in _SCORES if (costs["scores"] == scores).any()), None)
    if scores is None:
        return f"{task}: there are too few right or wrong answers to calibrate the confidences."
    costs = where(costs, scores=scores).sort_values("ours")
    first = costs.iloc[0]
    cost = number(first["ours"], first["low"], first["high"])
    least = f"{task}: with confidences {_SCORES[scores]}, {_name(first)} has the least cost, ECUAS_0 {cost}"
    if len(costs) < 2:
        return f"{least}."
    second = costs.iloc[1]
    pairs = where(result.comparisons, task=task, quantity="ecuas_0", scores=scores)
    names = [label_of(row.system, row.method) for row in (first, second)]
    pairs = pairs[pairs["first"].isin(names) & pairs["second"].isin(names)]
    least += f". The next is {_name(second)} with {number(second['ours'])}"
    if pairs.empty:
        return (
            f"{least}. These two files are not compared: they differ in both system and method, or their questions "
            "could not be matched."
        )
    p = pairs["p_adjusted"].iloc[0]
    surely = "The difference is more than chance" if p < _CERTAIN else "The difference may be chance"
    return f"{least}. {surely} (adjusted p {'' if p < SMALLEST_P else '= '}{p_value(p)})."


def _calibration(figures: pd.DataFrame) -> Iterator[str]:
    """Yield how calibration changes the cost of confidences that are probabilities."""
    costs = where(figures, quantity="ecuas_0").pivot(index=[*_SYSTEM, "method"], columns="scores", values="ours")
    ratio = costs.reindex(columns=list(_SCORES)).pipe(lambda both: both["calibrated"] / both["raw"]).dropna()
    if len(ratio):
        yield (
            f"Calibration lowers the cost ECUAS_0 for {(ratio < 1).sum()} of {len(ratio)} files whose confidences are "
            f"probabilities (median factor {ratio.median():.2f})."
        )


def _published(figures: pd.DataFrame) -> Iterator[str]:
    """Yield how many published values are reproduced."""
    published = figures[figures["paper"].notna()]
    if published.empty:
        return
    others = published[published["deviation"] != 0]
    near = (
        f". Of the others, {int((others['deviation'].abs() <= 3).sum())} deviate by at most three standard errors, as "
        "is expected if the same system answers again"
    )
    met = f"{len(published) - len(others)} of {len(published)} published values are reproduced in all printed digits"
    yield f"{met}{near if len(others) else ''}."


def _graders(pairs: pd.DataFrame) -> Iterator[str]:
    """Yield how often graders differ."""
    if pairs.empty:
        return
    sure = pairs[pairs["p_adjusted"] < _CERTAIN]
    grades = where(pairs, quantity="error_rate")
    yield (
        f"Graders differ on {grades['differ'].sum():,} of {grades['n'].sum():,} grades. Metrics differ by more than "
        f"chance in {len(sure)} of {len(pairs)} comparisons of graders."
    )


def _left_out(files: pd.DataFrame) -> Iterator[str]:
    """Yield which grades count as wrong, how many answers are left out, and which confidences are only ranked."""
    wrong: Counter[str] = sum(map(Counter, files["wrong_grades"]), Counter())
    if wrong:
        yield f"Grades that count as wrong: {_counted(wrong)}."
    if ungraded := int(files["without_grade"].sum()):
        yield f"{ungraded:,} grades are missing. These answers are left out."
    files = files.drop_duplicates(["task", "system", "method"])  # each file is counted once, not once for each grader
    if lacking := int(files["without_confidence"].sum()):
        right = int(files["of_these_right"].sum())
        yield f"{lacking:,} answers have no confidence and are left out. {right:,} of them are right."
    ranks = files[~files["probability"]]
    if len(ranks):
        yield (
            f"Confidences of {len(ranks)} of {len(files)} files are not probabilities, because some are outside [0, "
            "1]. Metrics that need probabilities are computed only after calibration."
        )
    for row in ranks[(ranks["smallest"] >= 0) & ranks["largest"].between(*_LIKE_PERCENT)].itertuples():
        name = f"{row.task}: {label_of(row.system, row.method)}"
        yield f"{name} ranges from {row.smallest:g} to {row.largest:g}. If these are percentages, write them with %."


def _counted(words: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {count:,}" for word, count in Counter(words).most_common())


def _answers_read(files: pd.DataFrame) -> TablePart:
    """Return the table of files, without columns that are empty."""
    shown = files.drop(columns=["smallest", "largest"])
    limits = zip(map(number, files["smallest"]), map(number, files["largest"]), strict=True)
    shown["confidences"] = list(map(" to ".join, limits))
    shown["wrong_grades"] = shown["wrong_grades"].map(_counted)
    shown["probability"] = np.where(shown["probability"], "yes", "no")
    optional = ["grader", "method", "wrong_grades", "without_confidence", "of_these_right", "without_grade"]
    shown = shown.drop(columns=[name for name in optional if not shown[name].astype(bool).any()])
    return plain_table("Answers read", shown.rename(columns=lambda name: name.replace("_", " ")))


def _tables(result: AnswersResult, task: str) -> Iterator[TablePart]:
    """Yield the tables of a task."""
    figures = where(result.figures, task=task)
    for scores, words in _SCORES.items():
        part = where(figures, scores=scores)
        if len(part):
            yield TablePart(f"{task}: confidences {words}", _by_system(part))
    published = figures[figures["paper"].notna()]
    if len(published):
        yield beside_paper(f"{task}: compared with the published values", published, _key(published))
    for title, pairs in (("differences", result.comparisons), ("differences between graders", result.graders)):
        if len(pairs := where(pairs, task=task)):
            yield _differences(f"{task}: {title}", pairs)


def _key(figures: pd.DataFrame) -> list[str]:
    """Return those of the columns system, method and grader that are not empty."""
    return [name for name in ("system", "method", "grader") if (figures[name] != "").any()]


def _by_system(figures: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each system, method and grader, and a column for each metric."""
    key = _key(figures)
    texts = figures.assign(text=list(map(number, figures["ours"], figures["low"], figures["high"])))
    rows = texts.drop_duplicates(key).set_index(key)
    cells = texts.pivot(index=key, columns="quantity", values="text").reindex(rows.index).fillna(DASH)
    shown: dict[tuple[str, str], Any] = {("", name): rows.index.get_level_values(name) for name in key}
    shown["", "n"] = [f"{n:,}" for n in rows["n"]]
    for heading, quantities in _JUDGED.items():
        shown |= {(heading, title_of(name)): cells[name].tolist() for name in quantities if name in cells}
    return pd.DataFrame(shown)


def _differences(title: str, pairs: pd.DataFrame) -> TablePart:
    """Return a table of differences with their intervals; differences of the cost come first."""
    pairs = pairs.sort_values("quantity", key=lambda names: names != "ecuas_0", kind="stable")
    key = [name for name in ("system", "method", "grader") if name in pairs and pairs[name].nunique() > 1]
    shown = pairs[key].assign(metric=pairs["quantity"].map(title_of))
    if pairs["scores"].nunique() > 1:
        shown["confidences"] = pairs["scores"]
    shown[["first", "second"]] = pairs[["first", "second"]]
    shown["difference"] = list(map(number, pairs["difference"], pairs["low"], pairs["high"]))
    shown["p, adjusted"] = pairs["p_adjusted"].map(p_value)
    shown["questions"] = [f"{n:,}" for n in pairs["n"]]
    shown["right for one only"] = [f"{n:,}" for n in pairs["differ"]]
    return TablePart(title, shown, rows_in_text=_SHOWN)


def _charts(figures: pd.DataFrame, task: str) -> Iterator[Chart]:
    """Yield a chart for each grader: the cost of each system and method, with raw and calibrated confidences."""
    for grader, costs in where(figures, quantity="ecuas_0").groupby("grader", sort=False):
        if costs["ours"].isna().all():
            continue
        best = costs.loc[costs["ours"].idxmin()]
        first = f"{label_of(best.system, best.method)}, {_SCORES[best.scores]}"
        points = costs.assign(row=list(map(label_of, costs["system"], costs["method"])))
        kinds = {words: part for scores, words in _SCORES.items() if len(part := where(points, scores=scores))}
        data = costs[[*_SYSTEM, "method", "scores", "quantity", "ours", "low", "high", "paper"]]
        yield rows_chart(
            f"Cost ECUAS_0: {task}{f', graded by {grader}' if grader else ''}",
            f"{first}, costs least: {number(best['ours'])}. Lines: intervals.",
            Axis.around("ECUAS_0, log scale", "log", *(costs[name] for name in ("ours", "low", "high", "paper"))),
            list(dict.fromkeys(points["row"])),
            kinds if len(kinds) > 1 else {"": points},
            data.dropna(axis="columns", how="all"),
            what="system, method",
            height=_ROW,
            grey="Grey: published.",
        )
