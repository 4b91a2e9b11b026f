"""A short text for a model card: a sentence for each question, what it rests on, and its limits."""

from collections.abc import Iterator

import skconf
from skconf._page.made import made_on
from skconf._page.tables import markdown_text
from skconf.report import _comparison, _where
from skconf.report._abstain import TARGETS, Stops, assured
from skconf.report._evidence import Evidence
from skconf.report._numbers import DASH, percent


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
    counts = {found.n_samples for found in evidence.assessments.values()}
    rows = " and ".join(f"{count:,}" for count in sorted(counts))
    classes = {len(profile.classes) for profile in evidence.profiles.values() if profile.classes is not None}
    of_classes = "".join(f", {count:,} classes" for count in sorted(classes))
    models = ", ".join(markdown_text(evidence.title_of(model)) for model in evidence.values)
    return f"{models}: {rows} labelled rows{of_classes}. {made_on()}, skconf {skconf.__version__}."


def _answers(evidence: Evidence) -> Iterator[tuple[str, list[str]]]:
    """Yield each question and the sentences that answer it."""
    verdicts = {model: found.text for model, found in evidence.assessments.items()}
    start = {model: f"{model}: " if evidence.several else "" for model in evidence.values}
    answers = {
        "May I trust its confidences?": [f"{start[model]}{text}" for model, text in verdicts.items()],
        "When should it abstain?": [f"{start[model]}{_abstaining(evidence, model)}" for model in evidence.profiles],
        "Which model is better?": _comparison.findings(evidence),
        "Where does it fail?": _where.findings(evidence, rows=False),
    }
    for question, said in answers.items():
        yield question, [markdown_text(sentence) for sentence in said]


def _abstaining(evidence: Evidence, model: object) -> str:
    """Return what abstaining brings: at the largest of the usual shares of errors that is below that of all answers."""
    stops = Stops.of(evidence.profiles[model], evidence.level)
    fits = [(target, stops.at_most_wrong(target)) for target in reversed(TARGETS) if target < stops.wrong[-1]]
    text = f"{'of' if evidence.several else 'Of'} all answers {stops.errors(-1)} are wrong"
    for target, stop in fits[:1]:
        if stop < 0:
            return f"{text}; no threshold brings that to {100 * target:g} %."
        held = assured(evidence, model, stops, target)
        if held.answers != DASH:
            return (
                f"{text}; from {held.threshold} on, at most {100 * target:g} % are, with a probability of "
                f"{100 * evidence.level:g} %, and {held.answers} of 1,000 are answered."
            )
        where = f"from {stops.threshold(stop)} on, {percent(stops.answered[stop])} of the rows"
        return f"{text}; of those {where}, {stops.errors(stop)}."
    return f"{text}."


def _limits(evidence: Evidence) -> str:
    """Return what the text does not say."""
    return (
        "measured on these rows, and true of new cases only if they are like these. Intervals hold "
        f"{100 * evidence.level:g} %, each for itself. Thresholds and the worst class were chosen by looking at these "
        "rows: new cases will do a little worse."
    )
