"""Groups of predictions in parts: each is what its rows alone give, whatever parts they come in."""

import itertools

import numpy as np
import pandas as pd
import pytest

from skconf import MetricAccumulator, accumulate
from skconf.accumulation._accumulator import holding
from skconf.accumulation._read import Columns, Job, merged

NAMES = ["cw_accuracy", "neg_ece", "cf1_macro", "neg_ecuas", "neg_csr_excess"]


def draw(n, groups, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.beta(2, 0.5, n)
    y_true = (rng.random(n) < proba).astype(int)
    return pd.DataFrame({"y_true": y_true, "proba_1": proba, "group": rng.choice(groups, n)})


def same(found, table, names=NAMES):
    assert list(found) == sorted(found)
    assert set(found) == set(table["group"])
    for group, total in found.items():
        rows = table[table["group"] == group]
        alone = MetricAccumulator(names, labels=[0, 1]).update(rows["y_true"], rows["proba_1"])
        assert total.n_samples == len(rows)
        assert alone.result() == pytest.approx(total.result(), rel=1e-12, abs=1e-14)
        one, other = (np.nan_to_num(each._state.sums.pairs[0]) for each in (alone, total))
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_groups_that_come_late_stay_away_and_come_again():
    table = draw(3000, range(200))
    table = table[(table.index < 1000) | (table["group"] % 3 > 0)]  # some of the first part come never again
    table = table[(table.index >= 1000) | (table["group"] > 20)]
    parts = [table[:700], table[700:800], table[800:].sort_values("group"), draw(500, [3], 1), draw(50, [10**6], 2)]
    same(accumulate(parts, NAMES, labels=[0, 1], groups="group"), pd.concat(parts))


def test_files_sorted_by_group(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("skconf.accumulation._read.BATCH_ROWS", 64)
    table = draw(2000, list("abcdefghijklmnopqrstuvwxyz")).sort_values("group")
    table.to_parquet(tmp_path / "a.parquet", row_group_size=500)
    same(accumulate(tmp_path, NAMES, labels=[0, 1], groups="group", n_jobs=2), table)


@pytest.mark.filterwarnings("ignore:There are too many distinct confidences")
def test_tables_of_ranks():
    table = draw(2000, range(7))
    parts = [table[:900], table[900:].query("group > 2")]
    same(accumulate(parts, "neg_aurc", labels=[0, 1], groups="group"), pd.concat(parts), ["neg_aurc"])


@pytest.mark.parametrize(
    "labels",
    [
        np.array([5, -3, 10**12], dtype=np.int64),
        np.array([2**64 - 1, 2**64 - 2, 2**64 - 40], dtype=np.uint64),
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([0.5, -1.0, 2.0]),
        np.array(["b", "a", "ä"]),
        np.array([True, False]),
        pd.to_datetime(["2024-02-01", "2024-01-01"]),
    ],
    ids=lambda labels: str(labels.dtype),
)
@pytest.mark.parametrize("n", [50, 5])
def test_labels_of_any_type(labels, n):
    table = draw(n, [0])
    table["group"] = pd.Series(labels).iloc[np.arange(n) % len(labels)].to_numpy()
    same(accumulate(table, "cw_accuracy", labels=[0, 1], groups="group"), table, ["cw_accuracy"])


def test_several_columns_and_categories():
    table = draw(400, ["b", "a"]).assign(day=np.arange(400) % 3)
    kind = pd.CategoricalDtype(["never", "b", "a"], ordered=True)
    found = accumulate(table.astype({"group": kind}), "cw_accuracy", labels=[0, 1], groups=["group", "day"])
    assert list(found) == [(group, day) for group in "ab" for day in range(3)]
    assert sum(total.n_samples for total in found.values()) == 400


def test_labels_that_cannot_be_sorted_are_refused():
    table = draw(4, [0]).assign(group=[1, "a", 1, "a"])
    with pytest.raises(ValueError, match=r"groups\['group'\] mixes labels that cannot be sorted together \(int, str\)"):
        accumulate(table, "cw_accuracy", labels=[0, 1], groups="group")


@pytest.mark.parametrize("cut", [[0, 600], [0, 100, 250, 600]])
def test_parts_that_are_merged_in_a_tree(cut):
    """As clusters do, which merge what they merged, perhaps of a single part."""
    table = draw(600, range(9))
    empty = MetricAccumulator(NAMES)
    job = Job(Columns(labels=[0, 1], groups="group"), empty._plan).on_parts(table.columns)
    parts = [job.read(table[start:end]) for start, end in itertools.pairwise(cut)]
    while len(parts) > 1:
        parts = [merged(parts[:2]), *parts[2:]]
    same({group: holding(empty, state) for group, state in job.states(parts[0]).items()}, table)
