"""A report at a stated prevalence: recounted with rows weighted by hand, and refused where it cannot be given."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.metrics import brier_score_loss, precision_score

from skconf import ConfidenceProfile, ConfidenceReport, confidence_report, tune_threshold
from skconf.calibration import correct_prevalence
from skconf.cli import main
from skconf.inference import confidence_interval
from skconf.inspection import ReliabilityDisplay, RiskCoverageDisplay

SHARE = {"fraud": 0.003}
RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [600, 400])
Z = RNG.normal(2.5 * Y)
P = expit(2.5 * (Z - 1.25) + np.log(0.4 / 0.6))
LABEL = np.array(["honest", "fraud"])[Y]
PROBA = pd.DataFrame({"fraud": P, "honest": 1 - P})
WEIGHT = np.where(Y == 1, 0.003 / 400, 0.997 / 600)
AT = correct_prevalence(PROBA.to_numpy(), {"fraud": 0.4}, SHARE, labels=["fraud", "honest"])


def report(proba=PROBA, share=SHARE, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return confidence_report(LABEL, proba, labels=["fraud", "honest"], prevalence=share, **given)


def numbers(text):
    return [float(each.replace(",", "")) for each in re.findall(r"(?<![\w.])\d[\d,]*\.?\d*", text)]


class TestNumbers:
    def test_of_a_kind_of_error_that_does_not_occur(self):
        only_misses = pd.DataFrame({"fraud": np.where(Y == 1, Z > 1, 0.1), "honest": np.where(Y == 1, Z <= 1, 0.9)})
        assert "no false alarms" in " ".join(report(only_misses).summary().split())

    def test_the_cases_that_probabilities_imply_are_not_called_errors(self):
        """They stood beside the errors as "expected", and were more than there are cases."""
        row = re.search(r"^ *fraud +300 .*$", report().text(), re.MULTILINE)[0]
        wrong = 1e5 * WEIGHT[(Y == 1) & (P < 0.5)].sum()
        assert numbers(row)[2:4] == pytest.approx([1e5 * WEIGHT @ P, wrong], abs=0.51)
        (header,) = re.findall(r"^ *true class +of 100,000 cases .*$", report().text(), re.MULTILINE)
        assert header.split()[-3:] == ["cases", "implied", "wrong"]

    def test_are_those_of_rows_weighted_by_hand(self):
        found = report(metrics="all", threshold=0.8).frame["value"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            by_hand = confidence_report(
                LABEL, PROBA, labels=["fraud", "honest"], sample_weight=len(Y) * WEIGHT, metrics="all", threshold=0.8
            )
        pd.testing.assert_series_equal(found, by_hand.frame["value"], rtol=1e-9)
        sure, right = np.maximum(P, 1 - P), (P > 0.5) == Y
        assert found["accuracy_score"] == pytest.approx(WEIGHT @ right)
        assert found["mean_confidence"] == pytest.approx(WEIGHT @ sure)
        assert found["confidence_brier_loss"] == pytest.approx(brier_score_loss(right, sure, sample_weight=WEIGHT))

    @pytest.mark.parametrize(
        ("labels", "said"),
        [([0, 1], "At 2% of class 1"), ([False, True], "At 2% of class True"), (["ham", "spam"], "At 2% spam")],
    )
    def test_name_a_class_that_is_no_word(self, labels, said):
        rng = np.random.default_rng(0)
        positive = rng.random(200)
        y = np.array(labels)[(rng.random(200) < positive).astype(int)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the probabilities imply another prevalence
            found = confidence_report(y, np.c_[1 - positive, positive], labels=labels, prevalence={labels[1]: 0.02})
        assert f"Prevalence: {said} (" in found.summary(width=500)

    def test_in_the_summary_are_recounted(self):
        summary = " ".join(report().summary().split())
        said = re.search(r"Prevalence: (.*?) Trust:", summary)[1]
        wrong = (P > 0.5) != Y
        alarms, missed = (1e5 * WEIGHT[k == Y] @ wrong[k == Y] for k in (0, 1))
        assert "0.3% fraud (40% of these rows)" in said
        assert "false alarms (true class honest, answer fraud)" in said
        *_, total, cases, _, low, high, of_alarms, of_missed, always, _, _ = numbers(said)
        assert cases == 100_000
        assert (total, of_alarms, of_missed) == pytest.approx((alarms + missed, alarms, missed), abs=0.51)
        ends = confidence_interval("accuracy", ConfidenceProfile.from_predictions(Y, P).at_prevalence({1: 0.003}))
        assert (low, high) == pytest.approx((1e5 * (1 - ends.high), 1e5 * (1 - ends.low)), abs=0.51)
        assert always == 300

    def test_of_thresholds_are_recounted(self):
        table = report(errors=0.03).thresholds
        sure, wrong = np.maximum(P, 1 - P), (P > 0.5) != Y
        for row in table.dropna(subset="threshold").itertuples():
            accepted = sure >= row.threshold
            assert row.coverage == pytest.approx(WEIGHT @ accepted)
            assert row.risk == pytest.approx(WEIGHT @ (accepted & wrong) / (WEIGHT @ accepted))
            assert row.risk_low < row.risk < row.risk_high
        profile = ConfidenceProfile.from_predictions(LABEL, PROBA, labels=["fraud", "honest"])
        tuned = tune_threshold(profile, prevalence=SHARE, target=0.05, confidence_level=0.95, random_state=0)
        guaranteed = table.set_index("target").loc[0.05]
        accepted = sure >= tuned.threshold
        assert guaranteed.guarantee == "guaranteed"
        assert guaranteed.guaranteed_coverage == pytest.approx(WEIGHT @ accepted)
        assert (accepted == (sure >= guaranteed.guaranteed_threshold)).all()

    def test_of_classes_are_weighted_too(self):
        found = report(by="class").frame
        predicted = np.where(P > 0.5, "fraud", "honest")
        assert found.at["fraud", "support"] == pytest.approx(3)
        soft = (WEIGHT * P * (Y == 1)).sum() / (WEIGHT * P).sum()
        assert found.at["fraud", "cprecision"] == pytest.approx(soft)
        assert precision_score(LABEL, predicted, pos_label="fraud", sample_weight=WEIGHT) < 0.1

    def test_of_given_weights_count_within_their_class(self):
        weight = np.random.default_rng(1).random(len(Y))
        found = report(sample_weight=weight).frame["value"]
        right = (P > 0.5) == Y
        by_class = [np.average(right[k == Y], weights=weight[k == Y]) for k in (0, 1)]
        assert found["accuracy_score"] == pytest.approx(0.997 * by_class[0] + 0.003 * by_class[1])
        assert set(report(sample_weight=weight).thresholds["guarantee"]) == {"no rule"}

    def test_of_several_classes_add_up(self):
        rng = np.random.default_rng(2)
        y = np.repeat([0, 1, 2], 100)
        proba = rng.dirichlet([1, 1, 1], 300) + 0.5 * np.eye(3)[y]
        proba /= proba.sum(axis=1, keepdims=True)
        shares = {"a": 0.5, "b": 0.3, "c": 0.2}
        text = confidence_report(np.array(["a", "b", "c"])[y], proba, prevalence=shares).summary()
        said = re.search(r"20% c, (.*) A model that always", " ".join(text.split()))[1]
        wrong = [1e5 * share * (proba[y == k].argmax(axis=1) != k).mean() for k, share in enumerate(shares.values())]
        parts = {name: float(count.replace(",", "")) for count, name in re.findall(r"([\d,]+) of ([abc])\b", said)}
        assert [parts[name] for name in "abc"] == pytest.approx(wrong, abs=0.51)
        assert numbers(said)[0] == pytest.approx(sum(wrong), abs=0.51)

    def test_stand_beside_each_other_for_several_models(self):
        both = report({"raw": PROBA, "at": pd.DataFrame(AT, columns=["fraud", "honest"])})
        text = " ".join(both.summary().split())
        assert "Prevalence raw: At 0.3% fraud" in text
        assert "Prevalence at: At 0.3% fraud" in text
        assert text.count("probabilities imply") == 1
        assert "only the metrics are compared, not the costs or the cases answered" in text
        assert "only the metrics are compared" in both.text()

    def test_are_on_the_page_in_the_card_and_under_other_names(self):
        found = report()
        for shown in (found.page(), found.model_card()):
            assert "of 100,000 cases" in shown
        hidden = found.page(anonymous=True)
        assert "fraud" not in hidden
        assert "0.3% class 1" in hidden


class TestWarning:
    def test_tells_a_share_that_is_off_by_more_than_two(self):
        with pytest.warns(UserWarning, match=r"imply 12\.3% fraud, but 0\.3% is stated"):
            found = confidence_report(LABEL, PROBA, labels=["fraud", "honest"], prevalence=SHARE, metrics=["accuracy"])
        implied = WEIGHT @ P
        assert implied == pytest.approx(0.123, abs=0.0006)
        assert "The probabilities imply" in " ".join(found.summary().split())
        assert "correct_prevalence" in report().text()

    def test_says_to_calibrate_first(self):
        with pytest.warns(UserWarning, match=r"calibrate the probabilities on .*, then correct them with skconf"):
            confidence_report(LABEL, PROBA, labels=["fraud", "honest"], prevalence=SHARE, metrics=["accuracy"])

    @pytest.mark.parametrize(
        ("stated", "implied", "mark"),
        [
            (0.003, 0.005, ""),  # not named: less than twice
            (0.0001, 0.0003, ""),  # 2 cases in 10,000
            (0.003, 0.008, "mild"),
            (0.003, 0.0007, "serious"),
            (0.003, 0.02, "serious"),
            (0.003, 0.123, "unusable"),
        ],
    )
    def test_mark_tells_how_many_cases_the_shares_are_apart(self, stated, implied, mark):
        proba = pd.DataFrame({"fraud": np.full(len(Y), implied), "honest": 1 - implied})
        page = report(proba, {"fraud": stated}, metrics=["accuracy_score"]).page()
        shown = f' class="{mark}"' if mark else ""
        assert f"<div{shown}><dt>Prevalence</dt>" in page
        assert f'<p class="{f"finding {mark}".strip()}">At {100 * stated:g}% fraud' in page

    def test_is_none_after_correction(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            found = confidence_report(
                LABEL, AT, labels=["fraud", "honest"], prevalence=SHARE, metrics=["accuracy_score"]
            )
        assert "imply" not in found.summary()


class TestIntervals:
    def test_on_pages_and_displays_are_the_same(self):
        profile = ConfidenceProfile.from_predictions(Y, P).at_prevalence({1: 0.003})
        curve = RiskCoverageDisplay.from_profile(profile, confidence_level=0.95)
        table = report().thresholds.dropna(subset="threshold")
        for row in table.itertuples():
            at = np.flatnonzero(curve.thresholds >= row.threshold)[-1]
            assert (curve.low[at], curve.high[at]) == pytest.approx((row.risk_low, row.risk_high))
        bins = ReliabilityDisplay.from_profile(profile)
        assert np.all((bins.low <= bins.accuracy) & (bins.accuracy <= bins.high))


class TestBadInput:
    @pytest.mark.parametrize(
        ("share", "message"),
        [
            ({"fruad": 0.003}, r"did you mean 'fraud'|Did you mean 'fraud'"),
            ({"fraud": 3}, r"for 3% pass 0\.03"),
            ({"fraud": 0.3, "honest": 0.3}, "with sum 0.6, but the sum must be 1"),
            ({"fraud": 0}, "above 0 and below 1"),
        ],
    )
    def test_of_shares_is_refused(self, share, message):
        with pytest.raises(ValueError, match=message):
            report(share=share)

    def test_no_mapping_is_refused(self):
        with pytest.raises(TypeError, match="must map labels to shares"):
            report(share=0.003)

    def test_a_class_without_rows_is_refused(self):
        with pytest.raises(ValueError, match="no row with a positive weight"):
            confidence_report(["a"] * 9, np.full((9, 2), 0.5), labels=["a", "b"], prevalence={"b": 0.1})

    def test_no_true_labels_are_refused(self):
        alone = ConfidenceProfile.from_correctness([True, False], [0.9, 0.8])
        with pytest.raises(ValueError, match="needs the true class of each row"):
            confidence_report(alone, prevalence=SHARE)

    def test_the_model_is_named(self):
        with pytest.raises(ValueError, match="not among the labels") as found:
            report({"one": PROBA, "two": PROBA}, {"x": 0.1})
        assert "'one'" in " ".join(found.value.__notes__)


class TestCommand:
    @pytest.fixture(autouse=True)
    def file(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        frame = pd.DataFrame({"y_true": LABEL, "proba_fraud": P, "proba_honest": 1 - P})
        frame.to_csv("enriched.csv", index=False)

    @pytest.mark.parametrize(
        "shares", [["fraud=.003"], ["fraud=.003,honest=.997"], ["fraud=0.003", "--prevalence", "honest=0.997"]]
    )
    def test_says_what_the_report_says(self, shares, capsys):
        assert main(["evaluate", "enriched.csv", "--short", "--prevalence", *shares]) == 0
        out, err = capsys.readouterr()
        assert "warning: the probabilities imply 12.3% fraud, but 0.3% is stated" in err
        said = " ".join(out.split())
        expected = " ".join(report().summary().split())
        assert re.search(r"Prevalence: .*? is stated\.", expected)[0] in said

    @pytest.mark.parametrize(
        ("shares", "message"),
        [
            (["fraud=3"], "--prevalence of 'fraud' must be above 0 and below 1, but is 3: for 3% pass 0.03"),
            (["fruad=.003"], "--prevalence gives a share for 'fruad'"),
            (["fraud=.003", "fraud=.01"], "--prevalence gives 'fraud' two shares"),
            (["fraud=.003", "--batches"], "give the number of rows of each class only at the end"),
        ],
    )
    def test_refuses_what_it_cannot_use(self, shares, message, capsys):
        assert main(["evaluate", "enriched.csv", "--prevalence", *shares]) == 2
        assert message in " ".join(capsys.readouterr().err.split())

    def test_refuses_what_is_no_share(self, capsys):
        with pytest.raises(SystemExit):
            main(["evaluate", "enriched.csv", "--prevalence", "fraud"])
        assert "LABEL=SHARE" in capsys.readouterr().err

    def test_needs_true_labels(self, capsys):
        pd.DataFrame({"correct": [1, 0, 1], "confidence": [0.9, 0.8, 0.7]}).to_csv("right.csv", index=False)
        assert main(["evaluate", "right.csv", "--prevalence", "fraud=.003"]) == 2
        assert "--prevalence needs the true class of each row" in capsys.readouterr().err

    def test_from_files_is_the_same(self):
        with pytest.warns(UserWarning, match="is stated"):
            found = ConfidenceReport.from_files("enriched.csv", prevalence=SHARE)
        pd.testing.assert_series_equal(found.frame["value"], report().frame["value"])
