"""What a report calls things, by what is known of the answers: right or wrong, graded, or with costs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from skconf._core.numbers import number, percent
from skconf.profile import ConfidenceProfile, Kind

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
        Headings of what an answer promises, and of what it is.
    says_long, right_long : str
        The same where there is room, as on an axis.
    is_right : str
        The same as a verb: "is right in" 90 %.
    wrong : str
        What is not right, as a heading.
    of_these : str
        How much of some answers that is.
    of_all : str
        How much of all answers that is, after the number.
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
    says: str = "says"
    right: str = "is right in"
    says_long: str = "says it is right in"
    right_long: str = "is right in"
    is_right: str = "is right in"
    wrong: str = "wrong"
    of_these: str = "wrong of these"
    of_all: str = "of all answers are wrong"
    at_most: str = "errors at most"
    price: str = "an error costs"
    worst: str = "surest error"
    worst_rows: str = "wrong answers, surest first"
    headlines: Mapping[str, str] = field(
        default_factory=lambda: {
            "accuracy_score": "right answers",
            "aurc_loss": "errors, over all shares answered (AURC)",
            "confidence_brier_loss": "its numbers as they are (Brier)",
        }
    )
    aurc: str = "the share of errors among the surest answers"

    def amount(self, value: float, low: float = _NAN, high: float = _NAN) -> str:
        """Return what is right, or lost, with its interval: a share in percent, or a cost."""
        return number(value, low, high) if self.kind == "costs" else percent(value, low, high)


_WORDS = {
    "right or wrong": Words("right or wrong"),
    "graded": Words(
        "graded",
        right="mean correctness",
        says_long="expected correctness",
        right_long="mean correctness",
        is_right="has a mean correctness of",
        wrong="lost",
        of_these="lost of these",
        of_all="of all correctness is lost",
        at_most="lost at most",
        price="a wholly wrong answer costs",
        worst="furthest below what it said",
        worst_rows="answers furthest below what they said",
        headlines={
            "accuracy_score": "mean correctness",
            "aurc_loss": "what is lost, over all shares answered (AURC)",
            "confidence_brier_loss": "its numbers as they are (Brier)",
        },
        aurc="what is lost of the surest answers",
    ),
    "costs": Words(
        "costs",
        numbers="uncertainties",
        says="announces",
        right="costs",
        says_long="announced cost",
        right_long="mean cost",
        is_right="costs",
        wrong="cost",
        of_these="mean cost of these",
        of_all="is the mean cost of all answers",
        at_most="mean cost at most",
        price="a cost of 1 counts",
        worst="costliest beyond what it announced",
        worst_rows="answers costliest beyond what they announced",
        headlines={
            "selective_risk_loss(threshold=0)": "mean cost of its answers",
            "aurc_loss": "mean cost, over all shares answered (AURC)",
        },
        aurc="the mean cost of the surest answers",
    ),
}


def words_of(profiles: Iterable[ConfidenceProfile]) -> Words | None:
    """Return the words for predictions; None where some have costs and others a correctness."""
    kinds = {profile.kind for profile in profiles}
    if "costs" in kinds and len(kinds) > 1:
        return None
    return _WORDS["costs" if "costs" in kinds else "graded" if "graded" in kinds else "right or wrong"]


def words_for(kind: Kind) -> Words:
    """Return the words for answers of a kind."""
    return _WORDS[kind]
