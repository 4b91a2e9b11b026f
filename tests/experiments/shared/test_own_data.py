"""Experiments on data and with classifiers of the user's own."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import Bunch

from skconf.cli import main
from skconf.experiments import (
    cf1_agreement_experiment,
    cf1_variance_experiment,
    csr_experiment,
    csr_html,
    csr_text,
)
from skconf.experiments._shared.estimators import EstimatorError, find_estimator, trained
from skconf.experiments._shared.own_data import own_data
from skconf.experiments._shared.own_file import read_own_file

pytest.importorskip("xgboost")
QUICK = {"calibrations": ["none"], "tables": [6], "n_jobs": 1}


def loans(n=200, seed=0):
    """A table as people have it: text, missing values, a name that XGBoost refuses, words for labels."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], n)
    X = pd.DataFrame(
        {
            "income [k$]": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n) + 2 * (y == "yes")),
            "city": rng.choice(["Rome", "Köln", None], n),
            "owns": rng.random(n) < 0.5,
        }
    )
    return X, y


class Prior:
    """The least that is a classifier: it is none of scikit-learn's."""

    def fit(self, _, y):
        self.share = np.bincount(y) / len(y)
        return self

    def predict_proba(self, X):
        return np.tile(self.share, (len(X), 1))


class Failing(Prior):
    def fit(self, *_):
        raise RuntimeError("out of\nluck")


class NoProbabilities(Prior):
    def predict_proba(self, X):
        return super().predict_proba(X) * 2


# --- in Python ----------------------------------------------------------------------------------------------------


def test_the_same_data_in_any_form_have_the_figures_of_the_known_data_set():
    known = csr_experiment(["breast_cancer"], **QUICK)
    X, y = load_breast_cancer(return_X_y=True)
    bunch = load_breast_cancer()
    forms = {
        "arrays": {"mine": (X, y)},
        "lists": {"mine": (X.tolist(), y.tolist())},
        "frame": {"mine": load_breast_cancer(as_frame=True)},
        "bunch": Bunch(**{**bunch, "name": "mine"}),
    }
    for form, data in forms.items():
        own = csr_experiment(data, **QUICK)
        assert own["dataset"].tolist() == ["mine"], form
        pd.testing.assert_frame_equal(own.drop(columns="dataset"), known.drop(columns="dataset"))


def test_text_missing_values_and_words_for_labels():
    result = csr_experiment({"loans": loans()}, **{**QUICK, "calibrations": ["none", "platt"]})
    assert result["calibration"].tolist() == ["none", "platt"]
    assert (result["n_test"] == 40).all()
    assert (result["accuracy"] > 0.6).all()


def test_a_test_mask_is_kept():
    X, y = loans()
    mask = np.arange(200) >= 150
    assert csr_experiment(Bunch(data=X, target=y, test_mask=mask), **QUICK)["n_test"].tolist() == [50]


def test_models_of_ones_own_stand_beside_xgboost():
    X, y = load_breast_cancer(return_X_y=True)
    models = {"forest": RandomForestClassifier(20), "prior": Prior()}
    result = csr_experiment({"own": (X, y)}, estimators=models, calibrations=["none", "isotonic"], tables=[6], n_jobs=1)
    assert result["calibration"].tolist() == [
        "none",
        "isotonic",
        "forest",
        "forest, isotonic",
        "prior",
        "prior, isotonic",
    ]
    # By hand: numbers of unit variance, trees from the seed of the experiment.
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
    X, _, y, _ = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
    scale = StandardScaler().fit(X)
    forest = RandomForestClassifier(20, random_state=0).fit(scale.transform(X), y)
    accuracy = result.set_index("calibration")["accuracy"]
    assert accuracy["forest"] == pytest.approx(forest.score(scale.transform(X_test), y_test))
    assert accuracy["prior"] == pytest.approx((y_test == 1).mean())
    again = csr_experiment({"own": load_breast_cancer(return_X_y=True)}, estimators=models, **QUICK)
    assert again["accuracy"].tolist() == accuracy[["none", "forest", "prior"]].tolist()


def test_predictions_of_ones_own_models_are_saved_in_folders_of_their_own(tmp_path):
    csr_experiment({"../loans": loans()}, estimators={"a/b": Prior()}, save_predictions=tmp_path, **QUICK)
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.csv"))
    assert files == [
        "_loans, a_b/seed=0/none.csv",
        "_loans, a_b/seed=0/validation.csv",
        "_loans/seed=0/none.csv",
        "_loans/seed=0/validation.csv",
    ]


