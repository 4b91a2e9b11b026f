"""A display holds what the metric functions say, and draws it where it belongs."""

import builtins
import inspect
import itertools
import pickle

import numpy as np
import pytest
from _support.predictions import draw_classes, draw_weights
from scipy.stats import beta, binomtest
from sklearn.datasets import load_iris
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import train_test_split

from skconf import ConfidenceProfile, SelectiveClassifier, TunedSelectiveClassifierCV, metrics
from skconf.inspection import (
    ConfidenceHistogramDisplay,
    CWROCDisplay,
    ECUASDisplay,
    ReliabilityDisplay,
    RiskCoverageDisplay,
    ThresholdDisplay,
)
from skconf.inspection._drawing import CLASSIFIER, CURVE, artists

matplotlib = pytest.importorskip("matplotlib")
plt = pytest.importorskip("matplotlib.pyplot")
Text = matplotlib.text.Text

#: Every way to draw.
DRAWN = {
    "reliability": (ReliabilityDisplay, {}),
    "reliability by mass": (ReliabilityDisplay, {"strategy": "quantile"}),
    "tail": (ReliabilityDisplay, {"view": "tail"}),
    "risk-coverage": (RiskCoverageDisplay, {}),
    "roc": (CWROCDisplay, {}),
    "threshold": (ThresholdDisplay, {}),
    "cost": (ThresholdDisplay, {"prices": (10, 1)}),
    "ecuas": (ECUASDisplay, {}),
    "reject cost": (ECUASDisplay, {"kind": "reject_cost"}),
    "answer": (ECUASDisplay, {"kind": "answer"}),
    "histogram": (ConfidenceHistogramDisplay, {}),
}
DISPLAYS = list(dict.fromkeys(display for display, _ in DRAWN.values()))
LABELS = np.array(["low", "top", "middle"])

#: Predictions at the edge of what there is.
UNUSUAL = {
    "perfect": ConfidenceProfile.from_predictions([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]),
    "all wrong and sure": ConfidenceProfile.from_predictions([1, 0, 0, 1], [0.0, 1, 1, 0]),
    "constant": ConfidenceProfile.from_predictions([0, 1, 1, 0], [0.5] * 4),
    "light": ConfidenceProfile.from_predictions([0, 1, 1, 0], [0.2, 0.4, 0.5, 0.7], sample_weight=[0.1, 0.01, 0, 0.02]),
    "infinite": ConfidenceProfile.from_predictions([0, 1, 1, 0], [0.2, 0.4, 0.5, 0.7], threshold=np.inf),
    "single": ConfidenceProfile.from_predictions(["a"], [[0.7, 0.3]], labels=["a", "b"]),
    "correctness": ConfidenceProfile.from_correctness([0, 1, 1], [0.1, 1, 0.4]),
    "single correctness": ConfidenceProfile.from_correctness([0], [1.0]),
}

#: The ways without parameters draw all of them; the others, those that have no bins, no errors or no classes.
UNUSUAL_DRAWN = [
    (way, case)
    for way, (_, params) in DRAWN.items()
    for case in UNUSUAL
    if not params or case in ("all wrong and sure", "light", "single correctness")
]

every_way = pytest.mark.parametrize("way", DRAWN)
every_display = pytest.mark.parametrize("display", DISPLAYS, ids=lambda cls: cls.__name__)


@pytest.fixture(autouse=True)
def _small_figures():
    with matplotlib.rc_context({"figure.figsize": (4, 3)}):
        yield


def predictions(n_classes=3, n=300, seed=0, weighted=True):
    """Return labels, probabilities with ties, and what else there is; the columns are in no sorted order."""
    y, proba = draw_classes(n, n_classes, seed, concentration=0.5, decimals=2)
    weight = draw_weights(n, zeros=0.1) if weighted else None
    return LABELS[y], proba, {"labels": LABELS[:n_classes], "sample_weight": weight}


def profile_of(*args, **kwargs):
    y, proba, given = predictions(*args, **kwargs)
    return ConfidenceProfile.from_predictions(y, proba, **given)


def line_of(ax, label):
    (line,) = [line for line in ax.lines if line.get_label() == label]
    return line


def mark_of(ax):
    """Return the mark of a threshold on a curve."""
    (mark, _) = [line for line in ax.lines if line.get_marker() == "o"]
    return mark


def legend_texts(display):
    legends = [display.ax_.get_legend(), *display.figure_.legends]
    return [text.get_text() for legend in legends if legend for text in legend.get_texts()]


def names_shown(display):
    """Return the texts of the legend, and of the panels if there is one for each classifier."""
    return [*legend_texts(display), *(panel.get_title("left") for panel in display.ax_.child_axes)]


