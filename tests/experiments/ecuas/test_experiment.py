"""The ECUAS paper's classification experiments."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import softmax
from sklearn.model_selection import StratifiedKFold

from skconf.experiments._ecuas import experiment as ecuas
from skconf.experiments._shared.printed import printed_table

SYSTEMS = {
    "sst2_gpt2",
    "fvcaus_plda",
    "cifar100_repvgg_a2",
    "pneumoniamnist_resnet50",
    "pathmnist_resnet50",
    "agnews_gpt2",
    "cifar10_resnet-20",
    "cifar10_vgg19_bn",
}


@pytest.fixture
def folder(tmp_path):
    """A system of three classes that is too sure of itself, as logits."""
    rng = np.random.default_rng(0)
    y = rng.choice(3, p=[0.5, 0.3, 0.2], size=400)
    np.save(tmp_path / "mine.scores.npy", 3 * (np.eye(3)[y] + 0.8 * rng.normal(size=(400, 3))))
    np.save(tmp_path / "mine.targets.npy", y.astype(np.uint8))
    return tmp_path


@pytest.fixture
def mine(folder):
    return np.load(folder / "mine.targets.npy").astype(int), softmax(np.load(folder / "mine.scores.npy"), axis=1)


def by_hand(y, p):
    """Return the columns of Table 3, sample by sample."""
    n, k = p.shape
    prior = [np.mean(y == j) for j in range(k)]
    c, z = p.max(axis=1), p.argmax(axis=1) == y
    err = 1 - z.mean()
    largest = 1 - 1 / k

    def cost(u, wrong, order):
        r = u / largest
        if order == 0:
            return r - np.log(r) * wrong / largest
        return r ** (order + 1) + (order + 1) / order * (1 - r**order) * wrong / largest

    naive_u = 1 - max(prior)
    bins = [[i for i in range(n) if b / 10 < c[i] <= (b + 1) / 10] for b in range(10)]
    ranked = np.argsort(-c)
    pairs = [(c[i] > c[j]) + (c[i] == c[j]) / 2 for i in np.flatnonzero(z) for j in np.flatnonzero(~z)]
    return {
        "n_error_rate": err / naive_u,
        "ece10": sum(abs(sum(c[i] - z[i] for i in rows)) for rows in bins) / n,
        "auc_confidence": np.mean(pairs),
        "n_cross_entropy_confidence": np.mean(-np.log(np.where(z, c, 1 - c)))
        / -(err * np.log(err) + (1 - err) * np.log(1 - err)),
        "n_brier_confidence": 2 * np.mean((c - z) ** 2) / (err * (1 - err)),
        "n_cross_entropy": np.mean([-np.log(p[i, y[i]]) for i in range(n)]) / -np.dot(prior, np.log(prior)),
        "n_brier": np.mean([((p[i] - np.eye(k)[y[i]]) ** 2).sum() for i in range(n)]) / (1 - np.dot(prior, prior)),
        "aurc": np.mean([np.mean(~z[ranked[: i + 1]]) for i in range(n)]),
        **{
            f"n_ecuas_{order}": np.mean([cost(1 - c[i], not z[i], order) for i in range(n)])
            / (naive_u * cost(naive_u, 1, order) + (1 - naive_u) * cost(naive_u, 0, order))
            for order in (0, 1, 128)
        },
    }


def test_figures_are_what_the_columns_say(mine):
    expected = by_hand(*mine)
    assert ecuas._figures(*mine, None) == pytest.approx(expected)
    assert set(expected) == set(printed_table("ecuas_table3").columns[2:])


def test_calibration_is_affine_in_each_fold(mine):
    y, proba = mine
    calibrated = ecuas._calibrated(y, proba, 0)
    np.testing.assert_allclose(calibrated.sum(axis=1), 1)
    # log p' is α log p + β up to a constant of the row: a contrast of two classes is a line, the same in a fold.
    raw, new = (np.log(p[:, 0]) - np.log(p[:, 2]) for p in (proba, calibrated))
    slopes = []
    for _, fold in StratifiedKFold(5, shuffle=True, random_state=np.random.RandomState(0)).split(proba, y):
        (slope, _), residual, *_ = np.polyfit(raw[fold], new[fold], 1, full=True)
        assert residual.item() < 1e-10
        slopes.append(slope)
    assert len(set(slopes)) == 5
    assert 0 < min(slopes) < max(slopes) < 1  # it was too sure of itself


def test_calibration_of_an_overconfident_system_lowers_its_cost(folder):
    cells = ecuas.ecuas_experiment(folder, n_repetitions=3).pivot(index="quantity", columns="scores", values="ours")
    for quantity in ("ece10", "n_cross_entropy", "n_ecuas_0"):
        assert cells.loc[quantity, "cal"] < cells.loc[quantity, "raw"]


def test_result_is_complete(folder):
    cells = ecuas.ecuas_experiment(folder, n_repetitions=2)
    assert cells.columns.tolist() == [
        *("system", "scores", "quantity", "ours", "paper", "standard_error", "deviation", "note")
    ]
    assert len(cells) == 2 * 11
    assert cells["paper"].isna().all()
    assert cells["ours"].notna().all()
    again = ecuas.ecuas_experiment(folder, scores=["raw"])
    assert again["ours"].tolist() == cells.loc[cells["scores"] == "raw", "ours"].tolist()


def test_drawn_answers_have_the_probabilities_of_their_temperature(mine):
    y, proba = mine
    repetitions = 60
    table = ecuas._sampled(y, proba, [0.0, 1.0, 3.0], repetitions, seed=1)
    calibrated = ecuas._calibrated(y, proba, 1)
    rows = np.arange(len(y))
    assert table.loc[0.0, "error_rate"] == pytest.approx(np.mean(calibrated.argmax(axis=1) != y))
    for temperature in (1.0, 3.0):
        wrong = 1 - softmax(np.log(calibrated) / temperature, axis=1)[rows, y]
        error = np.sqrt((wrong * (1 - wrong)).sum() / repetitions) / len(y)
        assert abs(table.loc[temperature, "error_rate"] - wrong.mean()) < 4 * error
    # Costs at temperature 0 are those of the calibrated system.
    expected = by_hand(y, calibrated)
    for quantity in ("n_ecuas_0", "n_ecuas_1", "n_ecuas_128"):
        assert table.loc[0.0, quantity] == pytest.approx(expected[quantity])
    assert table["n_ecuas_0"].is_monotonic_increasing


def test_a_table_of_temperatures_for_each_system(folder):
    for part in ("scores", "targets"):
        np.save(folder / f"other.{part}.npy", np.load(folder / f"mine.{part}.npy")[:200])
    table = ecuas.ecuas_sampling_experiment(folder, temperatures=[0.0, 2.0], n_repetitions=2)
    assert table[["system", "temperature"]].to_numpy().tolist() == [
        ["mine", 0.0],
        ["mine", 2.0],
        ["other", 0.0],
        ["other", 2.0],
    ]


@pytest.fixture(scope="module")
def raw(model_outputs):
    return ecuas.ecuas_experiment(model_outputs / "scores", scores=["raw"])


def test_raw_rows_of_table_3(raw):
    assert set(raw["system"]) == SYSTEMS
    assert raw["paper"].notna().all()
    compared = raw[raw["note"] == ""]
    off = compared[compared["deviation"] != 0]
    # The paper's ECE of 114,072 samples is a sum of float32: one unit of the last digit off.
    assert off[["system", "quantity"]].to_numpy().tolist() == [["fvcaus_plda", "ece10"]]
    assert abs(off["ours"] - off["paper"]).item() < 1.5e-4
    agreed = compared.drop(off.index)
    tolerance = np.where(agreed["quantity"] == "aurc", 2e-4, 1e-4)
    assert ((agreed["ours"] - agreed["paper"]).abs() <= tolerance).all()


def test_saturated_systems_are_noted(raw):
    noted = raw[raw["note"] != ""]
    assert set(noted["system"]) == {"pneumoniamnist_resnet50", "pathmnist_resnet50"}
    assert set(noted["quantity"]) == {"auc_confidence", "n_cross_entropy_confidence", "aurc", "n_ecuas_0"}
    assert len(noted) == 2 * 4
    # Of the same order, all the same.
    assert ((noted["ours"] - noted["paper"]).abs() <= 0.2 * noted["paper"]).all()


@pytest.mark.slow
def test_calibrated_rows_of_table_3(model_outputs):
    cells = ecuas.ecuas_experiment(model_outputs / "scores", scores=["cal"], n_repetitions=10)
    assert cells["deviation"].notna().all()
    assert len(cells) == 8 * 11
    # All figures of a system come from the same five folds; the spread of ten others is known to a quarter, as by t.
    bound = stats.t.isf(1e-3 / len(cells) / 2, df=9)
    largest = cells.loc[cells["deviation"].abs().idxmax()]
    assert abs(largest["deviation"]) < bound, largest
    assert (cells["deviation"].abs() > 3).sum() <= stats.binom.isf(1e-3, len(cells), 2 * stats.t.sf(3, df=9))


@pytest.mark.slow
def test_costs_rise_with_the_temperature_of_answers(model_outputs):
    table = ecuas.ecuas_sampling_experiment(model_outputs / "scores")
    for _, of_system in table.groupby("system"):
        for quantity in ("error_rate", "n_ecuas_0", "n_ecuas_1", "n_ecuas_128"):
            assert of_system[quantity].is_monotonic_increasing


def test_mistakes_are_told(folder, tmp_path_factory):
    with pytest.raises(ValueError, match="scores"):
        ecuas.ecuas_experiment(folder, scores=["calibrated"])
    with pytest.raises(ValueError, match="n_repetitions"):
        ecuas.ecuas_experiment(folder, n_repetitions=1)
    with pytest.raises(ValueError, match=r"temperatures must be 0 or greater, but one is -1.0"):
        ecuas.ecuas_sampling_experiment(folder, temperatures=[0.0, -1.0])
