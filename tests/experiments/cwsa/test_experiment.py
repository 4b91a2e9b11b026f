"""The CWSA paper's experiments, and the simulated models they are made of."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import auc

from skconf import ConfidenceProfile, experiments, metrics
from skconf.datasets import make_selective_model

#: Accuracy, and the range of the confidence: nine in ten answers known, a third of the guesses right.
MODELS = {
    "calibrated": (0.9 + 0.1 / 3, 0.5, 1.0),
    "overconfident": (0.9 + 0.1 / 3, 0.9, 1.0),
    "underconfident": (0.9 + 0.1 / 3, 0.3, 0.6),
    "perfect": (1.0, 1.0, 1.0),
    "random": (1 / 3, 0.3, 1.0),
}


@pytest.fixture(scope="module")
def cells():
    return experiments.cwsa_experiment(n_repetitions=200)


@pytest.mark.parametrize("kind", MODELS)
def test_simulated_models_are_as_described(kind):
    accuracy, low, high = MODELS[kind]
    n = 20_000
    profile = make_selective_model(kind, n, random_state=0)
    assert len(profile) == n
    assert abs(profile.correct.mean() - accuracy) <= 4 * np.sqrt(accuracy * (1 - accuracy) / n)
    assert low <= profile.confidence.min() <= low + 20 / n
    assert high - 20 / n <= profile.confidence.max() <= high
    again = make_selective_model(kind, n, random_state=0)
    np.testing.assert_array_equal(profile.confidence, again.confidence)
    np.testing.assert_array_equal(profile.correct, again.correct)


def test_confidence_of_the_calibrated_model_follows_what_it_knows_and_not_what_is_right():
    profile = make_selective_model("calibrated", 20_000, n_classes=4, random_state=1)
    guessed = profile.confidence < 0.75
    assert guessed.mean() == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / 20_000))
    assert profile.correct[~guessed].all()
    assert profile.correct[guessed].mean() == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / guessed.sum()))
    assert ((profile.confidence < 0.7) | (profile.confidence >= 0.8)).all()


def test_simulated_models_refuse_what_they_are_not():
    with pytest.raises(ValueError, match=r"There is no kind 'randon'. Did you mean 'random'"):
        make_selective_model("randon")
    with pytest.raises(ValueError, match="n_samples"):
        make_selective_model(n_samples=0)
    with pytest.raises(ValueError, match="n_classes"):
        make_selective_model(n_classes=1)


def test_every_printed_figure_lies_within_sampling_error(cells):
    compared = cells[cells["note"] == ""]
    assert len(cells) == 109
    assert len(compared) == 86
    # The figures of a model are those of one draw: the bound on the largest deviation holds however they hang together.
    bound = stats.norm.isf(1e-3 / len(compared) / 2)
    largest = compared.loc[compared["deviation"].abs().idxmax()]
    assert abs(largest["deviation"]) < bound, largest
    assert experiments.count_agreement(cells, "source").loc["Table 3", ["printed", "compared"]].tolist() == [28, 28]


def test_rows_of_table_1_that_no_data_can_have_are_noted(cells):
    noted = cells[(cells["note"] != "") & cells["source"].str.startswith("Table")]
    assert set(noted["source"]) == {"Table 1"}
    assert sorted(noted["threshold"].unique()) == [0.6, 0.7, 0.8, 0.9, 0.95]
    assert len(noted) == 5 * 4
    by_row = noted.pivot(index="threshold", columns="quantity", values="paper")
    assert (by_row["cwsa"] > by_row["coverage"] * by_row["cwsa_plus"]).all()
    profile = make_selective_model("calibrated", random_state=0)
    for threshold in by_row.index:
        rewarded = metrics.cwsa_plus_score(profile, threshold=threshold, normalize="all")
        assert rewarded == pytest.approx(
            metrics.coverage_score(profile, threshold=threshold) * metrics.cwsa_plus_score(profile, threshold=threshold)
        )
        assert metrics.cwsa_score(profile, threshold=threshold, normalize="all") <= rewarded + 1e-12


def test_text_that_the_papers_own_tables_contradict_is_not_compared(cells):
    text = cells[(cells["note"] != "") & cells["source"].str.startswith("Section")].set_index(["model", "quantity"])
    tables = cells[cells["source"].str.startswith("Table") & (cells["threshold"] == 0.99)]
    printed = tables.set_index(["model", "quantity"])["paper"]
    assert text["paper"].to_dict() == {
        ("calibrated", "cwsa_plus"): 0.71,
        ("overconfident", "cwsa"): 0.221,
        ("overconfident", "cwsa_plus"): 0.742,
    }
    assert [printed[key] for key in text.index] == [0.5073, 0.0431, 0.4748]


def test_printed_rows_are_those_of_the_swept_thresholds(cells):
    """Under its own name, a row of Table 2 is many standard errors off."""
    swept = cells.loc[cells["source"].isin(["Table 2", "Table 3"]), "swept"]
    on_grid = np.abs(swept.to_numpy()[:, np.newaxis] - np.linspace(0.5, 0.99, 20)).min(axis=1)
    assert on_grid.max() < 1e-6
    coverage = cells.query("source == 'Table 2' and threshold == .95 and quantity == 'coverage'").iloc[0]
    assert abs(coverage["deviation"]) < 3
    n = 100_000
    at_name = metrics.coverage_score(make_selective_model("overconfident", n, random_state=0), threshold=0.95)
    assert abs(at_name - coverage["paper"]) > 8 * np.sqrt(0.25 / 1000)


def test_means_are_the_expected_ones(cells):
    """Of the random model: coverage (1 − τ)/.7, a mean φ of 1/2, a third right."""
    random = cells[(cells["source"] == "Table 3")]
    for row in random.itertuples():
        coverage = (1 - row.swept) / 0.7
        expected = {
            "coverage": coverage,
            "selective_accuracy": 1 / 3,
            "cwsa": coverage * 0.5 * (2 / 3 - 1),
            "cwsa_plus": 0.5 / 3,
        }[row.quantity]
        # The standard error is that of a difference from one repetition; the mean of 200 has a part of it.
        assert abs(row.ours - expected) < 4.5 * row.standard_error / np.sqrt(201), row


def test_sweep_is_that_of_the_metrics():
    rng = np.random.default_rng(0)
    profile = ConfidenceProfile.from_correctness(rng.random(80) < 0.7, rng.uniform(0.3, 0.9, 80))
    sweep = experiments.cwsa_sweep({"mine": profile})
    assert sweep.curves["threshold"].tolist() == pytest.approx(np.arange(50, 100) / 100)
    for row in sweep.curves.itertuples():
        assert row.coverage == pytest.approx(metrics.coverage_score(profile, threshold=row.threshold))
        if row.coverage == 0:
            assert np.isnan(row.selective_accuracy)
            assert row.cwsa == row.cwsa_plus == 0
            continue
        assert row.selective_accuracy == pytest.approx(
            metrics.selective_accuracy_score(profile, threshold=row.threshold)
        )
        assert row.cwsa == pytest.approx(metrics.cwsa_score(profile, threshold=row.threshold, normalize="all"))
        assert row.cwsa_plus == pytest.approx(metrics.cwsa_plus_score(profile, threshold=row.threshold))
    curve = sweep.curves[sweep.curves["coverage"] > 0].iloc[::-1]
    area = sweep.summary.loc["mine", "selective_accuracy_area"]
    expected = auc(np.append(0.0, curve["coverage"]), np.append(0.0, curve["selective_accuracy"]))
    assert area == pytest.approx(expected, abs=1e-12)


def test_sweep_of_the_papers_models():
    sweep = experiments.cwsa_sweep(random_state=2)
    assert sweep.summary.index.tolist() == list(MODELS)
    assert len(sweep.curves) == 5 * 50
    assert sweep.summary.loc["perfect", ["ece", "aurc"]].tolist() == [0, 0]
    assert sweep.summary["aurc"].idxmax() == "random"
    random = sweep.curves.query("model == 'random'")
    assert (random["cwsa"] <= 0).mean() > 0.9


def test_too_few_repetitions():
    with pytest.raises(ValueError, match="n_repetitions"):
        experiments.cwsa_experiment(n_repetitions=1)