def test_a_pipeline_gets_the_columns_as_they_are():
    by_name = make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["city", "owns"])), LogisticRegression()
    )
    result = csr_experiment({"loans": loans()}, estimators={"by name": by_name}, **QUICK)
    assert result["calibration"].tolist() == ["none", "by name"]


def test_a_model_that_fails_is_left_out_and_the_rest_runs():
    models = {"failing": Failing(), "prior": Prior(), "sums to 2": NoProbabilities()}
    with pytest.warns(UserWarning, match="is left out on loans") as told:
        result = csr_experiment({"loans": loans()}, estimators=models, random_state=[0, 1], **QUICK)
    row = "row 0 is [0.8833, 1.1167]."
    assert [str(each.message) for each in told] == [
        "failing is left out on loans. failing failed: RuntimeError: out of luck.",
        f"sums to 2 is left out on loans. predict_proba of sums to 2 does not return probabilities: {row}",
    ]
    assert result["calibration"].tolist() == ["none", "prior", "none", "prior"]


def test_other_data_of_the_same_name_are_trained_anew(tmp_path):
    first, other = loans(), loans(seed=1)
    for data in (first, other, first):
        kept = csr_experiment({"loans": data}, results=tmp_path, **QUICK)
        pd.testing.assert_frame_equal(kept, csr_experiment({"loans": data}, **QUICK))
    assert len(list(tmp_path.glob("loans-0-*.pkl"))) == 2
    csr_experiment({"../<b>": first}, results=tmp_path, **QUICK)
    assert len(list(tmp_path.glob("_b_-0-*.pkl"))) == 1


def test_pages_and_tables_have_no_place_for_printed_figures():
    result = csr_experiment({"loans": loans()}, estimators={"<i>prior": Prior()}, calibrations=["none"], n_jobs=1)
    text = csr_text(result, 7)
    assert "paper" not in text
    assert "ours" not in text
    assert "value" not in text
    page = csr_html(result)
    assert "The paper prints no values for this" in page
    assert "&lt;i&gt;prior" in page
    assert "<i>prior" not in page
    assert "within 1" not in page


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ({"a": (np.ones((60, 1)), np.linspace(0, 1, 60))}, ValueError, "The target of 'a' is continuous: 60 distinct"),
        (
            {"a": (np.ones((60, 1)), np.arange(60) // 2)},
            ValueError,
            "'a' is continuous: 30 distinct numbers in 60 rows",
        ),
        ({"a": (np.ones((60, 1)), ["x"] * 57 + ["y"] * 3)}, ValueError, "needs at least 5 rows .*: 'y' has 3. Merge"),
        ({"a": (np.ones((12, 1)), ["x", "y"] * 6)}, ValueError, "has 12 rows of 2 classes, but 20 rows are needed"),
        ({"a": (np.ones((30, 1)), ["x"] * 30)}, ValueError, "All labels of 'a' are 'x'"),
        (
            {"a": (np.ones((30, 1)), ["x", None] * 15)},
            ValueError,
            "15 of 30 labels of 'a' are missing, the first in row 1",
        ),
        ({"a": (np.ones((30, 1)), ["x", "y"] * 14)}, ValueError, r"30 rows of features, but labels of shape \(28,\)"),
        ({"a": (np.ones(30), ["x", "y"] * 15)}, ValueError, "must be a table, but have 1 dimension"),
        ({"a": (np.array([[np.inf]] * 30), ["x", "y"] * 15)}, ValueError, "feature '0' of 'a' is infinite in row 0"),
        ({"a": (csr_matrix((30, 1)), ["x", "y"] * 15)}, TypeError, "sparse matrix. Pass X.toarray"),
        (
            {"a": (pd.DataFrame({"b": [[1]] * 30}), ["x", "y"] * 15)},
            TypeError,
            "feature 'b' of 'a' has values of type list",
        ),
        ({"a": (pd.DataFrame(np.ones((30, 2)), columns=["b", "b"]), ["x", "y"] * 15)}, ValueError, "same name: ..b"),
        ({"a": np.ones((30, 1))}, TypeError, r"'a' must be a pair \(X, y\) or a Bunch, but are ndarray"),
        ({"wine": (np.ones((30, 1)), ["x", "y"] * 15)}, ValueError, "'wine' is the name of a data set of the paper"),
        ({}, ValueError, "datasets is empty"),
    ],
)
def test_data_that_are_none_are_told(data, error, message):
    with pytest.raises(error, match=message):
        csr_experiment(data)


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({"svc": LinearSVC()}, "svc has no predict_proba, but .*CalibratedClassifierCV"),
        ({"forest": RandomForestClassifier}, r"forest is a class. Pass a classifier: RandomForestClassifier\(\)"),
        ({"none": Prior()}, "may have the name of a calibration, but one is named 'none'"),
    ],
)
def test_models_that_are_none_are_told(models, message):
    with pytest.raises(ValueError, match=message):
        csr_experiment({"loans": loans()}, estimators=models)


