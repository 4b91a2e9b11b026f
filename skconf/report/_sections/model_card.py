"""A short text for a model card: the summary of the report, its limits, and the data."""

from skconf._core.version import __version__
from skconf.report._evidence.evidence import Evidence
from skconf.report._page.document import made_on
from skconf.report._page.tables import markdown_text
from skconf.report._sections.summary import rows_and_classes, summary

#: For which cases the numbers hold.
_LIMITS = (
    "the numbers were measured on these rows, and hold only for new cases that are like these rows. The confidence "
    "level of an interval is for this interval alone. Thresholds and the worst class were chosen on these rows, so "
    "expect slightly worse values on new cases."
)


def model_card(evidence: Evidence) -> str:
    """Return the text, in Markdown."""
    lines = ["## Confidences", "", _what(evidence), ""]
    lines += [
        f"- **{markdown_text(question)}**: {markdown_text(said)}" for question, said, _ in summary(evidence).answers[1:]
    ]
    lines += ["", f"Limits: {_LIMITS}"]
    for file in evidence.origin.files:
        hashed = f", SHA-256 {file.digest}" if file.digest else ""
        lines += ["", f"Data: {markdown_text(file.name)}, {file.n_rows:,} predictions{hashed}."]
    return "\n".join(lines) + "\n"


def _what(evidence: Evidence) -> str:
    """Return what was measured, and when."""
    models = ", ".join(markdown_text(evidence.title_of(model)) for model in evidence.values)
    return f"{models}: {rows_and_classes(evidence)} {made_on()}, skconf {__version__}."