class TestReliability:
    @pytest.mark.parametrize("strategy", ["uniform", "quantile"])
    @pytest.mark.parametrize("n_bins", [1, 7, 15])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_gaps_are_the_expected_calibration_error(self, strategy, n_bins, weighted):
        profile = profile_of(weighted=weighted)
        shown = ReliabilityDisplay.from_profile(profile, strategy=strategy, n_bins=n_bins)
        error = shown.weight @ np.abs(shown.accuracy - shown.confidence) / shown.weight.sum()
        expected = metrics.expected_calibration_error(profile, strategy=strategy, n_bins=n_bins)
        assert error == pytest.approx(expected, rel=1e-12)
        total = len(profile) if profile.sample_weight is None else profile.sample_weight.sum()
        assert shown.weight.sum() == pytest.approx(total)

    def test_bins_by_hand(self):
        profile = profile_of(weighted=False)
        shown = ReliabilityDisplay.from_profile(profile, n_bins=10)
        bins = [[i for i, c in enumerate(profile.confidence) if b / 10 < c <= (b + 1) / 10] for b in range(10)]
        bins = [rows for rows in bins if rows]
        assert shown.weight.tolist() == [len(rows) for rows in bins]
        np.testing.assert_allclose(shown.accuracy, [profile.correct[rows].mean() for rows in bins])
        np.testing.assert_allclose(shown.confidence, [profile.confidence[rows].mean() for rows in bins])

    @pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
    def test_intervals_are_exact(self, level):
        """Also those of bins without an error, and without a right prediction."""
        sure = np.repeat([0.15, 0.35, 0.55, 0.95], [3, 10, 20, 40])
        right = np.concatenate([np.zeros(3), np.arange(10) < 4, np.arange(20) < 11, np.ones(40)])
        profile = ConfidenceProfile.from_correctness(right, sure)
        shown = ReliabilityDisplay.from_profile(profile, n_bins=10, confidence_level=level)
        counts = [(0, 3), (4, 10), (11, 20), (40, 40)]
        expected = [binomtest(k, n).proportion_ci(level, method="exact") for k, n in counts]
        np.testing.assert_allclose(np.column_stack([shown.low, shown.high]), expected, atol=1e-12)

    def test_intervals_of_weights_are_of_their_effective_number(self):
        profile = profile_of()
        shown = ReliabilityDisplay.from_profile(profile, n_bins=1)
        w = profile.sample_weight
        effective = w.sum() ** 2 / (w @ w)
        right = effective * (w @ profile.correct) / w.sum()
        expected = beta.ppf([0.025, 0.975], [right, right + 1], [effective - right + 1, effective - right])
        np.testing.assert_allclose([shown.low[0], shown.high[0]], expected)
        scaled = ReliabilityDisplay.from_profile(profile.with_weight(1e-3 * w), n_bins=1)
        np.testing.assert_allclose([scaled.low, scaled.high], [shown.low, shown.high])
        plain = ReliabilityDisplay.from_profile(profile.with_weight(np.full(len(w), 0.2)))
        unweighted = ReliabilityDisplay.from_profile(profile.with_weight(None))
        np.testing.assert_allclose([plain.low, plain.high], [unweighted.low, unweighted.high])

    @pytest.mark.parametrize("params", [{}, {"strategy": "quantile", "n_bins": 4}, {"view": "tail"}])
    def test_a_sample_of_weight_zero_is_none(self, params):
        profile = profile_of()
        kept = ReliabilityDisplay.from_profile(profile[profile.sample_weight > 0], **params)
        shown = ReliabilityDisplay.from_profile(profile, **params)
        for name in ("confidence", "accuracy", "low", "high", "weight"):
            np.testing.assert_allclose(getattr(shown, name), getattr(kept, name))

    def test_tail_has_two_bins_for_every_factor_of_ten(self):
        sure = np.array([0, 0.6, 0.7, 0.9, 0.99, 0.999, 0.9999, 1 - 1e-8, 1 - 1e-12, 1])
        shown = ReliabilityDisplay.from_profile(
            ConfidenceProfile.from_correctness(np.ones(10), sure), view="tail", n_bins=2
        )
        # .6 and 0 share a bin, since 10^-½ = .316…, and so do .9 with none, and all from 1 − 1e-8 on.
        assert shown.weight.tolist() == [2, 1, 1, 1, 1, 1, 3]
        np.testing.assert_allclose(shown.confidence, [0.3, 0.7, 0.9, 0.99, 0.999, 0.9999, 1 - 1e-8 / 3], rtol=1e-9)

    def test_is_drawn_at_confidence_and_accuracy(self):
        shown = ReliabilityDisplay.from_predictions(*predictions()[:2], labels=LABELS, name="mine")
        line = line_of(shown.ax_, "mine")
        joined = line.get_xydata()
        joined = joined[~np.isnan(joined[:, 0])]
        np.testing.assert_array_equal(joined, np.column_stack([shown.confidence, shown.accuracy]))
        (bars,) = [part for part in shown.ax_.collections if hasattr(part, "get_segments") and part.get_segments()]
        np.testing.assert_array_equal(
            [segment[:, 1] for segment in bars.get_segments()], np.column_stack([shown.low, shown.high])
        )
        points = max(shown.ax_.collections, key=lambda part: len(part.get_offsets()))
        np.testing.assert_allclose(points.get_sizes() / points.get_sizes().sum(), shown.weight / shown.weight.sum())

    def test_areas_are_the_share_that_the_legend_says(self):
        sure = np.repeat([0.55, 0.95], [2, 1998])
        shown = ReliabilityDisplay.from_predictions(ConfidenceProfile.from_correctness(sure > 0, sure))
        points = max(shown.ax_.collections, key=lambda part: len(part.get_offsets()))
        handles, texts = shown.ax_.get_legend_handles_labels()
        tenth = handles[texts.index("area: share (this: 10%)")].get_sizes()[0]
        np.testing.assert_allclose(points.get_sizes() / tenth, [0.01, 9.99])

    @pytest.mark.parametrize(("strategy", "breaks"), [("uniform", 1), ("quantile", 0)])
    def test_no_line_crosses_an_empty_bin(self, strategy, breaks):
        sure = np.repeat([0.52, 0.58, 0.95], 20)
        profile = ConfidenceProfile.from_correctness(np.tile([True, False], 30), sure)
        shown = ReliabilityDisplay.from_predictions(profile, n_bins=15, strategy=strategy, name="mine")
        x = line_of(shown.ax_, "mine").get_xdata()
        assert np.isnan(x).sum() == breaks
        np.testing.assert_allclose(x[~np.isnan(x)], [0.52, 0.58, 0.95])

    def test_no_line_leads_to_a_bin_of_few_predictions(self):
        """Of three answers a share of right ones may be anything: a line through it would be a zigzag."""
        sure = np.repeat([0.55, 0.65, 0.75, 0.85], [40, 40, 3, 40])
        profile = ConfidenceProfile.from_correctness(np.arange(123) % 2 == 0, sure)
        shown = ReliabilityDisplay.from_predictions(profile, n_bins=10, name="mine")
        assert shown.joined().tolist() == [True, False, False, False]
        x = line_of(shown.ax_, "mine").get_xdata()
        np.testing.assert_allclose(x, [0.55, 0.65, np.nan, 0.75, np.nan, 0.85])
        assert ReliabilityDisplay.from_profile(profile, strategy="binless").joined()[:-1].all()

    def test_points_at_the_edge_are_whole(self):
        shown = ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.9, 0.99, 0.2])
        assert not any(part.get_clip_on() for part in shown.ax_.collections if len(part.get_offsets()))

    def test_tail_is_drawn_at_distance_and_error_rate(self):
        sure, right = np.repeat([0.7, 0.99, 1.0], 20), np.repeat([True], 60)
        right[[0, 1, 2, 41]] = False
        profile = ConfidenceProfile.from_correctness(right, sure)
        shown = ReliabilityDisplay.from_predictions(profile, view="tail", name="mine")
        line = line_of(shown.ax_, "mine")
        # The bin between has no error: no line leads over it.
        np.testing.assert_allclose(line.get_xydata(), [[0.3, 0.15], [np.nan, np.nan], [1e-8, 0.05]])
        assert shown.ax_.get_xscale() == shown.ax_.get_yscale() == "log"
        assert "none wrong: upper limit" in legend_texts(shown)
        limits = [part.get_offsets().tolist() for part in shown.ax_.collections]
        upper = 1 - binomtest(20, 20).proportion_ci(0.95, method="exact").low
        assert any(np.allclose(offsets, [[0.01, upper]]) for offsets in limits if len(offsets) == 1)


class TestRiskCoverage:
    def test_is_the_curve_and_its_area(self):
        profile = profile_of()
        shown = RiskCoverageDisplay.from_profile(profile)
        for name, values in metrics.risk_coverage_curve(profile)._asdict().items():
            np.testing.assert_array_equal(getattr(shown, name), values)
        assert shown.aurc == metrics.aurc_loss(profile)

    def test_is_drawn_where_it_is(self):
        rng = np.random.default_rng(0)
        sure, right = rng.permutation(100) / 100, rng.random(100) < 0.7
        shown = RiskCoverageDisplay.from_predictions(ConfidenceProfile.from_correctness(right, sure), name="mine")
        drawn = line_of(shown.ax_, f"mine: AURC {shown.aurc:.4f}").get_data()
        k = np.arange(1, 101)
        expected = np.cumsum(~right[np.argsort(-sure)]) / k
        np.testing.assert_allclose(np.interp(k / 100, *drawn), expected, atol=1e-9)

    def test_ties_are_drawn_in_random_order(self):
        """Against the mean over all orders of five tied predictions."""
        sure, wrong = np.array([0.9, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 0.2]), np.array([0, 1, 0, 0, 1, 1, 1, 0])
        shown = RiskCoverageDisplay.from_predictions(ConfidenceProfile.from_correctness(1 - wrong, sure))
        drawn = shown.ax_.lines[-1].get_data()
        orders = np.array(list(itertools.permutations(wrong[2:7])))
        for k in range(1, 6):
            expected = ((1 + orders[:, :k].sum(axis=1)) / (2 + k)).mean()
            assert np.interp((2 + k) / 8, *drawn) == pytest.approx(expected, abs=1e-5)
        np.testing.assert_allclose(np.interp([0, 0.1, 0.25], *drawn), 0.5)  # the first tie: one error in two

    def test_constant_confidence_is_a_level_line(self):
        shown = RiskCoverageDisplay.from_predictions(ConfidenceProfile.from_correctness([1, 0, 1, 1], [0.7] * 4))
        x, y = shown.ax_.lines[-1].get_data()
        assert (x[0], x[-1]) == (0, 1)
        np.testing.assert_allclose(y, 0.25)

    def test_oracle_is_the_curve_of_one_who_knows(self):
        rng = np.random.default_rng(0)
        right = rng.random(2000) < 0.8
        known = ConfidenceProfile.from_correctness(right, np.where(right, 0.6, 0.1) + 0.3 * rng.random(2000))
        shown = RiskCoverageDisplay.from_predictions(known, name="mine")
        mine, oracle = (line_of(shown.ax_, label) for label in (f"mine: AURC {shown.aurc:.4f}", "oracle"))
        at = np.linspace(0.01, 1, 200)
        heights = [np.interp(at, *line.get_data()) for line in (mine, oracle)]
        np.testing.assert_allclose(*heights, atol=2e-3)
        np.testing.assert_allclose(line_of(shown.ax_, "random order").get_ydata(), 1 - right.mean())

    def test_threshold_is_marked_at_what_it_accepts(self):
        y, proba, given = predictions()
        profile = ConfidenceProfile.from_predictions(y, proba, **given, threshold=0.8)
        shown = RiskCoverageDisplay.from_predictions(profile)
        assert "threshold 0.8" in legend_texts(shown)
        point = mark_of(shown.ax_).get_xydata()
        np.testing.assert_allclose(point, [[metrics.coverage_score(profile), metrics.selective_risk_loss(profile)]])

    @pytest.mark.parametrize(("threshold", "label"), [(np.inf, "∞"), (1 - 2e-9, "1 − 2e-09"), (1.0, "1")])
    def test_unusual_thresholds_are_told(self, threshold, label):
        y, proba, given = predictions()
        profile = ConfidenceProfile.from_predictions(y, proba, **given, threshold=threshold)
        shown = RiskCoverageDisplay.from_predictions(profile)
        assert f"threshold {label}" in legend_texts(shown)
        assert len(mark_of(shown.ax_).get_xdata()) == (metrics.coverage_score(profile) > 0)

    def test_an_error_among_the_first_leaves_the_rest_to_be_seen(self):
        right = np.arange(1000) != 999
        shown = RiskCoverageDisplay.from_predictions(ConfidenceProfile.from_correctness(right, np.arange(1000) / 1000))
        assert shown.risk[0] == 1
        assert shown.ax_.get_ylim()[1] < 0.05


