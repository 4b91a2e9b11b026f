"""The section "When should it abstain?": a slider over the possible thresholds, and a table by allowed errors."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.messages import capitalized, listed
from skconf._core.numbers import DASH, decimal
from skconf.report._evidence.cells import BEGINS
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.places import Place, default_place, places_of, prices_of
from skconf.report._evidence.stops import FEWEST, Stops
from skconf.report._evidence.thresholds import Guarantee
from skconf.report._page.axes import FLOOR
from skconf.report._page.chart import Axis, Band, Chart, Line, Mark
from skconf.report._page.parts import Part, Prose, Section
from skconf.report._page.slider import Slider
from skconf.report._page.tables import TablePart
from skconf.report._sections.guaranteed import guaranteed_parts
from skconf.report._sections.words import begun, errors_at, start_of, thousand, threshold_at, words_for, words_of

#: The second price that the slider asks for.
PERSON = "a case sent to a person costs"
#: At most this many distinct confidences are mentioned.
_FEW_DISTINCT = 20


def abstain(evidence: Evidence) -> Section:
    """Return the section: a slider beside the curves, and the table of thresholds for the allowed errors."""
    curve = _curve({model: evidence.title_of(model) for model in evidence.stops}, evidence.stops)
    costs = ((start_of(evidence, model), own_cost_in_words(evidence, model)) for model in evidence.own_costs)
    ties = ((start_of(evidence, model), _ties(evidence, model)) for model in evidence.profiles_by_harm)
    parts: list[Part] = [
        _slider(evidence, curve),
        *(Prose(f"{start}cost {text}" if start else f"Cost: {text}") for start, text in costs),
        _allowed(evidence),
        *(Prose(begun(start, text)) for start, text in ties if text),
        *_by_another_score(evidence),
        *guaranteed_parts(evidence),
        Prose(_notes(evidence), "note"),
    ]
    return Section(f"When should {'they' if evidence.several else 'it'} abstain?", "Abstain", parts)


def own_cost_in_words(evidence: Evidence, model: Any) -> str:
    """Say what 1,000 cases cost with a model that decides by costs, computed with these costs."""
    own: Any = evidence.profiles[model].own_costs
    by = [own.parameter] if own.parameter else []
    others = ""
    if own.reject_cost is not None:
        by.append(f"reject_cost={own.reject_cost:g}")
        others = f", and {thousand(own.reject_cost)} if every case were rejected"
    return f"{thousand(evidence.own_costs[model])} in 1,000 cases, by its own {listed(by)}{others}."


def least_cost_in_words(evidence: Evidence, model: Any) -> str:
    """Say at which threshold a model costs least at the given prices."""
    words, stops, (of_error, of_person) = words_of(evidence), evidence.stops[model], prices_of(evidence)
    costs = stops.cost(of_error, of_person)
    stop = int(np.argmin(costs))
    text = f"If {words.price} {of_error:g} and {PERSON} {of_person:g}, "
    if of_person <= costs[stop]:
        return f"{text}no threshold costs less than sending every case to a person."
    least = f"costs least: {thousand(float(costs[stop]))} per 1,000 cases"
    if stop == len(costs) - 1:
        return f"{text}answering every case {least}."
    return f"{text}{_reach(evidence, stops, stop)} {least}, of which {thousand(stops.answered[stop])} are answered."


def _ties(evidence: Evidence, model: Any) -> str:
    """Say that there are few distinct confidences, if many answers share them."""
    profile = evidence.profiles[model]
    n_distinct = len(profile.ranking.score)
    if profile.kind == "costs" or n_distinct > _FEW_DISTINCT or n_distinct * FEWEST > len(profile):
        return ""
    largest = int(np.argmax(profile.ranking.weight))
    share, score = profile.ranking.weight[largest] / profile.ranking.total_weight, float(profile.ranking.score[largest])
    at = f"a confidence of {100 * score:g}%" if profile.ranks_by_confidence else f"a score of {score:g}"
    numbers = "only 1 distinct confidence" if n_distinct == 1 else f"only {n_distinct} distinct confidences"
    together = f"{decimal(100 * float(share), 0)}% of answers have {at}: a threshold accepts all of them or none."
    return f"the answers have {numbers}. {together}"


def _slider(evidence: Evidence, curve: Chart | None) -> Slider:
    """Return the slider over the share answered."""
    places, words, (of_error, of_person) = places_of(evidence), words_of(evidence), prices_of(evidence)
    models = [(evidence.title_of(model), stops) for model, stops in evidence.stops.items()]
    cells = [
        [
            [title, *_at(stops, stop, answered)]
            for (title, stops), stop, (answered, *_) in zip(models, place.stops, place.rates, strict=True)
        ]
        for place in places
    ]
    return Slider(
        "Answer at least",
        list(map(_place, places)),
        ["model", words.threshold, "answered of 1,000", words.of_these, "sent to a person"],
        cells,
        default_place(places, of_error, of_person),
        named=2,
        allowed=words.field,
        errors=[[words.typed(rate) if size >= FEWEST else None for _, rate, size in place.rates] for place in places],
        amounts={
            words.price: [place.wrong_of_1000 for place in places],
            PERSON: [place.left_of_1000 for place in places],
        },
        prices={words.price: of_error, PERSON: of_person},
        are_examples=evidence.prices is None,
        total="cost of 1,000",
        curve=curve,
        places=[[(share, rate) for share, rate, _ in place.rates] for place in places],
    )


def _place(place: Place) -> str:
    """Return a place in words."""
    given = "" if place.threshold is None else f" (threshold {place.threshold:g})"
    return f"{thousand(place.share)} of 1,000{given}"


def _at(stops: Stops, stop: int, answered: float) -> list[str]:
    """Return the cells of a model at a place: threshold, answers, errors, and the cases sent to a person."""
    limit, errors = (threshold_at(stops, stop), errors_at(stops, stop)) if stop >= 0 else (DASH, DASH)
    return [limit, thousand(answered), errors, thousand(1 - answered)]


def _allowed(evidence: Evidence) -> TablePart:
    """Return the table of the allowed errors, with an observed and a guaranteed threshold for each."""
    words, targets = words_of(evidence), evidence.targets
    allowed = [words.limit(target) for target in targets]
    shown: dict[tuple[str, str], list[str]] = {("", words.at_most): allowed}
    reasons: list[str] = []
    reached = {model: [stops.at_most_wrong(target) for target in targets] for model, stops in evidence.stops.items()}
    some = max(map(max, reached.values()), default=-1) >= 0
    for model, stops in evidence.stops.items():
        title, seen = evidence.title_of(model), reached[model]
        if some and max(seen) < 0:
            reasons.append(f"{title}: no threshold keeps any of these limits.")
            continue
        columns = {
            f"observed {words.threshold}": [threshold_at(stops, stop) if stop >= 0 else "none" for stop in seen],
            "answered of 1,000": [thousand(stops.answered[stop]) if stop >= 0 else DASH for stop in seen],
            words.of_these: [errors_at(stops, stop) if stop >= 0 else DASH for stop in seen],
        }
        if evidence.kind != "costs":
            guarantees, units = [evidence.guarantee(model, target) for target in targets], evidence.units(model)
            columns["guaranteed threshold"] = [_guaranteed(each, stops, units) for each in guarantees]
            columns["answered"] = [
                thousand(stops.answered[each.stop]) if each.status == "guaranteed" else DASH for each in guarantees
            ]
            lacking = _lacking(allowed, guarantees, units)
            reasons += [f"{start_of(evidence, model)}{reason}" for reason in lacking]
        shown |= {(title, name): cells for name, cells in columns.items()}
    by = f", by {name}" if (name := _ranked_by(evidence)) else ""
    return TablePart(f"Thresholds for the {words.allowed} that you allow{by}", pd.DataFrame(shown), tuple(reasons))


def _lacking(limits: Sequence[str], guarantees: Sequence[Guarantee], units: str) -> list[str]:
    """Say which limits have no guarantee, and why."""
    lacking: dict[str, list[str]] = {}
    for limit, guarantee in zip(limits, guarantees, strict=True):
        if why := _why_not(guarantee, units):
            lacking.setdefault(why, []).append(limit)
    return [f"no guarantee of {listed(at)}: {why}." for why, at in lacking.items()]


def _ranked_by(evidence: Evidence) -> str:
    """Return the name of the score to which thresholds apply if there are two scores; else ""."""
    if evidence.score_name is None:
        return ""
    return "confidence" if evidence.scores else str(evidence.score_name)


def _by_another_score(evidence: Evidence) -> list[Part]:
    """Return the table of thresholds by the other score, and say which score answers more."""
    other = evidence.by_score
    if other is None:
        return []
    said = []
    for model in other.profiles:
        reached = {}
        for each in (evidence, other):
            found = each.guarantee(model, evidence.target)
            share = float(each.stops[model].answered[found.stop]) if found.status == "guaranteed" else 0.0
            reached[_ranked_by(each)] = share
        better = sorted(reached, key=lambda name: -reached[name])
        amounts = " and ".join(f"{thousand(reached[name])} by {name}" for name in better)
        allowed = words_of(evidence).limit(evidence.target)
        said.append(
            f"{start_of(evidence, model)}{amounts} of every 1,000 cases are answered at the guaranteed thresholds "
            f"({words_of(evidence).at_most} {allowed})."
        )
    both = "The guarantees of both scores hold at the same time, so you may look at both and take the better one."
    return [_allowed(other), Prose(f"{both} {' '.join(said)}")]


def best_threshold(evidence: Evidence, model: Any, *, in_short: bool) -> str:
    """Say which thresholds, guaranteed and observed, keep the limit of the summary; `in_short` uses few words."""
    stops, words, target = evidence.stops[model], words_of(evidence), evidence.target
    allowed, stop = words.limit(target), stops.at_most_wrong(target)
    observed = f"{words.share(float(stops.wrong[-1]))} {words.of_all}"
    keeps_all = bool(stops.wrong[-1] <= target)
    if stop < 0 and not keeps_all:
        return f"{observed}, and no threshold keeps the limit of {allowed}."
    if not keeps_all:
        observed = f"{_reach(evidence, stops, stop)}: {words.share(float(stops.wrong[stop]))} {words.of_answers}, "
        observed += f"{thousand(stops.answered[stop])} of every 1,000 cases are answered"
    guarantee = evidence.guarantee(model, target)
    if guarantee.status != "guaranteed":
        text = f"All answers: {observed}" if keeps_all else capitalized(observed)
        return f"{text}{_without_guarantee(guarantee, f'{words.at_most} {allowed}', evidence.units(model))}."
    # The guaranteed threshold comes first, because people copy the first one.
    promise = f"{words.at_most} {allowed} on new cases like these"
    promise += f", guaranteed with a probability of {100 * evidence.level:g}%"
    where = "At this prevalence" if model in evidence.at_prevalence else "In these rows"
    here = f"{where}, {'' if keeps_all or guarantee.stop == stop else 'without a guarantee, '}{observed}."
    if keeps_all and stops.answered[guarantee.stop] == stops.answered[-1]:
        return f"All answers: {promise}. {here}"
    answered = f"{thousand(stops.answered[guarantee.stop])} of every 1,000 cases are answered"
    if in_short and not keeps_all and guarantee.stop != stop:
        answered, share = answered.replace("cases are ", ""), thousand(stops.answered[stop])
        here = f"{words.share(float(stops.wrong[stop]))} {words.wrong}, {share} answered."
        here = f"Without a guarantee, {threshold_at(stops, stop)} or more: {here}"
    return f"{capitalized(_reach(evidence, stops, guarantee.stop))}: {promise}; {answered}. {here}"


def _without_guarantee(guarantee: Guarantee, promise: str, units: str) -> str:
    """Say what a guarantee needs, if there is a rule for one."""
    if guarantee.status == "no rule":
        return ""
    least = {"more rows": "about", "too few rows": "at least"}.get(guarantee.status)
    needs = "" if least is None else f": that needs {least} {guarantee.needed:,} {units}"
    return f" ({promise} cannot be guaranteed{needs})"


def _reach(evidence: Evidence, stops: Stops, stop: int) -> str:
    """Say which answers a threshold accepts."""
    return words_of(evidence).reached(_ranked_by(evidence) or "confidence", threshold_at(stops, stop))


def accepting(evidence: Evidence, model: Any) -> str:
    """Say which answers are accepted at the observed threshold for the limit of the summary.

    These are all answers if all together keep the limit, or if no threshold keeps it.
    """
    stops, words = evidence.stops[model], words_of(evidence)
    stop = stops.at_most_wrong(evidence.target)
    if stops.wrong[-1] <= evidence.target or stop < 0:
        return "all answers"
    limit = f"{words.at_most} {words.limit(evidence.target)}"
    return f"{_reach(evidence, stops, stop)} (observed threshold: {limit})"


def _guaranteed(guarantee: Guarantee, stops: Stops, units: str) -> str:
    """Write a guaranteed threshold, or "none"; with too few rows, also how many rows a guarantee needs."""
    if guarantee.status == "guaranteed":
        return threshold_at(stops, guarantee.stop)
    if guarantee.status == "too few rows":
        return f"none: needs {guarantee.needed:,} {units}"
    return DASH if guarantee.status == "no rule" else "none"


def _why_not(guarantee: Guarantee, units: str) -> str:
    """Return why no threshold is guaranteed, and what would help; "" if the table already says enough."""
    if guarantee.status == "never observed":
        return f"no threshold keeps the limit in these rows, and more {units} of this kind would not help"
    if guarantee.status == "few answers":
        return f"the limit is kept only if few answers are accepted, and more {units} may help"
    if guarantee.status == "more rows":
        return f"a guarantee needs about {guarantee.needed:,} {units} like these, and there are {guarantee.n_units:,}"
    return ""


def _notes(evidence: Evidence) -> str:
    """Explain observed and guaranteed thresholds."""
    level, kind, profiles = f"{100 * evidence.level:g}%", evidence.kind, evidence.profiles.values()
    risk = words_of(evidence).risk
    text = (
        f"Observed: this threshold was chosen on these rows, and accepts at least {FEWEST} answers. The intervals do "
        "not allow for this choice, so expect slightly more errors on new cases. "
    )
    if evidence.known_stops:
        text += (
            f"Because the predictions were read in batches, only {len(BEGINS)} thresholds are tried: one every 0.01 "
            "below 0.9, and closer ones above. "
        )
    if kind == "graded":
        text += "Mean loss: the average of 1 − correctness. "
    if any(profile.groups is not None for profile in profiles):
        text += "Answers of a cluster depend on each other, so intervals resample whole clusters. "
    if kind == "costs":
        return f"{text}No threshold is guaranteed: costs have no bound."
    if any(evidence.guarantee(model, evidence.target).status == "no rule" for model in evidence.profiles):
        return text + "Weighted rows have no guaranteed threshold, because the rule counts each row once."
    text += (
        f"Guaranteed: with a probability of {level}, the {risk} among answers to new cases is at most the limit. This "
        "holds only if new cases are like these rows, none of these rows trained the model, and you pick the limit "
        "before you look. If you pick it after looking, use tune_threshold with n_candidates."
    )
    if len(profiles) > 1:
        text += f" The guarantees hold for all {len(profiles)} models together: you may take the best one."
    if evidence.at_prevalence:
        text += " The rule uses a random part of the rows, in which the classes have the stated prevalence."
    if kind == "graded":
        text += (
            " The rule counts errors. So each graded answer is drawn once at random as right or wrong: it counts as "
            "right with a probability equal to its correctness."
        )
    if any(profile.groups is not None for profile in profiles):
        text += " The rule uses one random answer of each cluster."
    return text


def _curve(titles: Mapping[Any, str], stops: Mapping[Any, Stops]) -> Chart | None:
    """Chart the share of errors by the share answered, from the first error on; None if there are no errors."""
    marks: list[Mark] = []
    data = []
    for series, (model, each) in enumerate(stops.items()):
        name, kept = titles[model], each.shown()
        share, wrong, (low, high) = each.answered[kept], each.wrong[kept], each.ends(kept)
        seen = np.where(wrong > 0, wrong, np.nan)
        marks.append(Band(share, np.where(wrong > 0, np.maximum(low, FLOOR), np.nan), high, series=series, step=True))
        marks.append(Line(share, seen, name=name if len(stops) > 1 else None, series=series, step=True))
        threshold = [threshold_at(each, stop) for stop in kept]
        columns = {"threshold": threshold, "answered": share, "wrong": wrong, "low": low, "high": high}
        data.append(pd.DataFrame(columns).assign(model=name))
    rates = np.concatenate([each.wrong[each.wrong > 0] for each in stops.values()])
    if not len(rates):
        return None
    answered = Axis("share answered, most confident first", "percent")
    words = words_for(next(iter(stops.values())).kind)
    finding = " ".join(_finding(titles[model], each) for model, each in stops.items())
    if words.kind == "costs":
        table = pd.concat(data)
        ends = [table.loc[table["answered"] >= 0.1, name] for name in ("wrong", "low", "high")]
        paid = Axis.around(words.of_these, "linear", *ends)
        return Chart("Mean cost of the answers", finding, answered, paid, marks, table)
    label = f"{words.of_these}, log scale"
    rate = Axis.around(label, "log percent", [max(rates.min(), rates.max() / 1000), rates.max()])
    if any(each.wrong[0] == 0 for each in stops.values()):
        finding += " A mark at the lower edge shows that there are no errors."
    return Chart("Errors among the answers", finding, answered, rate, marks, pd.concat(data))


def _finding(title: str, each: Stops) -> str:
    """Say what abstaining brings."""
    none = int(np.argmax(each.wrong > 0)) - 1 if each.wrong[-1] > 0 else len(each.wrong) - 1
    free = f", none of the most confident {thousand(each.answered[none])} in 1,000" if none >= 0 else ""
    free = free if each.kind == "right or wrong" else ""
    return f"{title}: {errors_at(each, -1)} {words_for(each.kind).of_all}{free}."
