"""Which slices fail: nothing by chance, and what was planted."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from skconf import ConfidenceProfile, ConfidenceReport, confidence_report
from skconf.report._evidence.by_slice import BySlice
from skconf.report._evidence.slices import read_slices
from skconf.report._page.elements import Ids
from skconf.report._sections.slices import slice_finding
from skconf.report._sections.where import where


def predictions(rng, n, bad=None, weight=None):
    """Return calibrated predictions, but for a slice that is right less often."""
    sure = rng.uniform(0.6, 1, n)
    right = sure if bad is None else np.where(bad, sure - 0.35, sure)
    return ConfidenceProfile.from_correctness(rng.random(n) < right, sure, sample_weight=weight)


def by_slice(profile, **columns):
    return BySlice.of(profile, read_slices(columns, len(profile)), 0.95)


def sixty(seed, n, weighted, bad=None):
    """Return sixty slices by two columns, of which one may be bad."""
    rng = np.random.default_rng(seed)
    region, month = rng.integers(0, 50, n), rng.integers(1, 11, n)
    weight = rng.uniform(0.5, 1.5, n) if weighted else None
    profile = predictions(rng, n, None if bad is None else region == bad, weight)
    return by_slice(profile, region=region.astype(str), month=month)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "weighted"), [(2000, False), (10_000, True)])
def test_of_sixty_null_slices_none_is_claimed(n, weighted):
    """In no more than one in twenty sets of data."""
    claimed = 0
    for seed in range(60):
        found = sixty(seed, n, weighted)
        assert len(found.names) == 60
        claimed += len(found.overconfident) > 0
        assert slice_finding(found).startswith("overconfident" if len(found.overconfident) else "no slice of 60 is")
    assert claimed <= 6


@pytest.mark.parametrize("weighted", [False, True])
def test_a_planted_slice_among_sixty_is_found(weighted):
    for seed in range(20):
        found = sixty(seed, 10_000, weighted, bad=7)
        assert found.names[found.overconfident[0]] == "region = 7"
        assert "slices. Worst, region = 7: average confidence " in slice_finding(found)


def test_p_values_are_adjusted_by_hand():
    rng = np.random.default_rng(0)
    region = np.repeat(list("abc"), [400, 200, 400])
    profile = predictions(rng, 1000, region == "b")
    found = by_slice(profile, region=region)
    alone = {text: by_slice(profile[region == text], region=region[region == text]).p_values[0] for text in "abc"}
    adjusted, largest = {}, 0.0
    for place, text in enumerate(sorted(alone, key=alone.get)):
        largest = max(largest, min(alone[text] * (3 - place), 1.0))
        adjusted[f"region = {text}"] = largest
    assert dict(zip(found.names, found.p_values, strict=True)) == pytest.approx(adjusted)
    assert [found.names[at] for at in found.overconfident] == ["region = b"]


def test_a_slice_of_one_row_and_an_empty_category():
    rng = np.random.default_rng(0)
    profile = predictions(rng, 500)
    one = int(np.argmin(profile.correct))
    region = np.where(np.arange(500) == one, "alone", "rest")
    found = by_slice(profile, region=pd.Categorical(region, categories=["alone", "nobody", "rest"]))
    assert sorted(found.names) == ["region = alone", "region = rest"]
    assert found.names[1] == "region = alone"  # one wrong answer says little
    assert found.p_values[1] == pytest.approx(min(2 * (1 - profile.confidence[one]), 1), rel=0.03)
    assert slice_finding(found) == "no slice of 2 is shown to be overconfident."


def test_too_few_errors_of_unequal_weights_are_said():
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.5, 1.5, 600)
    region = np.repeat(["large", "small"], [590, 10])
    finding = slice_finding(by_slice(predictions(rng, 600, weight=weight), region=region))
    assert finding.endswith("1 of them has too few expected errors for a test: more are needed because weights differ.")
    zero = np.where(np.arange(600) < 590, 1.0, 0.0)
    assert by_slice(predictions(rng, 600, weight=zero), region=region).names == ["region = large"]


def test_the_sentence_lists_the_worst_few():
    rng = np.random.default_rng(0)
    region = rng.integers(0, 10, 9000).astype(str)
    several = slice_finding(by_slice(predictions(rng, 9000, region < "3"), region=region))
    assert several.startswith("overconfident in 3 of 10 slices. Worst, region = ")
    assert several.count("region = ") == 3
    assert " and region = " in several
    every = slice_finding(by_slice(predictions(rng, 9000, region < "x"), region=region))
    assert every.startswith("overconfident in 10 of 10 slices.")
    assert every.endswith(" and 6 more.")


def report_of(n=3000, n_cities=0, models=1, **options):
    rng = np.random.default_rng(0)
    slices = {
        "region": np.array(["<b>", "</script>", "a|b", ""])[rng.integers(0, 4, n)],
        "age": rng.integers(18, 90, n),
    }
    if n_cities:
        slices["city"] = rng.integers(0, n_cities, n).astype(str)
        slices["town"] = rng.integers(0, n_cities, n).astype(str)
    profiles = {f"m{k}": predictions(rng, n, slices["region"] == "<b>") for k in range(models)}
    return confidence_report(profiles if models > 1 else profiles["m0"], slices=slices, metrics=["accuracy_score"])


def test_a_page_shows_ten_and_folds_the_rest():
    evidence = report_of(n_cities=50).evidence
    shown = where(evidence).html(Ids())
    n_slices = 4 + 4 + 50 + 50
    assert f"<summary>{n_slices - 10} more slices</summary>" in shown
    assert f"{n_slices - 100} more slices are left out." in shown
    assert "region = &lt;b&gt;" in shown
    assert "region is missing" in shown
    assert "region = <" not in shown
    text = where(evidence).text(100)
    assert "Overconfident in " in text
    assert "… 5 more on " in text
    assert "nan" not in text


def test_models_have_a_table_each():
    report = report_of(models=2)
    text = report.text()
    for model in ("m0", "m1"):
        assert f"{model}: overconfident in " in text
        assert f"{model}: slice" in text
    assert "m1: slices and answers that were furthest off" in where(report.evidence).html(Ids())


def test_chosen_metrics_do_not_hide_slices():
    text = report_of().text()
    assert text.index("accuracy_score") < text.index("Overconfident in") < text.index("region = <b> ")


def test_slices_may_tell_of_people():
    report = report_of()
    assert "region" in report.page()
    assert "region" in report.model_card()
    assert report.evidence.anonymous().by_slice == {}
    for anonymous in (report.page(anonymous=True), report.model_card(anonymous=True)):
        assert "region" not in anonymous.replace('role="region"', "")
        assert "overconfident in" not in anonymous.lower()


def test_models_share_the_rows_of_slices():
    rng = np.random.default_rng(0)
    profiles = {"a": predictions(rng, 50), "b": predictions(rng, 60)}
    with pytest.raises(ValueError, match=r"slices need rows that all models share, .* \{'a': 50, 'b': 60\}"):
        confidence_report(profiles, slices={"x": np.zeros(50)})
    with pytest.raises(ValueError, match=r"slices\['x'\] has 49 rows, but there are 50 predictions"):
        confidence_report(profiles["a"], slices={"x": np.zeros(49)})


def test_from_an_estimator():
    X, y = load_iris(return_X_y=True)
    report = ConfidenceReport.from_estimator(GaussianNB().fit(X, y), X, y, slices={"petal": X[:, 2]})
    assert "petal 1 to 1.6" in where(report.evidence).text(200)


class Lengths(ClassifierMixin, BaseEstimator):
    """A classifier of lists of any length."""

    classes_ = np.array([0, 1])

    def predict_proba(self, X):
        right = np.array([0.6 + 0.1 * len(x) for x in X])
        return np.column_stack([1 - right, right])


@pytest.mark.parametrize("slices", [None, ["u", "v", "u", "v"], {"side": ["u", "v", "u", "v"]}])
def test_samples_need_not_be_a_table(slices):
    report = ConfidenceReport.from_estimator(Lengths(), [[1], [1, 2], [1], []], [0, 1, 1, 1], slices=slices)
    assert len(report.slices) == (0 if slices is None else 2)


def test_several_columns_need_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    with pytest.raises(ValueError, match="slices has 2 rows, but there are 150 predictions"):
        ConfidenceReport.from_estimator(GaussianNB().fit(X, y), X, y, slices=[[0] * 150, [1] * 150])


def test_slices_are_named_columns_of_the_samples():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = ["a", "b", "petal", "d"]
    model = GaussianNB().fit(X, y)

    def slices_of(slices, X=X, model=model):
        return ConfidenceReport.from_estimator(model, X, y, slices=slices).slices

    pd.testing.assert_frame_equal(slices_of("petal"), slices_of({"petal": X["petal"]}))
    pd.testing.assert_frame_equal(slices_of(["petal", "a"]), slices_of(X[["petal", "a"]]))
    pd.testing.assert_frame_equal(slices_of(("petal", "petal")), slices_of("petal"))
    with pytest.raises(ValueError, match=r"^slices has 149 rows, but there are 150 predictions"):
        slices_of(["u"] * 149)
    texts = ["odd", "even"] * 75  # a text for each sample is a slice of it, not the name of a column
    pd.testing.assert_frame_equal(slices_of(texts), slices_of({"slice": texts}))
    with pytest.raises(ValueError, match=r"slices needs the column 'petals', but X has .* Did you mean 'petal'\?"):
        slices_of("petals")
    by_number = GaussianNB().fit(X.to_numpy(), y)
    pd.testing.assert_frame_equal(slices_of(2, X.to_numpy(), by_number), slices_of({2: X["petal"]}))
    pd.testing.assert_frame_equal(slices_of([2], X.to_numpy().tolist(), by_number), slices_of({2: X["petal"]}))
    with pytest.raises(ValueError, match=r"the 4 columns of X have no names\. Pass the position of the column"):
        slices_of("petal", X.to_numpy(), by_number)
