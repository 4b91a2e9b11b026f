"""Paired differences between models: one table, from which stars, words and sentences come."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from sklearn.exceptions import UndefinedMetricWarning

from skconf import ConfidenceProfile, ConfidenceReport
from skconf.report import confidence_report
from skconf.report._evidence.comparison import NOT_COMPARED, NOT_SHOWN, compare_models
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.origin import Origin, SourceFile
from skconf.report._evidence.rows import rows_of
from skconf.report._page.elements import Ids
from skconf.report._sections.which import stars, which
from skconf.report._sections.words import words_of

HOSTILE = "<b>&amp;|</script>"
N = 600


def of(wrong, sure):
    return ConfidenceProfile.from_correctness(~wrong, sure)


@pytest.fixture(scope="module")
def models():
    """Return a baseline, a better, a worse and an equal model."""
    rng = np.random.default_rng(0)
    sure = rng.uniform(0.5, 1, N)
    wrong = rng.random(N) > sure
    better, worse = wrong.copy(), wrong.copy()
    better[np.flatnonzero(wrong)[::2]] = False
    worse[np.flatnonzero(~wrong)[::5]] = True
    return {"base": of(wrong, sure), "good": of(better, sure), "bad": of(worse, sure), "same": of(wrong, sure)}


def evidence_of(profiles, metrics=None, **more):
    rows = rows_of(metrics, has_threshold=False)
    kept, values = [], []
    for row in rows:
        try:
            values.append([row.value(profile) for profile in profiles.values()])
            kept.append(row)
        except ValueError:
            continue
    by_model = dict(zip(profiles, np.transpose(values).tolist(), strict=True))
    options = {"several": True, "baseline": next(iter(profiles)), **more}
    return Evidence(rows=kept, values=by_model, profiles=profiles, **options)


def right_answers(profile):
    return [float(right) for right in profile.correct]


def brier(profile):
    """Return the loss of each row."""
    return [(float(sure) - float(right)) ** 2 for sure, right in zip(profile.confidence, profile.correct, strict=True)]


def paired_t(first, second):
    """Return mean difference, interval and p-value of a paired t test."""
    differences = [a - b for a, b in zip(first, second, strict=True)]
    n = len(differences)
    mean = sum(differences) / n
    error = (sum((each - mean) ** 2 for each in differences) / (n - 1) / n) ** 0.5
    if error == 0:
        return mean, mean, mean, 1.0
    reach = student.ppf(0.975, n - 1) * error
    return mean, mean - reach, mean + reach, 2 * student.sf(abs(mean / error), n - 1)


def test_differences_are_those_of_paired_t_tests_adjusted_by_hand(models):
    """All rows and pairs shown are one family."""
    rows = rows_of(["accuracy_score", "confidence_brier_loss"], has_threshold=False)
    found = compare_models(rows, models, "base", {})
    expected = [
        paired_t(losses(models[model]), losses(models["base"]))
        for losses in (right_answers, brier)
        for model in ("good", "bad", "same")
    ]
    table = pd.DataFrame(found.differences)
    assert table["metric"].tolist() == ["accuracy_score"] * 3 + ["confidence_brier_loss"] * 3
    assert table["model"].tolist() == ["good", "bad", "same"] * 2
    for shown, by_hand in zip(table[["value", "low", "high"]].to_numpy(), expected, strict=True):
        np.testing.assert_allclose(shown, by_hand[:3], rtol=2e-3, atol=1e-9)
    p_values = [each[3] for each in expected]
    ascending = sorted(range(6), key=p_values.__getitem__)
    adjusted, largest = [0.0] * 6, 0.0
    for place, at in enumerate(ascending):
        largest = max(largest, min((6 - place) * p_values[at], 1.0))
        adjusted[at] = largest
    np.testing.assert_allclose(table["p_adjusted"], adjusted, rtol=0.05, atol=1e-12)
    assert found.n_compared == 6
    assert [each.better for each in found.differences] == ["good", "base", None] * 2
    assert found.best == [("good",), ("good",)]
    assert "Holm's adjustment for 6 comparisons" in stars(found)


def test_an_interval_without_zero_may_be_not_told_apart(models):
    """The words hold for all rows together, and the interval for its own."""
    wrong = ~models["base"].correct
    changed = wrong.copy()
    changed[np.flatnonzero(wrong)[:6]] = False
    two = {"base": models["base"], "other": of(changed, models["base"].confidence)}
    evidence = evidence_of(two)
    alone = compare_models(rows_of(["accuracy_score"], has_threshold=False), two, "base", {})
    assert [each.better for each in alone.differences] == ["other"]
    assert alone.best == [("other",)]
    (entry,) = (each for each in evidence.comparison.differences if each.metric == "accuracy_score")
    assert entry.low > 0
    assert (entry.better, entry.reason) == (None, "")
    assert evidence.comparison.best[[each.name for each in evidence.rows].index("accuracy_score")] == NOT_SHOWN
    text = " ".join(which(evidence).text().split())
    assert "Right answers: no clear difference, +1.00 points [0.20, 1.80] (other minus base). " in text
    assert f"take all {evidence.comparison.n_compared} comparisons" in " ".join(text.split())


def test_of_a_ratio_the_distances_from_one_differ():
    sure = np.full(4000, 0.9)
    models = {errors: of(np.arange(4000) < errors, sure) for errors in (760, 200)}  # ratios of 1.9 and .5
    evidence = evidence_of(models, ["calibrated_size_ratio"])
    (entry,) = evidence.comparison.differences
    assert entry.value == pytest.approx(0.5 - 0.9)
    assert entry.low < entry.value < entry.high < 0
    assert entry.better == 200
    (row,) = re.findall("calibrated_size_ratio: distance from 1 .*", which(evidence).text())
    assert row.split()[4:7] == ["0.900", "0.500", "−0.40"], "the values are distances, too"


def test_what_cannot_be_estimated_is_not_compared():
    """A ratio that few errors decide had a star, and no interval beside it."""
    sure = np.linspace(0.9, 0.999, 1000)
    correct = np.arange(1000) % 250 != 249  # four errors, the last of them surest
    evidence = evidence_of({"a": of(correct, sure), "b": of(correct, np.minimum(sure, 0.9))}, ["calibrated_size_ratio"])
    (entry,) = evidence.comparison.differences
    assert entry.reason.startswith("for a, 23.6% of the value depends on answers so confident")
    assert (entry.better, evidence.comparison.n_compared) == (None, 0)
    assert evidence.comparison.best == [NOT_COMPARED]


@pytest.mark.parametrize("metric", ["capped_size_ratio", "confidence_gap"])
@pytest.mark.parametrize(("errors", "compared"), [(29, False), (30, True)])
def test_a_deviation_that_few_errors_decide_has_no_star(metric, errors, compared):
    sure = np.full(1000, 0.97)
    models = {"a": of(np.arange(1000) < 500, sure), "b": of(np.arange(1000) >= 1000 - errors, sure)}
    evidence = evidence_of(models, [metric])
    (entry,) = evidence.comparison.differences
    assert (entry.better == "b", entry.reason == "") == (compared, compared)
    assert compared or entry.reason.startswith("for b, the answers have only 29 errors, but 30 are needed")
    assert compared or f"{metric} ({entry.reason})." in stars(evidence.comparison)
    assert evidence.comparison.best == [("b",) if compared else NOT_COMPARED]


NEARER = ["confidence_gap", "calibrated_size_ratio", "capped_size_ratio", "calibrated_size_ratio_zscore"]


def doubtful(seed, n, first, second):
    """Return two models of the same errors, which are so many times as frequent as they announce."""
    rng = np.random.default_rng(seed)
    doubt = rng.uniform(0.2, 0.3, n)
    wrong = rng.random(n) < doubt
    return {"a": of(wrong, 1 - doubt / first), "b": of(wrong, 1 - doubt / second)}


@pytest.mark.slow
def test_models_equally_far_on_either_side_have_rarely_a_star():
    """They had one in 7 to 9 of 10 reports. Of 200, 21 or more have a probability of .001 at a level of .05."""
    rows = rows_of(["calibrated_size_ratio"], has_threshold=False)
    found = [compare_models(rows, doubtful(seed, 500, 1.02, 0.98), "a", {}) for seed in range(200)]
    assert all(each.differences[0].reason == "" for each in found)
    assert sum(each.best != [NOT_SHOWN] for each in found) < 21


def test_a_model_that_is_nearer_has_the_star_on_either_side():
    for first, second in ((0.97, 1.4), (1.03, 0.7), (1.05, 1.6), (0.95, 0.6)):
        evidence = evidence_of(doubtful(0, 4000, first, second), NEARER)
        assert [each.better for each in evidence.comparison.differences] == ["a"] * 4
        assert all(each.low > 0 for each in evidence.comparison.differences)
        assert evidence.comparison.best == [("a",)] * 4


@pytest.mark.parametrize("n", [500, 2000])
def test_a_model_and_itself_have_no_star(n):
    model = doubtful(0, n, 1.5, 1)["b"]
    evidence = evidence_of({"a": model, "b": model}, NEARER)
    found = [(each.value, each.better, each.p_adjusted) for each in evidence.comparison.differences]
    assert found == [(0, None, 1)] * 4


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_what_is_undefined_for_a_model_has_no_star():
    """Confidences of 1 announce no error, and leave no ratio of errors to those announced."""
    wrong = np.arange(500) % 5 == 0
    evidence = evidence_of({"a": of(wrong, np.full(500, 0.8)), "b": of(wrong, np.ones(500))}, ["capped_size_ratio"])
    (entry,) = evidence.comparison.differences
    assert (entry.better, entry.reason) == (None, "undefined here")
    assert evidence.comparison.best == [NOT_SHOWN]


def test_words_stars_and_signs_agree(models):
    """What is better by its difference is better in words, and has the star."""
    evidence = evidence_of({name: models[name] for name in ("base", "bad")})
    found = evidence.comparison
    told = 0
    for row, best in zip(evidence.rows, found.best, strict=True):
        entries = [each for each in found.differences if each.metric == row.name]
        assert (len(entries) == 0) == (best == "") == np.isnan(row.best)
        if isinstance(best, tuple):
            told += 1
            (better,) = best
            values = {
                model: abs(evidence.values[model][evidence.rows.index(row)] - row.best) for model in ("base", "bad")
            }
            assert better == min(values, key=values.get)
            assert entries[0].better == better
            grows = entries[0].value > 0
            assert grows == ((better == "bad") == (row.better == "higher"))
        elif best == NOT_SHOWN:
            assert (entries[0].better, entries[0].reason) == (None, "")
    assert told > 5
    (risk,) = (each for each in found.differences if each.metric == "overconfidence_risk")
    assert risk.reason == "no estimate"
    assert np.isnan(risk.value)


def test_models_that_cannot_be_paired_leave_others_their_differences(models):
    reason = "have different true labels, first in row 0"
    evidence = evidence_of(models, unpaired={"bad": reason}, origin=Origin([SourceFile("base", "a.csv", N)]))
    found = evidence.comparison
    assert found.n_compared == sum(each.model != "bad" and not each.reason for each in found.differences) > 10
    assert {each.reason for each in found.differences if each.model == "bad"} == {f"base and bad {reason}"}
    assert "Not paired: base and bad have" in stars(found)
    text = " ".join(which(evidence).text().split())
    assert f"Not compared: base and bad {reason}. What to do: give files of the same rows." in text
    assert "--id COLUMN" in text
    assert "better than base: good" in text
    assert "no clear difference from base: same" in text
    # The baseline is the best of those it was compared with, not of all.
    alone = compare_models(evidence.rows, {m: models[m] for m in ("base", "bad")}, "base", {})
    assert ("base",) in alone.best
    assert ("base",) not in compare_models(evidence.rows, models, "base", {"good": "differ", "same": "differ"}).best


def test_nothing_to_pair_is_said(models):
    found = evidence_of({name: models[name] for name in ("base", "bad")}, unpaired={"bad": "have 3 and 4 rows"})
    assert set(found.comparison.best) == {"", NOT_COMPARED}
    assert stars(found.comparison) == "No stars: base and bad have 3 and 4 rows."
    assert "pass predictions of the same samples" in which(found).text()
    in_batches = evidence_of(models, several=True)
    reasons = dict.fromkeys(("good", "bad", "same"), "are read in batches, which keep no rows")
    in_batches = Evidence(
        rows=in_batches.rows, values=in_batches.values, several=True, baseline="base", unpaired=reasons
    )
    assert in_batches.comparison.n_compared == 0
    assert "base and bad are read in batches" in " ".join(which(in_batches).text().split())
    short = {"base": models["base"], "bad": models["bad"][:-1]}
    assert "Model 'bad' has 599 predictions" in " ".join(which(evidence_of(short)).text().split())


def test_one_model_has_nothing_to_be_compared_with(models):
    evidence = evidence_of({"value": models["base"]}, several=False, baseline=None)
    assert set(evidence.comparison.best) == {""}
    assert "one model" in which(evidence).text()


def test_the_first_questions_are_answered_whatever_rows_there_are(models):
    evidence = evidence_of(models, ["cw_accuracy_score"])
    text = " ".join(which(evidence).text().split())
    for name in words_of(evidence).headlines.values():
        assert f"{name[0].upper()}{name[1:]}: " in text
    assert "take all 12 comparisons of this section" in text
    assert evidence.comparison.n_compared == 3
    # Values that the report does not have are those of the metrics.
    assert f"{100 * models['base'].correct.mean():.1f}" in text


def test_a_metric_that_fails_leaves_the_others(models):
    rows = rows_of(["accuracy_score", "cf1_score"], has_threshold=False)  # which needs classes
    found = compare_models(rows, models, "base", {})
    assert found.best == [("good",), NOT_COMPARED]
    assert all(each.reason for each in found.differences if each.metric == "cf1_score")


def test_what_is_resampled_is_compared_for_few_rows_only(models, monkeypatch):
    rows = rows_of(["confidence_brier_loss", "expected_calibration_error"], has_threshold=False)
    assert compare_models(rows, models, "base", {}).n_compared == 6
    monkeypatch.setattr("skconf.report._evidence.comparison._MOST_RESAMPLED", N - 1)
    found = compare_models(rows, models, "base", {})
    assert found.n_compared == 3
    assert found.best == [("good",), NOT_COMPARED]
    assert compare_models(rows[1:], models, "base", {}).unpaired == {}


@pytest.mark.parametrize(("n", "best"), [(1, NOT_COMPARED), (2, NOT_SHOWN)])
def test_few_rows_and_ties(n, best):
    """One row has no error, and two that are alike show no difference."""
    models = {"a": of(np.zeros(n, bool), np.full(n, 0.9)), HOSTILE: of(np.ones(n, bool), np.full(n, 0.9))}
    evidence = evidence_of(models, ["accuracy_score", "confidence_brier_loss", "aurc_loss"])
    assert set(evidence.comparison.best) == {best}
    section = which(evidence)
    assert "nan" not in section.text()
    shown = section.html(Ids())
    assert "<b>" not in shown
    assert ("&lt;b&gt;&amp;amp;" in shown) == (n > 1)  # of one row, no model is named


def test_weights_are_those_of_the_comparison(models):
    """A weight of zero takes the rows that differ away."""
    weight = (models["base"].correct == models["good"].correct).astype(float)
    weighted = {name: models[name].with_weight(weight) for name in ("base", "good")}
    rows = rows_of(["accuracy_score"], has_threshold=False)
    (entry,) = compare_models(rows, weighted, "base", {}).differences
    assert (entry.better, entry.reason) == (None, "")


def test_names_can_be_left_out(models):
    evidence = evidence_of(models, unpaired={"bad": "have different true labels"}).anonymous()
    text = which(evidence).text()
    assert "better than model 1: model 2" in text
    assert not any(name in text.split() for name in ("base", "good", "bad"))


class TestOtherAnswers:
    """Losses and areas of the confidence ask of each model about its own answers (ECUAS paper, Section 4)."""

    def report(self, other, **options):
        rng = np.random.default_rng(0)
        y_true, proba = rng.integers(0, 2, 400), rng.random(400)
        return confidence_report(y_true, {"one": proba, "other": other(proba)}, **options)

    def test_rows_that_are_about_other_answers_are_told(self):
        report = self.report(lambda proba: np.where(np.arange(400) < 40, 1 - proba, proba))
        text = " ".join(str(report).split())
        told = "different answers in 10.0% of the rows. So expected_calibration_error, confidence_brier_loss and"
        assert told in text
        assert "different answers in 10.0% of the rows" in report.page()

    def test_models_that_abstain_alike_may_be_compared(self):
        gone, profiles = np.arange(400) < 40, {}
        for model, rows in {"one": gone, "other": gone, "third": gone[::-1]}.items():
            sure = np.random.default_rng(0).random(400)
            profiles[model] = ConfidenceProfile.from_correctness(sure > 0.3, sure, abstained=rows)
        assert "abstain in different rows" in str(confidence_report(profiles))
        del profiles["third"]
        assert "abstain in different rows" not in str(confidence_report(profiles))

    def test_models_that_answer_alike_may_be_compared(self):
        assert "give different answers" not in str(self.report(lambda proba: 0.5 + (proba - 0.5) / 2))

    def test_rows_of_the_whole_system_need_no_caution(self):
        report = self.report(lambda proba: 1 - proba, metrics=["aurc_loss", "cw_accuracy_score"])
        assert "give different answers" not in str(report)

    def test_the_same_answers_in_other_files_are_the_same(self, tmp_path):
        rng = np.random.default_rng(0)
        names, proba = ["cat", "dog", "owl"], rng.dirichlet([1, 1, 1], 300)
        files = {name: tmp_path / f"{name}.csv" for name in ("whole", "turned", "answers")}
        y_true = np.array(names)[rng.integers(0, 3, 300)]
        whole = pd.DataFrame(proba, columns=[f"proba_{name}" for name in names]).assign(y_true=y_true)
        answers = {"y_true": y_true, "y_pred": np.array(names)[proba.argmax(axis=1)], "confidence": proba.max(axis=1)}
        whole.to_csv(files["whole"], index=False)
        whole[whole.columns[[2, 0, 1, 3]]].to_csv(files["turned"], index=False)
        pd.DataFrame(answers).to_csv(files["answers"], index=False)
        with pytest.warns(UndefinedMetricWarning, match="cf1_score"):
            report = ConfidenceReport.from_files(files)
        text = " ".join(report.text().split())
        assert "give different answers" not in text
        # The columns give u_M = 2/3; answers alone give 1.
        assert (
            "ecuas_loss (each value is divided by the largest possible uncertainty, which is 0.667 for one model and 1 "
            "for the other)" in text
        )
        assert set(report.frame["best_model"]) == {"", NOT_SHOWN, NOT_COMPARED}