def test_dates_and_numbers_of_any_type_are_features():
    X = pd.DataFrame(
        {
            "day": pd.to_datetime(["2026-01-03", None, "2026-01-01"] * 10),
            "count": pd.array([1, None, 3] * 10, dtype="Int64"),
            "mixed": [1, 2.5, None] * 10,
            "never": [None] * 30,
            "kind": pd.Categorical([1, 2, None] * 10),
        }
    )
    data = own_data({"a": (X, ["x", "y"] * 15)})["a"].data
    np.testing.assert_array_equal(data["day"][:3], [2.0, np.nan, 0.0])
    np.testing.assert_array_equal(data["count"][:3], [1.0, np.nan, 3.0])
    np.testing.assert_array_equal(data["mixed"][:3], [1.0, 2.5, np.nan])
    assert data["never"].isna().all()
    assert data["kind"].cat.categories.tolist() == ["1", "2"]


def test_probabilities_of_classes_that_the_training_data_lack_are_0():
    X, y = np.array([[0.0], [1.0], [0.2], [0.9]]), np.array([0, 2, 0, 2])
    proba = trained(LogisticRegression(), X, y, 4)(X)
    assert proba.shape == (4, 4)
    assert (proba[:, [1, 3]] == 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    with pytest.raises(EstimatorError, match=r"Prior returns an array of shape \(4, 3\), but \(4, 4\) is needed"):
        trained(Prior(), X, y, 4)(X)


def test_the_cf1_experiments_take_the_same_data_in_any_form():
    known = cf1_variance_experiment("breast_cancer", ratios=[1.0], n_resamples=50)
    X, y = load_breast_cancer(return_X_y=True)
    for data in ({"mine": (X, y)}, load_breast_cancer(), load_breast_cancer(as_frame=True)):
        own = cf1_variance_experiment(data, ratios=[1.0], n_resamples=50)
        pd.testing.assert_frame_equal(own.variances, known.variances)
    models = [LogisticRegression(max_iter=1000), Prior()]
    agreement = cf1_agreement_experiment({"mine": (X, y)}, models=models, n_resamples=50)
    assert not [name for name in agreement if name.startswith("paper_")]
    shared = agreement.columns.tolist()
    known = cf1_agreement_experiment("breast_cancer", models=models, n_resamples=50)
    pd.testing.assert_frame_equal(agreement, known[shared])


def test_the_cf1_experiments_take_words_and_pipelines():
    by_name = make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["city", "owns"])), LogisticRegression()
    )
    data = {"loans": loans()}
    for model in (by_name, Prior()):
        tables = cf1_variance_experiment(data, ratios=[1.0], n_resamples=20, classifier=model)
        assert set(tables.variances["class"]) == {"no", "yes"}
    with pytest.raises(EstimatorError, match="Failing failed: RuntimeError: out of luck"):
        cf1_variance_experiment(data, classifier=Failing())
    with pytest.raises(ValueError, match="dataset must be one data set, but has 2: a, b"):
        cf1_variance_experiment({"a": loans(), "b": loans()})
    with pytest.raises(TypeError, match=r'must be a name, {"name": \(X, y\)} or a Bunch, but is list'):
        cf1_agreement_experiment(["digits"])


# --- from files ---------------------------------------------------------------------------------------------------


def written(folder, lines, name="own.csv"):
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("separator", "cells", "expected"),
    [
        (";", ["1,5", "0,125", "12,345"], [1.5, 0.125, 12.345]),
        (";", ["1.234,5", "7,25", "1.000,0"], [1234.5, 7.25, 1000.0]),
        (",", ['"1,234.5"', "7.25", '"1,000"'], [1234.5, 7.25, 1000.0]),
        (",", ["1", "?", "NA"], [1.0, np.nan, np.nan]),
        (",", ["1e3", "-2", " 3 "], [1000.0, -2.0, 3.0]),
    ],
)
def test_numbers_as_people_write_them(separator, cells, expected, tmp_path):
    path = written(tmp_path, [separator.join(("a", "y"))] + [f"{cell}{separator}k" for cell in cells])
    np.testing.assert_array_equal(read_own_file(path, "y").data["a"], expected)


