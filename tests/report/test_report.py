"""A report shows what the metric functions say, marks what is best, and says no more than is known."""

import copy
import inspect
import pickle
import re
import warnings
from functools import partial
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from _support.predictions import draw_classes, draw_weights
from scipy.stats import binomtest
from sklearn.datasets import load_iris
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, confusion_matrix, make_scorer, precision_recall_fscore_support
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skconf import ConfidenceProfile, SelectiveClassifier, get_scorer, get_scorer_names, metrics
from skconf.datasets import make_confidence_profile
from skconf.inference import assess_confidence, compare, confidence_interval
from skconf.report import ConfidenceReport, confidence_report
from skconf.report._evidence.predictions import OF_THE_METRIC
from skconf.report._page.elements import unbroken
from skconf.report._sections.table import as_lines, as_written

LABELS = {2: np.array(["yes", "no"]), 3: np.array(["low", "top", "middle"])}
#: Rows that are no functions of skconf.metrics.
OWN = ("accuracy_score", "mean_confidence", "threshold")
by_class = partial(confidence_report, by="class")
#: Rows with a verdict.
JUDGED = ["mean_confidence", "calibrated_size_ratio"]


def predictions(n_classes=3, n=400, seed=0):
    """Return labels, probabilities and weights; the columns are in no sorted order."""
    y, proba = draw_classes(n, n_classes, seed, concentration=0.5)
    return LABELS[n_classes][y], proba, draw_weights(n)


def of_errors(n_errors, n, sure=0.5):
    return ConfidenceProfile.from_correctness(np.arange(n) >= n_errors, np.full(n, sure))


def by_hand(name, y, proba, **given):
    """Call the function that a row is named after, with the parameters in the name."""
    name, _, average = name.removesuffix("')").partition("(average='")
    function = getattr(metrics, name)
    own = inspect.signature(function).parameters
    params = {key: value for key, value in given.items() if key in own}
    return function(y, proba, **params, **({"average": average} if average else {}))


class TestRows:
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_hold_what_the_functions_say(self, n_classes, weighted):
        y, proba, weight = predictions(n_classes)
        given = {"labels": LABELS[n_classes], "sample_weight": weight if weighted else None}
        report = confidence_report(y, proba, metrics="all", threshold=0.7, **given)
        assert len(report.frame) > 40
        for name in report.frame.index.difference(OWN):
            assert report.frame.at[name, "value"] == by_hand(name, y, proba, threshold=0.7, **given), name
        predicted = LABELS[n_classes][proba.argmax(axis=1)]
        own = {
            "accuracy_score": accuracy_score(y, predicted, sample_weight=given["sample_weight"]),
            "mean_confidence": np.average(proba.max(axis=1), weights=given["sample_weight"]),
            "threshold": 0.7,
        }
        np.testing.assert_allclose(report.frame.loc[list(own), "value"], list(own.values()), rtol=1e-12)

    def test_all_are_all_functions_that_give_a_number(self):
        y, proba, _ = predictions(2)
        rows = confidence_report(y, proba, labels=LABELS[2], metrics="all").frame.index
        for name in set(metrics.__all__) - {"get_metric", "confidence_weighted"}:
            found = getattr(metrics, name)(y, proba, labels=LABELS[2])
            assert isinstance(found, float) == (name in rows or f"{name}(average='macro')" in rows), name

    def test_can_be_scores(self):
        y, proba, _ = predictions(2)
        profile = ConfidenceProfile.from_predictions(y, proba, labels=LABELS[2], threshold=0.8)
        report = confidence_report(profile, metrics=get_scorer_names())
        for name, row in report.frame.iterrows():
            assert row["value"] == get_scorer(name).of_profile(profile), name
            assert row["value"] in row["range"]
            assert row["best"] == row["range"].right
            assert row["better"] == "higher"

    def test_tell_where_better_is_by_their_names(self):
        y, proba, _ = predictions(2)
        report = confidence_report(y, proba, labels=LABELS[2], metrics="all", threshold=0.6)
        for name, row in report.frame.iterrows():
            if name.endswith("_score"):
                assert (row["better"], row["best"]) == ("higher", 1)
            elif name.endswith(("_loss", "_error")):
                assert (row["better"], row["best"]) == ("lower", 0)
            assert (row["better"] == "") == np.isnan(row["best"])
            assert row["value"] in row["range"]
        assert report.frame.loc["calibrated_size_ratio", ["best", "better"]].tolist() == [1, "closer"]

    def test_best_is_what_a_perfect_classifier_has(self):
        """But for two: without an error the size ratio is 0, and there is nothing to gain."""
        y = np.array([0, 1] * 20)
        report = confidence_report(y, y.astype(float), threshold=0.9)
        judged = report.frame.drop(index=["calibrated_size_ratio", "confidence_gain"]).dropna(subset="best")
        np.testing.assert_allclose(judged["value"], judged["best"], atol=1e-6)

    def test_are_named_in_any_way(self):
        y, proba, _ = predictions()
        named = ["aurc_loss", metrics.expected_calibration_error, "neg_ece", "cf1_weighted", "aurc_loss", "threshold"]
        report = confidence_report(y, proba, labels=LABELS[3], metrics=iter(named))
        names = ["aurc_loss", "expected_calibration_error", "neg_ece", "cf1_weighted", "threshold"]
        assert list(report.frame.index) == names
        again = confidence_report(y, proba, labels=LABELS[3], metrics=report.frame.index)
        pd.testing.assert_frame_equal(report.frame, again.frame)
        assert report.frame["value"].iloc[1] == -report.frame["value"].iloc[2]
        assert report.frame["value"].iloc[4] == 0.5  # where metrics of a threshold have theirs, if there is no other

    @pytest.mark.parametrize(
        ("wrong", "error", "message"),
        [
            (["cw_acuracy_score"], ValueError, r"no metric or scorer 'cw_acuracy_score'\. Did you mean .*'cw_accuracy"),
            (["neg_ecee"], ValueError, "Did you mean .*'neg_ece'"),
            (["cw_roc_curve"], TypeError, r"cw_roc_curve is not a single number.* Call skconf\.metrics\.cw_roc_curve"),
            ([metrics.ecd_test], TypeError, "ecd_test is not a single number"),
            ([confusion_matrix], TypeError, r"confusion_matrix is not a single number here\. Choose a function that"),
            ([3], TypeError, "A metric must be a function of skconf.metrics or .* but is 3"),
            ([], ValueError, "metrics is empty"),
            ("aurc_loss", TypeError, "metrics must be a list of names, 'all' or None, not the string 'aurc_loss'"),
        ],
    )
    def test_wrong_names_are_refused(self, wrong, error, message):
        with pytest.raises(error, match=message):
            confidence_report([0, 1], [0.2, 0.8], metrics=wrong)


