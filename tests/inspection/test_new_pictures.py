"""The difference of two risk curves, the cost of thresholds, and the confusion table at one, recounted by numpy."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from skconf import ConfidenceProfile
from skconf.inspection import ConfusionDisplay, RiskCoverageDisplay, ThresholdDisplay

plt = pytest.importorskip("matplotlib.pyplot")


def title(shown):
    return " ".join(shown.ax_.get_title().split())


def legend(shown):
    legends = [shown.ax_.get_legend(), *shown.figure_.legends]
    return [text.get_text() for each in legends if each for text in each.get_texts()]


def binary(noise, n=2000, seed=0):
    """Return a model of one truth, whose scores are the less informative the more noise they have."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 2, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)
    seen = logit + np.random.default_rng(seed + int(1000 * noise) + 7).normal(0, noise, n)
    return ConfidenceProfile.from_predictions(y, 1 / (1 + np.exp(-seen)))


def risk_of_first(profile, k):
    order = np.argsort(-profile.confidence)
    return (~profile.correct[order[:k]]).mean()


class TestDifference:
    def test_is_that_of_the_most_confident(self):
        one, other = binary(0.0), binary(1.5)
        found = RiskCoverageDisplay.from_profile(one, baseline=other).difference
        for coverage, value in zip(found.coverage, found.value, strict=True):
            k = round(coverage * 2000)
            assert value == pytest.approx(risk_of_first(one, k) - risk_of_first(other, k), abs=1e-12)

    def test_tied_answers_enter_in_random_order(self):
        sure = np.full(100, 0.8)
        one = ConfidenceProfile.from_correctness(np.arange(100) >= 20, sure)
        other = ConfidenceProfile.from_correctness(np.arange(100) >= 50, sure)
        found = RiskCoverageDisplay.from_profile(one, baseline=other).difference
        np.testing.assert_allclose(found.value, 0.2 - 0.5)

    def test_band_is_wider_than_that_of_one_coverage(self):
        """At one coverage, all answers, the standard error of paired proportions is known."""
        one, other = binary(0.0), binary(1.5)
        found = RiskCoverageDisplay.from_profile(one, baseline=other, confidence_level=0.95).difference
        of_rows = (~one.correct).astype(float) - (~other.correct).astype(float)
        error = of_rows.std() / np.sqrt(2000)
        assert 1.96 * error < found.high[-1] - found.value[-1] < 4.5 * error

    def test_better_model_is_named_where_the_band_leaves_out_0(self):
        shown = RiskCoverageDisplay.from_predictions(binary(0.0), baseline=binary(2.0), name="mine")
        found = shown.difference
        below = found.coverage[found.high < 0]
        assert title(shown).startswith("mine: fewer errors at coverages of ")
        assert f" {100 * below.max():.0f}%" in title(shown)
        assert legend(shown) == ["mine", "baseline"]

    def test_equal_models_do_not_differ(self):
        shown = RiskCoverageDisplay.from_predictions(binary(1.0), baseline=binary(1.0))
        assert title(shown) == "No clear difference at any coverage"
        assert shown.ax_.get_ylabel().endswith("in points")
        assert shown.ax_.yaxis.get_major_formatter()(-0.015) == "−1.5"
        assert (shown.difference.value == 0).all()

    def test_few_errors_have_no_band(self):
        right = np.arange(300) >= 3
        profile = ConfidenceProfile.from_correctness(right, np.linspace(0.5, 1, 300))
        shown = RiskCoverageDisplay.from_predictions(profile, baseline=profile)
        assert title(shown) == "Too few errors to compare"
        assert np.isnan(shown.difference.low).all()

    @pytest.mark.slow
    def test_band_holds_everywhere_together(self):
        """Models whose scores have equal noise do not differ at any coverage: 5% of bands may leave out 0."""
        left_out, n_sets = 0, 200
        for seed in range(n_sets):
            rng = np.random.default_rng(seed)
            logit = rng.normal(0, 2, 1000)
            y = (rng.random(1000) < 1 / (1 + np.exp(-logit))).astype(int)
            one, other = (
                ConfidenceProfile.from_predictions(y, 1 / (1 + np.exp(-(logit + rng.normal(0, 1, 1000))))) for _ in "ab"
            )
            found = RiskCoverageDisplay.from_profile(one, baseline=other).difference
            left_out += bool(found.runs())
        assert left_out <= n_sets * 0.05 + 2 * np.sqrt(n_sets * 0.05 * 0.95)

    @pytest.mark.parametrize(
        ("other", "match"),
        [
            (binary(0.0, n=100), "same samples"),
            (binary(0.0, seed=1), "true labels of row"),
            (ConfidenceProfile.from_correctness(np.full(2000, 0.5), np.full(2000, 0.7)), "graded"),
        ],
    )
    def test_other_samples_are_refused(self, other, match):
        with pytest.raises(ValueError, match=match):
            RiskCoverageDisplay.from_profile(binary(0.0), baseline=other)

    def test_other_weights_are_refused(self):
        y, proba = [0, 1, 1], [0.2, 0.7, 0.6]
        plain = ConfidenceProfile.from_predictions(y, proba)
        weighted = ConfidenceProfile.from_predictions(y, proba, sample_weight=[1, 2, 1])
        with pytest.raises(ValueError, match="weights"):
            RiskCoverageDisplay.from_profile(plain, baseline=weighted)


