"""A short text for a model card: a sentence for each question, what it rests on, and its limits."""

from collections.abc import Iterator

from skconf._core.numbers import percent
from skconf._core.version import __version__
from skconf.report._evidence.evidence import Evidence
from skconf.report._page.document import made_on
from skconf.report._page.tables import markdown_text
from skconf.report._sections import where, which
from skconf.report._sections.abstain import allowed_in_words
from skconf.report._sections.verdicts import verdicts_of
from skconf.report._sections.words import errors_at, start_of, thousand, threshold_at, words_of


def model_card(evidence: Evidence) -> str:
    """Return the text, in Markdown."""
    lines = ["## Confidences", "", _what(evidence), ""]
    lines += [f"- **{question}** {' '.join(said)}" for question, said in _answers(evidence) if said]
    lines += ["", f"Limits: {_limits(evidence)}"]
    for file in evidence.origin.files:
        hashed = f", SHA-256 {file.digest}" if file.digest else ""
        lines += ["", f"Data: {markdown_text(file.name)}, {file.n_rows:,} rows{hashed}."]
    return "\n".join(lines) + "\n"


def _what(evidence: Evidence) -> str:
    """Return what was measured, and when."""
    counts = {assessment.n_samples for assessment in evidence.assessments.values()}
    rows = " and ".join(f"{count:,}" for count in sorted(counts))
    labels = (evidence.labels_of(model) for model in evidence.profiles)
    classes = {len(of_model) for of_model in labels if of_model is not None}
    of_classes = "".join(f", {count:,} classes" for count in sorted(classes))
    models = ", ".join(markdown_text(evidence.title_of(model)) for model in evidence.values)
    return f"{models}: {rows} labelled rows{of_classes}. {made_on()}, skconf {__version__}."


def _answers(evidence: Evidence) -> Iterator[tuple[str, list[str]]]:
    """Yield each question and the sentences that answer it."""
    verdicts = verdicts_of(evidence)
    start = {model: start_of(evidence, model) for model in evidence.values}
    answers = {
        f"May I trust its {words_of(evidence).numbers}?": [f"{start[model]}{text}" for model, text in verdicts.items()],
        "When should it abstain?": [f"{start[model]}{_abstaining(evidence, model)}" for model in evidence.profiles],
        "Which model is better?": which.findings(evidence),
        "Where does it fail?": where.findings(evidence, rows=False),
    }
    for question, said in answers.items():
        yield question, [markdown_text(sentence) for sentence in said]


def _abstaining(evidence: Evidence, model: object) -> str:
    """Say what abstaining brings, at the largest usual share of errors that is below that of all answers."""
    stops, words = evidence.stops[model], words_of(evidence)
    fits = [(target, stops.at_most_wrong(target)) for target in reversed(evidence.targets)]
    fits = [(target, stop) for target, stop in fits if target < stops.wrong[-1]]
    text = f"{errors_at(stops, -1)} {words.of_all}"
    for target, stop in fits[:1]:
        allowed = allowed_in_words(words, target)
        if stop < 0:
            return f"{text}; no threshold brings that to {allowed}."
        guarantee = evidence.guarantee(model, target)
        if guarantee.status == "guaranteed":
            return (
                f"{text}; from {threshold_at(stops, guarantee.stop)} on, at most {allowed}, with a probability of "
                f"{100 * evidence.level:g}%, and {thousand(stops.answered[guarantee.stop])} of 1,000 are answered."
            )
        limit = threshold_at(stops, stop)
        where = f"where the uncertainty is at most {limit}" if words.kind == "costs" else f"from {limit} on"
        return f"{text}; {where}, in {percent(stops.answered[stop])} of the rows, {errors_at(stops, stop)}."
    return f"{text}."


def _limits(evidence: Evidence) -> str:
    """Say what the numbers do not show."""
    return (
        "measured on these rows, and true of new cases only if they are like these. Intervals hold "
        f"{100 * evidence.level:g}%, each for itself. Thresholds and the worst class were chosen by looking at these "
        "rows: new cases will do a little worse."
    )
