"""What may name a metric, everywhere alike: one list that all take, and lists of what all refuse in the same words."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from _support.predictions import draw_classes, draw_weights
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV, cross_validate

from skconf import (
    ConfidenceProfile,
    ConfidenceReport,
    MetricAccumulator,
    SelectiveClassifier,
    accumulate,
    confidence_report,
    confidence_scoring,
    get_scorer,
    metrics,
)
from skconf.cli.main import main
from skconf.inference import by_group, compare, confidence_interval, contributions
from skconf.scoring._names import in_words, read_statistic, read_statistics

N = 600


Y, PROBA = draw_classes(N, 2)
PREDICTED = PROBA.argmax(axis=1)
WEIGHT = draw_weights(N)
GROUPS = np.arange(N) % 3


def of_labels(function, **params):
    return lambda y, proba, w: function(y, proba.argmax(axis=1), sample_weight=w, **params)


def of_positive(function, **params):
    return lambda y, proba, w: function(y, proba[:, 1], sample_weight=w, **params)


def of_ours(function, sign=1, **params):
    return lambda y, proba, w: sign * function(y, proba, labels=[0, 1], sample_weight=w, **params)


sk = sklearn.metrics
#: What names a metric, the name it goes by, and its value by the function itself.
ACCEPTED = [
    (metrics.cw_accuracy_score, "cw_accuracy_score", of_ours(metrics.cw_accuracy_score)),
    ("cf1_score", "cf1_score", of_ours(metrics.cf1_score)),
    ("neg_ece", "neg_ece", of_ours(metrics.expected_calibration_error, -1)),
    (get_scorer("neg_ecuas", n=1), "neg_ecuas(n=1)", of_ours(metrics.ecuas_loss, -1, n=1)),
    (get_scorer("cw_recall", pos_label=0), "cw_recall(pos_label=0)", of_ours(metrics.cw_recall_score, pos_label=0)),
    (
        partial(metrics.cw_f1_score, average="macro"),
        "cw_f1_score(average='macro')",
        of_ours(metrics.cw_f1_score, average="macro"),
    ),
    (
        ("selective_risk_loss", {"threshold": 0.6}),
        "selective_risk_loss(threshold=0.6)",
        of_ours(metrics.selective_risk_loss, threshold=0.6),
    ),
    ("aurc_loss", "aurc_loss", of_ours(metrics.aurc_loss)),
    ("cf1_score(average='weighted')", "cf1_score(average='weighted')", of_ours(metrics.cf1_score, average="weighted")),
    ("accuracy", "accuracy", of_labels(sk.accuracy_score)),
    (sk.f1_score, "f1_score", of_labels(sk.f1_score)),
    (sk.get_scorer("balanced_accuracy"), "balanced_accuracy", of_labels(sk.balanced_accuracy_score)),
    (
        sk.make_scorer(sk.fbeta_score, beta=2, pos_label=0),
        "fbeta_score(beta=2, pos_label=0)",
        of_labels(sk.fbeta_score, beta=2, pos_label=0),
    ),
    ("matthews_corrcoef", "matthews_corrcoef", of_labels(sk.matthews_corrcoef)),
    ("roc_auc", "roc_auc", of_positive(sk.roc_auc_score)),
    ("average_precision", "average_precision", of_positive(sk.average_precision_score)),
    (("precision", {"zero_division": 0}), "precision(zero_division=0)", of_labels(sk.precision_score)),
    ("neg_log_loss", "neg_log_loss", lambda y, proba, w: -sk.log_loss(y, proba, sample_weight=w)),
    (sk.brier_score_loss, "brier_score_loss", of_positive(sk.brier_score_loss)),
]
SPECS = [spec for spec, _, _ in ACCEPTED]
NAMES = [name for _, name, _ in ACCEPTED]


def expected(y=Y, proba=PROBA, weight=None):
    return {name: value(y, proba, weight) for _, name, value in ACCEPTED}


class TestOneListForAll:
    def test_there_are_at_least_fifteen(self):
        assert len(ACCEPTED) >= 15

    @pytest.mark.parametrize("weight", [None, WEIGHT], ids=["equal", "weighted"])
    def test_intervals(self, weight):
        found = confidence_interval(SPECS, Y, PROBA, labels=[0, 1], sample_weight=weight, n_resamples=20)
        assert found["value"].to_dict() == pytest.approx(expected(weight=weight), rel=1e-12)
        assert (found["low"] <= found["value"]).all()
        assert (found["value"] <= found["high"]).all()

    def test_comparisons(self):
        another = draw_classes(N, 2, seed=2)[1]
        found = compare(SPECS, Y, {"a": PROBA, "b": another}, labels=[0, 1], n_resamples=20)
        for model, proba in (("first_value", PROBA), ("second_value", another)):
            assert found[model].droplevel([1, 2]).to_dict() == pytest.approx(expected(proba=proba), rel=1e-12)

    @pytest.mark.parametrize("weight", [None, WEIGHT], ids=["equal", "weighted"])
    def test_slices(self, weight):
        found = by_group(SPECS, Y, PROBA, groups=GROUPS, labels=[0, 1], sample_weight=weight)["value"]
        for group in range(3):
            rows = group == GROUPS
            of_rows = expected(Y[rows], PROBA[rows], None if weight is None else weight[rows])
            assert found.xs(group, level="group").to_dict() == pytest.approx(of_rows, rel=1e-12)

    def test_contributions(self):
        found = contributions([spec for spec in SPECS if spec != "neg_ece"], Y, PROBA, labels=[0, 1])
        assert list(found) == [name for name in NAMES if name != "neg_ece"]
        for name in ("accuracy", "neg_log_loss", "brier_score_loss"):  # means: shares of the value
            assert found[name].sum() == pytest.approx(expected()[name], rel=1e-12)
        for name in ("roc_auc", "average_precision", "f1_score", "matthews_corrcoef"):  # influence values
            assert found[name].sum() == pytest.approx(0, abs=1e-12)

    @pytest.mark.parametrize("weight", [None, WEIGHT], ids=["equal", "weighted"])
    def test_reports(self, weight):
        found = confidence_report(Y, PROBA, labels=[0, 1], sample_weight=weight, metrics=SPECS).frame
        assert found["value"].to_dict() == pytest.approx(expected(weight=weight), rel=1e-12)

    def test_a_name_that_a_report_shows_is_one_that_it_reads(self):
        found = confidence_report(Y, PROBA, labels=[0, 1], metrics=NAMES).frame
        assert found["value"].to_dict() == pytest.approx(expected(), rel=1e-12)

    @pytest.mark.parametrize("weight", [None, WEIGHT], ids=["equal", "weighted"])
    def test_accumulators(self, weight):
        total = MetricAccumulator(SPECS, labels=[0, 1])
        for rows in np.array_split(np.arange(N), 7):
            total.update(Y[rows], PROBA[rows], sample_weight=None if weight is None else weight[rows])
        assert total.result() == pytest.approx(expected(weight=weight), rel=1e-12)
        assert set(total.error_bounds().values()) == {0}
        profile = ConfidenceProfile.from_predictions(Y, PROBA, labels=[0, 1], sample_weight=weight)
        found = total.confidence_interval().drop(index="neg_ece")
        columns = ["value", "low", "high", "standard_error"]
        by_sums = found["method"] == "delta"  # others are those of shares
        assert by_sums.mean() > 0.8
        for rows, method in ((found.index[by_sums], "delta"), (found.index[~by_sums], "auto")):
            in_memory = confidence_interval(list(rows), profile, method=method)
            pd.testing.assert_frame_equal(found.loc[rows, columns], in_memory[columns], rtol=1e-9)

    def test_accumulators_whose_ranks_are_rounded(self):
        y, proba = draw_classes(9000, 2)
        total = MetricAccumulator(SPECS, labels=[0, 1], max_levels=1024)
        for rows in np.array_split(np.arange(9000), 9):
            total.update(y[rows], proba[rows])
        bounds, exact = total.error_bounds(), expected(y, proba)
        assert {name for name, bound in bounds.items() if bound} == {"aurc_loss", "roc_auc", "average_precision"}
        with pytest.warns(UserWarning, match="too many distinct confidences"):
            found = total.result()
        for name, value in found.items():
            assert abs(value - exact[name]) <= bounds[name] + 1e-12 * abs(exact[name]), name
            assert bounds[name] < 0.02

    def test_tables(self):
        table = pd.DataFrame({"y_true": Y, "proba_0": PROBA[:, 0], "proba_1": PROBA[:, 1]})
        found = accumulate(table, SPECS).result()
        assert found == pytest.approx(expected(), rel=1e-12)

    @pytest.mark.parametrize("options", [[], ["--batches"]], ids=["memory", "batches"])
    def test_command_line(self, options, tmp_path, capsys):
        file = tmp_path / "predictions.csv"
        pd.DataFrame({"y_true": Y, "proba_0": PROBA[:, 0], "proba_1": PROBA[:, 1]}).to_csv(file, index=False)
        report = str(tmp_path / "report.csv")
        names = [name.replace("pos_label=0", "pos_label='0'") for name in NAMES]  # labels in a CSV file are texts
        assert main(["evaluate", str(file), *options, "--metrics", *names, "--csv", report]) == 0
        capsys.readouterr()
        found = pd.read_csv(report, index_col="metric")["value"]
        assert list(found.index) == names
        assert found.tolist() == pytest.approx(list(expected().values()), rel=1e-12)

    def test_a_mapping_has_labels_of_its_own(self):
        labelled = {f"label {i}": spec for i, spec in enumerate(SPECS)}
        values = pytest.approx(list(expected().values()), rel=1e-12)
        total = MetricAccumulator(labelled).update(Y, PROBA)
        assert list(total.result().values()) == values
        for found in (
            confidence_interval(labelled, Y, PROBA, n_resamples=20),
            confidence_report(Y, PROBA, metrics=labelled).frame,
        ):
            assert list(found.index) == list(labelled)
            assert list(found["value"]) == values

    def test_a_scorer_of_many_names_what_is_in_it(self):
        scoring = confidence_scoring({"a": "cw_accuracy", "b": "accuracy"})
        found = MetricAccumulator(scoring).update(Y, PROBA).result()
        assert found == pytest.approx(scoring.of_profile(ConfidenceProfile.from_predictions(Y, PROBA)), rel=1e-12)
        assert list(confidence_interval(scoring, Y, PROBA).index) == ["a", "b"]


def gain(y_true, y_pred, sample_weight=None):
    return float(np.average(10.0 * (y_true == y_pred), weights=sample_weight))


def sharpness(y_true, y_prob):
    return float(np.square(y_prob).mean())


def unclear(truth, guess):
    return float(np.mean(truth == guess))


#: What is evaluated by a call, and the value.
CALLED = [
    ("roc_auc_ovo", "roc_auc_ovo", lambda y, proba: sk.roc_auc_score(y, proba[:, 1])),
    (gain, "gain", lambda y, proba: gain(y, proba.argmax(axis=1))),
    (sharpness, "sharpness", lambda y, proba: sharpness(y, proba[:, 1])),
    (sk.zero_one_loss, "zero_one_loss", lambda y, proba: sk.zero_one_loss(y, proba.argmax(axis=1))),
    (
        sk.make_scorer(sk.cohen_kappa_score),
        "cohen_kappa_score",
        lambda y, proba: sk.cohen_kappa_score(y, proba.argmax(axis=1)),
    ),
    (
        partial(sk.roc_auc_score, max_fpr=0.3),
        "roc_auc_score(max_fpr=0.3)",
        lambda y, proba: sk.roc_auc_score(y, proba[:, 1], max_fpr=0.3),
    ),
    (
        metrics.confidence_weighted(sk.hamming_loss),
        "cw_hamming_loss",
        lambda y, proba: metrics.confidence_weighted(sk.hamming_loss)(y, proba),
    ),
]


class TestWhatIsCalled:
    @pytest.mark.parametrize(("spec", "name", "value"), CALLED, ids=[name for _, name, _ in CALLED])
    def test_has_a_value_and_is_resampled(self, spec, name, value):
        found = confidence_interval([spec], Y, PROBA, n_resamples=50, random_state=0)
        assert found.at[name, "value"] == pytest.approx(value(Y, PROBA), rel=1e-12)
        assert found.at[name, "method"] == "bootstrap"
        assert found.at[name, "low"] < found.at[name, "value"] < found.at[name, "high"]
        assert confidence_report(Y, PROBA, metrics=[spec]).frame.at[name, "value"] == found.at[name, "value"]
        slices = by_group(spec, Y, PROBA, groups=GROUPS)["value"]
        assert slices[1] == pytest.approx(value(Y[GROUPS == 1], PROBA[GROUPS == 1]), rel=1e-12)
        told = "has no interval with method='delta': it is computed by a function"
        with pytest.raises(TypeError, match=told):
            confidence_interval(spec, Y, PROBA, method="delta")

    def test_weights_are_passed_to_who_takes_them(self):
        found = confidence_interval(gain, Y, PROBA, sample_weight=WEIGHT, n_resamples=20)
        assert found.value == pytest.approx(gain(Y, PREDICTED, WEIGHT), rel=1e-12)
        with pytest.raises(ValueError, match=r"sharpness takes no sample_weight\. Leave the weights out"):
            confidence_interval(sharpness, Y, PROBA, sample_weight=WEIGHT)

    def test_columns_are_sorted_by_label_for_it(self):
        """As scikit-learn's functions of scores take the greater label for the positive one."""
        labels = np.array(["yes", "no"])
        found = read_statistic(partial(sk.roc_auc_score, max_fpr=0.5))
        profile = ConfidenceProfile.from_predictions(labels[Y], PROBA, labels=labels)
        assert found.value(profile) == pytest.approx(sk.roc_auc_score(labels[Y], PROBA[:, 0], max_fpr=0.5), rel=1e-12)

    def test_a_slice_that_it_cannot_do_with_is_nan(self):
        needs_two_classes = sk.make_scorer(sk.d2_log_loss_score, response_method="predict_proba")
        one_class = np.where(Y == 1, 2, GROUPS % 2)
        with pytest.warns(UndefinedMetricWarning, match=r"is undefined \(NaN\) for the groups"):
            found = by_group(needs_two_classes, Y, PROBA, groups=one_class)
        assert found["value"].isna().all()

    def test_what_it_raises_says_which_metric_it_was(self):
        def broken(y_true, y_pred):
            raise KeyError("the reason")

        with pytest.raises(KeyError, match="the reason") as caught:
            confidence_interval(broken, Y, PROBA)
        assert caught.value.__notes__ == ["broken raised this error."]

    @pytest.mark.parametrize("call", [confidence_interval, lambda m, y, p: compare(m, y, {"a": p, "b": p[:, ::-1]})])
    def test_what_it_raises_says_that_two_classes_are_one_column(self, call):
        shapes = []

        def spread(y_true, y_proba):
            shapes.append(y_proba.shape)
            return y_proba.max(axis=1).mean()

        with pytest.raises(IndexError, match="axis 1 is out of bounds") as caught:
            call(spread, Y % 2, PROBA[:, :2] / PROBA[:, :2].sum(axis=1, keepdims=True))
        assert set(shapes) == {(len(Y),)}
        [note] = caught.value.__notes__
        assert note.startswith(
            "spread raised this error. With two classes, the function gets only the probabilities of class 1, "
        )


