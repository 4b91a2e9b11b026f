"""The parts of pages. A part is text in a terminal and HTML on a page."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from skconf.report._page.elements import Ids, Markup, as_json, element, joined
from skconf.report._page.tables import TablePart, csv_of, wrapped

if TYPE_CHECKING:
    from skconf.report._page.chart import Chart

#: The kinds of paragraphs.
Kind = Literal["", "finding", "note"]
#: The grades of harm that a paragraph or an answer shows; "" if it shows none that matters.
Harm = Literal["", "mild", "serious", "unusable"]


class Part(Protocol):
    """A part of a page."""

    def text(self, width: int | None = None) -> str:
        """Return the part as text, in lines of at most this width; "" if the part is only for pages."""
        ...

    def html(self, ids: Ids) -> Markup:
        """Return the part in HTML."""
        ...


@dataclass(frozen=True)
class Prose:
    """A paragraph.

    Attributes
    ----------
    words : str
        Plain text.
    kind : {"", "finding", "note"}
        "finding" is for a main result of the section, "note" for an explanation in smaller letters, "" for other text.
    harm : {"", "mild", "serious", "unusable"}
        The grade of harm that a finding shows. Each grade has its own mark, which does not depend on colour alone.
    """

    words: str
    kind: Kind = ""
    harm: Harm = ""

    def text(self, width: int | None = None) -> str:
        """Return the lines."""
        return wrapped(self.words, width)

    def html(self, ids: Ids) -> Markup:  # noqa: ARG002
        """Return the paragraph."""
        return element("p", self.words, class_=f"{self.kind} {self.harm}".strip() or None)


@dataclass(frozen=True)
class Answers:
    """The short answers at the beginning of a page, each to a question in one word, such as "Trust".

    Attributes
    ----------
    answers : sequence of tuple of str, str, str
        The question, the answer, and its grade of harm.
    """

    answers: Sequence[tuple[str, str, Harm]]

    def text(self, width: int | None = None) -> str:
        """Return a paragraph for each question."""
        return "\n".join(wrapped(f"{question}: {answer}", width, "  ") for question, answer, _ in self.answers)

    def html(self, ids: Ids) -> Markup:  # noqa: ARG002
        """Return the questions and their answers side by side."""
        pairs = [
            element("div", element("dt", question), element("dd", answer), class_=grade or None)
            for question, answer, grade in self.answers
        ]
        return element("dl", pairs, class_="answers")


@dataclass(frozen=True)
class ChartPart:
    """A chart with its finding as a caption, and its numbers to copy; only on pages."""

    chart: "Chart"

    def text(self, width: int | None = None) -> str:  # noqa: ARG002
        """Return nothing: the table or sentence beside the chart says the same."""
        return ""

    def html(self, ids: Ids) -> Markup:
        """Return the figure."""
        chart, panels = self.chart, self.chart.panels()
        drawn = [panel.svg(ids.new(chart.name)) for panel in panels]
        if len(panels) == 1:
            shown = [chart.legend(), *drawn]
        else:
            common = replace(chart, marks=[mark for mark in chart.marks if mark.series is None])
            named = [element("div", panel.legend(), svg) for panel, svg in zip(panels, drawn, strict=True)]
            shown = [common.legend(), element("div", named, class_="panels")]
        copy = copied_as("Copy the numbers as CSV", csv_of(self.chart.data), ids, self.chart.name)
        caption = element("figcaption", element("strong", self.chart.name), " ", self.chart.finding, " ", copy)
        return element("figure", shown, caption, class_="picture")


@dataclass(frozen=True)
class Copied:
    """A button that copies a text; only on pages on which a script runs."""

    what: str
    content: str

    def text(self, width: int | None = None) -> str:  # noqa: ARG002
        """Return nothing."""
        return ""

    def html(self, ids: Ids) -> Markup:
        """Return the button."""
        return element("p", copied_as(self.what, self.content, ids))


@dataclass(frozen=True)
class Beside:
    """Parts beside each other if there is room, else below each other."""

    parts: Sequence[Part]

    def text(self, width: int | None = None) -> str:
        """Return the texts of all parts."""
        return texts(self.parts, width)

    def html(self, ids: Ids) -> Markup:
        """Return all parts."""
        return element("div", [part.html(ids) for part in self.parts], class_="beside")


@dataclass(frozen=True)
class Folded:
    """Parts that a page hides until the reader opens them.

    Attributes
    ----------
    summary : str
        The title of the folded parts.
    parts : sequence of Part
        The parts.
    in_text : bool
        Whether a report in a terminal shows the parts, too.
    on_paper : bool
        Whether a printed page shows the parts, although they are folded.
    """

    summary: str
    parts: Sequence[Part]
    in_text: bool = False
    on_paper: bool = True

    def text(self, width: int | None = None) -> str:
        """Return the texts of all parts, or nothing if a report in a terminal does not show them."""
        return texts(self.parts, width) if self.in_text else ""

    def html(self, ids: Ids) -> Markup:
        """Return all parts, folded."""
        kind = None if self.on_paper else "screen"
        shown = [part.html(ids) for part in self.parts]
        return element("details", element("summary", self.summary), shown, class_=kind)


@dataclass(frozen=True)
class Section:
    """A question and the parts that answer it.

    Attributes
    ----------
    title : str
        The question.
    short : str
        A word or two, for the navigation.
    parts : sequence of Part
        The answer.
    """

    title: str
    short: str
    parts: Sequence[Part] = field(default_factory=tuple)

    def text(self, width: int | None = None) -> str:
        """Return title and parts as text."""
        return f"{self.title}\n{texts(self.parts, width)}".rstrip()

    def html(self, ids: Ids) -> Markup:
        """Return the section."""
        return joined([element("h2", self.title), *(part.html(ids) for part in self.parts)])


def copied_as(what: str, text: str, ids: Ids, name: str | None = None) -> Markup:
    """Return a button that copies a text, hidden until the script of the page runs; nothing on pages without one."""
    if not ids.scripted:
        return Markup("")
    source = ids.new("copied")
    button = element(
        "button",
        what,
        type="button",
        class_="copy",
        data_from=source,
        aria_label=name and f"{what}: {name}",
        hidden=True,
    )
    return joined([button, as_json(text, id=source)])


def texts(parts: Sequence[Part], width: int | None = None) -> str:
    """Return parts as text, with an empty line between them; tables below their titles."""
    return "\n\n".join(filter(None, (_titled(part, width) for part in parts)))


def _titled(part: Part, width: int | None) -> str:
    text = part.text(width)
    if not isinstance(part, TablePart) or not part.title:
        return text
    return f"{part.title if width is None else wrapped(part.title, width)}\n{text}"