class TestWhatIsLeftOut:
    def test_nothing_of_a_threshold_where_there_is_none(self):
        y, proba, _ = predictions()
        without = confidence_report(y, proba, labels=LABELS[3]).frame.index
        given = confidence_report(y, proba, labels=LABELS[3], threshold=0.6).frame.index
        added = ["threshold", "coverage_score", "selective_accuracy_score", "cwsa_score", "cwsa_plus_score"]
        assert list(given) == [*without, *added]

    @pytest.mark.parametrize("metrics_", [None, "all"])
    def test_what_needs_all_classes_where_there_are_none(self, metrics_):
        y, proba, _ = predictions(2)
        full = ConfidenceProfile.from_predictions(y, proba, labels=LABELS[2])
        bare = ConfidenceProfile.from_correctness(full.correct, full.confidence)
        expected, found = (confidence_report(profile, metrics=metrics_).frame for profile in (full, bare))
        left_out = expected.index.difference(found.index)
        assert "cf1_score(average='macro')" in left_out
        for name in left_out:
            with pytest.raises(ValueError, match="correctness only"):
                confidence_interval(name, bare)
        kept = found.index.difference(["ecuas_loss"])  # its largest uncertainty is that of many classes
        pd.testing.assert_frame_equal(found.loc[kept], expected.loc[kept])

    def test_cwsa_where_another_score_selects(self):
        profile = ConfidenceProfile.from_predictions([0, 1, 1], [0.2, 0.9, 0.6], score=[0.1, 0.9, 0.5], threshold=0.3)
        report = confidence_report(profile)
        assert report.frame.at["coverage_score", "value"] == pytest.approx(2 / 3)
        assert not report.frame.index.str.startswith("cwsa").any()

    def test_but_what_was_asked_for_is_nan_with_one_warning(self):
        bare = of_errors(1, 4)
        with pytest.warns(
            UndefinedMetricWarning, match="cf1_score is undefined here and is NaN: .*correctness"
        ) as told:
            report = confidence_report(bare, metrics=["accuracy_score", "cf1_score"])
        assert len(told) == 1
        assert told[0].filename == __file__
        np.testing.assert_array_equal(report.frame["value"], [0.75, np.nan])

    @pytest.mark.parametrize("error", [ValueError, KeyError, ZeroDivisionError, TypeError])
    @pytest.mark.parametrize("wrapped", [lambda function: function, make_scorer], ids=["function", "scorer"])
    def test_what_a_function_of_the_user_raises_is_raised(self, wrapped, error):
        def mine(y_true, y_pred):
            raise error("pears")

        with pytest.raises(error, match="pears") as caught:
            confidence_report([0, 1], [0.2, 0.9], metrics={"accuracy": "accuracy", "of mine": wrapped(mine)})
        assert caught.value.__notes__

    def test_what_is_undefined_is_nan_with_one_warning(self):
        with pytest.warns(UndefinedMetricWarning, match="nothing is accepted") as told:
            report = confidence_report(of_errors(1, 4), threshold=np.inf)
        assert len(told) == 1
        undefined = report.frame["value"].isna()
        assert list(report.frame.index[undefined]) == ["selective_accuracy_score"]
        assert report.frame.at["coverage_score", "value"] == 0
        assert "nan" in repr(report)