#: What cannot be merged from parts, and why.
UNMERGED = [
    *((spec, name, "it is computed by a function that needs all predictions at once") for spec, name, _ in CALLED),
    (get_scorer("neg_tce"), "neg_tce", "takes no sample_weight"),
    (
        partial(metrics.expected_calibration_error, strategy="quantile", on="classes"),
        "expected",
        "nor from confidences, correctness and weights alone",
    ),
]


class TestWhatIsRefused:
    @pytest.mark.parametrize(("spec", "name", "reason"), UNMERGED, ids=[name for _, name, _ in UNMERGED])
    def test_what_cannot_be_merged_is_refused_in_one_sentence(self, spec, name, reason, tmp_path):
        table = pd.DataFrame({"y_true": Y, "proba_0": PROBA[:, 0], "proba_1": PROBA[:, 1]})
        table.to_csv(tmp_path / "part.csv", index=False)
        said = set()
        for call in (
            lambda: MetricAccumulator(spec),
            lambda: MetricAccumulator(["cw_accuracy", spec]),
            lambda: accumulate(table, spec),
            lambda: ConfidenceReport.from_files(tmp_path / "part.csv", metrics=[spec], in_batches=True),
        ):
            with pytest.raises(ValueError, match="cannot be accumulated") as caught:
                call()
            said.add(str(caught.value))
        (sentence,) = said
        assert sentence.startswith(name)
        assert reason in sentence
        assert sentence.endswith("Leave it out, or compute it from predictions in memory.")

    def test_nor_by_the_command(self, tmp_path, capsys):
        table = pd.DataFrame({"y_true": Y, "proba_0": PROBA[:, 0], "proba_1": PROBA[:, 1]})
        table.to_csv(tmp_path / "part.csv", index=False)
        command = ["evaluate", str(tmp_path / "part.csv"), "--metrics", "roc_auc_ovo"]
        assert main([*command, "--batches"]) != 0
        assert "roc_auc_ovo cannot be accumulated: it is computed by a function" in capsys.readouterr().err
        assert main(command) == 0

    @pytest.mark.parametrize(
        ("wrong", "error", "message"),
        [
            (
                "cw_roc_curve",
                TypeError,
                r"cw_roc_curve is not a single number here\. Call skconf\.metrics\.cw_roc_curve",
            ),
            (metrics.cw_confusion_matrix, TypeError, "cw_confusion_matrix is not a single number here"),
            (
                ("cf1_score", {"average": None}),
                TypeError,
                r"cf1_score\(average=None\) is not a single number here\. Choose",
            ),
            (
                unclear,
                TypeError,
                r"cannot infer the input of .*, because its second parameter is not y_pred,.*make_sc",
            ),
            (
                sk.cohen_kappa_score,
                TypeError,
                r"cannot infer the input of cohen_kappa_score.*make_scorer\(cohen_kappa_score, resp",
            ),
            (42, TypeError, "must be a function of skconf.metrics or scikit-learn, a scorer .* but is 42"),
            (partial(metrics.cf1_score, 1), TypeError, "holds positional arguments. Pass parameters by name"),
            ("cf1_scor", ValueError, r"There is no metric or scorer 'cf1_scor'\. Did you mean 'cf1_score'"),
            (
                ("f1_macro", {"average": "micro"}),
                ValueError,
                "'f1_macro' means average='macro', which average='micro' con",
            ),
            (("neg_ecuas_1", {"n": 2}), ValueError, "'neg_ecuas_1' means n=1, which n=2 contradicts"),
            (("cw_accuracy", {"n_bins": 2}), TypeError, r"cw_accuracy_score\(\) has no parameter 'n_bins'"),
            (
                ("cf1_score", {"averag": "macro"}),
                TypeError,
                r"cf1_score\(\) has no parameter 'averag'. Did you mean 'ave",
            ),
        ],
    )
    def test_what_names_no_number_is_refused_everywhere(self, wrong, error, message):
        for call in (
            lambda: confidence_interval([wrong], Y, PROBA),
            lambda: compare([wrong], Y, {"a": PROBA, "b": PROBA}),
            lambda: by_group([wrong], Y, PROBA, groups=GROUPS),
            lambda: contributions([wrong], Y, PROBA),
            lambda: confidence_report(Y, PROBA, metrics=[wrong]),
            lambda: MetricAccumulator([wrong]),
            lambda: accumulate(pd.DataFrame({"y_true": Y}), [wrong]),
        ):
            with pytest.raises(error, match=message):
                call()

    @pytest.mark.parametrize(
        ("alias", "function", "scorer"),
        [
            ("csr", "'calibrated_size_ratio'", "'neg_csr_deviation' or 'neg_csr_excess'"),
            ("aurc", "'aurc_loss'", "'neg_aurc'"),
            ("ECE", "'expected_calibration_error'", "'neg_ece'"),
            ("auroc", "'confidence_roc_auc_score' or 'roc_auc'", "'confidence_roc_auc'"),
            ("brier", "'confidence_brier_loss' or 'neg_brier_score'", "'neg_confidence_brier'"),
        ],
    )
    def test_a_name_used_elsewhere_is_answered_by_ours(self, alias, function, scorer):
        with pytest.raises(ValueError, match=rf"Did you mean {function}\? See"):
            confidence_interval(alias, Y, PROBA)
        with pytest.raises(ValueError, match=rf"Did you mean {scorer}\? "):
            get_scorer(alias)
        with pytest.raises(ValueError, match=rf"Did you mean {function.partition(' or ')[0]}\? See"):
            metrics.get_metric(alias)

    def test_a_close_match_is_told_once(self):
        """confidence_gain is a function and a scorer."""
        with pytest.raises(ValueError, match="confidence_gain") as caught:
            confidence_interval("confidence_gian", Y, PROBA)
        assert str(caught.value).count("'confidence_gain'") == 1


