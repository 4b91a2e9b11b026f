"""Parts of pages: as text, as Markdown, and in HTML, in which texts stay texts."""

import json
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from skconf.report import ConfidenceReport
from skconf.report._evidence.tables import TableAlone
from skconf.report._page.document import fragment, page
from skconf.report._page.elements import Ids, Markup, as_json, element, joined
from skconf.report._page.parts import Folded, Prose, Section, copied_as, texts
from skconf.report._page.slider import Slider
from skconf.report._page.tables import TablePart, csv_of

HOSTILE = "</script><b>|\n&amp; $x^$"


class _Tags(HTMLParser):
    """The elements of a page, with their attributes; each must be closed."""

    def __init__(self, markup):
        super().__init__()
        self.open, self.found = [], []
        self.feed(markup)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_elements_escape_what_is_put_into_them():
    assert element("p", HOSTILE, class_='"') == ('<p class="&quot;">&lt;/script&gt;&lt;b&gt;|\n&amp;amp; $x^$</p>')
    assert element("p", Markup("<i>"), None, ["a", ["<"]]) == "<p><i>a&lt;</p>"
    assert element("input", type="range", hidden=True, min=None) == '<input type="range" hidden>'
    assert joined(None) == ""


def test_tables_hold_texts_and_no_markup():
    part = TablePart(HOSTILE, pd.DataFrame({HOSTILE: [HOSTILE, "-1"], ("a", HOSTILE): ["1", "2"]}), (HOSTILE,))
    shown = page(HOSTILE, [part], [])
    body = shown[shown.index("<body") :]
    assert "<b>" not in body
    assert body.count("</script") == 1  # that of the page
    assert "&lt;/script&gt;&lt;b&gt;" in body
    written = part.markdown()
    assert "<b>" not in written.partition("\n| ")[2].rpartition("|\n")[0]
    assert written.count("\n| ") == 4
    assert r"&lt;b&gt;\| &amp;amp;" in written


def test_a_report_holds_texts_and_no_markup():
    report = ConfidenceReport(
        TableAlone(pd.DataFrame({HOSTILE: [0.5], "text": [HOSTILE]}, index=pd.Index([HOSTILE], name=HOSTILE)))
    )
    shown = report._repr_html_()
    assert "<b>" not in shown
    assert "</script" not in shown
    assert HOSTILE not in repr(report)
    assert "\x1b" not in repr(ConfidenceReport(TableAlone(pd.DataFrame({"a": [1.0]}, index=["\x1b[2J"]))))


def test_data_cannot_end_its_element_and_is_read_back():
    held = as_json({"a": [HOSTILE, "\u2028", 1.5]})
    assert held.count("<") == 2
    inner = held[held.index(">") + 1 : held.rindex("<")]
    assert json.loads(inner) == {"a": [HOSTILE, "\u2028", 1.5]}
    with pytest.raises(ValueError, match="JSON"):
        as_json([float("nan")])


def test_what_is_copied_is_the_csv():
    table = pd.DataFrame({"a": [1 / 3, 2.0], "b": ["x,y", 'q"']})
    markup = copied_as("Copy", csv_of(table), Ids(), "numbers")
    inner = re.search(r'<script type="application/json" id="copied">(.*)</script>', markup)[1]
    assert json.loads(inner) == 'a,b\n0.333333,"x,y"\n2,"q"""\n'
    assert 'data-from="copied"' in markup
    assert 'aria-label="Copy: numbers"' in markup


def test_identifiers_are_unique_and_plain():
    ids = Ids("x-")
    assert [ids.new("Ä b"), ids.new("ä  B"), ids.new("§")] == ["x-b", "x-b-2", "x-part"]
    asked = ["Table", "Table 2", "Table", "Table 2", "Table"]
    assert len({ids.unique(name) for name in asked}) == len(asked)
    assert ids.unique("Table 7") == "Table 7"