class TestInput:
    def test_predictions_and_their_profile_are_the_same(self):
        y, proba, weight = predictions(2)
        given = {"labels": LABELS[2], "y_pred": y[::-1], "sample_weight": weight}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # kept predictions are less certain than a guess
            direct = confidence_report(y, proba, **given)
            held = confidence_report(ConfidenceProfile.from_predictions(y, proba, **given))
            column = confidence_report(y, proba[:, 0], pos_label="yes", **given)
            models = confidence_report(y, {"both": proba, "again": proba}, **given)
        pd.testing.assert_frame_equal(direct.frame, held.frame)
        np.testing.assert_allclose(direct.frame["value"], column.frame["value"])
        for name in ("both", "again"):
            pd.testing.assert_series_equal(models.frame[name], direct.frame["value"], check_names=False)

    def test_a_threshold_replaces_that_of_the_profile(self):
        y, proba, _ = predictions()
        profile = ConfidenceProfile.from_predictions(y, proba, labels=LABELS[3], threshold=0.9)
        pd.testing.assert_frame_equal(
            confidence_report(profile, threshold=0.6).frame,
            confidence_report(y, proba, labels=LABELS[3], threshold=0.6).frame,
        )
        assert confidence_report(profile).frame.at["threshold", "value"] == 0.9

    @pytest.mark.parametrize("report", [confidence_report, by_class])
    def test_predictions_must_be_there_and_only_once(self, report):
        profile = ConfidenceProfile.from_predictions([0, 1], [0.2, 0.8])
        with pytest.raises(TypeError, match="needs y_proba"):
            report([0, 1])
        with pytest.raises(TypeError, match="ConfidenceProfile and y_pred, sample_weight, but the profile has these"):
            report(profile, y_pred=[0, 1], sample_weight=[1, 1])
        with pytest.raises(ValueError, match="at least one sample"):
            report(profile[:0])
        with pytest.raises(ValueError, match="outside"):
            report([0, 1], [0.2, 1.8])

    def test_models_must_be_there_and_have_names_of_their_own(self):
        with pytest.raises(ValueError, match="mapping is empty"):
            confidence_report([0, 1], {})
        with pytest.raises(ValueError, match=r"A model is named 'best'.*Rename it"):
            confidence_report([0, 1], {"best": [0.2, 0.8], "worst": [0.8, 0.2]})

    def test_an_error_tells_the_model(self):
        with pytest.raises(ValueError, match="y_proba has NaN, in row 1") as raised:
            confidence_report([0, 1], {"good": [0.2, 0.8], "bad": [0.2, np.nan]})
        assert raised.value.__notes__ == ["The error is in the predictions of the model 'bad'."]

    @pytest.mark.parametrize("threshold", [2, -0.1, np.nan, "high"])
    def test_a_threshold_must_be_one(self, threshold):
        with pytest.raises((TypeError, ValueError), match="threshold must"):
            confidence_report([0, 1], [0.2, 0.8], threshold=threshold)


class TestVerdicts:
    def test_are_those_of_the_assessment_in_one_row(self):
        for profile in (of_errors(50, 100), of_errors(65, 100), of_errors(30, 1000, sure=0.95)):
            report = confidence_report(profile)
            assert report.frame.at["mean_confidence", "verdict"] == assess_confidence(profile).text
            assert (report.frame["verdict"] != "").sum() == 1

    def test_stand_in_the_first_row_that_they_are_about(self):
        for names in (["accuracy_score", "calibrated_size_ratio"], ["overconfidence_risk", "aurc_loss"]):
            report = confidence_report(of_errors(65, 100), metrics=names)
            told = report.frame.index[report.frame["verdict"].str.contains("verconfident: ")]
            assert told.tolist() == [next(name for name in names if name not in ("accuracy_score", "aurc_loss"))]
        assert set(confidence_report(of_errors(65, 100), metrics=["aurc_loss"]).frame["verdict"]) == {""}

    def test_at_full_confidence(self):
        wrong, right = confidence_report(of_errors(1, 4, sure=1.0)), confidence_report(of_errors(0, 4, sure=1.0))
        expected = (
            "Overconfident because of one answer alone: row 1 of 4 is wrong with a confidence of 1, which should "
            "never happen. "
            "Without it, nothing is found."
        )
        assert wrong.frame.at["mean_confidence", "verdict"] == expected
        assert right.frame.at["mean_confidence", "verdict"].startswith("Too few to say: 0 of 4 answers are wrong, ")

    @pytest.mark.parametrize(
        ("mode", "direction"),
        [
            ("overconf_half", "Far overconfident: "),
            ("underconf_sqrt", "Underconfident: "),
            ("random_over_c", "Underconfident: "),
        ],
    )
    def test_find_what_is_wrong(self, mode, direction):
        for seed in range(5):
            report = confidence_report(make_confidence_profile("Bell", mode, 2000, seed), metrics=JUDGED)
            assert report.frame.at["mean_confidence", "verdict"].startswith(direction)

    def test_rarely_accuse_the_calibrated(self):
        """One in twenty; each distribution of the paper ten times."""
        names = ["Uniform", "Skew High", "Skew Low", "Bimodal", "Tight Hi", "Tight Lo", "Normal", "Bell"]
        names += ["Log-Uniform Low", "Log-Uniform High"]
        profiles = [make_confidence_profile(name, "perfect", 300, seed) for name in names for seed in range(10)]
        assert sum(assess_confidence(profile, n_resamples=199).found for profile in profiles) <= 10

    def test_of_weighted_predictions_are_on_the_gap_alone(self):
        y, proba, weight = predictions(2)
        report = confidence_report(y, proba, labels=LABELS[2], sample_weight=weight)
        assert report.frame.at["mean_confidence", "verdict"].endswith(" weighted: only the overall gap is tested.")


