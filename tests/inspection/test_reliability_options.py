"""Options of a reliability diagram: a band without bins, one class, before and after, a histogram."""

import re

import numpy as np
import pytest
from _support.predictions import draw_classes, draw_weights
from scipy.stats import binomtest
from sklearn.isotonic import IsotonicRegression

from skconf import ConfidenceProfile
from skconf.inspection import ReliabilityDisplay

plt = pytest.importorskip("matplotlib.pyplot")

#: Accuracies that never fall as the confidence rises.
LAWS = {
    "calibrated": lambda sure: sure,
    "overconfident": lambda sure: 0.5 + 0.6 * (sure - 0.5),
    "jump": lambda sure: np.where(sure < 0.8, 0.55, 0.97),
    "level": lambda sure: np.full_like(sure, 0.7),
}


def answers(law, n, rng, weights=None):
    sure = 0.5 + 0.5 * rng.beta(3, 1, n)
    right = rng.random(n) < LAWS[law](sure)
    return ConfidenceProfile.from_correctness(right, sure, sample_weight=weights)


def three_classes(n=600, seed=0):
    y, proba = draw_classes(n, 3, seed, concentration=0.5, decimals=2)
    return y, ConfidenceProfile.from_predictions(y, proba)


def title(shown):
    return " ".join(shown.ax_.get_title().split())


class TestBinless:
    def test_is_the_isotonic_regression(self):
        profile = answers("overconfident", 500, np.random.default_rng(0))
        shown = ReliabilityDisplay.from_profile(profile, strategy="binless")
        expected = IsotonicRegression(y_min=0, y_max=1).fit(profile.confidence, profile.correct)
        np.testing.assert_allclose(shown.accuracy, expected.predict(shown.confidence), atol=1e-12)
        assert shown.weight.sum() == 500

    def test_band_of_one_confidence_is_the_exact_interval(self):
        profile = ConfidenceProfile.from_correctness(np.arange(50) < 30, np.full(50, 0.8))
        shown = ReliabilityDisplay.from_predictions(profile, strategy="binless", confidence_level=0.9)
        expected = binomtest(30, 50).proportion_ci(0.9, method="exact")
        np.testing.assert_allclose([shown.low[0], shown.high[0]], expected)
        shown.figure_.draw_without_rendering()

    def test_band_of_two_confidences_by_hand(self):
        profile = ConfidenceProfile.from_correctness(
            np.r_[np.arange(40) < 18, np.arange(60) < 50], [0.6] * 40 + [0.9] * 60
        )
        shown = ReliabilityDisplay.from_profile(profile, strategy="binless")
        of = {
            key: binomtest(*counts).proportion_ci(1 - 0.05 / 3, method="exact")
            for key, counts in {"first": (18, 40), "both": (68, 100), "second": (50, 60)}.items()
        }
        low = of["first"].low, max(each.low for each in of.values())
        high = min(each.high for each in of.values()), of["second"].high
        np.testing.assert_allclose(shown.low, low)
        np.testing.assert_allclose(shown.high, high)

    @pytest.mark.simulation
    @pytest.mark.parametrize("law", LAWS)
    def test_band_holds_everywhere_together(self, law):
        """In far more than 95 of 100 data sets, since the adjustment for all windows is cautious."""
        rng = np.random.default_rng(3)
        held = 0
        for _ in range(120):
            shown = ReliabilityDisplay.from_profile(answers(law, 200, rng), strategy="binless")
            true = LAWS[law](shown.confidence)
            held += bool(((shown.low <= true) & (true <= shown.high)).all())
        assert held >= 114

    @pytest.mark.slow
    @pytest.mark.parametrize("law", LAWS)
    @pytest.mark.parametrize("n", [50, 2000])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_band_holds_in_many_data_sets(self, law, n, weighted):
        rng = np.random.default_rng(4)
        held, n_sets = 0, 1000
        for _ in range(n_sets):
            weights = rng.integers(1, 4, n).astype(float) if weighted else None
            shown = ReliabilityDisplay.from_profile(answers(law, n, rng, weights), strategy="binless")
            true = LAWS[law](shown.confidence)
            held += bool(((shown.low <= true) & (true <= shown.high)).all())
        assert binomtest(held, n_sets).proportion_ci(0.99).high >= 0.95

    def test_title_says_where_the_band_leaves_out_the_diagonal(self):
        rng = np.random.default_rng(0)
        shown = ReliabilityDisplay.from_predictions(answers("overconfident", 5000, rng), strategy="binless")
        first, last = map(float, re.fullmatch(r"Overconfident from ([\d.]+) to ([\d.]+)", title(shown)).groups())
        out = shown.confidence[shown.high < shown.confidence]
        inside = (shown.confidence > first + 0.01) & (shown.confidence < last - 0.01)
        assert first == pytest.approx(out.min(), abs=0.02)
        assert (shown.high < shown.confidence)[inside].all()
        shown = ReliabilityDisplay.from_predictions(answers("calibrated", 500, rng), strategy="binless")
        assert title(shown) == "No clear gap: the band covers the diagonal"
        falling = ConfidenceProfile.from_correctness(np.repeat([True, False], 200), np.repeat([0.3, 0.7], 200))
        assert "the band is empty" in title(ReliabilityDisplay.from_predictions(falling, strategy="binless"))

    def test_three_have_no_bands(self):
        ax, rng = None, np.random.default_rng(0)
        for number in range(3):
            ax = ReliabilityDisplay.from_predictions(answers("jump", 200, rng), strategy="binless", ax=ax).ax_
            assert sum(part.get_gid() == "skconf band" for part in ax.collections) == (0 if number == 2 else number + 1)

    def test_drawn_band_is_no_narrower_between_two_confidences(self):
        shown = ReliabilityDisplay.from_predictions(answers("jump", 100, np.random.default_rng(0)), strategy="binless")
        (band,) = [part for part in shown.ax_.collections if part.get_gid() == "skconf band"]
        (path,) = band.get_paths()
        for low, high, x, following in zip(
            shown.low, shown.high[1:], shown.confidence, shown.confidence[1:], strict=False
        ):
            middle = (x + following) / 2
            assert not path.contains_point((middle, low - 1e-4))
            assert path.contains_point((middle, low + 1e-4))
            assert path.contains_point((middle, high - 1e-4))
            assert not path.contains_point((middle, high + 1e-4))

    def test_groups_are_refused(self):
        profile = ConfidenceProfile.from_correctness([0, 1, 1, 0], [0.5, 0.6, 0.7, 0.8], groups=[0, 0, 1, 1])
        with pytest.raises(ValueError, match=r'with groups or a prevalence, .*Choose strategy="quantile"'):
            ReliabilityDisplay.from_predictions(profile, strategy="binless")


