"""The stress tests of the CWSA paper's authors: expected values, and files without labels."""

import numpy as np
import pandas as pd
import pytest

from skconf.cli import main
from skconf.experiments import count_agreement, cwsa_stress_experiment
from skconf.experiments._cwsa.stress_page import stress_report

N = 4000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three classes, right with a chance of .5, .7 and .9; surer in the later ones."""
    folder, rng = tmp_path_factory.mktemp("predictions"), np.random.default_rng(0)
    y = rng.integers(0, 3, N)
    right = rng.random(N) < np.array([0.5, 0.7, 0.9])[y]
    rows = pd.DataFrame({"y_true": y, "y_pred": np.where(right, y, (y + 1) % 3), "confidence": 0.9 + 0.03 * y})
    rows.to_csv(folder / "mine_predictions.csv", index=False)
    pd.DataFrame({"correct": right.astype(int), "confidence": rows["confidence"]}).to_csv(
        folder / "answers_predictions.csv", index=False
    )
    return folder


@pytest.fixture(scope="module")
def cells(folder):
    return cwsa_stress_experiment(folder, n_repetitions=30).set_index(["model", "test", "level", "quantity"])


@pytest.mark.slow
def test_the_authors_figures_lie_within_sampling_error():
    cells = cwsa_stress_experiment(n_repetitions=40)
    counts = count_agreement(cells, "source")
    assert counts.loc[["noise_stress_test.csv", "class_imbalance_test.csv"], "within_3"].tolist() == [30, 30]
    assert counts.loc["all", ["printed", "compared"]].tolist() == [60, 60]
    assert set(cells.loc[cells["test"] == "shifted inputs", "model"]) == set(cells["model"]) - {"simulated"}
    shifted = cells.query("test == 'shifted inputs' and quantity == 'accuracy'").pivot(index="level", columns="model")
    assert (shifted["ours"].diff().dropna() < 0).all(axis=None)


def test_label_noise_has_the_expected_accuracy(cells):
    for model, classes in (("mine", 3), ("answers", None)):
        accuracy = cells["ours"][model, "label noise", :, "accuracy"]
        for share, found in accuracy.items():
            by_chance = 0 if classes is None else (1 - accuracy[0.0]) / (classes - 1)
            assert found == pytest.approx(accuracy[0.0] * (1 - share) + share * by_chance, abs=0.01)


def test_imbalance_is_the_mean_over_classes(cells, folder):
    rows = pd.read_csv(folder / "mine_predictions.csv")
    by_class = (rows["y_true"] == rows["y_pred"]).groupby(rows["y_true"]).agg(["mean", "size"])
    for share, found in cells["ours"]["mine", "imbalance", :, "accuracy"].items():
        expected = [
            share * of_rare["mean"] + (1 - share) * np.average(others["mean"], weights=others["size"])
            for rare, of_rare in by_class.iterrows()
            for others in [by_class.drop(rare)]
        ]
        assert found == pytest.approx(np.mean(expected), abs=0.01)
    assert not any(model == "answers" for model, test, *_ in cells.index if test == "imbalance")


def test_degraded_confidences_are_the_same_ones(cells):
    of_test = cells["ours"].xs("degraded confidence", level="test").unstack("quantity").loc["mine"]
    assert np.ptp(of_test["accuracy"]) == 0
    assert np.ptp(of_test["coverage"]) == 0
    assert (of_test["cwsa"].diff().dropna() < 0).all()
    assert (of_test["aurc"].diff().dropna() > 0).all()


def test_a_part_at_once_is_the_whole(folder, cells, monkeypatch):
    monkeypatch.setattr("skconf.experiments._cwsa.stress._MOST_ROWS", 3 * N)
    parted = cwsa_stress_experiment(folder, n_repetitions=30)
    np.testing.assert_allclose(parted["ours"], cells["ours"], atol=1e-12)


def test_the_page_says_what_is_left(folder, capsys):
    cells = cwsa_stress_experiment(folder, n_repetitions=5)
    report = stress_report(cells, {})
    noise = cells.query("test == 'label noise' and quantity == 'accuracy'").pivot(index="level", columns="model")[
        "ours"
    ]
    kept = sorted(noise.loc[0.4] / noise.loc[0.0])
    assert f"accuracy keeps {100 * kept[0]:.1f} to {100 * kept[1]:.1f}%" in report.findings[0]
    assert [chart.name for chart in report.charts] == ["Label noise", "Imbalance", "Degraded confidence"]
    (folder / "gap_predictions.csv").write_text("correct,confidence\n1,\n")
    assert main(["experiment", "cwsa-stress", "--predictions", str(folder), "--repetitions", "2"]) == 1
    assert "left out gap_predictions.csv" in capsys.readouterr().err
    with pytest.warns(UserWarning, match="left out gap_predictions"):
        cwsa_stress_experiment(folder, n_repetitions=2)
    (folder / "gap_predictions.csv").unlink()


def test_graded_answers_are_left_out(tmp_path):
    (tmp_path / "graded_predictions.csv").write_text("correct,confidence\n1,.9\n.5,.8\n")
    with pytest.raises(ValueError, match="left out graded: its answers are graded"):
        cwsa_stress_experiment(tmp_path, n_repetitions=2)


def test_too_few_repetitions():
    with pytest.raises(ValueError, match="n_repetitions"):
        cwsa_stress_experiment(n_repetitions=1)