class TestCost:
    @pytest.mark.parametrize("prices", [(10, 1), (3.5, 0), (0, 2)])
    def test_is_recounted(self, prices):
        profile = binary(0.5)
        shown = ThresholdDisplay.from_profile(profile, prices=prices, thresholds=[0.5, 0.7, 0.95])
        for threshold, cost in zip(shown.thresholds, shown.curves["cost of a case"], strict=True):
            kept = profile.confidence >= threshold
            of_rows = np.where(kept, prices[0] * ~profile.correct, prices[1])
            assert cost == pytest.approx(of_rows.mean())

    def test_cheapest_threshold_is_named(self):
        profile = binary(0.5)
        shown = ThresholdDisplay.from_predictions(profile, prices=(5, 1))
        levels = np.unique(profile.confidence)
        costs = [np.where(profile.confidence >= at, 5 * ~profile.correct, 1).mean() for at in levels]
        # 1,000 of 2,000 distinct confidences are looked at.
        assert shown.curves["cost of a case"].min() == pytest.approx(min(costs), rel=0.01)
        at = shown.thresholds[np.argmin(shown.curves["cost of a case"])]
        assert title(shown).startswith(f"Cheapest at a threshold of {at:.2}")
        assert "cheapest" in legend(shown)

    def test_several_models_share_the_axes(self):
        shown = ThresholdDisplay.from_predictions(binary(0.0), prices=(5, 1), name="a")
        both = ThresholdDisplay.from_predictions(binary(2.0), prices=(5, 1), name="b", ax=shown.ax_)
        assert title(both).startswith("Least cost of a case: a ")
        assert legend(both)[:2] == ["a", "b"]

    @pytest.mark.parametrize(
        ("params", "match"),
        [
            ({"prices": (-5, 1)}, "prices must lie in"),
            ({"prices": (1,)}, "two numbers"),
            ({"prices": (0, 0)}, "both 0"),
            ({"prices": (1, 1), "metrics": ["coverage"]}, "Leave metrics out"),
        ],
    )
    def test_wrong_prices_are_refused(self, params, match):
        with pytest.raises(ValueError, match=match):
            ThresholdDisplay.from_profile(binary(0.0), **params)


class TestConfusion:
    @pytest.mark.parametrize("threshold", [0.0, 0.6, 0.9])
    def test_is_that_of_the_accepted(self, threshold):
        rng = np.random.default_rng(0)
        y, proba = rng.integers(0, 3, 500), rng.dirichlet([0.4] * 3, 500)
        shown = ConfusionDisplay.from_predictions(y, proba, threshold=threshold)
        kept, said = proba.max(axis=1) >= threshold, proba.argmax(axis=1)
        np.testing.assert_array_equal(shown.counts[:, :3], confusion_matrix(y[kept], said[kept], labels=[0, 1, 2]))
        np.testing.assert_array_equal(shown.counts[:, 3], np.bincount(y[~kept], minlength=3))
        wrong = (said != y)[kept].mean()
        assert shown.share_wrong == pytest.approx(wrong)
        assert f"{100 * wrong:.1f}%" in title(shown)
        assert ("rejected" in [tick.get_text() for tick in shown.ax_.get_xticklabels()]) == (threshold > 0)

    def test_threshold_is_that_of_the_predictions(self):
        profile = ConfidenceProfile.from_predictions([0, 1, 1], [0.1, 0.6, 0.9], threshold=0.8)
        assert ConfusionDisplay.from_profile(profile).counts.tolist() == [[1, 0, 0], [0, 1, 1]]

    @pytest.mark.parametrize("n_models", [1, 2, 5])
    def test_each_model_has_its_table(self, n_models):
        ax = None
        for noise in range(n_models):
            shown = ConfusionDisplay.from_predictions(binary(float(noise)), name=f"m{noise}", threshold=0.9, ax=ax)
            ax = shown.ax_
        tables = ax.child_axes or [ax]
        assert len(tables) == n_models
        written = [text.get_text() for text in tables[-1].texts]
        assert {f"{count:,.0f}" for count in shown.counts.ravel()} == {text.split("\n")[0] for text in written}
        shown.figure_.draw_without_rendering()

    def test_names_are_no_formulas(self):
        labels = ["$x^$", "b$"]
        proba = [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]]
        given = {"y_true": ["$x^$", "b$", "b$"], "y_proba": proba, "labels": labels}
        shown = ConfusionDisplay.from_predictions(**given, name="$")
        ConfusionDisplay.from_predictions(**given, name="a$^", ax=shown.ax_).figure_.draw_without_rendering()

    def test_all_rejected_is_said(self):
        assert title(ConfusionDisplay.from_predictions(binary(0.0), threshold=np.inf)) == "All 2,000 cases are rejected"
