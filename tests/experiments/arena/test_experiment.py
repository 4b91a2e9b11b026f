"""The arena: its runs, its peers, its tables."""

import io
import sys

import numpy as np
import pandas as pd
import pytest
from _support.predictions import draw_classes
from scipy import stats
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss

from skconf.calibration import PlattCalibrator, TemperatureCalibrator
from skconf.cli import main
from skconf.experiments import arena_experiment
from skconf.experiments._arena import experiment as arena
from skconf.experiments._arena import tables as tables
from skconf.experiments._arena.calibrators import EnsembleTemperature, RefusalError, find_contestants
from skconf.experiments._arena.data import find_predictions, generated_names, models, own_predictions
from skconf.experiments._arena.page import arena_report
from skconf.metrics import calibrated_size_ratio

OWN = """
import numpy as np
class Halfway:
    def fit(self, proba, y):
        self.rate = np.bincount(y, minlength=proba.shape[1]) / len(y)
    def predict_proba(self, proba):
        return (proba + self.rate) / 2
class Cut(Halfway):
    def predict_proba(self, proba):
        return proba[:, :-1]
class Raises:
    def fit(self, proba, y):
        raise KeyError("nothing")
"""


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    (tmp_path / "own_calibrators.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    yield "own_calibrators"
    sys.modules.pop("own_calibrators", None)


@pytest.fixture
def predictions(tmp_path):
    """Predictions of three classes that are too sure, in a file."""
    y, proba = draw_classes(600, power=2)
    np.savez(tmp_path / "mine.npz", proba=proba, y=y)
    return tmp_path / "mine.npz"


def test_losses_of_a_run_are_those_of_the_test_samples(predictions):
    found = arena_experiment([], predictions=[predictions], calibrators=["platt", "none"], sizes=[200])
    with np.load(predictions) as file:
        proba, y = file["proba"], file["y"]
    order = np.random.default_rng([0, 200, 600]).permutation(600)
    fit, test = order[:200], order[200:]
    for name, expected in (
        ("none", proba[test]),
        ("platt", PlattCalibrator().fit(proba[fit], y[fit]).predict_proba(proba[test])),
    ):
        row = found.set_index("calibrator").loc[name]
        assert row["n_test"] == 400
        assert row["n_tail"] == 200
        assert row["log_loss"] == pytest.approx(log_loss(y[test], expected))
        each = [brier_score_loss(y[test] == k, expected[:, k]) for k in range(3)]
        assert row["brier"] == pytest.approx(sum(each))
        assert row["csr"] == pytest.approx(calibrated_size_ratio(y[test][:200], expected[:200], labels=range(3)))


def test_a_calibrator_that_fails_is_named_and_the_others_go_on(predictions, own_module):
    names = ["platt", f"{own_module}:Halfway", f"{own_module}:Cut", f"{own_module}:Raises"]
    found = arena_experiment([], predictions=[predictions], calibrators=names, sizes=[100]).set_index("calibrator")
    assert found.loc[names[:2], "failure"].tolist() == ["", ""]
    assert found.loc[names[2], "failure"] == "RefusalError: shape (500, 2) instead of (500, 3)"
    assert "nothing" in found.loc[names[3], "failure"]
    assert found.loc[names[2:], "brier"].isna().all()
    report = arena_report(found.reset_index(), "platt", {})
    assert "Runs that a calibrator did not finish" in report.markdown()


def test_what_was_run_before_is_not_run_again(tmp_path, predictions, own_module, monkeypatch):
    given = {"predictions": [predictions], "sizes": [100, 200], "results": tmp_path / "kept"}
    first = arena_experiment([], calibrators=["platt", "none"], **given)
    asked = []
    monkeypatch.setattr(
        arena._Bout, "outcome", lambda _, size, contestant: asked.append((size, contestant.name)) or {"failure": "x"}
    )
    again = arena_experiment([], calibrators=["platt", "none"], **given)
    pd.testing.assert_frame_equal(first, again)
    assert asked == []
    arena_experiment([], calibrators=["platt", f"{own_module}:Halfway"], **given)
    assert asked == [(100, f"{own_module}:Halfway"), (200, f"{own_module}:Halfway")]
    (file,) = (tmp_path / "kept").iterdir()
    file.write_bytes(file.read_bytes()[:-20])  # cut short
    asked.clear()
    arena_experiment([], calibrators=["platt"], **given)
    assert asked == [(100, "platt"), (200, "platt")]


def test_what_may_have_changed_is_run_again(tmp_path, predictions):
    """Functions without a name, and what failed for want of something that may be there now."""
    run = {"predictions": [predictions], "sizes": [100], "results": tmp_path / "results"}
    brier = []
    for smoothing in (1, 500):
        found = arena_experiment([], calibrators=[lambda s=smoothing: TemperatureCalibrator(smoothing=s)], **run)
        brier.append(found["brier"].item())
    assert brier[1] > 1.05 * brier[0]

    class Late:
        is_there = False

        def fit(self, *_):
            if not self.is_there:
                raise ImportError("not yet")

        def predict_proba(self, proba):
            return proba

    assert arena_experiment([], calibrators=[Late], **run)["failure"].item() == "ImportError: not yet"
    Late.is_there = True
    assert arena_experiment([], calibrators=[Late], **run)["failure"].item() == ""


def test_scores_of_another_network_are_run_again(tmp_path):
    rng = np.random.default_rng(0)
    brier = []
    for seed in range(2):
        y = rng.integers(3, size=400)
        np.save(tmp_path / "net.scores.npy", rng.normal(size=(400, 3)) + (1 + seed) * np.eye(3)[y])
        np.save(tmp_path / "net.targets.npy", y)
        found = arena_experiment(["scores"], calibrators=["none"], sizes=[100], scores=tmp_path, results=tmp_path / "r")
        brier.append(found["brier"].item())
    assert brier[0] != brier[1]


def test_names_that_occur_twice_are_refused(tmp_path, predictions):
    with pytest.raises(ValueError, match="two calibrators are called '<lambda>'"):
        arena_experiment([], predictions=[predictions], calibrators=[lambda: 1, lambda: 2])
    with pytest.raises(ValueError, match=r"several files of predictions are called \['mine'\]"):
        arena_experiment([], predictions=[predictions, predictions], calibrators=["none"])
    assert len(arena_experiment([], predictions=[predictions], calibrators=["none"], sizes=[100, 100])) == 1


def test_sizes_without_enough_test_samples_are_left_out(predictions):
    found = arena_experiment([], predictions=[predictions], calibrators=["none"], sizes=[400, 500, 1000])
    assert found["n"].tolist() == [400]


@pytest.mark.parametrize("n_classes", [2, 4])
def test_scikit_learns_isotonic_regression_is_that_of_the_probabilities(n_classes):
    y, proba = draw_classes(400, n_classes, power=2)
    (found,) = find_contestants(["sklearn isotonic"])
    answer = found.answer(proba[:300], y[:300], proba[300:])[0]
    columns = [
        IsotonicRegression(out_of_bounds="clip").fit(p[:300], y[:300] == k).predict(p[300:])
        for k, p in enumerate(proba.T)
    ]
    expected = np.column_stack(columns)
    np.testing.assert_allclose(answer, expected / expected.sum(axis=1, keepdims=True), atol=1e-6)


def test_ensemble_temperature_has_the_least_squared_error_among_its_mixtures():
    y, proba = draw_classes(400, 4, power=2)
    ets = EnsembleTemperature()
    ets.fit(proba, y)
    truth = np.eye(4)[y]

    def scaled(t):
        out = proba ** (1 / t)
        return out / out.sum(axis=1, keepdims=True)

    grid = np.exp(np.linspace(np.log(0.05), np.log(5), 4000))
    best = grid[np.argmin([np.square(scaled(t) - truth).sum() for t in grid])]
    assert ets.temperature == pytest.approx(best, rel=2e-3)

    def error(w):
        return np.square(w[0] * scaled(best) + w[1] * proba + (1 - w[0] - w[1]) / 4 - truth).mean()

    found = minimize(error, [0.4, 0.3], bounds=[(0, 1)] * 2, constraints={"type": "ineq", "fun": lambda w: 1 - sum(w)})
    assert error(ets.weights[:2]) <= found.fun + 1e-7
    assert ets.weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(ets.predict_proba(proba).sum(axis=1), 1)


def test_every_calibrator_that_is_installed_answers():
    for n_classes in (2, 4):
        y, proba = draw_classes(200, n_classes, power=2)
        for contestant in find_contestants():
            if contestant.most_classes is None or n_classes <= contestant.most_classes:
                answer = contestant.answer(proba[:150], y[:150], proba[150:])[0]
                np.testing.assert_allclose(answer.sum(axis=1), 1, err_msg=contestant.name)


def test_answers_that_are_no_probabilities_are_refused(own_module):
    (found,) = find_contestants([f"{own_module}:Cut"])
    with pytest.raises(RefusalError, match="shape"):
        found.answer(*draw_classes(50, power=2)[::-1], draw_classes(20, power=2)[1])


def test_own_calibrators_may_be_passed_as_classes():
    """One without a file, as of a notebook, is never taken for that of an earlier run."""
    written = {}
    exec("class Written:\n    fit = predict_proba = None", written)
    (one,), (again,) = (find_contestants([EnsembleTemperature]) for _ in range(2))
    assert (one.name, one.package, one.version) == ("EnsembleTemperature", "own", again.version)
    one, again = (find_contestants([written["Written"]])[0] for _ in range(2))
    assert one.name == "Written"
    assert one.version != again.version


@pytest.mark.parametrize("name", ["platt?", "nowhere:Class", "own_calibrators:Absent"])
def test_unknown_calibrators_are_named(name, own_module):
    with pytest.raises(ValueError, match=name.replace("?", r"\?")):
        find_contestants([name])


def test_generated_data_follow_from_their_name_and_the_seed():
    one, other, again = (find_predictions(["waves_two_1"], ["logistic"], seed, None, None)[0] for seed in (0, 1, 0))
    assert one.load()[0].shape[1] == 2
    assert not np.array_equal(one.load()[0], other.load()[0])
    np.testing.assert_array_equal(one.load()[0], again.load()[0])
    assert len(set(generated_names())) == 24
    assert all(
        find_predictions([name], ["logistic"], 3, None, None)[0].load()[0].shape[1] > 2
        for name in generated_names()
        if "many" in name
    )


def test_models_have_not_seen_what_they_predict(monkeypatch):
    X = np.arange(4000.0).reshape(-1, 1)
    seen = []

    class Remembers(LogisticRegression):
        def fit(self, X, y):
            seen.extend(X[:, 0])
            return super().fit(X, y)

        def predict_proba(self, X):
            assert not set(X[:, 0]) & set(seen)
            return super().predict_proba(X)

    from skconf.experiments._arena import data

    proba, y = data._trained(lambda: (X, (X[:, 0] % 2).astype(int)), lambda _: Remembers(), 0)
    assert len(seen) == 1000
    assert len(proba) == len(y) == 3000


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"p": [[0.5, 0.5]]}, "needs proba or probabilities and y"),
        ({"proba": [[0.5, 0.5]] * 3, "y": [0, 1]}, r"shape \(2,\)"),
        ({"proba": [[0.5, 1.5]] * 3, "y": [0, 1, 0]}, "proba"),
        ({"proba": [[0.2, 0.3, 0.5]] * 2, "y": ["a", "b"]}, "Replace each label by the number of its column"),
    ],
)
def test_files_of_other_content_are_refused(tmp_path, arrays, said):
    np.savez(tmp_path / "mine.npz", **arrays)
    with pytest.raises(ValueError, match=said):
        own_predictions(tmp_path / "mine.npz")


