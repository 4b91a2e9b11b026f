"""When should it abstain? A slider over exact stops of a threshold, and the places that people ask for."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skconf._core.numbers import DASH, decimal
from skconf._core.warn import collected
from skconf.inference._grouped_means import drawn_as_counts
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.stops import FEWEST, Stops
from skconf.report._page.chart import Axis, Band, Chart, Line, Mark
from skconf.report._page.marks import N_SERIES
from skconf.report._page.parts import ChartPart, Part, Prose, Section
from skconf.report._page.slider import Slider
from skconf.report._page.tables import TablePart
from skconf.report._sections.words import Words
from skconf.selective import TunedThreshold, required_samples, tune_threshold

#: Shares of errors among the answers that people allow.
TARGETS = (0.01, 0.02, 0.05, 0.10)
#: The same of what graded answers lose; and shares of the mean cost.
_LOST, _OF_COST = (0.02, 0.05, 0.10, 0.20, 0.30), (0.25, 0.5, 0.75, 0.9)
#: Stops of the slider: of each model, and of all together.
_STOPS, _MOST_STOPS = 200, 400
_PERSON = "a case for people costs"
#: A limit of 0 on a logarithmic axis.
_FLOOR = 1e-12


class Place(NamedTuple):
    """A place of the slider.

    Attributes
    ----------
    share : float
        Share that is answered, of the model that made the place.
    words : str
        The place in words.
    stops : list of int
        The stop of each model there; -1 where it answers nothing.
    """

    share: float
    words: str
    stops: list[int]


def abstain(evidence: Evidence) -> Section:
    """Return the section: a slider, the table of errors allowed, and the curves."""
    stops = {model: Stops.of(profile, evidence.level) for model, profile in evidence.profiles.items()}
    titles = {model: evidence.title_of(model) for model in stops}
    parts: list[Part] = [_slider(evidence, stops), _allowed(evidence, stops), Prose(_notes(evidence), "note")]
    parts += [ChartPart(curves) for curves in _curves(titles, stops)]
    return Section("When should it abstain?", "Abstain", parts)


def targets_of(evidence: Evidence) -> Sequence[float]:
    """Return what people allow: shares of errors, or of what is lost; or mean costs below that of all answers."""
    if evidence.words.kind != "costs":
        return _LOST if evidence.words.kind == "graded" else TARGETS
    cost = next(iter(evidence.assessments.values())).accuracy
    return list(dict.fromkeys(float(f"{share * cost:.2g}") for share in _OF_COST if cost))


def _prices(evidence: Evidence) -> dict[str, float]:
    """Return the prices that are shown first: of an error and of a person; a person costs as much as a mean answer."""
    if evidence.words.kind != "costs":
        return {evidence.words.price: 10.0, _PERSON: 1.0}
    cost = next(iter(evidence.assessments.values())).accuracy
    return {evidence.words.price: 1.0, _PERSON: float(f"{cost:.2g}")}


def _slider(evidence: Evidence, stops: Mapping[Any, Stops]) -> Slider:
    """Return the slider over the share answered."""
    places = _places(evidence, stops)
    tables, wrong, people = [], [], []
    for place in places:
        models = list(zip(evidence.profiles, stops.values(), place.stops, strict=True))
        answered = [each.answered[stop] if stop >= 0 else 0.0 for _, each, stop in models]
        missed = [each.answered[stop] * each.wrong[stop] if stop >= 0 else 0.0 for _, each, stop in models]
        columns = {
            "model": [evidence.title_of(model) for model, _, _ in models],
            _threshold(evidence): [each.threshold(stop) if stop >= 0 else DASH for _, each, stop in models],
            "answered of 1,000": [_thousand(share) for share in answered],
            evidence.words.of_these: [each.errors(stop) if stop >= 0 else DASH for _, each, stop in models],
            "to people": [_thousand(1 - share) for share in answered],
        }
        tables.append(pd.DataFrame(columns))
        wrong.append([round(1000 * share, 3) for share in missed])
        people.append([round(1000 * (1 - share), 3) for share in answered])
    return Slider(
        "Answer at least",
        [place.words for place in places],
        tables,
        _default(evidence, places, (wrong, people)),
        amounts=dict(zip(_prices(evidence), (wrong, people), strict=True)),
        prices=_prices(evidence),
        total="cost of 1,000",
    )


def _threshold(evidence: Evidence) -> str:
    """Return the heading of what is accepted."""
    return "uncertainty at most" if evidence.words.kind == "costs" else "threshold"


def _places(evidence: Evidence, stops: Mapping[Any, Stops]) -> list[Place]:
    """Return the places of the slider: exact stops of all models, and given thresholds, from few answers to all."""
    each_model = list(stops.values())
    most = min(_STOPS, _MOST_STOPS // len(each_model))
    shares: list[float] = []
    for each in each_model:
        fits = {stop for target in targets_of(evidence) if (stop := each.at_most_wrong(target)) >= 0}
        kept = each.spread(most) | fits
        shares += each.answered[sorted(kept)].tolist()
    places = [Place(0.0, "0 of 1,000", [-1] * len(each_model))]
    places += [
        Place(share, f"{_thousand(share)} of 1,000", [each.at_share(share) for each in each_model])
        for share in sorted(set(shares))
    ]
    for threshold in _thresholds(evidence):
        at = [each.at_threshold(threshold) for each in each_model]
        share = float(each_model[0].answered[at[0]]) if at[0] >= 0 else 0.0
        places.append(Place(share, f"{_thousand(share)} of 1,000 (threshold {threshold:g})", at))
    return sorted(places, key=lambda place: place.share)


def _thresholds(evidence: Evidence) -> list[float]:
    """Return the finite thresholds that predictions come with; 0 accepts everything, as none does."""
    given = dict.fromkeys(profile.threshold for profile in evidence.profiles.values())
    return [threshold for threshold in given if threshold is not None and np.isfinite(threshold) and threshold > 0]


def _default(evidence: Evidence, places: Sequence[Place], amounts: Sequence[Sequence[Sequence[float]]]) -> int:
    """Return the place to show first: a given threshold, else where the first model costs least."""
    named = [at for at, place in enumerate(places) if "threshold" in place.words]
    if _thresholds(evidence) and named:
        return named[0]
    of_error, of_person = _prices(evidence).values()
    return int(np.argmin([of_error * wrong[0] + of_person * people[0] for wrong, people in zip(*amounts, strict=True)]))


def _allowed(evidence: Evidence, stops: Mapping[Any, Stops]) -> TablePart:
    """Return the table of errors allowed: thresholds that were seen to do, and those that are assured."""
    words, targets = evidence.words, targets_of(evidence)
    of_costs = words.kind == "costs"
    shown: dict[tuple[str, str], list[str]] = {
        ("", words.at_most): [allowed_in_words(words, target) for target in targets]
    }
    reasons: list[str] = []
    for model, each in stops.items():
        title = evidence.title_of(model)
        seen = [each.at_most_wrong(target) for target in targets]
        limit = f"seen {_threshold(evidence)}"
        shown[title, limit] = [each.threshold(stop) if stop >= 0 else "nothing" for stop in seen]
        shown[title, "answered of 1,000"] = [_thousand(each.answered[stop]) if stop >= 0 else DASH for stop in seen]
        shown[title, words.of_these] = [each.errors(stop) if stop >= 0 else DASH for stop in seen]
        if of_costs:
            continue
        found_at = [assured(evidence, model, each, target) for target in targets]
        shown[title, "assured threshold"] = [found.threshold for found in found_at]
        shown[title, "answered"] = [found.answers for found in found_at]
        lacking: dict[str, list[str]] = {}
        for target, found in zip(targets, found_at, strict=True):
            if found.reason:
                lacking.setdefault(found.reason, []).append(allowed_in_words(words, target))
        subject = f"{title}, " if evidence.several else ""
        reasons += [f"{subject}{' and '.join(at)} not assured: {why}." for why, at in lacking.items()]
    what = "mean costs" if of_costs else "errors"
    return TablePart(f"Thresholds for the {what} that you allow", pd.DataFrame(shown), tuple(reasons))


def allowed_in_words(words: Words, target: float) -> str:
    """Return what is allowed."""
    return f"{target:g}" if words.kind == "costs" else f"{100 * target:g} %"


class Assured(NamedTuple):
    """An assured threshold in words.

    Attributes
    ----------
    threshold, answers : str
        The threshold, and how many of 1,000 cases it answers; or what is lacking.
    reason : str
        Why there is none, and what would help; "" if the threshold says it.
    """

    threshold: str
    answers: str = DASH
    reason: str = ""


def assured(evidence: Evidence, model: Any, stops: Stops, target: float) -> Assured:
    """Return the threshold that is assured, or why there is none."""
    profile, level = evidence.profiles[model], evidence.level
    if profile.sample_weight is not None or profile.kind == "costs":
        return Assured(DASH)
    n_units = len(profile) if profile.groups is None else len(np.unique(profile.groups))
    needed = required_samples(target, level)
    if n_units < needed:
        return Assured(f"nothing: takes {needed:,} {'rows' if profile.groups is None else 'groups'}")
    with collected():  # where nothing qualifies, the table says so
        found = tune_threshold(drawn_as_counts(profile), target=target, confidence_level=level, random_state=0)
    if not found.feasible:
        units = "rows" if profile.groups is None else "groups"
        return Assured("nothing", reason=_lacking(found, stops, target, level, units))
    stop = stops.at_threshold(found.threshold)
    return Assured(stops.threshold(stop), _thousand(stops.answered[stop]))


def _lacking(found: TunedThreshold, stops: Stops, target: float, level: float, units: str) -> str:
    """Return how many rows, or groups, would assure what these do not, in words."""
    if not (stops.wrong[stops.size >= FEWEST] < target).any():
        return f"more {units} of this kind would not help: no threshold has been seen to reach it"
    closest = int(np.argmin(found.results["risk_upper_bound"]))
    coverage, risk = (float(found.results[name][closest]) for name in ("coverage", "risk"))
    errors = round(risk * coverage * found.n_samples)
    if errors >= target * coverage * found.n_samples:
        return f"more {units} may help: what is seen to reach it rests on few answers"
    needed = required_samples(target, level, coverage=coverage, errors=errors)
    return f"{found.n_samples:,} {units} are too few; about {needed:,} like these would do"


def _notes(evidence: Evidence) -> str:
    """Return what seen and assured mean."""
    level, words, profiles = f"{100 * evidence.level:g} %", evidence.words, evidence.profiles.values()
    what = {"right or wrong": "share of errors", "graded": "mean loss", "costs": "mean cost"}[words.kind]
    text = (
        f"Seen: chosen by looking at these rows, among at least {FEWEST} answers; new cases will do a little worse. "
        "The intervals are of one threshold that was fixed beforehand. "
    )
    if words.kind == "graded":
        text += "Lost: 1 − correctness, in the mean. "
    if any(profile.groups is not None for profile in profiles):
        text += "Intervals draw groups, whose answers depend on each other. "
    if words.kind == "costs":
        return f"{text}No threshold is assured: costs have no bound."
    if any(profile.sample_weight is not None for profile in profiles):
        return text + "Assured: not for weighted rows, as the rule counts each row once."
    text += (
        f"Assured: choose a line of the table before you look. With a probability of {level}, the {what} "
        "among answers to new cases is then at most that, if new cases are like these, and none of these trained the "
        "model. A line, or a model, that is chosen after looking is not covered (in Python: tune_threshold with "
        "n_candidates)."
    )
    if words.kind == "graded":
        text += " The rule counts: each answer is drawn once as right, with a probability of its correctness, or wrong."
    if any(profile.groups is not None for profile in profiles):
        text += " It takes one answer of each group, drawn by lot."
    return text


def _thousand(share: float) -> str:
    """Return how many of 1,000 cases a share is; few of them with a decimal."""
    cases = 1000 * share
    return decimal(cases, 0 if cases == round(cases) or 1 <= cases <= 999 else 1 if cases >= 0.1 else 3)


def _curves(titles: Mapping[Any, str], stops: Mapping[Any, Stops]) -> list[Chart]:
    """Return the errors among answers against the share answered, from the first error on; nothing without errors."""
    marks: list[Mark] = []
    data = []
    for series, (model, each) in enumerate(stops.items()):
        name, colour, kept = titles[model], series % N_SERIES, each.shown()
        share, wrong, (low, high) = each.answered[kept], each.wrong[kept], each.ends(kept)
        seen = np.where(wrong > 0, wrong, np.nan)
        marks.append(Band(share, np.where(wrong > 0, np.maximum(low, _FLOOR), np.nan), high, series=colour, step=True))
        marks.append(Line(share, seen, name=name if len(stops) > 1 else None, series=colour, step=True))
        threshold = [each.threshold(stop) for stop in kept]
        columns = {"threshold": threshold, "answered": share, "wrong": wrong, "low": low, "high": high}
        data.append(pd.DataFrame(columns).assign(model=name))
    rates = np.concatenate([each.wrong[each.wrong > 0] for each in stops.values()])
    if not len(rates):
        return []
    first = min(float(each.answered[np.argmax(each.wrong > 0)]) for each in stops.values() if each.wrong[-1] > 0)
    answered = Axis("share answered, surest first", "percent", np.floor(10 * first - 0.5).clip(0) / 10, 1.0)
    words = next(iter(stops.values())).words
    finding = " ".join(_finding(titles[model], each) for model, each in stops.items())
    if words.kind == "costs":
        table = pd.concat(data)
        ends = [table.loc[table["answered"] >= 0.1, name] for name in ("wrong", "low", "high")]
        paid = Axis.around(words.of_these, "linear", *ends)
        return [Chart("Mean cost of the answers", finding, answered, paid, marks, table)]
    label = f"{words.of_these}, log scale"
    rate = Axis.around(label, "log percent", [max(rates.min(), rates.max() / 1000), rates.max()])
    return [Chart("Errors among the answers", finding, answered, rate, marks, pd.concat(data))]


def _finding(title: str, each: Stops) -> str:
    """Return what abstaining brings, in words."""
    none = int(np.argmax(each.wrong > 0)) - 1 if each.wrong[-1] > 0 else len(each.wrong) - 1
    free = f"; none of its surest {_thousand(each.answered[none])} in 1,000" if none >= 0 else ""
    free = free if each.words.kind == "right or wrong" else ""
    return f"{title}: {each.errors(-1)} {each.words.of_all}{free}."