class TestComparison:
    NO_DIFFERENCE = "no difference shown"

    def test_columns(self):
        report = confidence_report({errors: of_errors(errors, 100) for errors in (10, 60, 45)})
        assert list(report.frame.columns) == [10, 60, 45, "best", "better", "range", "best_model", "verdict"]
        assert list(report.frame.columns[3:]) == [*OF_THE_METRIC]  # which no model may be named

    def test_marks_only_what_is_shown_by_a_paired_difference(self):
        """60 errors of 400 against 40 of the same answers are told apart, and 60 against 58 are not."""
        few, many, nearly = np.arange(400) >= 40, np.arange(400) >= 60, np.arange(400) >= 58
        sure = np.linspace(0.7, 1, 400)
        profiles = {
            name: ConfidenceProfile.from_correctness(right, sure)
            for name, right in {"many": many, "few": few, "nearly": nearly}.items()
        }
        names = ["accuracy_score", "confidence_brier_loss"]
        report = confidence_report({name: profiles[name] for name in ("many", "few")}, metrics=names)
        assert report.frame["best_model"].tolist() == [("few",), ("few",)]
        report = confidence_report({name: profiles[name] for name in ("many", "nearly")}, metrics=names)
        assert report.frame["best_model"].tolist() == [self.NO_DIFFERENCE] * 2
        assert "*" not in repr(report).split("\n\n")[0]
        assert "<b>" not in report._repr_html_()

    def test_the_baseline_is_marked_where_all_others_are_worse(self):
        y, good, _ = predictions(3)
        poor, dull = 0.3 * good + 0.7 / 3, 0.5 * good + 0.5 / 3
        models = {"good": good, "poor": poor, "dull": dull}
        report = confidence_report(y, models, labels=LABELS[3], metrics=["confidence_brier_loss"])
        assert report.frame["best_model"].tolist() == [("good",)]
        report = confidence_report(y, models, labels=LABELS[3], metrics=["confidence_brier_loss"], baseline="poor")
        assert report.frame["best_model"].tolist() == [("good", "dull")]
        assert repr(report).splitlines()[1].count("*") == 2
        report = confidence_report(y, models, labels=LABELS[3], metrics=["confidence_brier_loss"], baseline="dull")
        assert report.frame["best_model"].tolist() == [("good",)]

    def test_p_values_are_adjusted_for_all_rows_shown(self):
        """A difference that stands alone need not stand among twelve."""
        rng = np.random.default_rng(0)
        sure = rng.uniform(0.5, 1, 300)
        right = rng.random(300) < sure
        changed = right.copy()
        changed[np.flatnonzero(~right)[:6]] = True
        models = {
            "one": ConfidenceProfile.from_correctness(right, sure),
            "other": ConfidenceProfile.from_correctness(changed, sure),
        }
        found = compare("confidence_brier_loss", models, baseline="one")
        assert 0.05 / 12 < found.p_value < 0.05
        alone = confidence_report(models, metrics=["confidence_brier_loss"])
        assert alone.frame["best_model"].tolist() == [("other",)]
        assert confidence_report(models).frame.at["confidence_brier_loss", "best_model"] == self.NO_DIFFERENCE

    def test_a_ratio_is_better_the_nearer_it_is_to_one(self):
        """.5 and 1.9 differ more than any chance, and .5 is nearer; .5 and 1.5 are as near."""
        sure = np.full(4000, 0.9)
        models = {
            errors: ConfidenceProfile.from_correctness(np.arange(4000) >= errors, sure) for errors in (200, 760, 600)
        }
        names = ["calibrated_size_ratio"]
        report = confidence_report({k: models[k] for k in (200, 760)}, metrics=names)
        assert report.frame["best_model"].tolist() == [(200,)]
        report = confidence_report({k: models[k] for k in (200, 600)}, metrics=names)
        assert report.frame["best_model"].tolist() == [self.NO_DIFFERENCE]

    def test_every_mark_is_of_the_better_model(self):
        y, good, _ = predictions(3)
        poor = 0.3 * good + 0.7 / 3
        report = confidence_report(y, {"poor": poor, "good": good}, labels=LABELS[3], threshold=0.5)
        marked = 0
        for name, row in report.frame.iterrows():
            distance = {model: abs(row[model] - row["best"]) for model in ("poor", "good")}
            if isinstance(row["best_model"], tuple):
                marked += 1
                assert row["best_model"] == (min(distance, key=distance.get),), name
        assert marked > 3
        assert (report.frame["best_model"] == "").sum() == report.frame["best"].isna().sum() > 0
        assert report.frame.at["overconfidence_risk", "best_model"] == "not compared"  # it is no estimate

    def test_other_samples_are_not_compared_and_the_report_says_why(self):
        models = {"a": of_errors(10, 100), "b": of_errors(10, 90)}
        report = confidence_report(models)
        assert set(report.frame["best_model"]) == {"", "not compared"}
        assert "No stars: Model 'b' has 90 predictions, but 'a' has 100." in " ".join(repr(report).split())
        y, proba, _ = predictions(2)
        flipped = ConfidenceProfile.from_predictions(y[::-1], proba, labels=LABELS[2])
        same = ConfidenceProfile.from_predictions(y, proba, labels=LABELS[2])
        assert "differ in their true labels" in " ".join(repr(confidence_report({"a": same, "b": flipped})).split())

    def test_rounding_makes_no_difference(self):
        y, proba, _ = predictions(3)
        models = {"a": proba, "b": proba.copy()}
        report = confidence_report(y, models, labels=LABELS[3])
        assert set(report.frame["best_model"]) <= {"", self.NO_DIFFERENCE, "not compared"}

    def test_nan_is_never_best(self):
        accepting = {"all": 0.0, "none": np.inf}
        models = {
            name: ConfidenceProfile(**{**vars(of_errors(1, 40)), "threshold": t}) for name, t in accepting.items()
        }
        with pytest.warns(UndefinedMetricWarning, match="nothing is accepted"):
            report = confidence_report(models)
        assert np.isnan(report.frame.at["selective_accuracy_score", "none"])
        assert report.frame.at["selective_accuracy_score", "best_model"] in (self.NO_DIFFERENCE, "not compared")
        with pytest.warns(UndefinedMetricWarning) as told:
            report = confidence_report({"a": of_errors(1, 4), "b": of_errors(2, 4)}, metrics=["cf1_score"])
        assert len(told) == 1
        assert report.frame["best_model"].tolist() == ["not compared"]

    def test_verdicts_are_of_each_model(self):
        report = confidence_report({"timid": of_errors(20, 100), "fair": of_errors(50, 100)})
        expected = {
            "timid": (
                "Underconfident: average confidence is 50.0%, but 80.0% of answers are right (95% interval 70.8–87.3)."
            ),
            "fair": (
                "Too few to say: 50 of 100 answers are wrong, where the confidences imply 50 errors. "
                "Even overconfidence of 14.5 points would be missed in one of five data sets like this one."
            ),
        }
        assert report.verdict == report.frame.at["mean_confidence", "verdict"] == expected
        told = " ".join(f"{model}: {text}" for model, text in expected.items())
        assert " ".join(repr(report).split()).endswith(told)

    @pytest.mark.parametrize(
        "names", [("x | y", "z"), ("a | b", "a"), ("a", "a | b"), ("best: | ", "no difference shown")]
    )
    def test_any_name_has_its_star_and_its_verdict(self, names):
        """A model whose name holds what stands between models lost its star, and its verdict was two."""
        y, good, _ = predictions(3)
        models = dict(zip(names, (0.3 * good + 0.7 / 3, good), strict=True))
        report = confidence_report(y, models, labels=LABELS[3], metrics=["confidence_brier_loss", "mean_confidence"])
        assert report.frame.at["confidence_brier_loss", "best_model"] == (names[1],)
        table, below = repr(report).split("\n\n")
        assert "*" in table
        assert f"* better than {names[0]}" in " ".join(below.split())
        assert list(report.verdict) == list(names)
        for name, verdict in report.verdict.items():
            assert f"{name}: {verdict}" in " ".join(below.split())
            assert unbroken(verdict) in report._repr_html_()
        written = as_written(report.frame)
        assert written.at["confidence_brier_loss", "best_model"] == names[1]
        assert written.at["mean_confidence", "verdict"] == " | ".join(f"{n}: {v}" for n, v in report.verdict.items())

    def test_a_single_model_is_not_marked(self):
        report = confidence_report({"only": of_errors(1, 4)})
        assert set(report.frame["best_model"]) == {""}
        assert "star" not in repr(report)
        assert "<b>" not in report._repr_html_()
        assert not re.search(r"\d\*", repr(report))

    def test_a_baseline_must_be_a_model(self):
        with pytest.raises(ValueError, match=r"baseline='c' is not among the models \['a', 'b'\]"):
            confidence_report({"a": of_errors(1, 4), "b": of_errors(1, 4)}, baseline="c")
        with pytest.raises(ValueError, match="baseline='a' needs several models"):
            confidence_report(of_errors(1, 4), baseline="a")