class TestCWROC:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_of_two_classes_is_scikit_learns_with_weights(self, weighted):
        y, proba, given = predictions(2, weighted=weighted)
        weight = np.ones(len(y)) if given["sample_weight"] is None else given["sample_weight"]
        shown = CWROCDisplay.from_predictions(y, proba, **given, name="mine")
        for fpr, tpr, area, w, label in (
            (shown.fpr, shown.tpr, shown.auc, weight, "skconf classical"),
            (
                shown.cw_fpr,
                shown.cw_tpr,
                shown.cw_auc,
                weight * proba.max(axis=1),
                f"mine: cwAUC {shown.cw_auc:.4f}, AUC {shown.auc:.4f}",
            ),
        ):
            expected = roc_curve(y == "top", proba[:, 1], sample_weight=w, drop_intermediate=False)
            # Corners of ours are points of theirs, and theirs lie between ours.
            for point in zip(fpr, tpr, strict=True):
                assert np.isclose(np.column_stack(expected[:2]), point, atol=1e-12).all(axis=1).any()
            assert area == pytest.approx(roc_auc_score(y == "top", proba[:, 1], sample_weight=w))
            drawn = [line for line in shown.ax_.lines if label in (line.get_label(), line.get_gid())]
            np.testing.assert_array_equal(drawn[0].get_xydata(), np.column_stack([fpr, tpr]))

    def test_of_several_classes_is_the_mean(self):
        y, proba, given = predictions()
        weight = given["sample_weight"]
        shown = CWROCDisplay.from_predictions(y, proba, **given)
        for fpr, tpr, area, w in (
            (shown.fpr, shown.tpr, shown.auc, weight),
            (shown.cw_fpr, shown.cw_tpr, shown.cw_auc, weight * proba.max(axis=1)),
        ):
            curves = [roc_curve(y == label, proba[:, k], sample_weight=w)[:2] for k, label in enumerate(LABELS)]
            np.testing.assert_allclose(
                tpr[1:], np.mean([np.interp(fpr[1:], *curve) for curve in curves], axis=0), atol=1e-9
            )
            areas = [roc_auc_score(y == label, proba[:, k], sample_weight=w) for k, label in enumerate(LABELS)]
            assert area == pytest.approx(np.mean(areas))
            assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
        assert shown.cw_auc == metrics.cw_roc_auc_score(y, proba, **given)

    def test_of_a_chosen_class(self):
        y, proba, given = predictions()
        shown = CWROCDisplay.from_predictions(y, proba, **given, pos_label="middle")
        one = metrics.cw_roc_auc_score(y, proba, **given, average=None)[2]
        assert shown.cw_auc == pytest.approx(one)
        data = load_iris()
        model = LogisticRegression(C=0.1).fit(data.data[:, :2], data.target)
        shown = CWROCDisplay.from_estimator(model, data.data[:, :2], data.target, pos_label=0)
        expected = roc_auc_score(data.target == 0, model.predict_proba(data.data[:, :2])[:, 0])
        assert shown.auc == pytest.approx(expected)

    def test_classes_without_a_curve_are_left_out_with_one_warning(self):
        y, proba, _ = predictions()
        rows = y != "middle"
        with pytest.warns(UndefinedMetricWarning, match=r"without the classes \[.*'middle'.*\]") as told:
            shown = CWROCDisplay.from_predictions(y[rows], proba[rows], labels=LABELS)
        assert len(told) == 1
        areas = [roc_auc_score(y[rows] == label, proba[rows, k]) for k, label in enumerate(LABELS[:2])]
        assert shown.auc == pytest.approx(np.mean(areas))
        assert np.isfinite(shown.tpr).all()

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_a_single_class_has_no_curve(self, n_classes):
        _, proba, _ = predictions(n_classes)
        with pytest.warns(UndefinedMetricWarning) as told:
            shown = CWROCDisplay.from_predictions(["top"] * len(proba), proba, labels=LABELS[:n_classes])
        assert len(told) == 1
        assert np.isnan([shown.auc, shown.cw_auc]).all()
        shown.figure_.draw_without_rendering()

    def test_correctness_is_not_enough(self):
        with pytest.raises(ValueError, match="correctness"):
            CWROCDisplay.from_predictions(ConfidenceProfile.from_correctness([0, 1], [0.5, 0.7]))


class TestThreshold:
    @pytest.mark.parametrize("normalize", ["accepted", "all"])
    def test_is_what_the_metrics_say_at_each_threshold(self, normalize):
        profile = profile_of()
        thresholds = [0.9, 0.5, 0.75]
        shown = ThresholdDisplay.from_predictions(profile, thresholds=thresholds, normalize=normalize, name="mine")
        assert shown.thresholds.tolist() == sorted(thresholds)
        expected = {
            "coverage": [metrics.coverage_score(profile, threshold=t) for t in sorted(thresholds)],
            "selective accuracy": [metrics.selective_accuracy_score(profile, threshold=t) for t in sorted(thresholds)],
            "CWSA": [metrics.cwsa_score(profile, threshold=t, normalize=normalize) for t in sorted(thresholds)],
            "CWSA+": [metrics.cwsa_plus_score(profile, threshold=t, normalize=normalize) for t in sorted(thresholds)],
        }
        assert shown.curves.keys() == expected.keys()
        for label, values in expected.items():
            np.testing.assert_allclose(shown.curves[label], values, atol=1e-12)
            np.testing.assert_array_equal(
                line_of(shown.ax_, label).get_xydata(), np.column_stack([shown.thresholds, shown.curves[label]])
            )

    def test_where_another_score_selects_there_is_no_cwsa(self):
        rng = np.random.default_rng(0)
        profile = ConfidenceProfile.from_predictions([0, 1] * 20, rng.random(40), score=rng.random(40), threshold=0.6)
        shown = ThresholdDisplay.from_predictions(profile)
        assert list(shown.curves) == ["coverage", "selective accuracy"]
        assert shown.curves["coverage"][10] == metrics.coverage_score(profile)
        assert set(line_of(shown.ax_, "threshold 0.6").get_xdata()) == {0.6}

    def test_several_have_a_panel_for_each_quantity(self):
        profiles = [ConfidenceProfile.from_predictions([0, 1, 1, 0], [0.3, p, 0.6, 0.6]) for p in (0.6, 0.8, 0.95)]
        ax = None
        for number, profile in enumerate(profiles):
            shown = ThresholdDisplay.from_predictions(
                profile, thresholds=[0.5, 0.7, 0.9], name=f"model {number}", ax=ax
            )
            ax = shown.ax_
        assert [panel.get_title(loc="left") for panel in ax.child_axes] == list(shown.curves)
        for panel in ax.child_axes:
            label = panel.get_title(loc="left")
            for line, profile in zip(panel.lines, profiles, strict=True):
                one = ThresholdDisplay.from_profile(profile, thresholds=[0.5, 0.7, 0.9])
                np.testing.assert_array_equal(line.get_ydata(), one.curves[label])
            assert len({line.get_color() for line in panel.lines}) == 3
        assert legend_texts(shown) == [f"model {number}" for number in range(3)]
        assert all(len(line.get_xdata()) == 0 for line in ax.lines)

    def test_infinite_threshold_is_not_drawn(self):
        profile = ConfidenceProfile.from_predictions([0, 1], [0.1, 0.8], threshold=np.inf)
        assert not any("threshold" in text for text in legend_texts(ThresholdDisplay.from_predictions(profile)))

    @pytest.mark.parametrize(
        ("params", "label", "sign"),
        [
            ({}, None, 1),
            ({"confidence_level": 0.9, "target": 0.5}, "upper limit of the risk", 1),
            ({"objective": "coverage", "target": 0.7}, None, 1),
            ({"objective": "cost", "reject_cost": 0.2}, "mean cost", -1),
            ({"objective": "cwsa"}, "cwsa", 1),
            ({"objective": lambda curve: curve.coverage - 2 * curve.risk}, "objective", 1),
        ],
    )
    def test_of_a_tuned_classifier_is_its_sweep(self, params, label, sign):
        data = load_iris()
        model = TunedSelectiveClassifierCV(LogisticRegression(C=0.02), random_state=0, **params)
        model.fit(data.data[:, :2], data.target)
        shown = ThresholdDisplay.from_tuned(model, name="mine")
        results = model.cv_results_
        np.testing.assert_array_equal(shown.thresholds, results["threshold"][:0:-1])
        np.testing.assert_array_equal(shown.curves["coverage"], results["coverage"][:0:-1])
        np.testing.assert_array_equal(shown.curves["risk"], results["risk"][:0:-1])
        assert list(shown.curves)[2:] == ([] if label is None else [label])
        if label is not None:
            key = "risk_upper_bound" if "confidence_level" in params else "objective"
            np.testing.assert_array_equal(shown.curves[label], sign * results[key][:0:-1])
        assert shown.threshold == model.threshold_
        assert set(shown.ax_.lines[-1].get_xdata()) == {model.threshold_}
        has_target = model.objective in ("risk", "coverage")
        assert shown.target == (model.target if has_target else None)
        assert any(text == f"target {model.target:g}" for text in legend_texts(shown)) == has_target

    @pytest.mark.parametrize("model", [TunedSelectiveClassifierCV(LogisticRegression()), LogisticRegression()])
    def test_only_a_fitted_tuned_classifier_has_a_sweep(self, model):
        with pytest.raises(TypeError, match="needs a fitted TunedSelectiveClassifierCV, but got"):
            ThresholdDisplay.from_tuned(model)

    @pytest.mark.parametrize("params", [{"target": {"risk": 0.2}}, {"target": 0.3, "slices": "predicted_class"}])
    def test_several_promises_have_no_sweep_but_a_table(self, params):
        data = load_iris()
        model = TunedSelectiveClassifierCV(LogisticRegression(), confidence_level=0.5, random_state=0, **params)
        model.fit(data.data, data.target)
        with pytest.raises(ValueError, match=r"no single sweep.*several promises or slices.*guarantees_"):
            ThresholdDisplay.from_tuned(model)


