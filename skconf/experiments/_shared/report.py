"""The writer for all experiments: a result becomes text, a page, Markdown and CSV.

An experiment has its findings in sentences, its tables and its pictures. This module adds the agreement with the
printed values, in words.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version

import pandas as pd

from skconf._core.messages import visible
from skconf._core.terminal import csv_text
from skconf.experiments._shared.agreement import agreement_words, not_compared
from skconf.report._page.chart import Chart
from skconf.report._page.document import how_made, page
from skconf.report._page.parts import Beside, ChartPart, Folded, Part, Prose, Section, texts
from skconf.report._page.tables import TablePart, markdown_text

_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn")
#: Most cells of tables that a page shows; other tables are folded. On a phone, a cell takes up to 18 pixels of height.
_MOST_CELLS = 200


@dataclass(frozen=True, eq=False)
class ExperimentReport:
    """The result of an experiment, for a terminal, a page, a Markdown file and a CSV file.

    Attributes
    ----------
    title : str
        The title of the experiment.
    figures : pandas.DataFrame
        All values, for the CSV file.
    findings : sequence of str
        Sentences computed from the values. A reader sees them first.
    tables : sequence of TablePart
        Tables of texts. :mod:`skconf.experiments._shared.tables` makes them from values.
    compared : pandas.DataFrame or None, default=None
        The cells to compare with the paper. If the paper prints a value for any of them, the report begins with the
        number of values that agree. It also says which printed values cannot be compared.
    left_out : sequence of str, default=()
        More sentences on what is left out or cannot be compared, with the reasons.
    charts : sequence of Chart, default=()
        Pictures.
    notes : sequence of str, default=()
        Explanations of the tables and pictures.
    source : mapping of str to str, default={}
        The data, repetitions and seed.
    packages : sequence of str, default=()
        Packages that the experiment used in addition to the packages that every experiment uses.
    failed : sequence of str, default=()
        Parts that could not be read or run, with the reason and what to do. The command writes them to standard error.
    """

    title: str
    figures: pd.DataFrame
    findings: Sequence[str]
    tables: Sequence[TablePart]
    compared: pd.DataFrame | None = None
    left_out: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    notes: Sequence[str] = ()
    source: Mapping[str, str] = field(default_factory=dict)
    packages: Sequence[str] = ()
    failed: Sequence[str] = ()

    @property
    def result(self) -> list[str]:
        """How many values agree with the paper, and the findings, which come first if the paper prints no value."""
        agreement = [] if self.compared is None else agreement_words(self.compared)
        some = self.compared is not None and self.compared["paper"].notna().any()
        return [*agreement, *self.findings] if some else [*self.findings, *agreement]

    @property
    def not_compared(self) -> list[str]:
        """Which printed values cannot be compared, and what else is left out, with the reasons."""
        return [*([] if self.compared is None else not_compared(self.compared)), *self.left_out]

    def text(self, width: int | None = None) -> str:
        """Return the result in sentences, and the tables with their titles."""
        return texts([*map(Prose, (*self.result, *self.not_compared)), *self.tables], width)

    def csv(self) -> str:
        """Return all values as CSV."""
        return csv_text(self.figures, index=False)

    def markdown(self) -> str:
        """Return title, result, notes and tables."""
        sentences = (*self.result, *self.not_compared, *self.failed, *self.notes)
        paragraphs = [f"{markdown_text(sentence)}\n" for sentence in sentences]
        return "\n".join([f"# {self.title}\n", *paragraphs, *(table.markdown() for table in self.tables)])

    def page(self, command: str = "", run: Mapping[str, str] | None = None) -> str:
        """Return a page in HTML, with the command and other facts about the run.

        The same result gives the same bytes on the same day: see :func:`skconf.report._page.document.made_on`.
        """
        opening: list[Part] = [Prose(sentence, "finding") for sentence in self.result]
        opening += map(Prose, (*self.not_compared, *self.failed))
        sections = []
        if self.charts:
            shown = Beside([ChartPart(chart) for chart in self.charts])
            sections.append(Section("What do the pictures show?", "Pictures", [shown]))
        if self.tables:
            sections.append(Section("What are the numbers?", "Tables", list(_placed(self.tables))))
        if self.notes:
            sections.append(Section("How to read them?", "Notes", [Prose(note) for note in self.notes]))
        sections.append(self._origin({**how_made(command), **(run or {})}))
        return page(self.title, opening, sections)

    def _origin(self, run: Mapping[str, str]) -> Section:
        """Return the section that says what was run, with which versions of packages."""
        packages = ", ".join(f"{name} {version(name)}" for name in (*_PACKAGES, *self.packages))
        facts = {**run, **self.source, "packages": packages}
        table = pd.DataFrame({"what": list(facts), "value": [visible(said) for said in facts.values()]})
        return Section("Where does this come from?", "Source", [TablePart("", table)])


def _placed(tables: Sequence[TablePart]) -> Iterator[Part]:
    """Yield the tables; fold those that would make the page too long."""
    n_cells = 0
    for table in tables:
        if n_cells + table.table.size <= _MOST_CELLS or not table.title:
            n_cells += table.table.size
            yield table
        else:
            yield Folded(f"{table.title}: {len(table.table):,} rows", [replace(table, title="")])