class TestIntervals:
    @pytest.mark.filterwarnings("ignore:calibrated_size_ratio cannot be estimated")
    def test_are_those_of_confidence_interval(self, monkeypatch):
        monkeypatch.undo()  # with as many draws as users get
        y, proba, weight = predictions(3)
        given = {"labels": LABELS[3], "sample_weight": weight}
        plain = confidence_report(y, proba, threshold=0.7, **given)
        names = [*plain.frame.index, "maximum_calibration_error", "neg_ece"]
        asked = {"metrics": names, "threshold": 0.7, "confidence_level": 0.9, "random_state": 0}
        report = confidence_report(y, proba, **asked, **given)
        pd.testing.assert_frame_equal(report.frame.loc[plain.frame.index].drop(columns=["low", "high"]), plain.frame)
        profile = ConfidenceProfile.from_predictions(y, proba, threshold=0.7, **given)
        without = ["threshold", "overconfidence_risk"]
        assert report.frame.loc[without, ["low", "high"]].isna().all(axis=None)
        for name, row in report.frame.drop(index=[*without, *OWN], errors="ignore").iterrows():
            expected = confidence_interval(name, profile, confidence_level=0.9, random_state=0)
            np.testing.assert_array_equal([row["low"], row["high"]], [expected.low, expected.high], name)
            assert row["low"] < row["high"] or name == "calibrated_size_ratio"

    def test_of_the_accuracy_is_that_of_a_proportion(self):
        report = confidence_report(of_errors(300, 1000), metrics=["accuracy_score"], confidence_level=0.95)
        expected = binomtest(700, 1000).proportion_ci(0.95, method="wilson")
        np.testing.assert_allclose(report.frame.loc["accuracy_score", ["low", "high"]].tolist(), expected, atol=2e-4)

    def test_of_several_models_stand_beside_their_values(self):
        y, proba, _ = predictions(3)
        models = {"raw": proba, "flat": 0.5 * proba + 0.5 / 3}
        plain = confidence_report(y, models, labels=LABELS[3])
        asked = {"labels": LABELS[3], "confidence_level": 0.95, "random_state": 0}
        with pytest.warns(UndefinedMetricWarning, match="^raw: calibrated_size_ratio cannot be estimated"):
            report = confidence_report(y, models, **asked)
        assert list(report.frame.columns[:6]) == ["raw", "raw low", "raw high", "flat", "flat low", "flat high"]
        pd.testing.assert_frame_equal(report.frame[plain.frame.columns], plain.frame)
        alone = confidence_report(y, models["flat"], **asked)
        np.testing.assert_array_equal(report.frame[["flat low", "flat high"]], alone.frame[["low", "high"]])
        assert repr(report).count("*") == repr(plain).count("*")

    def test_must_be_possible(self):
        with pytest.raises(ValueError, match="level must lie in"):
            confidence_report([0, 1], [0.2, 0.8], confidence_level=1)
        with pytest.raises(ValueError, match="There is only one sample"):
            confidence_report(of_errors(0, 1), confidence_level=0.9)
        with pytest.raises(ValueError, match=r"A model is named 'raw low'.*Rename it"):
            confidence_report([0, 1], {"raw": [0.2, 0.8], "raw low": [0.8, 0.2]}, confidence_level=0.9)
        without = confidence_report([0, 1], {"raw": [0.2, 0.8], "raw low": [0.8, 0.2]})
        assert list(without.frame.columns[:2]) == ["raw", "raw low"]


