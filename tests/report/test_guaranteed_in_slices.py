"""The table of thresholds that are guaranteed in each slice: beside thresholds that are chosen slice by slice."""

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, ConfidenceReport, confidence_report, tune_threshold

RNG = np.random.default_rng(0)
N = 6000
REGION = RNG.choice(["north", "south", "islands"], N, p=[0.6, 0.395, 0.005])
SIGNAL = RNG.normal(size=N)
Y = (SIGNAL + np.where(REGION == "south", 1, 0.3) * RNG.normal(size=N) > 0).astype(int)
PROBA = 1 / (1 + np.exp(-3 * SIGNAL))
SEX = RNG.choice(["f", "m"], N)
HEADING = "Guaranteed in each slice"


def table(report):
    """Return what the evidence of a report has for its only model."""
    (found,) = report.evidence.guaranteed_in_slices.values()
    return found.set_index("slice")


def test_thresholds_are_those_of_each_slice_at_its_share():
    report = confidence_report(Y, PROBA, slices={"region": REGION, "sex": SEX}, errors=0.05)
    found = table(report)
    assert found.index.tolist() == ["region = islands", "region = north", "region = south", "sex = f", "sex = m"]
    sure = np.maximum(PROBA, 1 - PROBA)
    # Two columns share the probability, of each column two slices that have enough rows.
    for name, rows in (
        ("region = north", REGION == "north"),
        ("region = south", REGION == "south"),
        ("sex = f", SEX == "f"),
    ):
        own = tune_threshold(Y[rows], PROBA[rows], target=0.05, confidence_level=0.95, n_candidates=4)
        assert found.loc[name, "n_units"] == rows.sum()
        assert found.loc[name, "coverage"] == pytest.approx(own.coverage)
        at = found.loc[name, "threshold"]
        np.testing.assert_array_equal((sure >= at)[rows], (sure >= own.threshold)[rows])
        assert len(str(at)) <= len(str(own.threshold))
    assert np.isnan(found.loc["region = islands", "threshold"])
    text = " ".join(report.text().split())
    assert f"{HEADING}: errors at most 5%" in text
    assert "region = islands has no guarantee: " in text
    assert HEADING in report.page()
    assert HEADING not in report.page(anonymous=True)


def test_groups_and_rows_that_abstain_are_counted_as_in_python():
    patient, abstained = np.arange(N) // 3, np.arange(N) % 5 == 0
    right, sure, kept = (PROBA > 0.5) == Y, np.maximum(PROBA, 1 - PROBA), ~abstained
    profile = ConfidenceProfile.from_correctness(right, sure, groups=patient, abstained=abstained)
    report = confidence_report(profile, slices={"region": REGION}, errors=0.1)
    with pytest.warns(UserWarning, match="islands"):
        own = tune_threshold(profile, target=0.1, confidence_level=0.95, slices=REGION, random_state=0).guarantees
    assert own["n_samples"].sum() < kept.sum()
    assert table(report)["n_units"].tolist() == own["n_samples"].tolist()
    assert table(report)["coverage"].tolist() == pytest.approx(own["coverage"].tolist())


def test_cases_in_which_the_model_abstains_are_cases(tmp_path):
    """From files, too, in every order of rows: of 1,000 cases so many are answered."""
    abstained = (RNG.random(N) < np.where(REGION == "north", 0.6, 0.1)) | (REGION == "islands")
    sure, right = np.maximum(PROBA, 1 - PROBA), (PROBA > 0.5) == Y
    columns = {"correct": right.astype(int), "confidence": sure, "abstained": abstained, "region": REGION}
    frame = pd.DataFrame(columns).sample(frac=1, random_state=0)
    frame.to_csv(tmp_path / "answers.csv", index=False)
    profile = ConfidenceProfile.from_correctness(right, sure, abstained=abstained)
    reports = [
        confidence_report(profile, slices={"region": REGION}, errors=0.1),
        ConfidenceReport.from_files(tmp_path / "answers.csv", slices="region", errors=0.1),
    ]
    for report in reports:
        found = table(report)
        assert len(found) == 2
        for name, (threshold, coverage) in found[["threshold", "coverage"]].iterrows():
            rows = np.array([f"region = {each}" == name for each in REGION])
            assert coverage == pytest.approx(np.mean(~abstained[rows] & (sure[rows] >= threshold)))


@pytest.mark.parametrize("options", [{}, {"slices": {"region": REGION}, "sample_weight": 1 + RNG.random(N)}])
def test_nothing_is_shown_without_slices_or_where_no_rule_applies(options):
    report = confidence_report(Y, PROBA, **options)
    assert not report.evidence.guaranteed_in_slices
    assert HEADING not in report.text()


def test_graded_answers_are_drawn_once():
    sure = RNG.random(N)
    graded = ConfidenceProfile.from_correctness(sure**0.2, sure)
    found = table(confidence_report(graded, slices=pd.DataFrame({"sex": SEX}), errors=0.2))
    assert (found["threshold"] < 1).all()
    accepted = sure >= found["threshold"][[f"sex = {each}" for each in SEX]].to_numpy()
    assert 1 - (sure**0.2)[accepted].mean() < 0.2
