"""Which question of a reader each metric answers, and what it says in plain words."""

from dataclasses import dataclass

from skconf.metrics._base.registry import metric_classes


@dataclass(frozen=True)
class Question:
    """A question of a reader, and the metrics that answer it.

    Attributes
    ----------
    key : str
        Short name, fit for an anchor.
    title : str
        The question.
    about : str
        How to read the answers, in a plain sentence or two.
    families : tuple of str
        Modules or packages of `skconf.metrics` whose metrics answer it; the longest name that fits a metric decides.
    guide : str
        Page of the user guide.
    names : tuple of str
        Rows of reports that answer it and are no metrics of this library.
    """

    key: str
    title: str
    about: str
    families: tuple[str, ...]
    guide: str
    names: tuple[str, ...] = ()


#: In the order in which a reader asks.
QUESTIONS = (
    Question(
        "sure",
        "Is it overconfident, or underconfident?",
        "Compare what it announces, the mean confidence, with what happens, the accuracy. Start here.",
        ("_calibration.mean_calibration",),
        "trust",
        ("accuracy_score", "mean_confidence"),
    ),
    Question(
        "errors",
        "How overconfident are its errors?",
        "Errors count by how unlikely their confidence made them: one at 99% should come once in a hundred such "
        "answers. Averages hide these errors; here a few decide.",
        ("_size_ratio",),
        "trust",
    ),
    Question(
        "calibrated",
        "Do its confidences come true?",
        "Of answers at 80%, are 80% right? These measure the distance from that, or test it, each in its own way.",
        ("_calibration",),
        "trust",
    ),
    Question(
        "knows",
        "Does it know when it is wrong?",
        "A model may be calibrated and useless. These are good only where right answers are surer than wrong ones.",
        ("_proper", "_risk_coverage.auc"),
        "choose_a_metric",
    ),
    Question(
        "weighted",
        "How right is it, if sure answers count more?",
        "The usual metrics with each answer weighted by its confidence. Above the plain metric, its confidence helps.",
        ("_confidence_weighted",),
        "choose_a_metric",
    ),
    Question(
        "classes",
        "Does it see every class, rare ones too?",
        "Precision and recall from the probability of each class. They move even if a rare class is never predicted.",
        ("_probabilistic",),
        "choose_a_metric",
    ),
    Question(
        "abstain",
        "How good is what it accepts?",
        "Answers below a threshold go to a person. Read the share answered with the errors among these.",
        ("_cwsa", "_risk_coverage"),
        "selective_classifier",
        ("threshold",),
    ),
    Question(
        "cost",
        "What will its decisions cost?",
        "Errors and abstentions have prices. With a known price take the mean cost; else, the cost over all prices.",
        ("_ecuas",),
        "choose_a_metric",
    ),
)
_OTHERS = {
    "accuracy_score": "Accuracy: the share of right answers",
    "mean_confidence": "Mean confidence: the share of right answers that it announces",
    "threshold": "Threshold: the confidence from which an answer is accepted",
}
_FAMILIES = [(question, family) for question in QUESTIONS for family in question.families]


def question_of(name: str) -> Question | None:
    """Return the question that a metric answers, by its name; None for a metric of others."""
    name = name.partition("(")[0]
    cls = metric_classes().get(name)
    if cls is None:
        return next((question for question in QUESTIONS if name in question.names), None)
    module = cls.__module__.removeprefix("skconf.metrics.") + "."
    fits = [(len(family), question) for question, family in _FAMILIES if module.startswith(family + ".")]
    return max(fits, key=lambda fit: fit[0])[1] if fits else None


def plain_words(name: str) -> str:
    """Return what a metric says, in a plain phrase: the first line of its documentation; "" for a metric of others."""
    name = name.partition("(")[0]
    cls = metric_classes().get(name)
    return _OTHERS.get(name, "") if cls is None else (cls.__doc__ or "").strip().splitlines()[0].rstrip(".")