class TestECUAS:
    def test_against_n_is_the_metric(self):
        profile = profile_of()
        shown = ECUASDisplay.from_predictions(profile, values=[3, 0, 0.5], name="mine")
        assert shown.x.tolist() == [0, 0.5, 3]
        np.testing.assert_array_equal(shown.curves["ECUAS"], [metrics.ecuas_loss(profile, n=n) for n in shown.x])
        np.testing.assert_array_equal(line_of(shown.ax_, "mine").get_ydata(), shown.curves["ECUAS"])

    @pytest.mark.parametrize("known", [True, False])
    def test_against_the_cost_of_a_rejection_is_the_metric(self, known):
        profile = profile_of()
        if not known:
            profile = ConfidenceProfile.from_correctness(profile.correct, profile.confidence)
        # Costs that are on the edge for some confidences, by rounding or exactly.
        costs = np.concatenate([1 - profile.confidence[:50], np.linspace(0, 1.2, 50)])
        shown = ECUASDisplay.from_predictions(profile, kind="reject_cost", values=costs, name="mine")
        expected = [metrics.reject_cost_loss(profile, reject_cost=cost) for cost in np.sort(costs)]
        np.testing.assert_allclose(shown.curves["cost"], expected, atol=1e-12)
        assert shown.error_rate == pytest.approx(metrics.reject_cost_loss(profile, reject_cost=1))
        np.testing.assert_array_equal(line_of(shown.ax_, "mine").get_ydata(), shown.curves["cost"])
        assert set(line_of(shown.ax_, "never reject").get_ydata()) == {shown.error_rate}
        x, y = line_of(shown.ax_, "always reject").get_data()
        np.testing.assert_array_equal(x, y)

    @pytest.mark.parametrize("n_classes", [2, 3, None])
    def test_of_one_answer_is_that_of_a_single_sample(self, n_classes):
        """Figure 1 of the paper."""
        unknown = ConfidenceProfile.from_correctness([1, 0], [0.3, 0.4])
        profile = unknown if n_classes is None else profile_of(n_classes)
        shown = ECUASDisplay.from_predictions(profile, kind="answer", values=[0, 1, 8])
        assert shown.x[0] == pytest.approx(0 if n_classes is None else 1 / n_classes)
        for at, n in itertools.product([1, 150, 399, 400], [0, 1, 8]):
            sure = shown.x[at]
            for outcome, right in (("right", True), ("wrong", False)):
                if n_classes is None:
                    one = ConfidenceProfile.from_correctness([right], [sure])
                else:
                    rest = np.full(n_classes - 1, (1 - sure) / (n_classes - 1))
                    labels = list(range(n_classes))
                    one = ConfidenceProfile.from_predictions([1 - right], [[sure, *rest]], labels=labels)
                expected = metrics.ecuas_loss(one, n=n)
                assert shown.curves[f"{outcome}, n = {n}"][at] == pytest.approx(expected)
        for label, values in shown.curves.items():
            assert values[0] == pytest.approx(1)  # where it is rejected at any cost
            assert (np.diff(values) * (1 if "wrong" in label else -1) >= -1e-12).all()
            assert line_of(shown.ax_, label).get_linestyle() == ("--" if "wrong" in label else "-")

    def test_costs_of_answers_are_drawn_once_however_many_classifiers_there_are(self):
        ax = ECUASDisplay.from_predictions(profile_of(), kind="answer", values=[0, 1]).ax_
        for seed, values in enumerate(([0, 1], [1, 2])):
            shown = ECUASDisplay.from_predictions(profile_of(seed=seed), kind="answer", values=values, ax=ax)
        assert legend_texts(shown) == [f"{outcome}, n = {n}" for n in (0, 1, 2) for outcome in ("right", "wrong")]
        assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == len(ax.lines) == 6

    def test_one_class_is_never_uncertain(self):
        with pytest.raises(ValueError, match="at least two classes"):
            ECUASDisplay.from_predictions([0, 0], [[1.0], [1.0]])


