"""What an experiment found: its result first, then pictures, tables, notes and where it comes from."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

import pandas as pd

from skconf._core.messages import visible
from skconf._core.version import __version__
from skconf.report._page.chart import Chart
from skconf.report._page.document import page
from skconf.report._page.made import made_on, without_folders
from skconf.report._page.parts import Beside, ChartPart, Part, Prose, Section, texts
from skconf.report._page.tables import TablePart, markdown_text

_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn")


@dataclass(frozen=True)
class ExperimentReport:
    """An experiment's result, for a terminal, a Markdown file and a page.

    Attributes
    ----------
    title : str
        Which experiment it is.
    findings : sequence of str
        What it found, in sentences: computed from the figures.
    tables : sequence of TablePart
        The figures.
    left_out : sequence of str, default=()
        Which figures could not be compared, and why.
    charts : sequence of Chart, default=()
        Pictures of them.
    notes : sequence of str, default=()
        How to read them.
    source : mapping of str to str, default={}
        What was run: data, repetitions, seed.
    packages : sequence of str, default=()
        Packages it used beside those that every experiment uses.
    failed : sequence of str, default=()
        What could not be read or run, why, and what to do; the rest ran. The command says it on standard error.
    """

    title: str
    findings: Sequence[str]
    tables: Sequence[TablePart]
    left_out: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    notes: Sequence[str] = ()
    source: Mapping[str, str] = field(default_factory=dict)
    packages: Sequence[str] = ()
    failed: Sequence[str] = ()

    def text(self, width: int | None = None) -> str:
        """Return the findings and the tables, each below its title."""
        return texts([*map(Prose, (*self.findings, *self.left_out)), *self.tables], width)

    def markdown(self) -> str:
        """Return title, findings, notes and tables."""
        said = [markdown_text(sentence) for sentence in (*self.findings, *self.left_out, *self.failed, *self.notes)]
        return "\n".join([f"# {self.title}\n", *(f"{line}\n" for line in said), *(t.markdown() for t in self.tables)])

    def page(self, run: Mapping[str, str] | None = None) -> str:
        """Return a page.

        Parameters
        ----------
        run : mapping of str to str, default=None
            What else is known of the run, such as its "command".

        Returns
        -------
        str
            The same bytes for the same result on the same day; see :func:`skconf.report._page.made.made_on`.
        """
        opening: list[Part] = [Prose(sentence, "finding") for sentence in self.findings]
        opening += map(Prose, (*self.left_out, *self.failed))
        sections = [Section("What do the pictures show?", "Pictures", [Beside(list(map(ChartPart, self.charts)))])]
        sections.append(Section("What are the figures?", "Tables", self.tables))
        sections.append(Section("How to read them?", "Notes", [Prose(note) for note in self.notes]))
        kept = [
            section for section, filled in zip(sections, (self.charts, self.tables, self.notes), strict=True) if filled
        ]
        return page(self.title, opening, [*kept, self._origin(run or {})], byline=f"{made_on()} · skconf {__version__}")

    def _origin(self, run: Mapping[str, str]) -> Section:
        """Return what was run, by which versions."""
        versions = {name: version(name) for name in (*_PACKAGES, *self.packages)}
        facts = {
            "made by": f"skconf {__version__}, Python {platform.python_version()}",
            "on": f"{made_on()} (UTC)",
            **{what: without_folders(said) if what == "command" else said for what, said in run.items()},
            **self.source,
            "packages": ", ".join(f"{name} {number}" for name, number in versions.items()),
        }
        table = pd.DataFrame({"what": list(facts), "value": [visible(said) for said in facts.values()]})
        return Section("Where does this come from?", "Source", [TablePart("", table)])