class TestOneClass:
    def test_at_a_prevalence_intervals_are_of_its_strata(self):
        y, profile = three_classes()
        rare = profile.at_prevalence({0: 0.01, 1: 0.49, 2: 0.5})
        shown = ReliabilityDisplay.from_profile(rare, class_label=0, n_bins=3)
        plain = ReliabilityDisplay.from_profile(
            ConfidenceProfile.from_correctness(y == 0, profile.proba[:, 0], sample_weight=rare.sample_weight), n_bins=3
        )
        np.testing.assert_allclose(shown.accuracy, plain.accuracy)
        assert (shown.low <= shown.accuracy).all()
        assert (shown.accuracy <= shown.high).all()
        assert not np.allclose(shown.high, plain.high)
        assert shown.overall[2] < shown.overall[1] < shown.overall[3]
        with pytest.raises(ValueError, match="groups or a prevalence"):
            ReliabilityDisplay.from_profile(rare, strategy="binless")

    @pytest.mark.parametrize("strategy", ["uniform", "quantile", "binless"])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_is_the_diagram_of_its_probabilities(self, strategy, weighted):
        y, profile = three_classes()
        weight = draw_weights(len(y)) if weighted else None
        profile = profile.with_weight(weight)
        expected = ConfidenceProfile.from_correctness(y == 2, profile.proba[:, 2], sample_weight=weight)
        shown = ReliabilityDisplay.from_profile(profile, class_label=2, strategy=strategy)
        other = ReliabilityDisplay.from_profile(expected, strategy=strategy)
        for name in ("confidence", "accuracy", "low", "high", "weight", "overall"):
            np.testing.assert_array_equal(getattr(shown, name), getattr(other, name))

    def test_axes_and_title_name_the_class(self):
        y = np.repeat(["$pam", "ham"], [20, 180])
        proba = np.column_stack([np.linspace(0.3, 0.5, 200), np.linspace(0.7, 0.5, 200)])
        shown = ReliabilityDisplay.from_predictions(y, proba, labels=["$pam", "ham"], class_label="$pam")
        assert shown.ax_.get_xlabel() == r"probability of \$pam"
        assert shown.ax_.get_ylabel() == r"share that is \$pam"
        assert title(shown) == r"Probability of \$pam: too high: share 10.0%, average probability 40.0%"
        tail = ReliabilityDisplay.from_predictions(
            y, proba, labels=["$pam", "ham"], class_label="$pam", view="tail", ax=plt.figure().add_subplot()
        )
        assert tail.ax_.get_ylabel() == r"share that is not \$pam"

    def test_unknown_classes_are_refused(self):
        _, profile = three_classes()
        with pytest.raises(ValueError, match="7"):
            ReliabilityDisplay.from_profile(profile, class_label=7)
        with pytest.raises(ValueError, match="class"):
            ReliabilityDisplay.from_profile(ConfidenceProfile.from_correctness([0, 1], [0.5, 0.6]), class_label=1)


