"""True labels in a file of their own, matched to predictions by ids: the report is that of the file that has both."""

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceReport

RNG = np.random.default_rng(0)
P = RNG.random(60).round(4)
TRUTH = pd.DataFrame({"id": np.arange(60) + 7, "label": (RNG.random(60) < P).astype(int), "place": ["a", "b"] * 30})
PREDICTIONS = pd.DataFrame({"id": TRUTH["id"], "proba_0": (1 - P).round(4), "proba_1": P})
ORDER = RNG.permutation(60)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(table, name):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
        table.to_parquet(name, index=False)
    else:
        table.to_csv(name, index=False)
    return name


@pytest.mark.parametrize("truth", ["t.csv", "t.parquet", "t.csv.xz"])
@pytest.mark.parametrize("file", ["p.csv", "p.parquet", "p.csv.xz"])
def test_order_and_form_of_the_files_do_not_matter(file, truth):
    write(PREDICTIONS.iloc[ORDER], file)
    write(TRUTH, truth)
    report = ConfidenceReport.from_files(file, truth=truth, ids="id", slices="place")
    expected = PREDICTIONS.assign(y_true=TRUTH["label"], place=TRUTH["place"]).iloc[ORDER]
    of_one = ConfidenceReport.from_files(write(expected, "both.csv"), ids="id", slices="place")
    pd.testing.assert_frame_equal(report.frame, of_one.frame)
    pd.testing.assert_frame_equal(report.slices, of_one.slices)
    assert report.evidence.origin.read_as[0].startswith("read column 'label' of t.")


def test_labels_of_the_predictions_are_what_was_predicted():
    answers = pd.DataFrame({"id": TRUTH["id"], "label": (P > 0.5).astype(int), "confidence": np.maximum(P, 1 - P)})
    write(answers.iloc[ORDER], "p.csv")
    report = ConfidenceReport.from_files("p.csv", truth=write(TRUTH, "t.csv"), metrics=["accuracy_score"])
    assert report.frame["value"].tolist() == [((P > 0.5) == TRUTH["label"]).mean()]


@pytest.mark.parametrize(
    ("change", "kind", "numbers"),
    [
        (lambda table: table[:-2], "other ids", ["2 of the ids in t.csv", repr(str(TRUTH["id"].iloc[-2]))]),
        (lambda table: table.assign(id=table["id"].replace(9, 1000)), "other ids", ["1 of the ids", "'1000'", "'9'"]),
        (lambda table: table.assign(id=table["id"].replace(9, 8)), "repeated ids", ["1 of the ids", "'8'"]),
        (lambda table: table.assign(id=table["id"].astype(str).replace("9", "")), "not a label", ["row 2"]),
    ],
)
@pytest.mark.parametrize("wrong", ["p.csv", "t.csv"])
def test_ids_that_do_not_match_are_counted_and_shown(wrong, change, kind, numbers):
    for name, table in {"p.csv": PREDICTIONS, "t.csv": TRUTH}.items():
        write(change(table) if name == wrong else table, name)
    with pytest.raises(ValueError, match="id") as refused:
        ConfidenceReport.from_files("p.csv", truth="t.csv", ids="id")
    assert (refused.value.kind, refused.value.column) == (kind, "id")
    if wrong == "p.csv":
        assert refused.value.place == "p.csv"
        assert all(number in str(refused.value) for number in numbers)


def test_what_cannot_be_told_is_asked_for():
    write(PREDICTIONS, "p.csv")
    write(TRUTH.rename(columns={"label": "a"}), "t.csv")
    with pytest.raises(ValueError, match="Choose one with target") as refused:
        ConfidenceReport.from_files("p.csv", truth="t.csv")
    assert (refused.value.kind, refused.value.place) == ("several readings", "t.csv")
    assert ConfidenceReport.from_files("p.csv", truth="t.csv", target="a").evidence.profiles["value"].n_classes == 2
    for target in (None, "id"):
        with pytest.raises(ValueError, match="'id' has the ids") as refused:
            ConfidenceReport.from_files("p.csv", truth=write(TRUTH[["id"]], "t.csv"), target=target)
        assert (refused.value.kind, refused.value.place) == ("several readings", "t.csv")
    write(TRUTH.rename(columns={"id": "no name"}), "t.csv")
    with pytest.raises(ValueError, match="Use ids"):
        ConfidenceReport.from_files("p.csv", truth="t.csv")
    with pytest.raises(ValueError, match="in batches"):
        ConfidenceReport.from_files("p.csv", truth="t.csv", in_batches=True)
    write(TRUTH.rename(columns={"place": "y_true"}), "t.csv")
    found = ConfidenceReport.from_files("p.csv", truth="t.csv", target="label", metrics=["accuracy_score"])
    assert found.frame["value"].tolist() == [((P > 0.5) == TRUTH["label"]).mean()]
    write(pd.DataFrame({"id": TRUTH["id"], "correct": 1, "confidence": P}), "p.csv")
    with pytest.raises(ValueError, match="Leave truth out"):
        ConfidenceReport.from_files("p.csv", truth=write(TRUTH, "t.csv"))
    write(PREDICTIONS.assign(y_true=0), "p.csv")
    with pytest.raises(ValueError, match="already has a column 'y_true'"):
        ConfidenceReport.from_files("p.csv", truth=write(TRUTH, "t.csv"))