class TestPositiveClass:
    """scikit-learn's is the label 1, and that of predictions the second: where they are two, nothing is guessed."""

    @pytest.mark.parametrize("name", ["f1", "precision", "recall", "jaccard", "average_precision"])
    def test_of_labels_one_and_two_is_asked_for(self, name):
        with pytest.raises(ValueError, match=f"{name} takes 1 as the positive class, but the positive class"):
            confidence_interval(name, Y + 1, PROBA)
        with pytest.raises(ValueError, match=f"{name} takes 1 as the positive class"):
            MetricAccumulator(name).update(Y + 1, PROBA)
        scorer, column = sk.get_scorer(name), [1, 0]
        function = scorer._score_func
        for pos_label in (1, 2):
            said = PROBA[:, pos_label - 1] if name == "average_precision" else PREDICTED + 1
            exact = function(Y + 1, said, pos_label=pos_label)
            named = (name, {"pos_label": pos_label})
            assert confidence_interval(named, Y + 1, PROBA).value == pytest.approx(exact, rel=1e-12)
            total = MetricAccumulator(named).update(Y[:300] + 1, PROBA[:300]).update(Y[300:] + 1, PROBA[300:])
            assert list(total.result().values()) == [pytest.approx(exact, rel=1e-12)]
        by_keyword = confidence_interval(name, Y + 1, PROBA[:, column], labels=[2, 1])
        assert by_keyword.value == confidence_interval((name, {"pos_label": 1}), Y + 1, PROBA).value

    def test_of_other_labels_is_that_of_the_predictions(self):
        labels = np.array(["no", "yes"])
        for pos_label in labels:
            found = confidence_interval(["f1", sk.recall_score], labels[Y], PROBA, pos_label=pos_label)["value"]
            for name, function in (("f1", sk.f1_score), ("recall_score", sk.recall_score)):
                assert found[name] == function(labels[Y], labels[PREDICTED], pos_label=pos_label)

    def test_of_averages_and_areas_means_nothing(self):
        found = confidence_interval(["f1_macro", "roc_auc", "neg_brier_score"], Y + 1, PROBA)["value"]
        assert found["f1_macro"] == sk.f1_score(Y, PREDICTED, average="macro")
        assert found["roc_auc"] == pytest.approx(sk.roc_auc_score(Y, PROBA[:, 1]), rel=1e-12)
        assert found["neg_brier_score"] == pytest.approx(-sk.brier_score_loss(Y, PROBA[:, 1]), rel=1e-12)

    def test_statistics_of_different_classes_share_resamples(self):
        both = {"one": ("cw_recall", {"pos_label": 1}), "none": ("cw_recall", {"pos_label": 0}), "mine": "cw_recall"}
        given = {"method": "bootstrap", "n_resamples": 30, "random_state": 0}
        found = confidence_interval(both, Y, PROBA, **given)
        for name, pos_label in (("one", 1), ("none", 0), ("mine", 1)):
            alone = confidence_interval("cw_recall", Y, PROBA, pos_label=pos_label, **given)
            assert found.loc[name, ["low", "high"]].tolist() == pytest.approx([alone.low, alone.high], rel=1e-12)