class TestHistogram:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_counts_every_prediction(self, weighted):
        profile = profile_of(weighted=weighted)
        shown = ConfidenceHistogramDisplay.from_predictions(profile, n_bins=20)
        weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
        np.testing.assert_allclose(shown.edges, np.linspace(1 / 3, 1, 21))
        sure, edges = profile.confidence, [*shown.edges[:-1], 1.1]  # the last bin has its upper edge
        for counts, rows in ((shown.right, profile.correct), (shown.wrong, ~profile.correct)):
            assert counts.sum() == pytest.approx(weight[rows].sum())
            expected = [weight[rows & (low <= sure) & (sure < high)].sum() for low, high in itertools.pairwise(edges)]
            np.testing.assert_allclose(counts, expected, atol=1e-12)
        stairs = [patch for patch in shown.ax_.patches if not patch.get_fill()]
        for patch, counts in zip(stairs, (shown.right, -shown.wrong), strict=True):
            np.testing.assert_array_equal(patch.get_data().values, counts)
            np.testing.assert_array_equal(patch.get_data().edges, shown.edges)
        low, high = shown.ax_.get_ylim()
        assert low < -shown.wrong.max()
        assert high > shown.right.max()
        assert shown.ax_.get_yscale() == "symlog"  # has a 0, from which all bars rise

    def test_reaches_down_to_the_lowest_confidence(self):
        y, proba, given = predictions(weighted=False)
        low = ConfidenceHistogramDisplay.from_predictions(y, proba, labels=given["labels"], y_pred=np.roll(y, 1))
        assert low.edges[0] < 1 / 3
        assert low.right.sum() + low.wrong.sum() == len(y)
        generative = ConfidenceProfile.from_correctness([1, 0], [1, 1])
        assert ConfidenceHistogramDisplay.from_profile(generative).edges[[0, -1]].tolist() == [0, 1]

    def test_each_of_several_classifiers_has_its_panel_at_one_scale(self):
        ax, drawn = None, []
        for seed, name in enumerate(("mine", "yours", "theirs")):
            drawn.append(ConfidenceHistogramDisplay.from_predictions(profile_of(seed=seed), name=name, ax=ax))
            ax = drawn[-1].ax_
        assert [panel.get_title("left") for panel in ax.child_axes] == ["mine", "yours", "theirs"]
        assert len({(panel.get_xlim(), panel.get_ylim()) for panel in ax.child_axes}) == 1
        for panel, shown in zip(ax.child_axes, drawn, strict=True):
            outlines = [patch.get_data().values for patch in panel.patches if not patch.get_fill()]
            np.testing.assert_array_equal(outlines, [shown.right, -shown.wrong])

    def test_panels_of_several_classifiers_name_their_thresholds(self):
        first = ConfidenceProfile.from_predictions([0, 1, 1], [0.1, 0.8, 0.4], threshold=0.7)
        ax = ConfidenceHistogramDisplay.from_predictions(first, name="mine").ax_
        ConfidenceHistogramDisplay.from_predictions(profile_of(), name="yours", ax=ax)
        assert [panel.get_title("left") for panel in ax.child_axes] == ["mine (threshold 0.7)", "yours"]

    def test_counts_are_written_without_a_sign(self):
        shown = ConfidenceHistogramDisplay.from_predictions(profile_of(weighted=False))
        shown.figure_.draw_without_rendering()
        texts = [tick.get_text() for tick in shown.ax_.get_yticklabels()]
        assert {"0", "1", "10"} <= set(texts)
        assert texts.count("1") == 2

    def test_threshold_is_of_the_confidence(self):
        given = {"threshold": 0.7}
        profile = ConfidenceProfile.from_predictions([0, 1], [0.1, 0.8], **given)
        assert ConfidenceHistogramDisplay.from_profile(profile).threshold == 0.7
        profile = ConfidenceProfile.from_predictions([0, 1], [0.1, 0.8], **given, score=[0.2, 0.3])
        assert ConfidenceHistogramDisplay.from_profile(profile).threshold is None


