"""The title of a picture says what numpy recounts from the predictions."""

import re

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from skconf import ConfidenceProfile, TunedSelectiveClassifierCV, metrics
from skconf.inspection import (
    ConfidenceHistogramDisplay,
    CWROCDisplay,
    ECUASDisplay,
    ReliabilityDisplay,
    RiskCoverageDisplay,
    ThresholdDisplay,
)

plt = pytest.importorskip("matplotlib.pyplot")

WAYS = [
    (ReliabilityDisplay, {}),
    (ReliabilityDisplay, {"view": "tail"}),
    (RiskCoverageDisplay, {}),
    (CWROCDisplay, {}),
    (ThresholdDisplay, {}),
    (ThresholdDisplay, {"metrics": ["coverage"]}),
    (ECUASDisplay, {}),
    (ECUASDisplay, {"kind": "reject_cost"}),
    (ECUASDisplay, {"kind": "answer"}),
    (ConfidenceHistogramDisplay, {}),
]
NAMES = ["boosting", "random forest", "naive Bayes", "logistic regression", "network"]
every_way = pytest.mark.parametrize(("display", "params"), WAYS)


def drawn(sharpness, n=2000, seed=1, **params):
    """Return labels, and probabilities of the second class that are too sharp by a factor."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 3, n)
    y = rng.random(n) < 1 / (1 + np.exp(-logit))
    return ConfidenceProfile.from_predictions(y.astype(int), 1 / (1 + np.exp(-sharpness * logit)), **params)


def counted(profile):
    """Return confidences and whether answers are right, as arrays."""
    return np.asarray(profile.confidence), np.asarray(profile.correct)


def title(shown):
    return " ".join(shown.ax_.get_title().split())


def together(display, profiles, **params):
    ax = None
    for name, profile in zip(NAMES, profiles, strict=False):
        shown = display.from_predictions(profile, name=name, ax=ax, **params)
        ax = shown.ax_
    return title(shown)


class TestReliability:
    @pytest.mark.parametrize(("sharpness", "state"), [(2.0, "Over"), (0.5, "Under"), (1.0, "No clear gap")])
    def test_compares_averages_by_an_exact_interval(self, sharpness, state):
        profile = drawn(sharpness)
        sure, right = counted(profile)
        low, high = binomtest(int(right.sum()), len(right)).proportion_ci(0.95, method="exact")
        assert {"Over": sure.mean() > high, "Under": sure.mean() < low}.get(state, low < sure.mean() < high)
        said = title(ReliabilityDisplay.from_predictions(profile))
        assert said.startswith(state)
        accuracy, average = map(float, re.findall(r"([\d.]+)%", said))
        assert (accuracy, average) == pytest.approx((100 * right.mean(), 100 * sure.mean()), abs=0.05)

    def test_tail_tells_of_the_most_confident(self):
        profile = drawn(3.0)
        sure, right = counted(profile)
        said = title(ReliabilityDisplay.from_predictions(profile, view="tail"))
        wrong, expected = (100 * each[sure >= 0.99].mean() for each in (~right, 1 - sure))
        assert said.startswith("Overconfident at 0.99 or more: ")
        assert list(map(float, re.findall(r"([\d.]+)%", said))) == pytest.approx([wrong, expected], abs=0.006)
        modest = ConfidenceProfile.from_correctness(np.arange(50) > 9, np.full(50, 0.93))
        assert "at 0.9 or more" in title(ReliabilityDisplay.from_predictions(modest, view="tail"))

    def test_few_answers_say_nothing(self):
        said = title(ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]))
        low, high = binomtest(3, 4).proportion_ci(0.95, method="exact")
        assert said == f"Too few answers to say: accuracy {100 * low:.1f}% to {100 * high:.1f}%"

    def test_names_models_by_what_their_intervals_show(self):
        profiles = [drawn(sharpness) for sharpness in (2.0, 1.0, 0.5)]
        gap, less = (100 * (sure.mean() - right.mean()) for sure, right in map(counted, profiles[::2]))
        assert together(ReliabilityDisplay, profiles) == (
            f"Overconfident: boosting (by {gap:.1f} points); "
            f"underconfident: naive Bayes (by {-less:.1f} points); no clear gap: random forest"
        )
        said = together(ReliabilityDisplay, [drawn(sharpness) for sharpness in (2.0, 3.0, 4.0, 2.5, 1.0)])
        sure, right = counted(drawn(4.0))
        worst = f"most naive Bayes (by {100 * (sure.mean() - right.mean()):.1f} points)"
        assert said == f"Overconfident: 4 models, {worst}; no clear gap: network"

    def test_groups_widen_the_interval(self):
        right = np.repeat(np.arange(40) < 28, 25)
        alone = ConfidenceProfile.from_correctness(right, np.full(1000, 0.75))
        assert title(ReliabilityDisplay.from_predictions(alone)).startswith("Overconfident")
        grouped = ConfidenceProfile.from_correctness(right, np.full(1000, 0.75), groups=np.repeat(np.arange(40), 25))
        assert title(ReliabilityDisplay.from_predictions(grouped)).startswith("No clear gap")


class TestRiskCoverage:
    def test_compares_the_more_confident_half_with_all(self):
        sure, right = counted(drawn(1.0))
        half = ~right[np.argsort(-sure)][:1000]
        said = title(RiskCoverageDisplay.from_predictions(drawn(1.0)))
        assert (
            said
            == f"Risk falls from {100 * (~right).mean():.1f}% to {100 * half.mean():.2f}% for the most confident half"
        )

    def test_of_ties_is_their_random_order(self):
        tied = ConfidenceProfile.from_correctness(np.arange(100) >= 20, np.full(100, 0.7))
        said = title(RiskCoverageDisplay.from_predictions(tied))
        assert said == "Risk 20.0%: equal confidences, which no threshold separates"
        worse = ConfidenceProfile.from_correctness([0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6])
        assert "does not fall: it goes from 50.0% to 100%" in title(RiskCoverageDisplay.from_predictions(worse))

    def test_of_several_is_what_is_seen(self):
        profiles = [drawn(1.0, seed=seed) for seed in range(5)]
        risks = [100 * (~right[np.argsort(-sure)][:1000]).mean() for sure, right in map(counted, profiles)]
        assert together(RiskCoverageDisplay, profiles[:2]) == (
            f"Risk of the most confident half: boosting {risks[0]:.2f}%, random forest {risks[1]:.2f}%"
        )
        ends = (f"{risks[at]:.2f}% ({NAMES[at]})" for at in (np.argmin(risks), np.argmax(risks)))
        assert together(RiskCoverageDisplay, profiles) == f"Risk of the most confident half: {' to '.join(ends)}"


class TestThreshold:
    def test_chosen_one_says_what_it_gives(self):
        profile = drawn(1.0, threshold=0.9)
        sure, right = counted(profile)
        accepted = sure >= 0.9
        said = title(ThresholdDisplay.from_predictions(profile, metrics=["coverage", "selective_accuracy"]))
        share, accuracy = (f"{100 * each:.1f}%" for each in (accepted.mean(), right[accepted].mean()))
        assert said == f"Threshold 0.9: coverage {share}, selective accuracy {accuracy}"

    def test_names_the_threshold_that_reaches_a_usual_accuracy(self):
        profile = drawn(1.0)
        sure, right = counted(profile)
        assert right.mean() < 0.9
        at = next(t for t in np.arange(50, 100) / 100 if right[sure >= t].mean() >= 0.9)
        said = title(ThresholdDisplay.from_predictions(profile))
        assert said == (
            f"Lowest threshold with an accuracy of 90% or more: {at:.2g}, "
            f"where {100 * (sure >= at).mean():.1f}% are accepted"
        )

    def test_says_that_none_reaches_it(self):
        profile = ConfidenceProfile.from_correctness(np.arange(200) % 4 > 0, np.linspace(0.5, 0.9, 200))
        said = title(ThresholdDisplay.from_predictions(profile, thresholds=[0.5, 0.6]))
        assert said.startswith("No threshold reaches an accuracy of 80%: at most 7")
        rejects = drawn(1.0, threshold=np.inf)
        assert "everything is rejected" in title(ThresholdDisplay.from_predictions(rejects))

    def test_of_a_sweep(self):
        data = load_iris()
        model = TunedSelectiveClassifierCV(
            LogisticRegression(C=0.02), objective="cost", reject_cost=0.2, random_state=0
        )
        model.fit(data.data[:, :2], data.target)
        chosen = model.cv_results_["threshold"] == model.threshold_
        said = title(ThresholdDisplay.from_tuned(model))
        for label, sign, factor in (("coverage", 1, 100), ("risk", 1, 100), ("objective", -1, 1)):
            value = sign * factor * model.cv_results_[label][chosen][0]
            assert f"{value:.3g}"[:4] in said


class TestOthers:
    def test_histogram_counts_confident_errors(self):
        profile = drawn(2.0)
        sure, right = counted(profile)
        high = sure >= 0.9
        said = title(ConfidenceHistogramDisplay.from_predictions(profile))
        share = 100 * (high & right).sum() / right.sum()
        assert said == (
            f"{(high & ~right).sum()} of {(~right).sum()} errors have a confidence of 0.9 or more, "
            f"and {share:.1f}% of right answers"
        )
        perfect = ConfidenceProfile.from_correctness(np.ones(30), np.full(30, 0.9))
        assert title(ConfidenceHistogramDisplay.from_predictions(perfect)) == "None of 30 answers is wrong"

    def test_roc_compares_areas(self):
        profile = drawn(1.0)
        y, score = np.asarray(profile.true_class), profile.proba[:, 1]
        plain = roc_auc_score(y, score)
        weighted = roc_auc_score(y, score, sample_weight=profile.confidence)
        assert weighted > plain
        said = title(CWROCDisplay.from_predictions(profile))
        assert said == (
            "The ranking is better among confident answers than among all: "
            f"area weighted by confidence {weighted:.3f}, unweighted {plain:.3f}"
        )

    def test_ecuas_says_the_cost(self):
        profile = drawn(1.0)
        said = title(ECUASDisplay.from_predictions(profile))
        assert said == f"ECUAS at n = 0: {metrics.ecuas_loss(profile, n=0):.3f}; rejecting everything costs 1"

    def test_reject_cost_says_where_to_reject_pays(self):
        profile = drawn(1.0)
        sure, right = counted(profile)
        shown = ECUASDisplay.from_predictions(profile, kind="reject_cost")
        cost = np.array([np.where(1 - sure <= price, ~right, price).mean() for price in shown.x])
        pays = cost < np.minimum(shown.x, (~right).mean())
        first, last = map(float, re.findall(r"[\d.]+", title(shown)))
        inside = (shown.x >= first * 0.999) & (shown.x <= last * 1.001)
        assert inside.sum() > 20
        assert pays[inside].all()

    def test_answer_says_what_one_error_costs(self):
        shown = ECUASDisplay.from_predictions(drawn(1.0), kind="answer", values=[1])
        at = int(np.argmin(np.abs(shown.x - 0.9)))
        said = title(shown)
        assert f"{shown.curves['wrong, n = 1'][at]:.3g}" in said
        assert f"{shown.curves['right, n = 1'][at]:.2g}" in said


class TestTitle:
    @every_way
    def test_is_there_unless_it_is_not_wanted(self, display, params):
        profile = drawn(1.5)
        assert title(display.from_predictions(profile, **params))
        assert title(display.from_predictions(profile, title=None, **params)) == ""
        assert title(display.from_predictions(profile, title="Mine", **params)) == "Mine"
        assert title(display.from_profile(profile, **params).plot(title="Mine")) == "Mine"

    @every_way
    def test_leaves_a_title_that_somebody_chose(self, display, params):
        ax = plt.subplots(layout="constrained")[1]
        ax.set_title("Mine")
        for seed in range(2):
            shown = display.from_predictions(drawn(1.5, seed=seed), ax=ax, **params)
        assert title(shown) == "Mine"
        assert title(display.from_predictions(drawn(1.5), ax=ax, title="Another", **params)) == "Another"

    def test_of_two_takes_the_place_of_that_of_one(self):
        first = RiskCoverageDisplay.from_predictions(drawn(1.0), name="$a$")
        assert title(first).startswith("Risk falls")
        both = RiskCoverageDisplay.from_predictions(drawn(1.0, seed=2), name="b", ax=first.ax_)
        assert title(both).startswith(r"Risk of the most confident half: \$a\$ ")
        both.ax_.clear()
        assert title(RiskCoverageDisplay.from_predictions(drawn(1.0), ax=both.ax_)).startswith("Risk falls")

    @every_way
    @pytest.mark.parametrize("size", [pytest.param((6.4, 4.8), marks=pytest.mark.slow), (4, 3)])
    def test_fits_the_axes(self, display, params, size):
        ax = None
        for number, name in enumerate(NAMES[:5], 1):
            with plt.rc_context({"figure.figsize": size}):
                shown = display.from_predictions(drawn(1.5, seed=number - 1), name=name, ax=ax, **params)
            ax = shown.ax_
            if number in (1, 2, 5):
                shown.figure_.draw_without_rendering()
                box = ax.title.get_window_extent()
                assert box.width <= ax.bbox.width + 1
                assert box.y1 <= shown.figure_.bbox.y1

    def test_pair_of_axes_has_two(self):
        shown = ReliabilityDisplay.from_predictions(drawn(2.0), view="both")
        assert all(ax.get_title().startswith("Overconfident") for ax in shown.ax_)
        assert "0.99" in shown.ax_[1].get_title()
        shown = ReliabilityDisplay.from_predictions(drawn(2.0), view="both", title="Mine")
        assert [ax.get_title() for ax in shown.ax_] == ["Mine", ""]
