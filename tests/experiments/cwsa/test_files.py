"""Predictions in a folder, in the authors' layouts and others, and what is wrong with some of them."""

import numpy as np
import pandas as pd
import pytest

from skconf.cli import main
from skconf.experiments import count_agreement, cwsa_predictions_experiment

COLUMNS = ["Threshold", "SelectiveAccuracy", "CWSA", "CWSA+", "Coverage", "ECE", "AURC"]


def test_authors_predictions_give_their_figures(model_outputs):
    cells = cwsa_predictions_experiment(model_outputs / "cwsa")
    authors = cells[cells["source"] == "cifar10_authors_metrics.csv"]
    assert len(authors) == 20 * 4 + 2
    exact = authors["quantity"] != "aurc"
    difference = (cells["ours"] - cells["paper"]).abs()
    assert difference[authors.index][exact].max() < 1e-12
    # Trapezoids over 10,000 steps leave out half the first and the last: less than 1/10,000.
    assert difference[authors.index][~exact].max() < 1e-4
    printed = cells[(cells["source"] == "Section 5.2") & (cells["note"] == "")]
    assert set(printed["quantity"]) == {"selective_accuracy", "cwsa", "cwsa_plus", "ece", "aurc"}
    digits = {"selective_accuracy": 2, "cwsa": 3, "cwsa_plus": 2, "ece": 3, "aurc": 3}
    for row in printed.itertuples():
        assert difference[row.Index] <= 0.5 * 10.0 ** -digits[row.quantity], row
    counts = count_agreement(cells, "source")
    assert counts.loc["all", ["printed", "compared", "within_1"]].tolist() == [88, 86, 86]


@pytest.fixture
def folder(tmp_path):
    rows = pd.DataFrame({"y_true": [0, 1, 2, 1], "y_pred": [0, 1, 0, 2], "confidence": [1.0, 0.75, 0.75, 0.25]})
    rows.to_csv(tmp_path / "mine_predictions.csv", index=False)
    return tmp_path


def in_authors_layout(folder, predictions, metrics, n=500):
    """Write predictions, and a sweep of them by plain loops; return both."""
    rng = np.random.default_rng(1)
    y, confidence = rng.integers(0, 10, n), rng.beta(8, 1, n).round(4)
    predicted = np.where(rng.random(n) < confidence, y, (y + 1) % 10)
    rows = pd.DataFrame({"y_true": y, "y_pred": predicted, "confidence": confidence})
    sweep = []
    for t in np.linspace(0.5, 0.99, 20):
        kept = [(c - t) / (1 - t) * (1 if a == b else -1) for a, b, c in rows.itertuples(index=False) if c >= t]
        right = [phi for phi in kept if phi >= 0 and phi == abs(phi)]
        n_right = int(((y == predicted) & (confidence >= t)).sum())
        sweep.append([t, n_right / len(kept), sum(kept) / n, sum(right) / len(kept), len(kept) / n, 0.0, 0.0])
    sweep = pd.DataFrame(sweep, columns=COLUMNS)
    for path in (predictions, metrics):
        (folder / path).parent.mkdir(exist_ok=True)
    rows.to_csv(folder / predictions, index=False)
    sweep.to_csv(folder / metrics, index=False)
    return rows, sweep


@pytest.mark.parametrize(
    ("predictions", "metrics"),
    [
        ("mnist_predictions.csv", "mnist_metrics.csv"),
        ("mnist_predictions.csv", "mnist_authors_metrics.csv"),
        ("Real World Predictions/mnist_predictions.csv", "mnist_metrics.csv"),
        ("MNIST_predictions.csv", "m-nist_metrics.csv"),
    ],
)
def test_a_sweep_beside_predictions_is_met(tmp_path, predictions, metrics):
    in_authors_layout(tmp_path, predictions, metrics)
    cells = cwsa_predictions_experiment(tmp_path)
    of_sweep = cells[cells["source"].str.endswith("_metrics.csv") & cells["threshold"].notna()]
    assert len(of_sweep) == 80
    assert (of_sweep["deviation"] == 0).all()
    text = cells[cells["source"] == "Section 5.1"].set_index(["quantity", "threshold"])["paper"]
    assert [text["cwsa", 0.5], text["cwsa_plus", 0.5]] == [0.939, 0.953]
    assert text["ece"].tolist() == [0.0036]
    assert text["aurc"].tolist() == [0.00084]