def test_columns_that_name_rows_are_left_out(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "nr": np.arange(1, 61),
            "customer_id": rng.permutation(10**6)[:60],
            "name": [f"person {number}" for number in range(60)],
            "price": rng.permutation(10**6)[:60],
            "kind": rng.choice(["a", "b"], 60),
            "y": rng.choice(["no", "yes"], 60),
        }
    )
    frame.to_csv(tmp_path / "a.csv.gz")
    with pytest.warns(UserWarning, match=r"Left out \['', 'nr', 'customer_id', 'name'\]"):
        found = read_own_file(tmp_path / "a.csv.gz", "y")
    assert list(found.data) == ["price", "kind"]
    assert found.name == "a"


def test_labels_keep_the_order_of_numbers_and_zeros_in_front(tmp_path):
    labels = read_own_file(written(tmp_path, ["a,y", "1,10", "2,9", "1,10"]), "y").target
    assert labels.tolist() == [10, 9, 10]
    labels = read_own_file(written(tmp_path, ["a,y", "1,010", "2,9", "1,"]), "y").target
    assert labels.tolist() == ["010", "9", None]


def test_a_few_entries_that_are_no_numbers_are_missing_and_told(tmp_path):
    path = written(tmp_path, ["a,y", *["1.5,k"] * 30, "broken,k"])
    with pytest.warns(UserWarning, match="'a' holds numbers, except for 1 of 31 entries, such as 'broken'"):
        assert read_own_file(path, "y").data["a"].isna().sum() == 1


def test_parquet(tmp_path):
    X, y = loans()
    X.assign(y=y).to_parquet(tmp_path / "own.parquet")
    found = csr_experiment(read_own_file(tmp_path / "own.parquet", "y"), **QUICK)
    pd.testing.assert_frame_equal(found, csr_experiment({"own": (X, y)}, **QUICK))