class TestEstimators:
    def test_in_the_place_of_labels_they_are_named(self):
        model = LogisticRegression().fit(PROBA, Y)
        for call in (
            lambda: metrics.cw_accuracy_score(model, PROBA, Y),
            lambda: confidence_report(model, PROBA, Y),
            lambda: confidence_report(model, PROBA),
            lambda: confidence_report(model, PROBA, Y, by="class"),
            lambda: confidence_interval("accuracy", model, PROBA, Y),
            lambda: by_group("accuracy", model, PROBA, Y, groups=GROUPS),
            lambda: contributions("accuracy", model, PROBA, Y),
        ):
            with pytest.raises(
                TypeError, match=r"takes true labels and probabilities, not a LogisticRegression\. Pass C"
            ):
                call()

    def test_a_metric_in_the_place_of_a_scorer_names_the_scorer(self):
        with pytest.raises(TypeError, match="cw_accuracy"):
            cross_validate(LogisticRegression(), PROBA, Y, scoring=metrics.cw_accuracy_score, error_score="raise")

    def test_a_decision_threshold_is_tuned_by_labels(self):
        tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=get_scorer("cw_f1_macro"))
        with pytest.raises(AttributeError, match=r"get_scorer\('cw_f1_macro'\) needs probabilities.*TunedSelectiveCl"):
            tuned.fit(PROBA, Y)