class TestEveryDisplay:
    @every_way
    def test_draws_predictions_without_further_arguments(self, way):
        display, params = DRAWN[way]
        y, proba, _ = predictions(weighted=False)
        order = np.argsort(LABELS)
        shown = display.from_predictions(y, proba[:, order], **params)
        assert shown.figure_ is shown.ax_.figure
        assert shown.ax_.get_xlabel()
        assert shown.ax_.get_ylabel()
        assert plt.get_fignums() == [shown.figure_.number]

    @every_way
    def test_estimator_profile_and_predictions_are_the_same(self, way):
        display, params = DRAWN[way]
        data = load_iris()
        X, y = data.data[:, :2], data.target_names[data.target]
        weight = np.arange(len(y)) % 3.0
        model = LogisticRegression(C=0.1).fit(X, y)
        asked = CountsQuestions(model)
        given = {"sample_weight": weight, **params}
        shown = [
            display.from_estimator(asked, X, y, **given),
            display.from_predictions(y, model.predict_proba(X), labels=model.classes_, **given),
            display.from_predictions(ConfidenceProfile.from_estimator(model, X, y, sample_weight=weight), **params),
        ]
        assert asked.questions == 1
        assert [each.name for each in shown] == ["CountsQuestions", None, None]
        first, *others = (numbers_of(each) for each in shown)
        for other in others:
            assert other.keys() == first.keys()
            for name, value in first.items():
                np.testing.assert_array_equal(other[name], value, err_msg=name)

    @every_way
    def test_does_not_depend_on_the_order_of_rows(self, way):
        display, params = DRAWN[way]
        profile = profile_of()
        rows = np.random.default_rng(1).permutation(len(profile))
        first, other = (numbers_of(display.from_profile(part, **params)) for part in (profile, profile[rows]))
        for name, value in first.items():
            if isinstance(value, str | None):
                assert other[name] == value
            else:
                np.testing.assert_allclose(other[name], value, atol=1e-12, err_msg=name)

    @every_way
    def test_several_share_the_axes_they_are_given(self, way):
        display, params = DRAWN[way]
        if params.get("kind") == "answer":
            pytest.skip("it is of no classifier")
        figure, ax = plt.subplots()
        for seed in range(3):
            shown = display.from_predictions(profile_of(seed=seed), ax=ax, name=f"model {seed}", **params)
            assert shown.ax_ is ax
            assert shown.figure_ is figure
        assert plt.get_fignums() == [figure.number]
        texts = names_shown(shown)
        for seed in range(3):
            assert any(text.startswith(f"model {seed}") for text in texts)
        assert len(set(texts)) == len(texts)
        mine = [part for part in ax.get_children() if str(part.get_gid()).startswith("skconf classifier")]
        looks = {(str(part.get_linestyle()), str(getattr(part, "get_color", lambda: None)())) for part in mine}
        assert len(mine) == len(looks) == 3

    @every_way
    @pytest.mark.parametrize(("size", "n_models"), [((4, 3), 4), ((8, 6), 1)])
    def test_nothing_is_clipped_or_hidden(self, way, size, n_models):
        display, params = DRAWN[way]
        figure, ax = plt.subplots(figsize=size, layout="constrained")
        names = ["naive Bayes", "gradient boosting", "forest, isotonic", "Platt"]
        for seed, name in enumerate(names[:n_models]):
            y, proba, given = predictions(seed=seed)
            profile = ConfidenceProfile.from_predictions(y, proba, **given, threshold=0.75)
            shown = display.from_predictions(profile, ax=ax, name=name, **params)
        ax.set_title("A title")
        figure.draw_without_rendering()
        whole = figure.bbox
        parts = ax.child_axes or [ax]
        texts = [text for part in parts for text in (part.xaxis.label, part.yaxis.label) if text.get_text()]
        boxes = [text.get_window_extent() for text in (*texts, ax.title)]
        legends = [part.get_window_extent() for part in (ax.get_legend(), *figure.legends) if part]
        for box in [*boxes, *legends]:
            assert -1 <= box.x0 < box.x1 <= whole.width + 1
            assert -1 <= box.y0 < box.y1 <= whole.height + 1
        for box in legends:
            assert not box.overlaps(ax.get_window_extent())
            assert not box.overlaps(boxes[-1])
        assert len(legends) == 1
        labelled = [part.xaxis for part in parts if part.get_xlabel()]  # upper panels have no texts
        for axis in (*labelled, *(part.yaxis for part in parts)):
            ticks = [
                tick.get_window_extent() for tick in axis.get_ticklabels() if tick.get_text() and tick.get_visible()
            ]
            low, high = sorted(axis.get_transform().transform(axis.get_view_interval()))
            shown_ticks = [
                box
                for box, at in zip(ticks, axis.get_ticklocs(), strict=False)
                if low <= axis.get_transform().transform(at) <= high
            ]
            assert len(shown_ticks) >= 2
            assert not any(a.overlaps(b) for a, b in itertools.combinations(shown_ticks, 2))
        assert shown.figure_ is figure

    @pytest.mark.parametrize(("way", "case"), UNUSUAL_DRAWN)
    @pytest.mark.filterwarnings("ignore:.* uses sample_weight as repetition counts")
    def test_draws_unusual_predictions(self, way, case):
        display, params = DRAWN[way]
        if display is CWROCDisplay and ("single" in case or "correctness" in case):
            pytest.skip("there is no curve")
        shown = display.from_predictions(UNUSUAL[case], **params)
        shown.figure_.draw_without_rendering()
        assert all(np.isfinite([*shown.ax_.get_xlim(), *shown.ax_.get_ylim()]))

    @every_display
    def test_says_what_it_takes(self, display):
        own = list(inspect.signature(display.from_profile).parameters)[2:]
        for method in (display.from_predictions, display.from_estimator):
            taken = inspect.signature(method).parameters
            assert {"sample_weight", "pos_label", "name", "ax", *own} <= taken.keys()
            assert "params" not in taken
            for name in taken:
                assert inspect.getdoc(method).count(f"\n{name} : ") == 1, name
        with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
            display.from_predictions([0, 1], [0.2, 0.8], colour="red")

    @every_display
    def test_predictions_must_be_there_and_only_once(self, display):
        profile = profile_of()
        with pytest.raises(TypeError, match=rf"{display.__name__}\.from_predictions\(\) needs y_proba"):
            display.from_predictions([0, 1])
        with pytest.raises(TypeError, match="ConfidenceProfile and labels, but the profile has these already"):
            display.from_predictions(profile, labels=LABELS)
        with pytest.raises(ValueError, match="at least one sample"):
            display.from_predictions(profile[:0])
        assert not plt.get_fignums()

    @pytest.mark.parametrize(
        ("display", "params", "error", "message"),
        [
            (ReliabilityDisplay, {"view": "head"}, ValueError, "view must be one of 'confidence', 'tail', 'both'"),
            (ReliabilityDisplay, {"strategy": "width"}, ValueError, "strategy must be one of"),
            (ReliabilityDisplay, {"n_bins": 0}, ValueError, "n_bins must be at least 1"),
            (ReliabilityDisplay, {"confidence_level": 95}, ValueError, "confidence_level must lie in"),
            (ThresholdDisplay, {"thresholds": [1.0]}, ValueError, "thresholds must be"),
            (ThresholdDisplay, {"normalize": "none"}, ValueError, "normalize must be one of"),
            (ThresholdDisplay, {"metrics": ["AUC"]}, ValueError, "metrics must be one of 'coverage'"),
            (ThresholdDisplay, {"scale": "normal"}, ValueError, "scale must be one of 'auto', 'log', 'linear'"),
            (RiskCoverageDisplay, {"scale": "loga"}, ValueError, "scale must be one of 'auto', 'log', 'linear'"),
            (RiskCoverageDisplay, {"confidence_level": 1.5}, ValueError, "confidence_level must lie in"),
            (CWROCDisplay, {"scale": "log"}, ValueError, "scale must be one of 'auto', 'normal', 'linear'"),
            (ECUASDisplay, {"scale": "normal"}, ValueError, "scale must be one of 'auto', 'log', 'linear'"),
            (ECUASDisplay, {"kind": "m"}, ValueError, "kind must be one of 'n', 'reject_cost', 'answer'"),
            (ECUASDisplay, {"values": [-1]}, ValueError, "n must lie in"),
            (ECUASDisplay, {"kind": "reject_cost", "values": [-1]}, ValueError, "reject_cost must lie in"),
            (ConfidenceHistogramDisplay, {"n_bins": 2.5}, TypeError, "n_bins must be a whole number"),
        ],
    )
    def test_wrong_parameters_are_refused(self, display, params, error, message):
        with pytest.raises(error, match=message):
            display.from_predictions([0, 1], [0.2, 0.8], **params)
        assert not plt.get_fignums()

    @every_display
    def test_without_matplotlib_says_so_before_anything_is_computed(self, display, monkeypatch):
        found = builtins.__import__

        def not_installed(name, *args, **kwargs):
            if name.startswith("matplotlib"):
                raise ModuleNotFoundError(name)
            return found(name, *args, **kwargs)

        computed = display.from_profile(profile_of())
        monkeypatch.setattr(builtins, "__import__", not_installed)
        asked = CountsQuestions(LogisticRegression())
        for draw in (
            lambda: display.from_predictions([0, 1], [0.2, 3.0]),
            lambda: display.from_estimator(asked, [[0]], [0]),
            computed.plot,
        ):
            with pytest.raises(ImportError, match=r"need matplotlib: pip install matplotlib"):
                draw()
        assert asked.questions == 0
        display.from_profile(profile_of())  # the numbers need none

    @every_display
    def test_figure_can_be_pickled(self, display):
        shown = display.from_predictions(profile_of(), name="mine")
        copy = pickle.loads(pickle.dumps(shown.figure_))
        copy.draw_without_rendering()
        shown.figure_.draw_without_rendering()
        for mine, other in zip(shown.ax_.texts, copy.axes[0].texts, strict=True):
            np.testing.assert_allclose(Text.get_window_extent(other).bounds, Text.get_window_extent(mine).bounds)

    @every_display
    def test_is_drawn_again_elsewhere(self, display):
        shown = display.from_predictions(profile_of(), name="mine")
        first = shown.ax_
        again = shown.plot()
        assert again is shown
        assert shown.ax_ is not first
        assert len(shown.ax_.lines) == len(first.lines)
        first.clear()
        shown.plot(ax=first)
        assert len(first.lines) == len(shown.plot().ax_.lines)

    def test_legend_stands_above_the_axes_if_they_are_alone_and_there_is_room(self):
        profile = profile_of()
        own = RiskCoverageDisplay.from_predictions(profile)
        assert own.ax_.get_legend() is None
        assert legend_texts(own) == [f"AURC {own.aurc:.4f}", "oracle", "random order"]
        both = RiskCoverageDisplay.from_predictions(profile, ax=own.ax_, name="other")
        assert legend_texts(both) == [f"AURC {own.aurc:.4f}", f"other: AURC {own.aurc:.4f}"]  # no references of two
        assert len(own.figure_.legends) == 1
        for axes in (plt.subplots(1, 2, layout="constrained")[1][0], plt.subplots()[1]):
            shown = RiskCoverageDisplay.from_predictions(profile, ax=axes)
            assert not shown.figure_.legends
            assert len(axes.get_legend().get_texts()) == 3
        figure, ax = plt.subplots(layout="constrained")
        mine = figure.legend(ax.plot([0, 1], [0, 1]), ["mine"])
        RiskCoverageDisplay.from_predictions(profile, ax=ax)
        assert mine in figure.legends
        assert len(figure.legends) == 2

    @every_way
    def test_legend_is_off_the_data_of_axes_that_are_not_alone(self, way):
        display, params = DRAWN[way]
        figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
        for seed in range(2):
            display.from_predictions(profile_of(seed=seed), ax=axes[0], name=f"model {seed}", **params)
        figure.draw_without_rendering()
        legend = axes[0].get_legend().get_window_extent()
        assert figure.bbox.y0 <= legend.y0
        for part in axes[0].child_axes or [axes[0]]:
            assert not legend.overlaps(part.get_window_extent())
            assert not legend.overlaps(part.xaxis.label.get_window_extent())
        assert axes[0].bbox.width > 0.6 * axes[1].bbox.width

    @pytest.mark.parametrize("n_models", [2, 5])
    @pytest.mark.parametrize("display", [ThresholdDisplay, ConfidenceHistogramDisplay])
    def test_legend_stands_above_panels_if_no_layout_makes_room(self, display, n_models):
        figure, ax = plt.subplots(figsize=(6.4, 4.8))
        for seed in range(n_models):
            display.from_predictions(profile_of(seed=seed), ax=ax, name=f"model {seed}")
        figure.draw_without_rendering()
        legend = ax.get_legend().get_window_extent()
        assert legend.y1 <= ax.title.get_window_extent().y0
        assert all(panel.get_tightbbox().y1 <= legend.y0 for panel in ax.child_axes)

    def test_names_in_the_legend_have_the_colours_of_their_lines(self):
        ax = None
        for seed in range(2):
            shown = RiskCoverageDisplay.from_predictions(profile_of(seed=seed), name=f"model {seed}", ax=ax)
            ax = shown.ax_
        to_rgb = matplotlib.colors.to_rgb
        lines = [line for line in ax.lines if line.get_gid() == "skconf classifier"]
        for line, text in zip(lines, shown.figure_.legends[0].get_texts(), strict=True):
            np.testing.assert_allclose(to_rgb(text.get_color()), 0.65 * np.array(to_rgb(line.get_color())))

    def test_legend_on_the_axes_is_no_wider_than_they_are(self):
        figure, axes = plt.subplots(1, 2, figsize=(8, 3))
        y, proba, given = predictions()
        profile = ConfidenceProfile.from_predictions(y, proba, **given, threshold=0.9)
        RiskCoverageDisplay.from_predictions(profile, ax=axes[1], name="SelectiveClassifier")
        figure.draw_without_rendering()
        legend = axes[1].get_legend()
        assert legend.get_window_extent().width <= axes[1].bbox.width
        assert legend.get_texts()[0].get_text().startswith("SelectiveClassifier")

    @every_way
    def test_legend_names_the_classifiers_first(self, way):
        display, params = DRAWN[way]
        if params.get("kind") == "answer":
            pytest.skip("it is of no classifier")
        if display is ConfidenceHistogramDisplay:
            pytest.skip("its panels have the names")
        ax = None
        for seed in range(2):
            y, proba, given = predictions(seed=seed)
            profile = ConfidenceProfile.from_predictions(y, proba, **given, threshold=0.75)
            shown = display.from_predictions(profile, name=f"model {seed}", ax=ax, **params)
            ax = shown.ax_
        texts = [text for text in legend_texts(shown) if text not in getattr(shown, "curves", {})]
        assert [text.startswith("model") for text in texts][:3] in ([True, True, False], [True, True])

    @every_display
    def test_names_are_no_formulas(self, display):
        """A model called $x^$ was an error of matplotlib's parser."""
        y, proba, given = predictions()
        ax = None
        for number, name in enumerate(["$x^$", "$", "a $b$ c", "<b>&"], 1):
            shown = display.from_predictions(y, proba, **given, name=name, ax=ax)
            ax = shown.ax_
            if number in (1, 2, 4):  # titles name one or two
                shown.figure_.draw_without_rendering()
            assert any(text.replace(r"\$", "$").startswith(name) for text in names_shown(shown))

    def test_thirty_six_classifiers_look_different(self):
        from skconf.inspection._drawing import Style

        styles = [Style.of(number) for number in range(36)]
        assert len({(style.color, str(style.linestyle)) for style in styles}) == 36
        assert len({(style.color, style.marker) for style in styles}) == 36

    def test_a_selective_classifier_brings_its_threshold_along(self):
        data = load_iris()
        X_train, X_test, y_train, y_test = train_test_split(data.data[:, :2], data.target, random_state=0)
        model = SelectiveClassifier(LogisticRegression(), threshold=0.6).fit(X_train, y_train)
        for display in (RiskCoverageDisplay, ThresholdDisplay, ConfidenceHistogramDisplay):
            shown = display.from_estimator(model, X_test, y_test)
            assert shown.threshold == 0.6
            assert any(text.endswith("threshold 0.6") for text in legend_texts(shown))

    @every_way
    def test_takes_the_ink_of_the_theme(self, way):
        display, params = DRAWN[way]
        with plt.style.context("dark_background"):
            ax = plt.subplots(layout="constrained")[1]
        y, proba, given = predictions()
        profile = ConfidenceProfile.from_predictions(y, proba, **given, threshold=0.75)
        display.from_predictions(profile, ax=ax, name="mine", **params)
        black = matplotlib.colors.to_rgba("black")[:3]
        for line in ax.lines:
            assert sum(matplotlib.colors.to_rgb(line.get_color())) > 0.5, line
        for part in ax.collections:
            assert not any(np.allclose(colour[:3], black) for colour in part.get_edgecolor())