def test_a_page_allows_its_own_style_and_script_only():
    made = page("a", [Prose("b")], [Section("Why?", "Why", [Folded("more", [Prose("c")])]), Section("How?", "How")])
    tags = _Tags(made).found
    policy = next(attributes["content"] for tag, attributes in tags if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none';")
    assert policy.count("'sha256-") == 2
    assert "unsafe" not in policy
    assert not any("style" in attributes or any(key.startswith("on") for key in attributes) for _, attributes in tags)
    assert not re.search(r"https?://(?!www\.w3\.org)", made)
    assert [attributes["href"] for tag, attributes in tags if tag == "a"] == ["#why", "#how"]
    assert {attributes["id"] for tag, attributes in tags if tag == "section"} == {"why", "how"}
    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in tags
    assert ("details", {}) in tags  # closed; a print style opens it


def test_a_fragment_has_no_script_and_its_own_ids():
    table = TablePart("t", pd.DataFrame({"a": ["1"]}))
    shown = fragment([table], prefix="cell-1-")
    assert "<script" not in shown
    assert shown.startswith("<style>")
    _Tags(shown)


def test_rows_whose_first_name_repeats_are_named_by_two():
    """A phone shows a card for each row, below its names."""
    table = pd.DataFrame({"model": ["a", "a", "b"], "answers": ["all", "≥ 0.9", "all"], "rows": ["3", "2", "1"]})
    named = re.findall(r'<th scope="row"[^>]*>(.*?)</th>', TablePart("", table).html(Ids()))
    assert named == ["a", "all", "a", "≥ 0.9", "b", "all"]
    assert re.findall(r'<th scope="row"[^>]*>(.*?)</th>', TablePart("", table.iloc[1:]).html(Ids())) == ["a", "b"]
    wide = table.assign(**{"a long heading" + "g" * 30 * k: "1" for k in range(4)})  # in parts, each with these names
    assert TablePart("", wide).html(Ids()).count(">≥ 0.9</th>") == 3
    assert TablePart("", wide).text(60).count("≥ 0.9") == 3


def test_an_interval_stays_in_one_line():
    assert Prose("95% interval 83.7–85.5").html(Ids()) == "<p>95% interval 83.7\u2060–\u206085.5</p>"
    assert Prose("−0.6–−0.1, then – a dash").text() == "−0.6–−0.1, then – a dash"


def test_text_leaves_out_what_is_folded_and_keeps_the_order():
    parts = [Prose("one"), Folded("f", [Prose("hidden")]), Folded("g", [Prose("two")], in_text=True)]
    assert texts(parts) == "one\n\ntwo"
    assert Section("Why?", "Why", parts).text() == "Why?\none\n\ntwo"
    assert max(map(len, Prose("word " * 50).text(40).splitlines())) <= 40


def test_a_card_names_each_of_its_cells_and_no_heading_that_all_cells_share():
    columns = pd.MultiIndex.from_tuples([("", "limit"), ("one", "threshold"), ("one", "answered")])
    shown = TablePart("", pd.DataFrame([["5%", "0.9", "7"]], columns=columns)).html(Ids())
    assert re.findall('data-label="(.*?)"', shown) == ["limit", "threshold", "answered"]
    columns = pd.MultiIndex.from_tuples([("", "limit"), ("one", "threshold"), ("two", "threshold")])
    shown = TablePart("", pd.DataFrame([["5%", "0.9", "7"]], columns=columns)).html(Ids())
    assert re.findall('data-label="(.*?)"', shown) == ["limit", "one: threshold", "two: threshold"]


def test_wide_tables_are_parted_on_pages_with_the_columns_that_name_rows():
    columns = [("", "name")] + [(f"heading {k}", f"column of numbers {part}") for k in range(6) for part in "ab"]
    table = pd.DataFrame([["row", *map(str, range(12))]], columns=pd.MultiIndex.from_tuples(columns))
    shown = TablePart("t", table).html(Ids())
    assert shown.count("<table>") > 1
    assert shown.count(">row</th>") == shown.count("<table>")
    assert all(f">{number}</td>" in shown for number in range(12))


@pytest.mark.parametrize("heading", [(), ("confidences",)])
def test_numbers_that_stay_in_one_line_take_their_room_also_below_one_heading(heading):
    """Tables of intervals scrolled at 1000 pixels: 5 columns of 22 characters were counted as words."""
    cells = ["0.081 [0.062, 0.096]"] * 5
    titles = [f"metric {number}" for number in range(5)]
    columns = [("", "name"), *((*heading, title) for title in titles)] if heading else ["name", *titles]
    table = pd.DataFrame([["row", *cells]], columns=pd.MultiIndex.from_tuples(columns) if heading else columns)
    shown = TablePart("t", table).html(Ids())
    assert [part.count("0.081") for part in shown.split("<table>")[1:]] == [4, 1]


def test_a_wide_table_keeps_one_table_in_text_by_shorter_headings_and_names_above_their_rows():
    """80 columns: no column may stand alone below, where nothing tells which row it is of."""
    columns = ["model", "answers", "rows", "average confidence", "accuracy of these answers", "wrong of these"]
    cells = [
        [f"model {m}", at, "10,000", "99.1%", "99.10% [98.38, 99.56]", "1,492"] for m in "ab" for at in ("all", "x")
    ]
    text = TablePart("t", pd.DataFrame(cells, columns=columns)).text(56)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 56
    assert "\n\n" not in text
    body = [line.split() for line in lines[-6:]]
    assert [row[0] for row in body] == ["model", "all", "x"] * 2
    assert body[1] == ["all", "10,000", "99.1%", "99.10%", "[98.38,", "99.56]", "1,492"]
    assert " ".join(" ".join(lines[:-6]).split()).count("confidence") == 1
    assert TablePart("t", pd.DataFrame(cells, columns=columns)).text(120).splitlines()[0].split()[:2] == [
        "model",
        "answers",
    ]


class TestSlider:
    def slider(self, default=1):
        cells = [[["a", f"{k}"], ["b", f"{2 * k}"]] for k in range(3)]
        amounts = {"error": [[k, k + 1.0] for k in range(3)], "person": [[1.0, 2.0]] * 3}
        prices = {"error": 10.0, "person": 1.0}
        stops, columns = ["none", "some", "all"], ["model", "answered"]
        texts = {"named": 1, "allowed": "errors at most", "total": "cost", "are_examples": True}
        errors, none = [[1.0, 2.0]] * 3, {"curve": None, "places": ()}
        given = {"errors": errors, "amounts": amounts, "prices": prices}
        return Slider("at least", stops, columns, cells, default, **texts, **given, **none)

    def test_the_default_is_there_without_a_script(self):
        shown = self.slider().html(Ids())
        assert ">some</output>" in shown
        assert '<td class="n" data-label="answered">1</td><td class="n" data-label="cost">11</td>' in shown
        assert '<td class="n" data-label="answered">2</td><td class="n" data-label="cost">22</td>' in shown
        assert re.search(r'<input type="range"[^>]* value="1"[^>]* hidden>', shown)

    def test_the_script_finds_every_stop(self):
        shown = self.slider().html(Ids())
        data = json.loads(re.search(r'class="stops">(.*?)</script>', shown)[1])
        assert data["stops"] == ["none", "some", "all"]
        assert data["cells"] == [[["0"], ["0"]], [["1"], ["2"]], [["2"], ["4"]]]
        assert data["amounts"][0] == [[0, 1], [1, 2], [2, 3]]

    def test_the_cheapest_place_of_each_row_is_named(self):
        shown = self.slider().html(Ids())
        assert (
            "Cheapest: a costs 1 per 1,000 cases, of which it answers 0; "
            "b costs 12 per 1,000 cases, of which it answers 0." in shown
        )  # 10 · 0 + 1, 10 · 1 + 2

    def test_text_says_the_prices(self):
        assert "Example prices: error 10, person 1." in self.slider().text()
        assert "at least all" in self.slider(default=2).text()