class TestRejection:
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_the_reject_label_is_one_class_more(self, n_classes, weighted):
        """What the scorers of scikit-learn say of the selective classifier itself, in memory and in parts."""
        y, X = draw_classes(N, n_classes)
        model = SelectiveClassifier(LogisticRegression(), threshold=0.5 + 0.1 * (n_classes == 2)).fit(X, y)
        weight = WEIGHT if weighted else None
        profile = ConfidenceProfile.from_estimator(model, X, y, sample_weight=weight)
        by_class = [f"{of}_{by}" for of in ("precision", "recall", "f1") for by in ("macro", "micro", "weighted")]
        names = ["accuracy", "balanced_accuracy", "matthews_corrcoef", "jaccard_macro", *by_class]
        assert 0 < np.mean(model.predict(X) == model.reject_label_) < 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a class that is never true
            exact = {name: sk.get_scorer(name)(model, X, y, sample_weight=weight) for name in names}
            found = {name: read_statistic(name).value(profile) for name in names}
            together = confidence_scoring(names).of_profile(profile)
            total = MetricAccumulator(names)
            for rows in np.array_split(np.arange(len(y)), 3):
                total.update(profile[rows])
            merged = total.result()
            again = MetricAccumulator(names).load_state_dict(total.state_dict()).result()
        for values in (found, together, merged, again):
            assert values == pytest.approx(exact, rel=1e-12)
        with pytest.raises(ValueError, match="only some are answers of a classifier that rejects"):
            total.update(ConfidenceProfile.from_predictions(y, X, threshold=profile.threshold))

    def test_of_the_positive_class_it_is_neither_found_nor_claimed(self):
        profile = ConfidenceProfile.from_estimator(
            SelectiveClassifier(LogisticRegression(), threshold=0.7).fit(PROBA, Y), PROBA, Y
        )
        said = np.where(profile.score >= 0.7, profile.predicted_class, -1)
        for name, function in (("precision", sk.precision_score), ("recall", sk.recall_score), ("f1", sk.f1_score)):
            exact = function(Y, said, labels=[1], average="macro")
            assert confidence_interval(name, profile).value == pytest.approx(exact, rel=1e-12)

    def test_a_threshold_alone_rejects_nothing(self):
        profile = ConfidenceProfile.from_predictions(Y, PROBA, threshold=0.9)
        assert confidence_report(profile).frame.at["accuracy_score", "value"] == np.mean(Y == PREDICTED)


class TestWords:
    def test_numbers_of_any_type_are_written_alike(self):
        matrices = [[[0, 1], [2, 0]], ((0, 1), (2, 0)), np.array([[0, 1], [2, 0]])]
        assert {in_words("a", {"cost_matrix": matrix}) for matrix in matrices} == {"a(cost_matrix=[[0, 1], [2, 0]])"}

    def test_long_values_are_cut_in_names_and_not_in_what_tells_accumulators_apart(self):
        matrix = 1.0 - np.eye(30)
        statistic = read_statistic(("ecuas_loss", {"cost_matrix": matrix}))
        assert len(statistic.name) < 80
        matrix[3, 7] += 1e-15
        assert statistic.identity != read_statistic(("ecuas_loss", {"cost_matrix": matrix})).identity

    def test_two_of_one_name_need_labels(self):
        with pytest.raises(ValueError, match=r"Two metrics have the same name\. Pass a mapping"):
            read_statistics(["accuracy", sk.get_scorer("accuracy")], {})