class TestAxesOfGoodClassifiers:
    """Differences near 0 and near 1 are seen, chosen by the data."""

    @staticmethod
    def ranked(errors, n=1000):
        """Return predictions of distinct confidences, with errors at these ranks from the surest on."""
        wrong = np.isin(np.arange(n), errors)
        return ConfidenceProfile.from_correctness(~wrong, np.linspace(0.999, 0.1, n))

    def test_risk_is_logarithmic_where_it_spans_a_decade(self):
        wide, level = self.ranked([500, *range(900, 1000, 2)]), self.ranked(range(0, 1000, 10))
        shown = RiskCoverageDisplay.from_predictions(wide)
        assert shown.ax_.get_yscale() == "log"
        assert shown.ax_.get_xlim() == (0.45, 1)  # shortly before the first error, at 501 of 1000
        low, high = shown.ax_.get_ylim()
        assert low < 1 / 900 < high
        assert shown.risk[-1] < high < 0.1
        assert RiskCoverageDisplay.from_predictions(level).ax_.get_yscale() == "linear"
        assert RiskCoverageDisplay.from_predictions(wide, scale="linear").ax_.get_yscale() == "linear"
        assert RiskCoverageDisplay.from_predictions(level, scale="log").ax_.get_yscale() == "log"
        joined = RiskCoverageDisplay.from_predictions(level, ax=shown.ax_)
        assert joined.ax_.get_yscale() == "log"
        assert joined.ax_.get_xlim() == (0, 1)

    def test_without_an_error_there_is_no_logarithm(self):
        assert RiskCoverageDisplay.from_predictions(self.ranked([]), scale="log").ax_.get_yscale() == "linear"

    def test_a_curve_rises_at_its_first_error(self):
        shown = RiskCoverageDisplay.from_predictions(self.ranked([500, 700]), name="mine", scale="log")
        coverage, risk = line_of(shown.ax_, f"mine: AURC {shown.aurc:.4f}").get_data()
        first = np.flatnonzero(risk > 0)[0]
        assert (coverage[first], risk[first]) == (pytest.approx(0.501), pytest.approx(1 / 501))
        assert risk[:first].max() == 0

    @pytest.mark.parametrize("weighted", [False, True])
    def test_band_is_the_exact_interval_at_each_coverage(self, weighted):
        profile = self.ranked([3, 50, 60, *range(900, 1000, 2)])
        if weighted:  # equal weights are no weights
            profile = profile.with_weight(np.full(1000, 2.0))
        shown = RiskCoverageDisplay.from_predictions(profile, confidence_level=0.9)
        for k in (1, 4, 100, 1000):
            count = round(shown.risk[k - 1] * k)
            expected = binomtest(count, k).proportion_ci(0.9, method="exact")
            np.testing.assert_allclose([shown.low[k - 1], shown.high[k - 1]], expected, atol=1e-12)
        assert len(shown.ax_.collections) == 1
        assert RiskCoverageDisplay.from_profile(profile).low is None

    def test_costs_leave_the_cost_of_rejecting_all_out_of_the_scale(self):
        shown = ECUASDisplay.from_predictions(self.ranked(range(900, 1000, 5)), kind="reject_cost", scale="linear")
        assert shown.curves["cost"].max() < shown.ax_.get_ylim()[1] < 1.2 * shown.curves["cost"].max()
        shown = ECUASDisplay.from_predictions(self.ranked(range(900, 1000, 5)), kind="reject_cost")
        assert (shown.ax_.get_xscale(), shown.ax_.get_yscale()) == ("log", "log")

    def test_roc_has_normal_quantiles_where_the_area_is_large(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 2000)
        good, poor = (1 / (1 + np.exp(-(2 * y - 1) * shift - rng.normal(0, 2, 2000))) for shift in (4.0, 0.5))
        shown = CWROCDisplay.from_predictions(y, good)
        assert shown.ax_.get_xscale() == shown.ax_.get_yscale() == "function"
        steps = np.diff(shown.ax_.transData.transform([(0.02275, 0.5), (0.15866, 0.5), (0.5, 0.5)])[:, 0])
        np.testing.assert_allclose(steps[0], steps[1], rtol=1e-3)  # one standard deviation each
        assert 0 < shown.ax_.get_xlim()[0] < shown.fpr[shown.fpr > 0].min()
        assert CWROCDisplay.from_predictions(y, poor).ax_.get_xscale() == "linear"
        assert CWROCDisplay.from_predictions(y, good, scale="linear").ax_.get_xscale() == "linear"

    @pytest.mark.parametrize("display", [CWROCDisplay, ThresholdDisplay, ECUASDisplay, RiskCoverageDisplay])
    @pytest.mark.parametrize("models", [["good"], ["perfect"], ["good", "random"], ["random", "good", "perfect"]])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_every_line_is_within_the_axes(self, display, models, weighted):
        """At least a stretch of it, at ticks that are as far apart as their texts say."""
        rng, n = np.random.default_rng(0), 400
        y = rng.integers(0, 2, n)
        proba = {"good": 1 / (1 + np.exp(-4 * (2 * y - 1) - rng.normal(0, 2, n))), "random": rng.random(n)}
        proba["perfect"] = np.where(y == 1, 0.9, 0.1)
        if display is RiskCoverageDisplay and len(models) == 3:
            models = models[:2]  # a risk of 0 has no place beside others on a logarithmic axis; the legend tells it
        ax = plt.subplots()[1]
        for model in models:
            weight = rng.exponential(size=n) if weighted else None
            display.from_predictions(y, proba[model], sample_weight=weight, name=model, ax=ax)
        ax.figure.draw_without_rendering()
        for each in ax.child_axes or [ax]:
            inside = each.bbox.padded(1)
            lines = [line for line in artists(each, CLASSIFIER, CURVE) if len(line.get_xdata())]
            assert len(lines) >= len(models)
            for line in lines:
                x, values = map(np.asarray, line.get_data())
                there = each.transData.transform(np.column_stack([x, values])[np.isfinite(values)])
                assert sum(inside.contains(*point) for point in there) > 1, line.get_label()
            texts = [tick.get_text() for tick in (*each.get_yticklabels(), *each.get_xticklabels())]
            assert texts.count("0") <= 2

    def test_a_value_of_one_is_above_all_others(self):
        curves = {"selective accuracy": np.array([0.5, 0.99, 1 - 1e-16, 1.0, np.nan]), "coverage": np.ones(5)}
        shown = ThresholdDisplay(np.linspace(0.5, 0.9, 5), curves).plot()
        low, high = shown.ax_.get_ylim()
        places = shown.ax_.transData.transform([(0.5, each) for each in (low, 0.5, 0.99, 1 - 1e-16, 1, high)])[:, 1]
        assert (np.diff(places) >= 0).all()
        assert places[2] < places[3] == places[4] < places[5]
        assert shown.ax_.get_yticklabels()[-1].get_text() == "1"
        assert np.isnan(shown.ax_.transData.transform((0.5, np.nan))[1])

    def test_threshold_tells_nines_apart(self):
        shown = ThresholdDisplay.from_predictions(self.ranked([300, *range(700, 1000, 3)]))
        assert shown.ax_.get_yscale() == "function"
        steps = np.diff(shown.ax_.transData.transform([(0.5, 0.9), (0.5, 0.99), (0.5, 0.999)])[:, 1])
        np.testing.assert_allclose(steps[0], steps[1])
        linear = ThresholdDisplay.from_predictions(self.ranked([300]), scale="linear")
        assert linear.ax_.get_yscale() == "linear"

    @pytest.mark.parametrize("n_thresholds", [100, 20_000])
    def test_thresholds_near_one_are_told_apart(self, n_thresholds):
        thresholds = 1 - 10.0 ** -np.linspace(0.3, 5, n_thresholds)
        display = ThresholdDisplay(thresholds, {"coverage": np.linspace(1, 0.1, n_thresholds)}, thresholds[-9])
        shown = display.plot()
        steps = np.diff(shown.ax_.transData.transform([(0.9, 1), (0.99, 1), (0.9999, 1)])[:, 0])
        np.testing.assert_allclose(2 * steps[0], steps[1], rtol=1e-6)
        drawn = shown.ax_.transData.transform(np.column_stack(shown.ax_.lines[0].get_data()))
        assert np.diff(drawn[:, 0]).max() < 10  # a straight line here: its points are close everywhere
        even = ThresholdDisplay(np.linspace(0.5, 1, n_thresholds), display.curves, 0.7).plot()
        assert even.ax_.get_xscale() == "linear"

    def test_thresholds_near_one_are_told_apart_although_a_curve_has_gaps(self):
        thresholds = 1 - 10.0 ** -np.linspace(0.3, 5, 20_000)
        values = np.where(np.arange(20_000) % 7_000 == 1, np.nan, np.linspace(1, 0.1, 20_000))
        shown = ThresholdDisplay(thresholds, {"coverage": values}, None).plot()
        assert shown.ax_.get_xscale() == "function"

    def test_title_of_several_tuned_classifiers_is_about_their_own_thresholds(self):
        ax = None
        for name, at in (("first", 1), ("second", 2)):
            display = ThresholdDisplay(
                np.array([0.5, 0.6, 0.7]), {"coverage": np.array([1, 0.8, 0.3])}, (0.5, 0.6, 0.7)[at]
            )
            display.name = name
            ax = display.plot(ax=ax).ax_
        title = " ".join(ax.get_title().split())
        assert title == "Coverage at the chosen thresholds: first 80.0%, second 30.0%"

    def test_one_metric_of_many_classifiers(self):
        ax = None
        for seed in range(5):
            shown = ThresholdDisplay.from_predictions(
                profile_of(seed=seed), metrics=["selective_accuracy"], name=f"model {seed}", ax=ax
            )
            ax = shown.ax_
        assert list(shown.curves) == ["selective accuracy"]
        assert ax.get_ylabel() == "selective accuracy"
        assert legend_texts(shown) == [f"model {seed}" for seed in range(5)]
        assert len({line.get_color() for line in ax.lines}) == 5

    def test_reliability_has_its_tail_beside_it(self):
        profile = profile_of()
        shown = ReliabilityDisplay.from_predictions(profile, view="both", name="mine", n_bins=5, confidence_level=0.9)
        alone = [
            ReliabilityDisplay.from_profile(profile, n_bins=5, confidence_level=0.9, view=view)
            for view in ("confidence", "tail")
        ]
        for part, expected in zip((shown, shown.tail), alone, strict=True):
            np.testing.assert_array_equal(part.low, expected.low)
            np.testing.assert_array_equal(part.confidence, expected.confidence)
        assert [ax.get_xscale() for ax in shown.ax_] == ["linear", "log"]
        other = ReliabilityDisplay.from_predictions(profile, view="both", name="other", ax=shown.ax_)
        for ax in other.ax_:
            assert [text.get_text() for text in ax.get_legend().get_texts()][:2] == ["mine", "other"]
        with pytest.raises(ValueError, match='With view="both", ax must be a pair of axes'):
            shown.plot(shown.ax_[0])


