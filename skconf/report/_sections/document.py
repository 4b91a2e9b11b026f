"""The whole report: its sections as a page, as text, and as the first screen of a notebook."""

from itertools import count

from skconf._core.version import __version__
from skconf.report._evidence.evidence import Evidence
from skconf.report._frame import ConfidenceReport, as_lines, as_table
from skconf.report._page.document import fragment, page
from skconf.report._page.made import made_on
from skconf.report._page.parts import Copied, Prose, Section, texts
from skconf.report._sections.abstain import abstain
from skconf.report._sections.all_metrics import METRICS, all_metrics
from skconf.report._sections.model_card import model_card
from skconf.report._sections.source import origin
from skconf.report._sections.trust import trust
from skconf.report._sections.where import where
from skconf.report._sections.which import which

_CELLS = count(1)


def sections(evidence: Evidence, *, rows: bool = True) -> list[Section]:
    """Return the questions of a reader and their answers; `rows` tells whether single rows may be named."""
    found = [trust(evidence)]
    if evidence.profiles:
        found.append(abstain(evidence))
    if len(evidence.values) > 1:
        found.append(which(evidence))
    if evidence.profiles:
        found.append(where(evidence, rows=rows))
    return [*found, all_metrics(evidence), origin(evidence)]


def as_page(evidence: Evidence, *, anonymous: bool = False) -> str:
    """Return the whole report as a page."""
    if anonymous:
        evidence = evidence.anonymous()
    card = Copied("Copy a text for a model card", model_card(evidence))
    return page(title(evidence), [card], sections(evidence, rows=not anonymous), byline=_byline())


def as_text(report: ConfidenceReport, width: int | None = None) -> str:
    """Return the report as text: without what is folded, and with the table of metrics."""
    if report.evidence is None:
        return as_lines(report, width=width)
    if report.evidence.chosen:
        return "\n\n".join(
            [as_lines(report, width=width), *_compared(report.evidence, width), *_by_slice(report.evidence, width)]
        )
    answers = texts([section for section in sections(report.evidence) if section.short != METRICS], width)
    return f"{answers}\n\n{METRICS}\n{as_lines(report, verdicts=False, width=width)}"


def _compared(evidence: Evidence, width: int | None) -> list[str]:
    """Return the comparison of several models as text."""
    return [which(evidence).text(width)] if len(evidence.values) > 1 else []


def _by_slice(evidence: Evidence, width: int | None) -> list[str]:
    """Return the slices that were asked for as text."""
    shown = []
    for model, found in evidence.by_slice.items():
        start, finding = f"{model}: " if evidence.several else "", found.finding()
        said = f"{start}{finding}" if start else finding[0].upper() + finding[1:]
        shown.append(texts([Prose(said), *found.parts(start)], width))
    return shown


def as_fragment(report: ConfidenceReport) -> str:
    """Return what a notebook shows: the verdicts, what they rest on, and the table of metrics."""
    answers = [] if report.evidence is None else trust(report.evidence, pictures=len(report.evidence.values) <= 2).parts
    return fragment([*answers, as_table(report, verdicts=not answers)], prefix=f"skconf-{next(_CELLS)}-")


def plain_page(report: ConfidenceReport, *notes: str) -> str:
    """Return a page with a table and notes, for what has no predictions behind it."""
    return page("Confidence report", [as_table(report), *map(Prose, notes)], [], byline=_byline())


def _byline() -> str:
    return f"{made_on()} · skconf {__version__}"


def title(evidence: Evidence) -> str:
    """Return the title of the page: what is reported on."""
    named = [file.name for file in evidence.origin.files] or [evidence.title_of(model) for model in evidence.values]
    return f"May I trust {' and '.join(dict.fromkeys(named))}?" if len(named) <= 3 else "Confidence report"