@pytest.mark.parametrize(
    ("lines", "target", "message"),
    [
        (["a,y", "1,k"], None, r"own.csv: the columns are \['a', 'y'\]. Name the column of labels with target"),
        (["a,label", "1,k"], "labels", "there is no column 'labels'. Did you mean 'label'"),
        (["33.6,1", "30.1,0"], "y", "The first line must contain the names of the columns, but it contains .'33.6'"),
        (["a,a,y", "1,2,k"], "y", "multiple columns named a. Rename|several columns"),
        (["y", "k"], "y", "the only column is 'y'"),
        (["a,y"], "y", "there are no rows"),
        (['{"a": 1}'], "y", "it is not a table of text, but JSON"),
    ],
)
def test_files_that_are_none_are_told(lines, target, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        read_own_file(written(tmp_path, lines), target)


# --- on the command line ------------------------------------------------------------------------------------------

MODULE = """
import numpy as np
class Prior:
    def fit(self, X, y):
        self.share = np.bincount(y) / len(y)
        return self
    def predict_proba(self, X):
        return np.tile(self.share, (len(X), 1))
class Needy(Prior):
    def __init__(self, depth): ...
class Silent:
    def fit(self, X, y): ...
def made():
    return Prior()
def fails():
    raise KeyError("x")
instance = Prior()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The user's folder, with data and a model in it."""
    X, y = loans()
    X.assign(y=y).to_csv(tmp_path / "loans.csv", index=False)
    (tmp_path / "models_of_mine.py").write_text(MODULE)
    (tmp_path / "broken_of_mine.py").write_text("import nothing_of_the_kind")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def run(*arguments):
    return main(["experiment", *arguments, "--jobs", "1"])


def test_an_own_file_of_an_own_model(folder, capsys):
    own = ["--data", "loans.csv", "--target", "y", "--estimator", "models_of_mine:Prior", "models_of_mine:made"]
    assert run("csr", *own, "--calibration", "none", "--no-results", "--html", "a.html", "--csv", "a.csv") == 0
    table = pd.read_csv("a.csv")
    assert table["calibration"].tolist() == ["none", "Prior", "made"]
    # Both are the share of the larger class.
    assert table["accuracy"][1] == table["accuracy"][2] == pytest.approx((loans()[1] == "yes").mean(), abs=0.03)
    assert "paper" not in capsys.readouterr().out.partition("Table 6")[2]


def test_exit_status_is_1_if_an_own_model_fails(folder, capsys):
    (folder / "failing_of_mine.py").write_text(
        MODULE + "\nclass Failing(Prior):\n    def fit(self, X, y):\n        1 / 0\n"
    )
    own = ["--data", "loans.csv", "--target", "y", "--estimator", "failing_of_mine:Failing", "--calibration", "none"]
    assert run("csr", *own, "--no-results") == 1
    said = capsys.readouterr()
    assert "Failing is left out on loans. Failing failed: ZeroDivisionError: division by zero." in said.err
    assert "Table 6" in said.out


def test_an_own_file_of_an_own_model_in_the_cf1_experiment(folder, capsys):
    own = ["--data", "loans.csv", "--target", "y", "--estimator", "models_of_mine:Prior", "--models", "2"]
    more = ["--ratios", "1", ".1", "--training-shares", "1", ".5", "--label-noise", "0", ".3"]
    assert run("cf1", *own, *more, "--html", "a.html", "--csv", "a.csv") == 0
    table = pd.read_csv("a.csv")
    assert set(table["n_test"]) == {10, 100}
    assert set(table["model"]) == {"model 1", "model 2"}
    # A constant answer has no variance of the recall, by either metric.
    assert table.query("metric == 'recall'")[["variance", "c_variance"]].max().max() == pytest.approx(0, abs=1e-20)
    page = (folder / "a.html").read_text()
    for said in (
        "cF1, class yes",
        "Prior; 100.0% of the training data with 0% noise, 50.0%",
        "3, of logistic, forest, tree, neighbors, bayes; the last is Prior",
    ):
        assert said in page
    assert "SNLI" not in page
    assert "SNLI" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dataset", "wine", "--data", "loans.csv", "--target", "y"], "pass --data or --dataset, not both"),
        (["--data", "loans.csv", "--target", "city"], "'loans' are missing"),
        (
            ["--data", "loans.csv", "--target", "y", "--training-shares", "1"],
            "1 training_shares, and 3 values of label_",
        ),
        (["--estimator", "models_of_mine:Silent"], "models_of_mine:Silent has no predict_proba"),
        (["--ratios", "0"], "ratios must lie in (0, 1]"),
    ],
)
def test_mistakes_of_the_cf1_experiment_are_told(arguments, message, folder, capsys):
    assert run("cf1", *arguments, "--models", "2") == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "loans.csv"], "Name the column of labels with --target"),
        (["--data", "loans.csv", "--target", "income [k$]"], "The target of 'loans' is continuous: "),
        (["--data", "nothing.csv", "--target", "y"], "there is no file nothing.csv"),
        (["--target", "y"], "--target names a column of --data FILE. Pass --data, too."),
        (["--data", "loans.csv", "--target", "y", "--datasets", "digits"], "pass --data or --datasets, not both"),
        (["--estimator", "models_of_mine"], "'models_of_mine' does not name a classifier. Write MODULE:CLASS"),
        (["--estimator", "models_of_mine.py:Prior"], "For a file model.py in the current folder, write model:CLASS"),
        (["--estimator", "nothing_there:Prior"], "There is no module 'nothing_there', and no file nothing_there.py in"),
        (["--estimator", "sklearn.nothing:Prior"], "There is no module 'sklearn.nothing'"),
        (["--estimator", "broken_of_mine:Prior"], "broken_of_mine cannot be imported: ModuleNotFoundError: No module"),
        (["--estimator", "models_of_mine:Pior"], "models_of_mine has no 'Pior'. Did you mean 'Prior'?"),
        (
            ["--estimator", "models_of_mine:Needy"],
            "Write a function that returns the classifier, and name it as models_",
        ),
        (["--estimator", "models_of_mine:fails"], "models_of_mine:fails() fails: KeyError: 'x'"),
        (["--estimator", "models_of_mine:Silent"], "models_of_mine:Silent has no predict_proba"),
    ],
)
def test_mistakes_are_told_without_a_traceback(arguments, message, folder, capsys):
    assert run("csr", *arguments) == 2
    assert message in capsys.readouterr().err


def test_a_classifier_itself_may_be_named(folder):
    assert find_estimator("models_of_mine:instance")[0] == "instance"
    assert isinstance(find_estimator("sklearn.dummy:DummyClassifier")[1], DummyClassifier)


def test_names_are_no_own_data():
    assert own_data(["wine"]) is None
    assert own_data(load_iris())["own data"].data.shape == (150, 4)
