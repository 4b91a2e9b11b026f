"""When should it abstain? Every exact stop of a threshold, and the places that people ask for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf._core.warn import collected
from skconf._page.chart import Axis, Band, Chart, Line, Mark
from skconf._page.marks import N_SERIES
from skconf._page.parts import ChartPart, Part, Prose, Section
from skconf._page.slider import Slider
from skconf._page.tables import TablePart
from skconf.inference._p_values import clopper_pearson
from skconf.profile import ConfidenceProfile
from skconf.report._evidence import Evidence
from skconf.report._numbers import DASH, percent, plain
from skconf.selective import TunedThreshold, required_samples, tune_threshold

#: Shares of errors among the answers that people allow.
TARGETS = (0.01, 0.02, 0.05, 0.10)
#: Stops of the slider: of each model, and of all together.
_STOPS, _MOST_STOPS = 200, 400
_ERROR, _PERSON = "an error costs", "a case for people costs"
_PRICES = {_ERROR: 10.0, _PERSON: 1.0}
_ROUNDING = 1e-9
#: Fewest answers among which a share of errors says something.
_FEWEST = 20
#: A limit of 0 on a logarithmic axis.
_FLOOR = 1e-12


@dataclass(frozen=True, eq=False)
class Stops:
    """Every threshold that a model's scores allow, and what is answered there.

    Attributes
    ----------
    score : ndarray of shape (n_stops,)
        Distinct scores, descending.
    answered : ndarray of shape (n_stops,)
        Share of the predictions with this score or more.
    wrong : ndarray of shape (n_stops,)
        Share of errors among these.
    size : ndarray of shape (n_stops,)
        Effective number of these.
    level : float
        Level of intervals.
    """

    score: Floats
    answered: Floats
    wrong: Floats
    size: Floats
    level: float

    @classmethod
    def of(cls, profile: ConfidenceProfile, level: float) -> Self:
        """Return the stops of predictions."""
        ranking = profile.ranking
        accepted = np.cumsum(ranking.weight)
        size = accepted
        if profile.sample_weight is not None:
            squares = Ranking.of(profile.score, ~profile.correct, profile.sample_weight**2).weight
            size = accepted**2 / np.cumsum(squares)
        return cls(ranking.score, accepted / accepted[-1], np.cumsum(ranking.errors) / accepted, size, level)

    def at_share(self, share: float) -> int:
        """Return the first stop at which at least this share is answered."""
        return min(int(np.searchsorted(self.answered, share - _ROUNDING)), len(self.answered) - 1)

    def at_threshold(self, threshold: float) -> int:
        """Return the stop of a threshold; -1 if nothing is answered there."""
        return int(np.searchsorted(-self.score, -threshold, side="right")) - 1

    def at_most_wrong(self, target: float) -> int:
        """Return the last stop with at most this share of errors among enough answers; -1 if there is none."""
        fits = np.flatnonzero((self.wrong <= target * (1 + _ROUNDING)) & (self.size >= _FEWEST))
        return int(fits[-1]) if len(fits) else -1

    def ends(self, stops: Any) -> tuple[Any, Any]:
        """Return the interval of the share of errors at one stop or several."""
        return clopper_pearson(self.wrong[stops], self.size[stops], self.level)

    def spread(self, most: int) -> set[int]:
        """Return all stops, or at most so many evenly over the share answered."""
        if len(self.score) <= most:
            return set(range(len(self.score)))
        return {self.at_share(share) for share in np.linspace(0, 1, most).tolist()}

    def shown(self) -> NDArray[np.intp]:
        """Return the stops that a curve shows: the first one with an error, and others evenly over the share."""
        return np.array(sorted(self.spread(_STOPS) | {int(np.argmax(self.wrong > 0))}))

    def threshold(self, stop: int) -> str:
        """Return the shortest number that accepts what this stop accepts, and no more."""
        if stop == len(self.score) - 1 and self.score[stop] >= 0:
            return "0"
        below = self.score[stop + 1] if stop + 1 < len(self.score) else -np.inf
        return shortest_between(float(below), float(self.score[stop]))

    def errors(self, stop: int) -> str:
        """Return the share of errors at a stop, with its interval."""
        return percent(self.wrong[stop], *self.ends(stop))


def shortest_between(low: float, high: float) -> str:
    """Return the number of fewest digits that is above one number and at most another."""
    for digits in range(17):
        scale = 10.0**digits
        text = f"{np.floor(high * scale) / scale:.{digits}f}"
        if low < float(text) <= high:
            return text
    return repr(high)


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
            "threshold": [each.threshold(stop) if stop >= 0 else DASH for _, each, stop in models],
            "answered of 1,000": [_thousand(share) for share in answered],
            "wrong of these": [each.errors(stop) if stop >= 0 else DASH for _, each, stop in models],
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
        amounts={_ERROR: wrong, _PERSON: people},
        prices=_PRICES,
        total="cost of 1,000",
    )


def _places(evidence: Evidence, stops: Mapping[Any, Stops]) -> list[Place]:
    """Return the places of the slider: exact stops of all models, and given thresholds, from few answers to all."""
    each_model = list(stops.values())
    most = min(_STOPS, _MOST_STOPS // len(each_model))
    shares: list[float] = []
    for each in each_model:
        kept = each.spread(most) | {stop for target in TARGETS if (stop := each.at_most_wrong(target)) >= 0}
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
    cheapest = [
        _PRICES[_ERROR] * wrong[0] + _PRICES[_PERSON] * people[0] for wrong, people in zip(*amounts, strict=True)
    ]
    return int(np.argmin(cheapest))


def _allowed(evidence: Evidence, stops: Mapping[Any, Stops]) -> TablePart:
    """Return the table of errors allowed: thresholds that were seen to do, and those that are assured."""
    shown: dict[tuple[str, str], list[str]] = {("", "errors at most"): [f"{100 * target:g} %" for target in TARGETS]}
    reasons: list[str] = []
    for model, each in stops.items():
        title = evidence.title_of(model)
        seen = [each.at_most_wrong(target) for target in TARGETS]
        found_at = [assured(evidence, model, each, target) for target in TARGETS]
        shown[title, "seen threshold"] = [each.threshold(stop) if stop >= 0 else "nothing" for stop in seen]
        shown[title, "answered of 1,000"] = [_thousand(each.answered[stop]) if stop >= 0 else DASH for stop in seen]
        shown[title, "wrong of these"] = [each.errors(stop) if stop >= 0 else DASH for stop in seen]
        shown[title, "assured threshold"] = [found.threshold for found in found_at]
        shown[title, "answered"] = [found.answers for found in found_at]
        lacking: dict[str, list[str]] = {}
        for target, found in zip(TARGETS, found_at, strict=True):
            if found.reason:
                lacking.setdefault(found.reason, []).append(f"{100 * target:g} %")
        subject = f"{title}, " if evidence.several else ""
        reasons += [f"{subject}{' and '.join(at)} not assured: {why}." for why, at in lacking.items()]
    return TablePart("Thresholds for the errors that you allow", pd.DataFrame(shown), tuple(reasons))


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
    if profile.sample_weight is not None:
        return Assured(DASH)
    needed = required_samples(target, level)
    if len(profile) < needed:
        return Assured(f"nothing: takes {needed:,} rows")
    with collected():  # where nothing qualifies, the table says so
        found = tune_threshold(profile, target=target, confidence_level=level)
    if not found.feasible:
        return Assured("nothing", reason=_lacking(found, stops, target, level))
    stop = stops.at_threshold(found.threshold)
    return Assured(stops.threshold(stop), _thousand(stops.answered[stop]))


def _lacking(found: TunedThreshold, stops: Stops, target: float, level: float) -> str:
    """Return how many rows would assure what these do not, in words."""
    if not (stops.wrong[stops.size >= _FEWEST] < target).any():
        return "more rows of this kind would not help: no threshold has been seen to reach it"
    closest = int(np.argmin(found.results["risk_upper_bound"]))
    coverage, risk = (float(found.results[name][closest]) for name in ("coverage", "risk"))
    errors = round(risk * coverage * found.n_samples)
    if errors >= target * coverage * found.n_samples:
        return "more rows may help: what is seen to reach it rests on few answers"
    needed = required_samples(target, level, coverage=coverage, errors=errors)
    return f"{found.n_samples:,} rows are too few; about {needed:,} like these would do"


def _notes(evidence: Evidence) -> str:
    """Return what seen and assured mean."""
    level = f"{100 * evidence.level:g} %"
    text = (
        f"Seen: chosen by looking at these rows, among at least {_FEWEST} answers; new cases will do a little worse. "
        "The intervals are of one threshold that was fixed beforehand. "
    )
    if any(profile.sample_weight is not None for profile in evidence.profiles.values()):
        return text + "Assured: not for weighted rows, as the rule counts each row once."
    return text + (
        f"Assured: choose a line of the table before you look. With a probability of {level}, the share of errors "
        "among answers to new cases is then at most that, if new cases are like these, and none of these trained the "
        "model. A line, or a model, that is chosen after looking is not covered (in Python: tune_threshold with "
        "n_candidates)."
    )


def _thousand(share: float) -> str:
    """Return how many of 1,000 cases a share is; few of them with a decimal."""
    cases = 1000 * share
    return plain(cases, 0 if cases == round(cases) or 1 <= cases <= 999 else 1 if cases >= 0.1 else 3)


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
    rate = Axis.around("wrong of these, log scale", "log percent", [max(rates.min(), rates.max() / 1000), rates.max()])
    finding = " ".join(_finding(titles[model], each) for model, each in stops.items())
    return [Chart("Errors among the answers", finding, answered, rate, marks, pd.concat(data))]


def _finding(title: str, each: Stops) -> str:
    """Return what abstaining brings, in words."""
    none = int(np.argmax(each.wrong > 0)) - 1 if each.wrong[-1] > 0 else len(each.wrong) - 1
    free = f"; none of its surest {_thousand(each.answered[none])} in 1,000" if none >= 0 else ""
    return f"{title}: {each.errors(-1)} of all answers are wrong{free}."
