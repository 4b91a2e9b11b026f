"""What a report calls things, by what is known of the answers: right or wrong, graded, or with costs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skconf._core.messages import listed
from skconf._core.numbers import decimal, number, percent
from skconf.profile import ConfidenceProfile, Kind
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.rows import Row, counts_rejected_as_wrong, judges_the_confidence_alone
from skconf.report._evidence.shares import Shares
from skconf.report._evidence.stops import Stops

#: Parts of the rows that are shown, and those that are listed at all.
SHOWN, LISTED = 10, 100
#: Models of which all is printed.
_PRINTED_MODELS = 2
#: Smaller thresholds are written with an exponent.
_SMALLEST = 1e-16
_NAN = float("nan")


@dataclass(frozen=True)
class Words:
    """The words for answers of a kind.

    Attributes
    ----------
    kind : str
        The kind.
    numbers : str
        What is trusted or not.
    says, right : str
        What is expected of an answer, and what is observed, on average.
    wrong : str
        What is not right, as a heading.
    of_these : str
        How much of some answers that is.
    of_all : str
        How much of all answers that is, after the number.
    of_answers : str
        How much of the accepted answers that is, after the number.
    at_most : str
        Heading of the most that is allowed.
    price : str
        What the slider asks a price for.
    worst, worst_rows : str
        The answer that was furthest from what it said, and the title of a table of such answers.
    headlines : mapping of str to str
        The metrics of models that a reader looks for first, and what they say.
    aurc : str
        What AURC averages.
    """

    kind: Kind
    numbers: str = "confidences"
    says: str = "average confidence"
    right: str = "accuracy"
    wrong: str = "wrong"
    of_these: str = "wrong of these"
    of_all: str = "of all answers are wrong"
    of_answers: str = "of its answers are wrong"
    at_most: str = "errors at most"
    price: str = "an error costs"
    worst: str = "most confident error"
    worst_rows: str = "wrong answers, the most confident first"
    headlines: Mapping[str, str] = field(
        default_factory=lambda: {
            "accuracy_score": "right answers",
            "aurc_loss": "errors, over all shares answered (AURC)",
            "confidence_brier_loss": "the confidences themselves (Brier)",
        }
    )
    aurc: str = "the share of errors among the most confident answers"

    def amount(self, value: float, low: float = _NAN, high: float = _NAN, *, level: float | None = None) -> str:
        """Write an accuracy, a correctness or a cost, with its interval; with its level, as in a sentence."""
        return (number if self.kind == "costs" else percent)(value, low, high, level=level)


_WORDS = {
    "right or wrong": Words("right or wrong"),
    "graded": Words(
        "graded",
        right="average correctness",
        wrong="lost",
        of_these="lost of these",
        of_all="of all correctness is lost",
        of_answers="of it is lost",
        at_most="lost at most",
        price="a wholly wrong answer costs",
        worst="furthest below its confidence",
        worst_rows="answers furthest below their confidence",
        headlines={
            "accuracy_score": "mean correctness",
            "aurc_loss": "what is lost, over all shares answered (AURC)",
            "confidence_brier_loss": "the confidences themselves (Brier)",
        },
        aurc="what is lost of the most confident answers",
    ),
    "costs": Words(
        "costs",
        numbers="uncertainties",
        says="average uncertainty",
        right="average cost",
        wrong="cost",
        of_these="mean cost of these",
        of_all="is the mean cost of all answers",
        of_answers="is their mean cost",
        at_most="mean cost at most",
        price="a cost of 1 counts",
        worst="costliest beyond its uncertainty",
        worst_rows="answers costliest beyond their uncertainty",
        headlines={
            "selective_risk_loss(threshold=0)": "mean cost of its answers",
            "aurc_loss": "mean cost, over all shares answered (AURC)",
        },
        aurc="the mean cost of the most confident answers",
    ),
}


def words_of(evidence: Evidence) -> Words:
    """Return the words for the answers of a report."""
    return _WORDS[evidence.kind]


def words_for(kind: Kind) -> Words:
    """Return the words for answers of a kind."""
    return _WORDS[kind]


def fits_on_paper(evidence: Evidence) -> bool:
    """Return whether what is folded is printed as well: of few models."""
    return len(evidence.values) <= _PRINTED_MODELS


def start_of(evidence: Evidence, model: Any) -> str:
    """Return what stands before a sentence on a model: its name, where there are several."""
    return f"{model}: " if evidence.several else ""


def says(shares: Shares, at: int) -> str:
    """Write the mean confidence, or uncertainty, of a part of the rows."""
    return words_for(shares.kind).amount(float(shares.says[at]))


def right(shares: Shares, at: int) -> str:
    """Write the accuracy of a part of the rows, or the mean correctness or cost, with its interval."""
    return words_for(shares.kind).amount(float(shares.right[at]), float(shares.low[at]), float(shares.high[at]))


def says_and_right(shares: Shares, at: int, *, in_short: bool = False) -> str:
    """Compare in words what is expected in a part of the rows with what is observed; in short without its interval."""
    words = words_for(shares.kind)
    ends = () if in_short else (float(shares.low[at]), float(shares.high[at]))
    value = words.amount(float(shares.right[at]), *ends, level=shares.level)
    return f"{words.says} {says(shares, at)}, {words.right} {value} in {shares.count[at]:,} answers"


def left_out(n_parts: int, what: str) -> tuple[str, ...]:
    """Return a note on the parts that are not listed, if there are any."""
    return (f"{n_parts - LISTED:,} more {what} are left out.",) if n_parts > LISTED else ()


def errors_at(stops: Stops, stop: int) -> str:
    """Write the share of errors at a stop, or the mean loss or cost, with its interval."""
    low, high = stops.ends(stop)
    return words_for(stops.kind).amount(float(stops.wrong[stop]), float(low), float(high))


def threshold_at(stops: Stops, stop: int) -> str:
    """Write the shortest threshold that accepts what a stop accepts."""
    value = stops.threshold(stop)
    return repr(value) if 0 < value < _SMALLEST else np.format_float_positional(value, trim="-")


def thousand(share: float) -> str:
    """Write how many of 1,000 cases a share is; few of them with a decimal."""
    cases = 1000 * share
    return decimal(cases, 0 if cases == round(cases) or 1 <= cases <= 999 else 1 if cases >= 0.1 else 3)


def cautions(evidence: Evidence, rows: Iterable[Row]) -> list[str]:
    """Return what readers of rows should know: that rejected answers count as wrong, or that models answer apart."""
    of = list(rows)
    return _rejected_as_wrong(evidence, of) + _answered_differently(evidence, of)


def _rejected_as_wrong(evidence: Evidence, rows: Iterable[Row]) -> list[str]:
    """Return how rows that count rejected answers as wrong differ from the verdict; nothing where none is rejected."""
    names = [row.name for row in rows if counts_rejected_as_wrong(row)]
    if not names or not any(map(_rejects, evidence.profiles.values())):
        return []
    counts = "counts" if len(names) == 1 else "count"
    abstain = any(profile.abstained is not None for profile in evidence.profiles.values())
    such = "rows that abstain" if abstain else "rejected answers"
    return [f"{' and '.join(names)} {counts} {such} as wrong; the verdict is about the answers."]


def _answered_differently(evidence: Evidence, rows: Iterable[Row]) -> list[str]:
    """Return which rows are of other answers for each model; nothing where all answer alike, or no row is."""
    names = [row.name for row in rows if judges_the_confidence_alone(row)]
    profiles = list(evidence.profiles.values())
    if not names or len(profiles) < 2 or len({len(profile) for profile in profiles}) > 1:
        return []
    if any(profile.abstained is not None for profile in profiles):
        return []
    answers = [
        profile.correctness if profile.predicted_class is None else profile.predicted_class for profile in profiles
    ]
    differ = float(np.mean(np.any([each != answers[0] for each in answers[1:]], axis=0)))
    if not differ:
        return []
    which = f"{listed(names)} {'are' if len(names) > 1 else 'is'}"
    text = f"The models answer differently in {decimal(100 * differ, 1)}% of the rows, so that {which} about"
    return [f"{text} other answers for each. Compare them by aurc_loss, ecuas_loss or the cases answered."]


def _rejects(profile: ConfidenceProfile) -> bool:
    """Return whether a classifier rejected some answers, or abstained; a threshold alone rejects nothing."""
    return profile.abstained is not None or (profile.accepted is not None and not profile.accepted.all())