class TestAbstention:
    @pytest.fixture
    def iris(self):
        data = load_iris()
        return train_test_split(data.data[:, :2], data.target_names[data.target], random_state=0, test_size=0.5)

    @pytest.mark.parametrize("searched", [False, True])
    def test_is_reported_at_the_threshold_of_the_classifier(self, iris, searched):
        X_train, X_test, y_train, y_test = iris
        model = make_pipeline(StandardScaler(), SelectiveClassifier(LogisticRegression(), threshold=0.8))
        if searched:
            model = GridSearchCV(model, {"selectiveclassifier__threshold": [0.7]}, cv=2)
        model.fit(X_train, y_train)
        report = confidence_report(ConfidenceProfile.from_estimator(model, X_test, y_test))
        said = model.predict(X_test)
        accepted = said != "reject"
        assert 0 < accepted.mean() < 1
        at = ["threshold", "coverage_score", "selective_accuracy_score"]
        expected = [0.7 if searched else 0.8, accepted.mean(), np.mean(said[accepted] == y_test[accepted])]
        np.testing.assert_allclose(report.frame.loc[at, "value"], expected)
        assert report.frame.loc[["cwsa_score", "cwsa_plus_score"], "value"].between(0, 1).all()

    def test_of_several_classifiers_is_at_the_threshold_of_each(self, iris):
        X_train, X_test, y_train, y_test = iris
        models = {t: SelectiveClassifier(LogisticRegression(), threshold=t).fit(X_train, y_train) for t in (0.5, 0.8)}
        report = confidence_report({t: ConfidenceProfile.from_estimator(m, X_test, y_test) for t, m in models.items()})
        assert report.frame.loc["threshold", [0.5, 0.8]].tolist() == [0.5, 0.8]
        coverages = [model.accept(X_test).mean() for model in models.values()]
        np.testing.assert_allclose(report.frame.loc["coverage_score", [0.5, 0.8]].astype(float), coverages)
        assert report.frame.at["coverage_score", "best_model"] == (0.5,)


