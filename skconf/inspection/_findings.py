"""The titles of displays: one sentence on what a picture shows.

A sentence says that values differ only if an interval shows it. Otherwise it only states the values.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from skconf._core.messages import capitalized
from skconf._core.numbers import decimal, digits_apart, exact, number, percent
from skconf._core.probabilities import Floats
from skconf.inspection._drawing import names_of
from skconf.inspection._scales import axis_percent, threshold_text

#: With at most this many models, a title has the value of each; with more, only the lowest and the highest value.
_MOST_NAMED = 3
#: Longest name in a title.
_LONGEST = 24
#: With a wider interval of the accuracy, the title only says that there are too few answers.
_WIDEST = 0.3
#: Accuracies that are used as goals of a threshold.
_GOALS = (0.8, 0.9, 0.95, 0.99, 0.999)
#: Titles have the risk at this coverage, and count the errors with at least this confidence.
_HALF, _HIGH = 0.5, 0.9
#: The price of a rejection at which several models are compared.
_CHEAP = 0.1
#: Name of the curve of the mean cost of a case.
COST = "cost of a case"
#: The words for an average confidence above, below and within the interval of the accuracy.
_STATES = ("overconfident", "underconfident", "no clear gap")


def of_reliability(shown: Sequence[Any]) -> str:
    """Compare average confidence and accuracy: overconfident, underconfident, or no clear gap."""
    if any(each.overall is None for each in shown):
        return ""  # the display was made from the numbers of bins
    last = shown[-1]
    least, what = last.overall[-1], "" if last.class_label is None else f"probability of {last.class_label}: "
    where = f" at {threshold_text(least)} or more" if least else ""
    words = ("too high", "too low", "no clear gap") if what else _STATES
    if len(shown) == 1:
        if last.before is not None:
            before, after = (_points(_mean_gap(each)) for each in (last.before, last))
            return capitalized(f"{what}mean gap (ECE) {before} before, {after} after")
        if last.strategy == "binless" and last.view != "tail":
            return capitalized(what + _of_band(last.confidence, last.low, last.high, *words[:2]))
        sure, right, low, high, _ = last.overall
        if _state(last, words) == words[-1] and high - low > _WIDEST:
            return f"Too few answers{where} to say: {'share' if what else 'accuracy'} {percent(low)} to {percent(high)}"
        return capitalized(f"{what}{_state(last, words)}{where}: {_rates(sure, right, last.view, bool(what))}")
    alike: dict[str, list[tuple[str, float]]] = {}
    for name, each in zip(_names(shown), shown, strict=True):
        alike.setdefault(_state(each, words), []).append((name, each.overall[0] - each.overall[1]))
    first, *_ = states = [state for state in words if state in alike]
    parts = [
        f"{state}{where if state == first else ''}: {_alike(alike[state], with_gaps=state != words[-1])}"
        for state in states
    ]
    return capitalized(what + "; ".join(parts))


def _state(display: Any, words: tuple[str, str, str]) -> str:
    """Return the words for an average confidence above, below or within the interval of the accuracy."""
    sure, _, low, high, _ = display.overall
    return words[0] if sure > high else words[1] if sure < low else words[2]


def _mean_gap(display: Any) -> float:
    """Return the mean distance of the bins from the diagonal. Each bin counts with its weight."""
    return float(display.weight @ np.abs(display.accuracy - display.confidence) / display.weight.sum())


def _of_band(sure: Floats, low: Floats, high: Floats, too_high: str, too_low: str) -> str:
    """Say where a simultaneous band does not contain the diagonal."""
    if (low > high).any():
        return "no rising curve fits the answers, so the band is empty in places"
    found = [
        f"{state} from {' to '.join(threshold_text(sure[at]) for at in ends)}"
        for state, out in ((too_high, high < sure), (too_low, low > sure))
        if (ends := widest_run(sure, out)) is not None
    ]
    return "; ".join(found) or "no clear gap: the band covers the diagonal"


def widest_run(x: Floats, where: Any) -> tuple[int, int] | None:
    """Return the first and last position of the run of True that spans most of ascending x; None without a True."""
    runs = np.flatnonzero(np.diff(np.concatenate([[0], where, [0]]))).reshape(-1, 2)
    if not len(runs):
        return None
    first, end = max(runs.tolist(), key=lambda run: float(x[run[1] - 1] - x[run[0]]))
    return first, end - 1


def _rates(sure: float, right: float, view: str, of_class: bool) -> str:
    if view == "tail":
        return f"{percent(1 - right)} {'are not' if of_class else 'wrong'}, {percent(1 - sure)} expected"
    digits = digits_apart(sure, right)
    share, average = (f"{decimal(100 * each, digits)}%" for each in (right, sure))
    return (
        f"share {share}, average probability {average}"
        if of_class
        else f"{share} right at an average confidence of {average}"
    )


def _alike(models: Sequence[tuple[str, float]], *, with_gaps: bool) -> str:
    """Name models with the same finding, with their gaps in points. If they are many, count them and name the worst."""
    texts = [f"{name} (by {_points(gap)})" if with_gaps else name for name, gap in models]
    if len(models) <= _MOST_NAMED:
        return ", ".join(texts)
    worst = texts[int(np.argmax([abs(gap) for _, gap in models]))]
    return f"{len(models)} models" + (f", most {worst}" if with_gaps else "")


def _points(gap: float) -> str:
    return f"{decimal(abs(100 * gap), 1) if abs(gap) >= 5e-4 else number(abs(100 * gap))} points"


def of_risk_coverage(shown: Sequence[Any]) -> str:
    """Give the risk of the more confident half, or say where a model has fewer errors than its baseline."""
    if all(each.difference is not None for each in shown):
        return _of_differences(shown)
    risks = [_risk_of_half(each.coverage, each.risk) for each in shown]
    if len(shown) > 1:
        return f"Risk of the most confident half: {_spread(shown, risks, percent)}"
    of_all = float(shown[0].risk[-1])
    if len(shown[0].risk) == 1:
        return f"Risk {percent(of_all)}: equal confidences, which no threshold separates"
    verb = "falls" if risks[0] < of_all else "does not fall: it goes"
    return f"Risk {verb} from {percent(of_all)} to {percent(risks[0])} for the most confident half"


def _of_differences(shown: Sequence[Any]) -> str:
    """Say at which coverages models have fewer or more errors than the baseline, by simultaneous bands."""
    said = []
    for name, each in zip(_names(shown), shown, strict=True):
        found, subject = each.difference, "" if len(shown) == 1 and each.name is None else f"{name}: "
        if np.isnan(found.low).all():
            said.append(f"{subject}too few errors to compare")
            continue
        parts = [f"{what} errors at {_coverages(found.coverage, ends)}" for what, ends in found.runs().items()]
        said.append(subject + (", ".join(parts) or "no clear difference at any coverage"))
    return capitalized(said[0]) if len(shown) == 1 and shown[0].name is None else "; ".join(said)


def _coverages(coverage: Floats, ends: tuple[int, int]) -> str:
    texts = dict.fromkeys(f"{100 * coverage[at]:.0f}%" for at in ends)
    return f"{'coverages' if len(texts) > 1 else 'a coverage'} of {' to '.join(texts)}"


def _risk_of_half(coverage: Floats, risk: Floats) -> float:
    """Return the height of the drawn curve at half coverage, where tied answers are in random order."""
    errors = np.append(0.0, coverage * risk)
    return float(np.interp(_HALF, np.append(0.0, coverage), errors)) / _HALF


def of_threshold(shown: Sequence[Any]) -> str:
    """Give the values at the chosen threshold. Without one, give a threshold of least cost or of a round accuracy."""
    first, chosen = shown[0], [_chosen(each) for each in shown]
    if len(shown) == 1 and first.threshold is not None and set(first.curves) != {COST}:
        if not np.isfinite(first.threshold):
            return "No threshold was good enough: everything is rejected"
        if chosen[0] is not None:
            values = {label: float(curve[chosen[0]]) for label, curve in first.curves.items()}
            told = ", ".join(f"{label} {_text_of(label)(value)}" for label, value in values.items())
            return f"Threshold {threshold_text(first.threshold)}: {told}"
    if all(set(each.curves) == {COST} for each in shown):
        return _cheapest(shown)
    if all("selective accuracy" in each.curves for each in shown):
        return _reaching(shown)
    label, values = next(iter(first.curves.items()))
    if len(shown) > 1 and all(label in each.curves for each in shown):
        if None not in chosen:
            reached = [float(each.curves[label][at]) for each, at in zip(shown, chosen, strict=True)]
            return f"{capitalized(label)} at the chosen thresholds: {_spread(shown, reached, _text_of(label))}"
        middle = len(first.thresholds) // 2
        at = float(first.thresholds[middle])
        heights = [float(np.interp(at, each.thresholds, each.curves[label])) for each in shown]
        return f"{capitalized(label)} at a threshold of {threshold_text(at)}: {_spread(shown, heights, number)}"
    ends = " to ".join(f"{number(values[end])} at {threshold_text(first.thresholds[end])}" for end in (0, -1))
    return f"{capitalized(label)} goes from {ends}"


def _chosen(shown: Any) -> int | None:
    """Return the position of the chosen threshold among the thresholds of the curves; None if it is not among them."""
    if shown.threshold is None:
        return None
    at = np.flatnonzero(np.isclose(shown.thresholds, shown.threshold, rtol=0, atol=1e-12))
    return int(at[0]) if len(at) else None


def _text_of(label: str) -> Callable[[float], str]:
    return percent if label in ("coverage", "risk", "selective accuracy") else number


def _reaching(shown: Sequence[Any]) -> str:
    """Give the lowest threshold that reaches a round accuracy, such as 99%, above the accuracy of all answers."""
    accuracy = [each.curves["selective accuracy"] for each in shown]
    before = max(float(values[0]) for values in accuracy)
    goal = next((each for each in _GOALS if each > before), 1.0)
    from_on = [
        float(each.thresholds[reached[0]]) if len(reached := np.flatnonzero(values >= goal)) else np.inf
        for each, values in zip(shown, accuracy, strict=True)
    ]
    lowest = f"Lowest threshold with an accuracy of {axis_percent(goal)} or more"
    if len(shown) == 1:
        if np.isinf(from_on[0]):
            return (
                f"No threshold reaches an accuracy of {axis_percent(goal)}: at most {percent(np.nanmax(accuracy[0]))}"
            )
        covered = shown[0].curves.get("coverage", np.full(len(accuracy[0]), np.nan))
        share = float(covered[np.searchsorted(shown[0].thresholds, from_on[0])])
        accepted = "" if np.isnan(share) else f", where {percent(share)} are accepted"
        return f"{lowest}: {threshold_text(from_on[0])}{accepted}"
    return f"{lowest}: {_spread(shown, from_on, _or_never)}"


def _cheapest(shown: Sequence[Any]) -> str:
    """Say at which threshold a case costs least."""
    at = [int(np.argmin(each.curves[COST])) for each in shown]
    cost = [float(each.curves[COST][place]) for each, place in zip(shown, at, strict=True)]
    if len(shown) > 1:
        return f"Least cost of a case: {_spread(shown, cost, number)}"
    each, of_all = shown[0], float(shown[0].curves[COST][0])
    less = "" if at[0] == 0 else f", {number(of_all)} if all are accepted"
    return f"Cheapest at a threshold of {threshold_text(float(each.thresholds[at[0]]))}: {number(cost[0])} a case{less}"


def of_confusion(shown: Sequence[Any]) -> str:
    """Say how many cases are rejected, and which confusion is most frequent among the accepted ones."""
    if len(shown) > 1:
        wrong = [each.share_wrong for each in shown]
        if not any(each.threshold > 0 for each in shown):
            return f"Wrong: {_spread(shown, wrong, percent)}"
        return f"Wrong among the accepted: {_spread(shown, wrong, percent)}"
    last = shown[-1]
    total, accepted = float(last.counts.sum()), float(last.counts[:, :-1].sum())
    if not accepted:
        return f"All {exact(total)} cases are rejected"
    if last.counts[:, -1].any() or last.threshold > 0:
        share = f"{percent(accepted / total)} accepted, {percent(last.share_wrong)} of these wrong"
    else:
        share = f"{percent(last.share_wrong)} wrong"
    confused = last.counts[:, :-1] * (1 - np.eye(len(last.counts)))
    true, said = np.unravel_index(int(np.argmax(confused)), confused.shape)
    if not confused[true, said]:
        return share
    return f"{share}; most frequent error: {last.labels[true]} is predicted as {last.labels[said]}"


def _or_never(threshold: float) -> str:
    return "none" if np.isinf(threshold) else threshold_text(threshold)


def of_histogram(shown: Sequence[Any]) -> str:
    """Say how many of the errors have a high confidence."""
    edges = shown[0].edges
    low = min(int(np.searchsorted(edges, _HIGH - 1e-9)), len(edges) - 2)
    if len(shown) == 1:
        wrong, right = shown[0].wrong, shown[0].right
        if not wrong.sum():
            return f"None of {exact(right.sum())} answers is wrong"
        high = f"{_of_all(wrong[low:].sum(), wrong.sum())} errors"
        good = f", and {percent(right[low:].sum() / right.sum())} of right answers" if right.sum() else ""
        return f"{high} have a confidence of {threshold_text(edges[low])} or more{good}"
    alike = all(np.array_equal(each.edges, edges) for each in shown)
    tops = [each.edges[:-1] >= (edges[low] if alike else _HIGH) - 1e-9 for each in shown]
    shares = [float(each.wrong[top].sum() / (each.wrong.sum() or 1.0)) for each, top in zip(shown, tops, strict=True)]
    least = threshold_text(edges[low]) if alike else f"about {_HIGH}"
    return f"Errors with a confidence of {least} or more: {_spread(shown, shares, percent)}"


def _of_all(part: float, whole: float) -> str:
    """Write how much of a whole a part is: "3 of 20", or "15.0% of" if weights make them fractions."""
    counts = float(part).is_integer() and float(whole).is_integer()
    return f"{part:,.0f} of {whole:,.0f}" if counts else f"{percent(part / whole)} of"


def of_ecuas(shown: Sequence[Any]) -> str:
    """Say whether answering is cheaper than rejecting everything, and by how much."""
    last = shown[-1]
    if last.kind == "answer":
        at = int(np.argmin(np.abs(last.x - _HIGH)))
        (n, right), (_, wrong) = ((label.split(", ")[1], line[at]) for label, line in list(last.curves.items())[:2])
        where = f"At a confidence of {threshold_text(last.x[at])}"
        return f"{where} an error costs {number(wrong)}, a right answer {number(right)} ({n})"
    if last.kind == "n":
        costs = [float(each.curves["ECUAS"][0]) for each in shown]
        told = number(costs[0]) if len(shown) == 1 else _spread(shown, costs, number)
        return f"ECUAS at n = {exact(last.x[0])}: {told}; rejecting everything costs 1"
    if len(shown) > 1:
        price = float(last.x[np.argmin(np.abs(last.x - _CHEAP))])
        costs = [float(np.interp(price, each.x, each.curves["cost"])) for each in shown]
        return f"Mean cost where a rejection costs {number(price)}: {_spread(shown, costs, number)}"
    return _worthwhile(last.x, last.curves["cost"] < np.minimum(last.x, last.error_rate) - 1e-12)


def _worthwhile(prices: Floats, cheaper: Any) -> str:
    """Give the prices of a rejection at which rejecting some is cheaper than rejecting all or none."""
    ends = widest_run(prices, cheaper)
    if ends is None:
        return "It never pays to reject only some cases, whatever a rejection costs"
    between = " to ".join(number(prices[at]) for at in ends)
    return f"If a rejection costs {between}, rejecting some cases is cheaper than rejecting all or none"


def of_roc(shown: Sequence[Any]) -> str:
    """Say whether the ranking is better among confident answers than among all answers."""
    if any(np.isnan(each.cw_auc) for each in shown):
        return "No curve: all answers are of one class"
    if len(shown) > 1:
        return f"Area weighted by confidence: {_spread(shown, [each.cw_auc for each in shown], _area)}"
    plain, weighted = _area(shown[0].auc), _area(shown[0].cw_auc)
    gain = shown[0].cw_auc - shown[0].auc
    how = "as good" if plain == weighted else "better" if gain > 0 else "worse"
    than = "as" if plain == weighted else "than"
    areas = f"area weighted by confidence {weighted}, unweighted {plain}"
    return f"The ranking is {how} among confident answers {than} among all: {areas}"


def _area(value: float) -> str:
    return decimal(value, 3)


def _names(shown: Sequence[Any]) -> list[str]:
    """Return the names of the models for a title, where long names are cut."""
    return [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in names_of(shown)]


def _spread(shown: Sequence[Any], values: Sequence[float], text: Callable[[float], str]) -> str:
    """Write the value of each model; for many models, only the lowest and the highest value."""
    named = list(zip(_names(shown), values, strict=True))
    if len(named) <= _MOST_NAMED:
        return ", ".join(f"{name} {text(value)}" for name, value in named)
    ends = (min(named, key=lambda each: each[1]), max(named, key=lambda each: each[1]))
    return " to ".join(f"{text(value)} ({name})" for name, value in ends)
