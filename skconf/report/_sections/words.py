"""The words of a report, which depend on the kind of answers: right or wrong, graded, or with costs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skconf._core.messages import capitalized, listed
from skconf._core.numbers import decimal, number, percent
from skconf.profile import ConfidenceProfile, Kind
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.own_costs import own_parameters
from skconf.report._evidence.rows import OF_THE_CONFIDENCE, Row
from skconf.report._evidence.shares import Shares
from skconf.report._evidence.stops import Stops
from skconf.scoring._sklearn_metrics import Accuracy

#: Slices or classes that are shown, and the most that are listed, with the folded ones.
SHOWN, LISTED = 10, 100
#: With at most this many models, the folded parts are printed, too.
_PRINTED_MODELS = 2
#: Smaller thresholds are written with an exponent.
_SMALLEST = 1e-16
_NAN = float("nan")


@dataclass(frozen=True)
class Words:
    """The words for one kind of answers.

    Attributes
    ----------
    kind : str
        The kind.
    numbers : str
        The name of the numbers that a reader may trust: confidences or uncertainties.
    says, right : str
        The names of the expected and of the observed average.
    wrong : str
        The heading of the errors.
    of_these : str
        The heading of a column with the share of errors among the accepted answers.
    of_all : str
        The words after the share of errors of all answers, as in "5% of all answers are wrong".
    of_answers : str
        The words after the share of errors of the accepted answers, as in "2% of these answers are wrong".
    at_most : str
        The heading of the limits of the errors.
    price : str
        The words before the first of the two prices.
    worst, worst_rows : str
        The name of the worst answer, and the title of a table of such answers.
    headlines : mapping of str to str
        The metrics that a reader looks for first, with their names in plain words.
    aurc : str
        What AURC averages, in words.
    threshold : str
        The heading of the thresholds.
    allowed : str
        The word for allowed errors in a title, in the plural.
    limited : str
        The words before "of at most 5%".
    risk : str
        What a guarantee limits, in words.
    """

    kind: Kind
    numbers: str = "confidences"
    says: str = "average confidence"
    right: str = "accuracy"
    wrong: str = "wrong"
    of_these: str = "wrong of these"
    of_all: str = "of all answers are wrong"
    of_answers: str = "of these answers are wrong"
    at_most: str = "errors at most"
    price: str = "an error costs"
    worst: str = "most confident error"
    worst_rows: str = "wrong answers, the most confident first"
    headlines: Mapping[str, str] = field(
        default_factory=lambda: {
            "accuracy_score": "right answers",
            "aurc_loss": "error rate averaged over all coverages (AURC)",
            "confidence_brier_loss": "the confidences themselves (Brier)",
        }
    )
    aurc: str = "the error rate of the most confident answers"
    threshold: str = "threshold"
    allowed: str = "errors"
    limited: str = "errors"
    risk: str = "share of errors"

    @property
    def field(self) -> str:
        """The label of the field in which a reader types a limit."""
        return f"{self.at_most} (%)"

    def typed(self, rate: float) -> float:
        """Return a share of errors in the unit of this field."""
        return float(np.ceil(1e6 * rate - 1e-6) / 1e4)  # rounded up: a rate above 5% must exceed a limit of 5

    def limit(self, target: float) -> str:
        """Write the errors, or the mean cost, that are allowed."""
        return f"{100 * target:g}%"

    def share(self, value: float) -> str:
        """Write a share of errors with two digits, or a cost."""
        return f"{decimal(100 * value, 1 if value < 1 else 0)}%" if value else self.amount(value)

    def amount(self, value: float, low: float = _NAN, high: float = _NAN, *, level: float | None = None) -> str:
        """Write an accuracy, a correctness or a cost, with its interval; `level` gives the form for a sentence."""
        return percent(value, low, high, level=level)

    def reached(self, score: str, threshold: str) -> str:
        """Say which answers a threshold accepts."""
        return f"{score} {threshold} or more"


class _OfCosts(Words):
    """The words for costs, which are amounts, not shares."""

    @property
    def field(self) -> str:
        return self.at_most

    def typed(self, rate: float) -> float:
        return float(f"{rate:.8g}")

    def limit(self, target: float) -> str:
        return f"{target:g}"

    def share(self, value: float) -> str:
        return self.amount(value)

    def amount(self, value: float, low: float = _NAN, high: float = _NAN, *, level: float | None = None) -> str:
        return number(value, low, high, level=level)

    def reached(self, score: str, threshold: str) -> str:  # noqa: ARG002
        return f"uncertainties up to {threshold}"


_WORDS = {
    "right or wrong": Words("right or wrong"),
    "graded": Words(
        "graded",
        right="average correctness",
        wrong="lost",
        of_these="mean loss of these",
        of_all="is the mean loss of all answers",
        of_answers="is the mean loss of these answers",
        at_most="mean loss at most",
        price="a wholly wrong answer costs",
        worst="furthest below its confidence",
        worst_rows="answers furthest below their confidence",
        headlines={
            "accuracy_score": "mean correctness",
            "aurc_loss": "mean loss averaged over all coverages (AURC)",
            "confidence_brier_loss": "the confidences themselves (Brier)",
        },
        aurc="the mean loss of the most confident answers",
        allowed="mean losses",
        limited="a mean loss",
        risk="mean loss",
    ),
    "costs": _OfCosts(
        "costs",
        numbers="uncertainties",
        says="average uncertainty",
        right="average cost",
        wrong="cost",
        of_these="mean cost of these",
        of_all="is the mean cost of all answers",
        of_answers="is the mean cost of these answers",
        at_most="mean cost at most",
        price="a cost of 1 counts",
        worst="cost furthest above its uncertainty",
        worst_rows="answers whose cost is furthest above their uncertainty",
        headlines={
            "selective_risk_loss(threshold=0)": "mean cost of its answers",
            "aurc_loss": "mean cost averaged over all coverages (AURC)",
        },
        aurc="the mean cost of the most confident answers",
        threshold="uncertainty at most",
        allowed="mean costs",
        limited="a mean cost",
        risk="mean cost",
    ),
}


def words_of(evidence: Evidence) -> Words:
    """Return the words for the answers of a report."""
    return _WORDS[evidence.kind]


def words_for(kind: Kind) -> Words:
    """Return the words for answers of a kind."""
    return _WORDS[kind]


def fits_on_paper(evidence: Evidence) -> bool:
    """Return whether folded parts are printed, too: only with few models."""
    return len(evidence.values) <= _PRINTED_MODELS


def start_of(evidence: Evidence, model: Any) -> str:
    """Return the start of a sentence about a model: its name if there are several, else an empty text."""
    return f"{model}: " if evidence.several else ""


def begun(start: str, text: str) -> str:
    """Return a text after the start of a sentence about a model; with a capital letter if there is no start."""
    return f"{start}{text}" if start else capitalized(text)


def says(shares: Shares, at: int) -> str:
    """Write the mean confidence, or uncertainty, of a part of the rows."""
    return words_for(shares.kind).amount(float(shares.says[at]))


def right(shares: Shares, at: int) -> str:
    """Write the accuracy of a part of the rows, or the mean correctness or cost, with its interval."""
    return words_for(shares.kind).amount(float(shares.right[at]), float(shares.low[at]), float(shares.high[at]))


def says_and_right(shares: Shares, at: int, *, in_short: bool = False) -> str:
    """Compare the expected and the observed value of a part of the rows in words; `in_short` omits the interval."""
    words = words_for(shares.kind)
    ends = () if in_short else (float(shares.low[at]), float(shares.high[at]))
    value = words.amount(float(shares.right[at]), *ends, level=shares.level)
    return f"{words.says} {says(shares, at)}, {words.right} {value} in {shares.count[at]:,} answers"


def left_out(n_parts: int, what: str) -> tuple[str, ...]:
    """Return a note on the parts that are not listed, if there are any."""
    return (f"{n_parts - LISTED:,} more {what} are left out.",) if n_parts > LISTED else ()


def errors_at(stops: Stops, stop: int) -> str:
    """Write the share of errors, the mean loss or the mean cost at a stop, with its interval."""
    low, high = stops.ends(stop)
    return words_for(stops.kind).amount(float(stops.wrong[stop]), float(low), float(high))


def threshold_at(stops: Stops, stop: int) -> str:
    """Write the threshold with the fewest digits that accepts the same answers as a stop."""
    value = stops.threshold(stop)
    return repr(value) if 0 < value < _SMALLEST else np.format_float_positional(value, trim="-")


def thousand(share: float) -> str:
    """Write a share as a number of 1,000 cases; a small number has a decimal."""
    cases = 1000 * share
    return decimal(cases, 0 if cases == round(cases) or 1 <= cases <= 999 else 1 if cases >= 0.1 else 3)


def cautions(evidence: Evidence, rows: Iterable[Row]) -> list[str]:
    """Return notes on rows that count rejected answers as wrong or omit them, use own costs, or judge other answers."""
    of = list(rows)
    said = _rejected_as_wrong(evidence, of) + _answered_other_rows(evidence, of) + _at_own_costs(evidence, of)
    return said + _answered_differently(evidence, of)


def _rejected_as_wrong(evidence: Evidence, rows: Iterable[Row]) -> list[str]:
    """Name the rows that count rejected answers as wrong, unlike the verdict; nothing if no answer is rejected."""
    names = [row.name for row in rows if isinstance(row.metric, Accuracy)]
    if not names or not any(map(_rejects, evidence.profiles.values())):
        return []
    counts = "counts" if len(names) == 1 else "count"
    abstain = any(profile.abstained is not None for profile in evidence.profiles.values())
    such = "abstentions" if abstain else "rejected answers"
    return [f"{' and '.join(names)} {counts} {such} as wrong. The verdict is only about the accepted answers."]


def _at_own_costs(evidence: Evidence, rows: Iterable[Row]) -> list[str]:
    """Name the usual rows that are computed with the costs by which the models decide."""
    costs = None if evidence.chosen else own_parameters(evidence.profiles.values())
    names = [row.name for row in rows if any(hasattr(row.metric, name) for name in costs or ())]
    use = "use" if len(names) > 1 else "uses"
    of = "models decide" if evidence.several else "model decides"
    return [f"{listed(names)} {use} the costs by which the {of}."] if names else []


def _answered_differently(evidence: Evidence, rows: Iterable[Row]) -> list[str]:
    """Name the metrics of the confidence in an answer, if the models give different answers; else nothing."""
    names = [row.name for row in rows if row.metric.info.name in OF_THE_CONFIDENCE]
    profiles = list(evidence.profiles.values())
    if not names or len(profiles) < 2 or len({len(profile) for profile in profiles}) > 1:
        return []
    if any(profile.abstained is not None for profile in profiles):
        return []
    answers = [
        profile.correctness
        if any(each.predicted_class is None for each in profiles)
        else profile.require("classes")[profile.predicted_class]
        for profile in profiles
    ]
    differ = float(np.mean(np.any([each != answers[0] for each in answers[1:]], axis=0)))
    if not differ:
        return []
    judge = "judge" if len(names) > 1 else "judges"
    text = f"The models give different answers in {decimal(100 * differ, 1)}% of the rows. So {listed(names)} {judge}"
    advice = "To compare models, use aurc_loss, ecuas_loss or the number of cases answered."
    return [f"{text} different answers for each model. {advice}"]


def _answered_other_rows(evidence: Evidence, rows: Iterable[Row]) -> list[str]:
    """Say that models of the same samples abstain in different rows, if a row of the report counts only answers."""
    profiles = list(evidence.profiles.values())
    alike = all(np.array_equal(each.answer_rows, profiles[0].answer_rows) for each in profiles[1:])
    if alike or len({each.n_rows for each in profiles}) > 1 or all(row.metric.counts_abstained for row in rows):
        return []
    text = "A metric that leaves out abstentions favours a model that abstains in hard rows."
    return [f"The models abstain in different rows. {text} Also compare how many cases each model answers."]


def _rejects(profile: ConfidenceProfile) -> bool:
    """Return whether a classifier rejected some answers or abstained. A threshold alone rejects nothing."""
    return profile.abstained is not None or (profile.accepted is not None and not profile.accepted.all())
