"""Logs and streams of answers, against parsing or adding them one at a time: python -m pytest -n 0 thisfile."""

import json
from pathlib import Path

import numpy as np
import pytest

from skconf import RiskMonitor, read_log

LOGS = Path(__file__).parent.parent / "tables" / "logs"
FLAT = {"id": 0, "correct": True, "confidence": 0.25, "model": "a", "text": "some words, and more of them"}
FORMS = {
    "flat": FLAT,
    "nested": {**FLAT, "doc": {"passage": "p1", "topic": "law"}, "metadata": {"level": 0.5, "of": {"name": "x"}}},
    "quotes and colons": {**FLAT, "doc": {"passage": "p: 1", "of": ["a", "b"]}, "answer": 'he said "no": really'},
}


def parsed(path):
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


@pytest.mark.parametrize("n", [50_000, 1_000_000])
@pytest.mark.parametrize("form", FORMS)
def test_json_lines(form, n, tmp_path, ratio):
    path = tmp_path / "answers.jsonl"
    with path.open("w") as file:
        file.writelines(json.dumps({**FORMS[form], "id": i, "confidence": i % 1000 / 1000}) + "\n" for i in range(n))
    found = ratio(
        f"{n:,} answers, {form}",
        "parsing with json",
        lambda: parsed(path),
        lambda: read_log(path),
        path.stat().st_size,
        rounds=3,
    )
    assert found < 3
    assert len(read_log(path)) == n


def test_samples_of_lm_eval(tmp_path, ratio):
    path = tmp_path / "samples_x.jsonl"
    path.write_text(((LOGS / "samples_mc.jsonl").read_text().splitlines()[0] + "\n") * 20_000)
    found = ratio(
        "20,000 samples of lm-evaluation-harness",
        "parsing with json",
        lambda: parsed(path),
        lambda: read_log(path, correct="acc_norm"),
        path.stat().st_size,
        rounds=3,
    )
    assert found < 12
    assert len(read_log(path, correct="acc_norm")) == 20_000


def test_monitor(ratio):
    """A million answers in one call; a thousandth of the baseline is timed."""
    right = np.random.default_rng(4).random(1_000_000) > 0.04

    def one_by_one():
        monitor = RiskMonitor(0.05)
        for each in right[:1000]:
            monitor.update(each)

    found = ratio(
        "RiskMonitor.update of a million answers",
        "an answer at a time",
        one_by_one,
        lambda: RiskMonitor(0.05).update(right),
        right.nbytes,
        rounds=3,
        parts=1000,
    )
    assert found < 0.1
