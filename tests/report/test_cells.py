"""Thresholds of what is read in batches: where cells of confidence begin."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skconf import ConfidenceProfile, ConfidenceReport, tune_threshold
from skconf.report._evidence.cells import BEGINS, stops_of_cells

RNG = np.random.default_rng(3)
CONFIDENCE = 0.5 + 0.5 * RNG.beta(2, 1, 9000)
CORRECT = RNG.random(9000) < CONFIDENCE
CELL = np.array([BEGINS[each >= BEGINS].max() for each in CONFIDENCE])
CORRECT_PROFILE = ConfidenceProfile.from_correctness(CORRECT, CELL)


@pytest.fixture
def files(tmp_path):
    table = pd.DataFrame({"correct": CORRECT.astype(int), "confidence": CONFIDENCE})
    for number, part in enumerate(np.array_split(np.arange(9000), 3)):
        table.iloc[part].to_csv(tmp_path / f"{number}.csv", index=False)
    return tmp_path


def test_cells_begin_at_short_decimals():
    assert [float(f"{each:.5f}") for each in BEGINS] == BEGINS.tolist()
    assert (np.diff(BEGINS) > 0).all()


def test_thresholds_in_batches_are_those_of_confidences_cut_to_cells(files):
    report = ConfidenceReport.from_files(files, errors=0.03)
    table = report.thresholds
    in_memory = {
        target: tune_threshold(CORRECT_PROFILE, target=target, confidence_level=0.95) for target in (0.05, 0.1)
    }
    for target, tuned in in_memory.items():
        row = table.loc[np.isclose(table["target"], target)].iloc[0]
        assert row["guaranteed_threshold"] == tuned.threshold
        seen = [at for at in BEGINS if (at <= CELL).sum() >= 20 and (~CORRECT[at <= CELL]).mean() <= target]
        share = max((at <= CELL).mean() for at in seen)
        assert row["coverage"] == pytest.approx(share, abs=1e-12)
        accepted = row["threshold"] <= CONFIDENCE
        assert accepted.mean() == pytest.approx(share, abs=1e-12)
        assert row["risk"] == pytest.approx((~CORRECT[accepted]).mean(), abs=1e-12)
    assert "thresholds are tried" in report.page()


@given(st.lists(st.sampled_from(range(len(BEGINS))), min_size=1, max_size=30, unique=True))
def test_a_threshold_parts_cells_where_its_stop_does(held):
    counts = np.zeros(len(BEGINS))
    counts[held] = 1
    stops = stops_of_cells(counts, np.zeros(len(BEGINS)), 0.95)
    ends = np.append(BEGINS[1:], np.nextafter(1, 2))
    for stop, begin in enumerate(stops.score):
        threshold = stops.threshold(stop)
        assert threshold <= begin
        below = [ends[cell] for cell in held if BEGINS[cell] < begin]
        assert not below or threshold >= max(below)


def test_groups_and_weights_show_no_thresholds(files):
    with pytest.raises(ValueError, match="and no thresholds"):
        ConfidenceReport.from_files(files, groups="correct", errors=0.03)
    path = files / "weighted"
    path.mkdir()
    for number in range(2):
        pd.read_csv(files / f"{number}.csv").assign(sample_weight=2.0).to_csv(path / f"{number}.csv", index=False)
    with pytest.warns(UserWarning, match="errors and prices are unused"):
        ConfidenceReport.from_files(path, prices=(10, 1))