class TestBefore:
    @pytest.mark.parametrize("view", ["confidence", "tail"])
    def test_is_another_curve_in_the_same_picture(self, view):
        rng = np.random.default_rng(0)
        before, after = answers("level", 1000, rng), answers("calibrated", 1000, rng)
        shown = ReliabilityDisplay.from_predictions(after, before=before, name="mine", view=view)
        alone = ReliabilityDisplay.from_profile(before, view=view)
        (line,) = [line for line in shown.ax_.lines if line.get_label() == "before"]
        assert "after: mine" in [line.get_label() for line in shown.ax_.lines]
        points = np.column_stack([alone.confidence, alone.accuracy])
        points = 1 - points[points[:, 1] < 1] if view == "tail" else points
        drawn = line.get_xydata()
        np.testing.assert_allclose(drawn[~np.isnan(drawn[:, 0])], points)
        low, high = sorted(shown.ax_.get_xlim())
        assert ((low <= points[:, 0]) & (points[:, 0] <= high)).all()

    def test_title_says_both_gaps(self):
        rng = np.random.default_rng(0)
        before, after = answers("level", 3000, rng), answers("calibrated", 3000, rng)
        gaps = []
        for profile in (before, after):
            bins = np.ceil(profile.confidence * 15)
            each = [profile.correct[bins == b].sum() - profile.confidence[bins == b].sum() for b in np.unique(bins)]
            gaps.append(100 * np.abs(each).sum() / 3000)
        shown = ReliabilityDisplay.from_predictions(after, before=before)
        assert title(shown) == f"Mean gap (ECE) {gaps[0]:.1f} points before, {gaps[1]:.1f} points after"


class TestHistogramUnderTheCurve:
    def test_shares_are_at_one_scale_and_below_the_curve(self):
        ax, rng = None, np.random.default_rng(0)
        profiles = [answers("jump", 500, rng), ConfidenceProfile.from_correctness(np.ones(40), np.full(40, 0.75))]
        for profile in profiles:
            shown = ReliabilityDisplay.from_predictions(profile, histogram=True, ax=ax)
            ax = shown.ax_
        first, second = [part.get_data() for part in ax.patches if part.get_gid() == "skconf strip"]
        counts = np.histogram(profiles[0].confidence, bins=first.edges)[0]
        assert counts.sum() == 500
        np.testing.assert_allclose(first.values / second.values.max(), counts / 500)
        top = ax.transData.inverted().transform(ax.transAxes.transform((0, second.values.max())))[1]
        assert top < -0.03
        assert "highest bar 100%" in "".join(text.get_text() for text in ax.texts)
        assert [tick for tick in ax.get_yticks() if tick < 0] == []

    def test_none_is_asked_for(self):
        shown = ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6])
        assert shown.histogram is None
        assert shown.ax_.get_ylim() == (-0.03, 1.03)