def test_predictions_beside_a_sweep_of_ones_own(folder):
    sweep = pd.DataFrame([[0.5, 2 / 3, 0.25, 0.5, 0.75, 0.0, 0.0]], columns=COLUMNS)
    sweep.to_csv(folder / "mine_metrics.csv", index=False)
    cells = cwsa_predictions_experiment(folder).query("source == 'mine_metrics.csv'").set_index("quantity")
    # φ is 1, ½, ½: the third is wrong, and all four divide CWSA.
    exact = cells.loc[["coverage", "selective_accuracy", "cwsa", "cwsa_plus"]]
    assert (exact["ours"] - exact["paper"]).abs().max() < 1e-15
    assert (exact["deviation"] == 0).all()
    assert np.isinf(cells.loc["ece", "deviation"])
    assert cells.loc["ece", "ours"] == pytest.approx((2 * 0.25 + 0.25) / 4)
    assert cells.loc["aurc", "ours"] == pytest.approx((0 + 1 / 4 + 1 / 3 + 1 / 2) / 4)


LAYOUTS = {
    "labels": "truth,pred,score\ncat,cat,.9\ndog,dog,.8\ncat,dog,.7\neel,eel,.6\n",
    "probabilities": "label,cat,dog,eel\ncat,.9,.1,0\ndog,.1,.8,.1\ncat,.3,.7,0\neel,.3,.1,.6\n",
    "correctness": "is_correct;conf\n1;0,9\n1;0,8\n0;0,7\n1;0,6\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_own_predictions_need_no_figures(tmp_path, layout):
    file = tmp_path / "mine_predictions.csv"
    file.write_text(LAYOUTS[layout])
    cells = cwsa_predictions_experiment(tmp_path)
    assert cells["paper"].isna().all()
    at = cells[cells["threshold"] == 0.5].set_index("quantity")["ours"]
    # φ is .8, .6, −.4 and .2.
    assert at[["coverage", "selective_accuracy", "cwsa", "cwsa_plus"]].tolist() == pytest.approx([1, 0.75, 0.3, 0.4])
    assert cells.set_index("quantity").loc["accuracy", "ours"] == 0.75
    alone = cwsa_predictions_experiment(file)
    pd.testing.assert_frame_equal(alone, cells)


EDGES = {
    "one row": ([1], [0.8]),
    "all right": ([1] * 6, [0.5, 0.5, 0.9, 0.9, 0.9, 1.0]),
    "all wrong": ([0] * 6, [0.5, 0.5, 0.9, 0.9, 0.9, 1.0]),
    "none accepted": ([1, 0], [0.2, 0.4]),
}


@pytest.mark.parametrize("edge", EDGES)
def test_edges(tmp_path, edge):
    correct, confidence = EDGES[edge]
    pd.DataFrame({"correct": correct, "confidence": confidence}).to_csv(tmp_path / "edge_predictions.csv", index=False)
    cells = cwsa_predictions_experiment(tmp_path)
    for t in (0.5, 0.9):
        kept = [((c - t) / (1 - t), z) for z, c in zip(correct, confidence, strict=True) if c >= t]
        at = cells[cells["threshold"] == t].set_index("quantity")["ours"]
        assert at["coverage"] == pytest.approx(len(kept) / len(correct))
        assert at["cwsa"] == pytest.approx(sum(phi * (2 * z - 1) for phi, z in kept) / len(correct))
        assert at["cwsa_plus"] == pytest.approx(sum(phi * z for phi, z in kept) / len(kept) if kept else 0)
    assert main(["experiment", "cwsa", "--predictions", str(tmp_path), "--html", str(tmp_path / "a.html")]) == 0


WRONG = {
    "gap": (
        "y_true,y_pred,confidence\n1,1,.5\n1,1,\n",
        "'confidence' has '' in row 1 (line 3), where a number is needed.",
    ),
    "percent": (
        "y_true,y_pred,confidence\n1,1,50\n",
        "outside [0, 1], in row 0 (line 2). If the numbers are percentages, divide",
    ),
    "columns": ("a,b\n1,2\n", "['a', 'b'] hold the predictions. Rename its columns to 'y_true'"),
    "several": ("label,p_0,p_1,proba_0,proba_1\n0,.9,.1,.8,.2\n1,.3,.7,.1,.9\n", "Rename its columns to 'y_true'"),
    "empty": ("", "it is empty"),
    "rows": ("y_true,y_pred,confidence\n", "there are no rows"),
}


def test_files_that_fail_are_told_and_the_rest_runs(folder, capsys):
    for name, (text, _) in WRONG.items():
        (folder / f"{name}_predictions.csv").write_text(text)
    (folder / "mine_metrics.csv").write_text("Threshold,CWSA\n.5,1\n")
    page = folder / "page.html"
    assert main(["experiment", "cwsa", "--predictions", str(folder), "--html", str(page)]) == 1
    out, err = capsys.readouterr()
    assert "mine" in out.partition("As in Tables 1 to 3")[2]
    told = {line.split()[3].removesuffix(":"): line for line in err.splitlines() if "left out" in line}
    assert set(told) == {*(f"{name}_predictions.csv" for name in WRONG), "mine_metrics.csv"}
    for name, (_, reason) in WRONG.items():
        assert reason in told[f"{name}_predictions.csv"]
        assert "--" not in told[f"{name}_predictions.csv"]
    assert "needs the columns Threshold, SelectiveAccuracy" in told["mine_metrics.csv"]
    shown = page.read_text(encoding="utf-8")
    assert all(f"left out {name}" in shown for name in told)
    assert str(folder) not in shown


def test_files_that_fail_are_warned_of_in_python(folder):
    (folder / "other_predictions.csv").write_text(WRONG["gap"][0])
    with pytest.warns(UserWarning, match="left out other_predictions.csv: column 'confidence' has ''"):
        cells = cwsa_predictions_experiment(folder)
    assert set(cells["model"]) == {"mine"}


def test_nothing_that_can_be_read(tmp_path):
    (tmp_path / "mine_predictions.csv").write_text(WRONG["gap"][0])
    with pytest.raises(ValueError, match=r"none of the files .*\n.*mine_predictions.csv: column 'confidence'"):
        cwsa_predictions_experiment(tmp_path)
    (tmp_path / "mine_predictions.csv").unlink()
    with pytest.raises(FileNotFoundError, match=r"has no file NAME_predictions.csv"):
        cwsa_predictions_experiment(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        cwsa_predictions_experiment(tmp_path / "elsewhere")


def test_equal_names_in_two_folders_are_told_apart(tmp_path):
    for name in ("a", "b"):
        in_authors_layout(tmp_path, f"{name}/mine_predictions.csv", f"{name}/mine_metrics.csv")
    cells = cwsa_predictions_experiment(tmp_path)
    compared = cells[cells["paper"].notna() & cells["threshold"].notna()]
    assert compared.groupby("model").size().to_dict() == {
        "a/mine_predictions.csv": 80,
        "b/mine_predictions.csv": 80,
    }


def test_a_name_with_dots_is_kept_whole(tmp_path):
    rows = pd.DataFrame({"correct": [1, 1, 0], "confidence": [0.9, 0.8, 0.6]})
    rows.to_csv(tmp_path / "model.v2.csv", index=False)
    assert set(cwsa_predictions_experiment(tmp_path / "model.v2.csv")["model"]) == {"model.v2"}
