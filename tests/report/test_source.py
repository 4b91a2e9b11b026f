"""Where a report comes from: what was read, by what, and what was chosen."""

import hashlib
from collections import Counter

import numpy as np
import pytest

import skconf
from skconf import ConfidenceProfile
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.origin import Origin, SourceFile, digest
from skconf.report._page.elements import Ids
from skconf.report._sections.source import source


def profile_of(y, labels, **more):
    proba = np.full((len(y), len(labels)), 1 / len(labels))
    return ConfidenceProfile.from_predictions(y, proba, labels=labels, **more)


def evidence_of(profiles, **more):
    return Evidence(rows=[], values=dict.fromkeys(profiles, ()), profiles=profiles, **more)


def lines_of(section):
    return [" ".join(line.split()) for line in section.text(200).splitlines()]


@pytest.mark.parametrize("n_bytes", [0, 5, 3_000_000])
def test_digests_are_those_of_the_whole_file(n_bytes, tmp_path):
    content = np.random.default_rng(0).bytes(n_bytes)
    (tmp_path / "a.csv").write_bytes(content)
    assert digest(tmp_path / "a.csv") == digest(str(tmp_path / "a.csv")) == hashlib.sha256(content).hexdigest()


def test_the_date_can_be_fixed(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795391999")
    assert "on 22 November 2026 (UTC)" in lines_of(source(evidence_of({})))


def test_what_was_read_and_chosen():
    y = ["b"] * 5 + ["a"] * 2
    profiles = {
        "one": profile_of(y, ["a", "b", "c"], threshold=0.75),
        "two": profile_of(y, ["a", "b", "c"], sample_weight=np.arange(1, 8)),
    }
    files = [SourceFile("one", "a.csv", 7, "0123456789abcdef" * 4), SourceFile("two", "b.csv", 7)]
    given = Origin(files, "skconf evaluate /x/a.csv", ["Read 'label' as the true label."])
    section = source(evidence_of(profiles, several=True, baseline="one", level=0.9, origin=given))
    lines = lines_of(section)
    for line in (
        "command skconf evaluate a.csv",
        "predictions of one 7",
        "predictions of two 7, weighted",
        "threshold of one 0.75",
        "threshold of two none given; metrics that need one use 0.5",
        "compared with one",
        "level of intervals 90%, but 95% in verdicts, in the table of expected errors, and for differences of metrics",
        "Read 'label' as the true label.",
        "one a.csv 7 0123456789ab",
        "two b.csv 7 –",
        "b 5 71.4%",
        "a 2 28.6%",
        "c 0 0%",
    ):
        assert line in lines, line
    assert any(line.startswith(f"made by skconf {skconf.__version__}, Python 3.") for line in lines)
    assert sum(line == "b 5 71.4%" for line in lines) == 1  # both models have the same
    assert "0123456789abcdef" * 4 in section.html(Ids())


def test_the_usual_level_is_that_of_all_intervals():
    assert "level of intervals 95%" in lines_of(source(evidence_of({"value": profile_of(["a", "b"], ["a", "b"])})))


def test_classes_that_differ_are_counted_for_each_model():
    profiles = {"one": profile_of(["a", "b"], ["a", "b"]), "two": profile_of(["a", "a"], ["a", "b"])}
    shown = source(evidence_of(profiles, several=True, baseline="one")).html(Ids())
    assert "Classes of one</h3>" in shown
    assert "Classes of two</h3>" in shown


def test_a_thousand_classes_are_counted_and_cut():
    y = np.random.default_rng(0).integers(0, 1000, 5000)
    section = source(evidence_of({"value": profile_of(y, np.arange(1000))}))
    (most, count), *_ = sorted(Counter(y.tolist()).items(), key=lambda item: (-item[1], item[0]))
    assert f"{most} {count} {count / 50:.2g}" in section.text(200).replace("  ", " ").replace("  ", " ")
    assert "900 rarer classes are left out." in section.html(Ids())


def test_nothing_is_known_without_predictions():
    in_batches = Evidence(rows=[], values={"value": []}, origin=Origin([SourceFile("value", "<b>.csv", 3, "ab" * 32)]))
    shown = source(in_batches).html(Ids())
    assert "&lt;b&gt;.csv" in shown
    assert "<b>" not in shown
    assert "threshold" not in shown
    infinite = ConfidenceProfile(**{**vars(profile_of(["a", "b"], ["a", "b"])), "threshold": np.inf})
    assert "threshold ∞: nothing is accepted" in lines_of(source(evidence_of({"value": infinite})))


def test_names_can_be_left_out():
    given = Origin([SourceFile("one", "secret.csv", 2, "ab" * 32)], "skconf evaluate secret.csv")
    profiles = {"secret": profile_of(["ann", "bob"], ["ann", "bob"])}
    text = source(evidence_of(profiles, several=True, baseline="secret", origin=given).anonymous()).html(Ids())
    assert not any(name in text for name in ("secret", "ann", "bob"))
    assert "class 1" in text