class TestFrame:
    @pytest.fixture
    def comparison(self):
        y, proba, _ = predictions()
        sharper = proba**2 / (proba**2).sum(axis=1, keepdims=True)
        return confidence_report(y, {"raw": proba, "<b>sharp": sharper}, labels=LABELS[3], threshold=0.5)

    def test_is_pandas_with_numbers_in_it(self, comparison):
        assert type(comparison.frame) is pd.DataFrame
        assert (comparison.frame.dtypes[["raw", "<b>sharp", "best"]] == np.float64).all()
        assert all(bounds.left < bounds.right for bounds in comparison.frame["range"])

    def test_pickles(self, comparison):
        comparison.page()  # what was computed for it is kept, too
        for again in (pickle.loads(pickle.dumps(comparison)), copy.copy(comparison), copy.deepcopy(comparison)):
            assert type(again) is ConfidenceReport
            pd.testing.assert_frame_equal(again.frame, comparison.frame)
            assert repr(again) == repr(comparison)
            assert again.page() == comparison.page()
            assert again.verdict == comparison.verdict
            pd.testing.assert_frame_equal(again.thresholds, comparison.thresholds)

    def test_text_is_a_table_of_its_numbers(self, comparison):
        table, below = repr(comparison).split("\n\n")
        header, *lines = table.splitlines()
        assert header.split() == ["metric", "raw", "<b>sharp", "best", "better", "range"]
        assert len(lines) == len(comparison.frame)
        for line, (name, row) in zip(lines, comparison.frame.iterrows(), strict=True):
            shown, *cells = line.split()
            assert shown == name
            for model, cell in zip(["raw", "<b>sharp"], cells[:2], strict=True):
                assert float(cell.rstrip("*").replace(",", "")) == pytest.approx(row[model], abs=5e-5, rel=5e-3)
                assert cell.endswith("*") == (row["best_model"] == (model,))
        stars, *told = re.sub("\n  ", " ", below).splitlines()
        assert re.fullmatch(
            r"\* better than raw\. A star at raw: better than all others. Paired differences, p <= 0.05 .*", stars
        )
        assert " Not compared: " in stars
        assert stars.endswith("overconfidence_risk (no estimate).")
        assert told == [f"{model}: {text}" for model, text in comparison.verdict.items()]

    def test_text_fits_a_terminal(self):
        y, proba, _ = predictions()
        report = confidence_report(
            y, 0.3 * proba + 0.7 * np.eye(3)[proba.argmax(axis=1)], labels=LABELS[3], threshold=0
        )
        assert "\nOverconfident: " in repr(report)
        assert max(map(len, repr(report).splitlines())) <= 80
        assert str(report) == repr(report)
        of_classes = repr(by_class(y, proba, labels=LABELS[3]))
        assert max(map(len, of_classes.splitlines())) <= 80

    @pytest.mark.parametrize(
        ("value", "shown"),
        [(0.0, "0.0000"), (-0.25, "-0.2500"), (1234.5, "1,234"), (3.2e-5, "3.2e-05"), (1e8, "1e+08")],
    )
    def test_text_shows_numbers_of_every_size(self, value, shown):
        assert shown in as_lines(pd.DataFrame({"value": [value]})).split()

    def test_html_is_a_table_with_stars_and_the_verdicts(self, comparison):
        tables, _ = read_html(comparison._repr_html_())
        rows = tables[-1]
        assert rows[0] == ["metric", "raw", "<b>sharp", "best", "better", "range"]
        assert [row[0] for row in rows[1:]] == list(comparison.frame.index)
        for model, verdict in comparison.verdict.items():
            assert unbroken(verdict) in comparison._repr_html_()
            assert f"Trust {model}".replace("<", "&lt;").replace(">", "&gt;") in comparison._repr_html_()
        stars = sum(cell.endswith("*") for row in rows for cell in row)
        assert stars == comparison.frame["best_model"].isin([("raw",), ("<b>sharp",)]).sum() > 0
        np.testing.assert_allclose(float(rows[1][1].rstrip("*")), comparison.frame["raw"].iloc[0], atol=5e-5)

    def test_shows_itself_whatever_is_done_to_it(self, comparison):
        comparison.frame["note"] = "mine"
        del comparison.frame["verdict"]
        assert "mine" in repr(comparison)
        assert "mine" in comparison._repr_html_()
        del comparison.frame["range"]
        assert as_lines(comparison.frame.iloc[:0]).split()[:2] == ["metric", "raw"]