def _saved(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda path: path.write_bytes(_saved(np.eye(2))), "it has a single array"),
        (lambda path: path.write_bytes(b""), "No data left"),
        (lambda path: path.write_text("hello"), "objects are not loaded"),
        (lambda path: np.savez(path, proba=np.eye(2), y=[0, np.nan]), "has a missing label in row 1"),
    ],
    ids=["one array", "empty", "text", "missing"],
)
def test_files_that_are_damaged_or_of_another_kind_are_named(write, said, tmp_path):
    write(tmp_path / "mine.npz")
    with pytest.raises(ValueError, match=rf"mine\.npz.*{said}"):
        own_predictions(tmp_path / "mine.npz")


def test_files_of_pickled_objects_are_refused(tmp_path):
    np.savez(tmp_path / "mine.npz", proba=np.array([[0.5, 0.5]]), y=np.array([{"a"}], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        own_predictions(tmp_path / "mine.npz")


def runs(**losses):
    """Runs on two data sets with two models each, of the calibrators that are named."""
    rows = [
        {"data": data, "model": model, "calibrator": name, "brier": value, "log_loss": value, "zscore": value}
        for name, values in losses.items()
        for (data, model), value in zip([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")], values, strict=True)
    ]
    found = pd.DataFrame(rows).assign(n=50, n_classes=2, failure="", fit_seconds=1.0)
    return found.assign(csr=found["brier"], predict_seconds=found["brier"])


def test_wins_differences_and_intervals_are_over_data_sets():
    found = tables.compare(runs(own=[0.1, 0.2, 0.3, 0.4], other=[0.2, 0.2, 0.33, 0.2]), "own").loc["other"]
    assert found["runs"] == 4
    assert found["brier_wins"] == (1 + 0.5 + 1 + 0) / 4
    ratio = np.log(np.array([0.201, 0.201, 0.331, 0.201]) / np.array([0.101, 0.201, 0.301, 0.401]))
    by_data = [ratio[:2].mean(), ratio[2:].mean()]
    low, high = stats.t.interval(0.95, 1, np.mean(by_data), stats.sem(by_data))
    assert found["brier"] == pytest.approx(np.expm1(np.mean(by_data)))
    assert (found["brier_low"], found["brier_high"]) == pytest.approx((np.expm1(low), np.expm1(high)))


def test_the_interval_is_that_of_a_regression_on_a_constant_with_clusters():
    given = runs(own=[0.1, 0.2, 0.3, 0.4], other=[0.2, 0.25, 0.33, 0.2])
    given = given[~((given["data"] == "b") & (given["model"] == "y"))]
    found = tables.compare(given, "own").loc["other"]
    ratio = np.log(np.array([0.201, 0.251, 0.331]) / np.array([0.101, 0.201, 0.301]))
    apart = ratio - ratio.mean()
    meat = (apart[0] + apart[1]) ** 2 + apart[2] ** 2
    error = np.sqrt(2 * meat) / 3
    assert np.log1p(found["brier_high"]) == pytest.approx(ratio.mean() + stats.t.ppf(0.975, 1) * error)


def test_two_losses_next_to_zero_do_not_differ():
    found = tables.compare(runs(own=[1e-12] * 4, other=[1e-6] * 4), "own").loc["other"]
    assert found["brier_wins"] == 1
    assert found["brier"] == pytest.approx(1e-3, rel=0.01)


def test_runs_that_fail_are_counted_and_left_out():
    given = runs(own=[0.1, 0.2, 0.3, 0.4], other=[0.2, np.nan, 0.4, 0.5])
    given.loc[given["brier"].isna(), "failure"] = "ValueError"
    found = tables.compare(given, "own").loc["other"]
    assert (found["runs"], found["failed"], found["brier_wins"]) == (3, 1, 1)


def test_tails_and_times():
    given = runs(own=[0.5, 2, 4, 5], other=[0.4, 2, 3, 9], third=[9, 9, 9, 9])
    assert tables.tails(given).loc["own"].tolist() == [0.5, 0.75, 0.5]
    assert tables.times(given).loc["own", 50] == 1 + 3


def test_the_command_writes_its_page(tmp_path, predictions, own_module, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = ["experiment", "arena", "--predictions", "mine.npz", "--sizes", "100", "200", "--jobs", "1"]
    command += ["--calibrators", "platt", f"{own_module}:Halfway", "--results", "kept", "--html", "page.html"]
    assert main([*command, "--csv", "all.csv", "--markdown", "all.md"]) == 0
    said = capsys.readouterr().out
    assert "2 runs on 1 data set." in said
    page = (tmp_path / "page.html").read_text()
    assert "Losses compared with pooled" in page
    assert f"{own_module}:Halfway" in page
    assert pd.read_csv(tmp_path / "all.csv")["calibrator"].tolist() == [
        *["pooled", "platt", f"{own_module}:Halfway"] * 2
    ]


def test_the_page_says_which_calibrator_finished_no_run(predictions, own_module):
    for rivals in ([f"{own_module}:Raises"], [f"{own_module}:Raises", "none"]):
        found = arena_experiment([], predictions=[predictions], calibrators=["platt", *rivals], sizes=[100])
        page = arena_report(found, "platt", {}).text()
        assert "KeyError: 'nothing'" in page
    with pytest.raises(ValueError, match=r"there is no run: .*calibration samples and 150 test samples"):
        arena_report(arena_experiment([], predictions=[predictions], calibrators=["platt"], sizes=[500]), "platt", {})


def test_the_page_names_the_hardest_rival_of_other_packages_and_of_all():
    packages = {"own": "a", "near": "a", "far": "b"}
    given = runs(own=[0.2, 0.2, 0.2, 0.2], near=[0.1, 0.1, 0.3, 0.3], far=[0.1, 0.3, 0.3, 0.3])
    given = given.assign(package=given["calibrator"].map(packages), smooth_ece=0.1, cw_error=0.1, aurc=0.1, ecuas=0.1)
    (said,) = arena_report(given, "own", {}).findings
    assert "other packages, own wins least often against far by Brier score (75% of runs; loss of far " in said
    assert "loss of far compared with own: " in said
    assert "all other calibrators, own wins least often against near by Brier score (50% of runs; " in said


def test_a_calibrator_alone_is_refused_before_it_runs(capsys):
    # The command ran to the end, and then failed with a KeyError.
    for given in (["pooled"], ["platt", "--champion", "platt"]):
        assert main(["experiment", "arena", "--calibrators", *given]) == 2
        assert f"nothing to compare '{given[0]}' with" in capsys.readouterr().err


def test_models_are_named(capsys):
    assert main(["experiment", "arena", "--models", "forrest"]) == 2
    assert "'forest'" in capsys.readouterr().err
    assert {"forest", "logistic", "boosting"} <= set(models())


@pytest.mark.slow
def test_the_pool_is_ahead_of_every_single_one_on_generated_data():
    names = ["pooled", "platt", "isotonic", "temperature", "venn_abers", "beta", "matrix", "none", "ets", "sklearn"]
    found = arena_experiment(["generated"], calibrators=names, sizes=[200, 1000], random_state=5, n_jobs=-1)
    for kind in (found["n_classes"] == 2, found["n_classes"] > 2):
        compared = tables.compare(found[kind], "pooled")
        assert (compared[["brier_wins", "log_loss_wins"]] > 0.45).all(axis=None)
        assert (compared[["brier", "log_loss"]] > 0).all(axis=None)
        assert tables.tails(found[kind]).loc["pooled", "z_3"] <= 0.08
