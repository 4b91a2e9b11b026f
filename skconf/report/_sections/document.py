"""The whole report: its sections as a page, as text, and as the first screen of a notebook."""

from itertools import count

import pandas as pd

from skconf._core.messages import listed
from skconf.profile._answers import computed_once
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.logs import CountsAlone
from skconf.report._evidence.tables import TableAlone
from skconf.report._page.document import fragment, page
from skconf.report._page.parts import Copied, Folded, Part, Prose, Section, texts
from skconf.report._page.tables import TablePart
from skconf.report._sections.abstain import abstain
from skconf.report._sections.all_metrics import METRICS, all_metrics
from skconf.report._sections.answered import counted
from skconf.report._sections.model_card import model_card
from skconf.report._sections.slices import slice_finding, slice_parts
from skconf.report._sections.source import files_read, source
from skconf.report._sections.summary import summary
from skconf.report._sections.table import as_lines, as_table, notes_of
from skconf.report._sections.trust import trust
from skconf.report._sections.verdicts import harm_of
from skconf.report._sections.where import where
from skconf.report._sections.which import which
from skconf.report._sections.words import begun, start_of
from skconf.tables._paths import stem

SUMMARY = "Summary"
_CELLS = count(1)


@computed_once
def answers(evidence: Evidence) -> list[Section]:
    """Return the questions of a reader and their answers."""
    answered = [trust(evidence)]
    if evidence.stops:
        answered.append(abstain(evidence))
    if len(evidence.values) > 1:
        answered.append(which(evidence))
    if evidence.profiles:
        answered.append(where(evidence))
    return answered


def as_page(evidence: Evidence) -> str:
    """Return the whole report as a page."""
    card = Copied("Copy for a model card", model_card(evidence))
    sections = [*answers(evidence), all_metrics(evidence), source(evidence)]
    return page(title(evidence), [summary(evidence), card], sections)


def as_text(frame: pd.DataFrame, evidence: Evidence, width: int | None = None) -> str:
    """Return the whole report as text, with the table of metrics and without the folded parts."""
    if evidence.chosen:
        parts = [as_lines(frame, notes_of(evidence), width), *_by_slice(evidence, width)]
        return "\n\n".join([parts[0], *([which(evidence).text(width)] if len(evidence.values) > 1 else []), *parts[1:]])
    answered = texts([*answers(evidence), source(evidence)], width)
    table = as_lines(frame, notes_of(evidence, verdicts=False), width)
    return f"{answered}\n\n{METRICS}\n{table}\n\n{SUMMARY}\n{summary(evidence).text(width)}"


def headings(evidence: Evidence, *, short: bool = False) -> list[str]:
    """Return the headings of the text and the questions of its summary; `short` leaves out the headings."""
    questions = [question for question, *_ in summary(evidence).answers]
    if short:
        return questions
    return [*(section.title for section in [*answers(evidence), source(evidence)]), METRICS, SUMMARY, *questions]


def _by_slice(evidence: Evidence, width: int | None) -> list[str]:
    """Return the tables of the requested slices as text."""
    shown = []
    for model, slices in evidence.by_slice.items():
        start = start_of(evidence, model)
        shown.append(texts([Prose(begun(start, slice_finding(slices))), *slice_parts(slices, start)], width))
    return shown


def as_fragment(frame: pd.DataFrame, evidence: Evidence) -> str:
    """Return what a notebook shows: the verdicts, the counts that they rest on, and the table of metrics."""
    parts = trust(evidence, pictures=len(evidence.values) <= 2).parts
    shown = [part for part in parts if not isinstance(part, Prose)]
    return table_fragment(as_table(frame, notes_of(evidence, verdicts=False)), summary(evidence), *shown)


def table_fragment(table: TablePart, *above: Part) -> str:
    """Return what a notebook shows: a table, and the parts above it."""
    return fragment([*above, table], prefix=f"skconf-{next(_CELLS)}-")


def table_page(table: TablePart, source: TableAlone) -> str:
    """Return a page with a table and its source, for a table that was made without predictions in memory."""
    notes = [*files_read(source.origin), *source.origin.read_as]
    all_metrics = Folded(METRICS, [table]) if source.by_group else table
    opening = [*group_findings(source), *_group_tables(source), all_metrics, *map(Prose, notes)]
    return page("Confidence report", opening, [])


def group_findings(source: TableAlone) -> list[Prose]:
    """Say for each model how often it answers and is right (logs without confidences), or in which groups it fails."""
    if isinstance(source, CountsAlone):
        return [Prose(text, "finding") for text in counted(source)]
    said = []
    for model, by_group in source.by_group.items():
        text = begun(f"{model}: " if model else "", slice_finding(by_group, "group", "groups"))
        said.append(Prose(text, "finding", harm_of(by_group.grade)))
    return said


def _group_tables(source: TableAlone) -> list[Part]:
    """Return the groups of each model, worst first."""
    parts: list[Part] = []
    for model, by_group in source.by_group.items():
        parts += slice_parts(by_group, f"{model}: " if model else "", "group", "groups")
    return parts


def group_texts(source: TableAlone, width: int | None = None) -> list[str]:
    """Return the groups as text: the table first, and then the findings."""
    findings, tables = [each.text(width) for each in group_findings(source)], _group_tables(source)
    summed_up = ["\n".join([SUMMARY, *findings])] if findings else []
    return [*([texts(tables, width)] if tables else []), *summed_up]


def title(evidence: Evidence) -> str:
    """Return the title of the page, with the names of the models."""
    models = [evidence.title_of(model) for model in evidence.values]
    named = models if evidence.several else [stem(file.name) for file in evidence.origin.files] or models
    return f"Can I trust {listed(list(dict.fromkeys(named)))}?" if len(named) <= 3 else "Confidence report"