def read_html(html):
    """Return the cells of each table by row, as a browser shows them, and the paragraphs."""
    tables, paragraphs, place = [], [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):  # noqa: ARG002
            place.append(tag)
            if tag == "table":
                tables.append([])
            elif tag == "tr":
                tables[-1].append([])
            elif tag in ("td", "th"):
                tables[-1][-1].append("")
            elif tag == "p":
                paragraphs.append("")

        def handle_endtag(self, tag):
            assert place.pop() == tag

        def handle_data(self, data):
            if place[-1:] in (["td"], ["th"]):
                tables[-1][-1][-1] += data
            elif place[-1:] == ["p"]:
                paragraphs[-1] += data

    Reader().feed(html)
    return tables, paragraphs


class TestByClass:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_is_what_each_class_has(self, weighted):
        y, proba, weight = predictions()
        weight = weight if weighted else np.ones(len(y))
        labels = LABELS[3]
        report = by_class(y, proba, labels=labels, sample_weight=weight if weighted else None)
        assert list(report.frame.index) == list(labels)
        sure, predicted = proba.max(axis=1), labels[proba.argmax(axis=1)]
        precision, recall, f1, _ = precision_recall_fscore_support(
            y, predicted, labels=labels, sample_weight=weight * sure
        )
        np.testing.assert_allclose(report.frame[["cw_precision", "cw_recall", "cw_f1"]].T, [precision, recall, f1])
        for k, label in enumerate(labels):
            given, present = weight @ proba[:, k], weight @ (y == label)
            found = weight @ (proba[:, k] * (y == label))
            expected = [found / given, found / present, 2 * found / (given + present)]
            shown = report.frame.loc[label, ["cprecision", "crecall", "cf1"]].astype(float)
            np.testing.assert_allclose(shown, expected)
            bins = np.ceil(proba[:, k] * 15).clip(min=1)
            gaps = [abs(weight[bins == b] @ (proba[bins == b, k] - (y[bins == b] == label))) for b in range(1, 16)]
            assert report.frame.at[label, "ece"] == pytest.approx(sum(gaps) / weight.sum())
            assert report.frame.at[label, "support"] == pytest.approx(present)

    def test_support_is_counted_and_averages_are_those_of_the_functions(self):
        y, proba, _ = predictions()
        report = by_class(y, proba, labels=LABELS[3])
        assert pd.api.types.is_integer_dtype(report.frame["support"])
        for name in report.frame.columns[:6]:
            function = getattr(metrics, f"{name}_score")
            assert report.frame[name].mean() == pytest.approx(function(y, proba, labels=LABELS[3], average="macro"))
        whole = metrics.expected_calibration_error(y, proba, labels=LABELS[3], on="classes")
        assert report.frame["ece"].mean() == pytest.approx(whole)

    def test_binary_and_its_profile(self):
        y, proba, _ = predictions(2)
        both = by_class(y, proba, labels=LABELS[2])
        column = by_class(y, proba[:, 0], labels=LABELS[2], pos_label="yes")
        held = by_class(ConfidenceProfile.from_predictions(y, proba, labels=LABELS[2]))
        pd.testing.assert_frame_equal(both.frame, held.frame)
        pd.testing.assert_frame_equal(both.frame, column.frame)

    def test_a_class_that_is_never_predicted(self):
        y, proba = ["a", "b", "a"], [[0.7, 0.3], [0.6, 0.4], [0.9, 0.1]]
        with pytest.warns(UndefinedMetricWarning, match="cw_precision_score is 0/0") as told:
            report = by_class(y, proba)
        assert len(told) == 1
        assert report.frame.at["b", "cw_precision"] == 0
        assert report.frame.at["b", "cprecision"] > 0
        report = by_class(y, proba, zero_division=np.nan)
        assert np.isnan(report.frame.at["b", "cw_precision"])
        with pytest.raises(ValueError, match="zero_division must be"):
            by_class(y, proba, zero_division=2)

    def test_classes_must_be_known(self):
        with pytest.raises(ValueError, match="correctness"):
            by_class(of_errors(1, 4))
