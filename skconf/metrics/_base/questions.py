"""The question that each metric answers, and its meaning in plain words."""

from dataclasses import dataclass

from skconf.metrics._base.registry import metric_classes


@dataclass(frozen=True)
class Question:
    """A question that a reader may have, and the metrics that answer it.

    Attributes
    ----------
    key : str
        Short name, for an anchor.
    title : str
        The question.
    about : str
        How to read the answers, in one or two plain sentences.
    families : tuple of str
        Modules or packages of `skconf.metrics` whose metrics answer it. If a metric lies in several of them, the
        longest name counts.
    guide : str
        Page of the user guide.
    names : tuple of str
        Names of rows of reports that answer the question, but are not metrics of this library.
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
        "Is the model overconfident, or underconfident?",
        "Compare the average confidence with the accuracy. Start here.",
        ("_calibration.mean_calibration",),
        "trust",
        ("accuracy_score", "mean_confidence"),
    ),
    Question(
        "errors",
        "How overconfident are the errors?",
        "Of a hundred answers with a confidence of 99%, one should be wrong. The less likely an error was, "
        "the more it counts. So these metrics show errors at high confidence, which averages hide.",
        ("_size_ratio",),
        "trust",
    ),
    Question(
        "calibrated",
        "Is the model calibrated?",
        "Are 80% of the answers with a confidence of 80% right? Each of these metrics measures the "
        "difference, or tests it.",
        ("_calibration",),
        "trust",
    ),
    Question(
        "knows",
        "Do the confidences separate right answers from wrong ones?",
        "A calibrated model may be useless. The values of these metrics are good only if right answers have higher "
        "confidences than wrong ones.",
        ("_proper", "_risk_coverage.auc"),
        "choose_a_metric",
    ),
    Question(
        "weighted",
        "How accurate is the model, if confident answers count more?",
        "These are the usual metrics, with each answer weighted by its confidence. If the weighted metric is higher "
        "than the plain one, the confidences are useful.",
        ("_confidence_weighted",),
        "choose_a_metric",
    ),
    Question(
        "classes",
        "Does the model find every class, also rare ones?",
        "These are precision and recall, computed from the probability of each class. Even if a rare "
        "class is never predicted, they show whether the samples of this class get a high probability for it.",
        ("_probabilistic",),
        "choose_a_metric",
    ),
    Question(
        "abstain",
        "How good are the accepted answers?",
        "Answers with a confidence below the threshold go to a person. Read the coverage together with the error rate "
        "of the accepted answers.",
        ("_cwsa", "_risk_coverage"),
        "selective_classifier",
        ("threshold",),
    ),
    Question(
        "cost",
        "What do the decisions cost?",
        "Errors and abstentions have prices. If you know the prices, use the mean cost at these prices; "
        "if not, use the average over all prices.",
        ("_ecuas",),
        "choose_a_metric",
    ),
)
_OTHERS = {
    "accuracy_score": "Accuracy: the share of right answers",
    "mean_confidence": "Average confidence: the share of right answers that the confidences imply",
    "threshold": "Threshold: the lowest confidence of an accepted answer",
}
_FAMILIES = [(question, family) for question in QUESTIONS for family in question.families]


def question_of(name: str) -> Question | None:
    """Return the question that a metric answers, by its name; None for a metric of another library."""
    name = name.partition("(")[0]
    cls = metric_classes().get(name)
    if cls is None:
        return next((question for question in QUESTIONS if name in question.names), None)
    module = cls.__module__.removeprefix("skconf.metrics.") + "."
    fits = [(len(family), question) for question, family in _FAMILIES if module.startswith(family + ".")]
    return max(fits, key=lambda fit: fit[0])[1] if fits else None


def plain_words(name: str) -> str:
    """Return the first line of a metric's documentation; "" for a metric of another library."""
    name = name.partition("(")[0]
    cls = metric_classes().get(name)
    return _OTHERS.get(name, "") if cls is None else (cls.__doc__ or "").strip().splitlines()[0].rstrip(".")