class TestLongCurves:
    def test_are_drawn_by_the_outline_of_many_stretches(self):
        from skconf.inspection._drawing import _COLUMNS, thinned

        rng = np.random.default_rng(0)
        x = np.sort(rng.random(100_000))
        y = np.cumsum(rng.normal(size=100_000))
        at, heights = thinned(x, y)
        assert len(at) <= 4 * (_COLUMNS + 1)
        assert (np.diff(at) >= 0).all()
        edges = x[0] + (x[-1] - x[0]) * np.arange(1, 1000) / 1000
        stretch, drawn = np.searchsorted(edges, x, side="right"), np.searchsorted(edges, at, side="right")
        for part in range(0, 1000, 50):
            whole, few = y[stretch == part], heights[drawn == part]
            assert (few.min(), few.max(), few[0], few[-1]) == (whole.min(), whole.max(), whole[0], whole[-1])

    def test_the_numbers_stay_whole(self):
        rng = np.random.default_rng(0)
        proba = rng.random(50_000)
        y = rng.random(50_000) < proba
        for display, numbers in ((RiskCoverageDisplay, "risk"), (CWROCDisplay, "tpr")):
            shown = display.from_predictions(y, proba)
            assert len(getattr(shown, numbers)) > 10_000
            assert max(len(line.get_xdata()) for line in shown.ax_.lines) <= 8_500


class CountsQuestions:
    """A fitted classifier that counts how often it is asked for probabilities."""

    def __init__(self, model):
        self.model, self.questions = model, 0

    @property
    def classes_(self):
        return self.model.classes_

    def predict_proba(self, X):
        self.questions += 1
        return self.model.predict_proba(X)


def numbers_of(display):
    """Return the data of a display, those of its curves by their label."""
    data = {name: value for name, value in vars(display).items() if name not in ("name", "ax_", "figure_")}
    curves = data.pop("curves", {})
    return {**data, **curves}


@pytest.mark.parametrize("way", DRAWN)
def test_repr_is_a_few_lines_without_numbers_of_arrays(way):
    display, params = DRAWN[way]
    y, proba, given = predictions()
    shown = display.from_predictions(y, proba, **given, name="mine", **params)
    text = repr(shown)
    assert text.startswith(f"{display.__name__}(")
    assert "name='mine'" in text
    assert "<array of shape (" in text
    assert len(text) < 600
    assert "\n" not in text


@pytest.mark.parametrize("display", [ConfidenceHistogramDisplay, ReliabilityDisplay])
def test_more_bins_than_a_figure_shows_are_refused(display):
    """A million of them hung."""
    for n_bins in (10**4 + 1, 10**6, 10**30):
        with pytest.raises(ValueError, match=r"n_bins must be at most 10,000"):
            display.from_predictions([0, 1], [0.2, 0.9], n_bins=n_bins)


@pytest.mark.parametrize("kind", ["n", "reject_cost", "answer"])
def test_no_values_are_refused(kind):
    with pytest.raises(ValueError, match=r"values is empty\. Pass at least one"):
        ECUASDisplay.from_predictions([0, 1], [0.2, 0.9], kind=kind, values=[])
