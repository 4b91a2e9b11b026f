"""Whether confidences may be trusted: counts, charts and advice, against counts by hand."""

import re

import numpy as np
import pytest
from scipy.stats import binomtest

from skconf import ConfidenceProfile, confidence_report
from skconf.inspection import ReliabilityDisplay
from skconf.report._page.chart import Line
from skconf.report._page.elements import Ids
from skconf.report._sections.trust import trust

RNG = np.random.default_rng(0)
SURE = np.clip(RNG.beta(4, 1, 3000), 0.5, 1 - 1e-6)
RIGHT = RNG.random(3000) < SURE - 0.08


def evidence_of(correct=RIGHT, sure=SURE, **options):
    profile = ConfidenceProfile.from_correctness(correct, sure, **options)
    return confidence_report(profile, metrics=["confidence_gap"]).evidence


def charts(section):
    return [part.chart for part in section.parts[2].parts]


def test_the_section_opens_with_the_verdict_and_what_to_do():
    verdict, todo = trust(evidence_of()).parts[:2]
    assert (verdict.kind, verdict.harm) == ("finding", "serious")
    assert verdict.words.startswith("Overconfident: average confidence is ")
    assert "calibrate it" in todo.words
    modest = trust(evidence_of(RNG.random(3000) < 0.5 + SURE / 2)).parts
    assert modest[0].words.startswith("Underconfident: ")
    fine = trust(evidence_of(RNG.random(3000) < SURE)).parts
    assert (fine[0].kind, fine[0].harm) == ("finding", "")
    assert "miscalibration may be undetected" in fine[1].words


def test_a_difference_that_is_at_least_small_is_not_called_small():
    verdict, todo, *_, table = trust(evidence_of(np.arange(230) >= 14, np.full(230, 0.975))).parts
    assert verdict.words.startswith("Slightly overconfident: ")
    assert todo.words.endswith("further from the accuracy than these data show. More labelled rows can tell.")
    assert table.notes[0].endswith("The grade of a miscalibration is a lower limit: the miscalibration may be worse.")
    verdict, todo, *_, table = trust(evidence_of(np.arange(20_000) >= 660, np.full(20_000, 0.975))).parts
    assert verdict.words.startswith("Slightly overconfident: ")
    assert todo.words == "What to do: use its confidences as they are."


def test_a_useless_model_is_not_advised_to_calibrate():
    y_true = np.arange(1000) < 740
    y_pred = np.where(np.arange(1000) < 610, ~y_true, y_true)
    profile = ConfidenceProfile.from_predictions(y_true, np.where(y_pred, 0.9, 0.1))
    verdict, todo = trust(confidence_report(profile, metrics=["confidence_gap"]).evidence).parts[:2]
    assert "most frequent class (74.0%)" in verdict.words
    assert "Calibration does not change that" in todo.words


def test_the_table_has_the_counts_of_levels_and_the_intervals_of_the_verdict():
    table = trust(evidence_of()).parts[-1].table.set_index("answers")
    for name, cut in {"all": 0.0, "≥ 0.9": 0.9, "≥ 0.99": 0.99}.items():
        top = cut <= SURE
        wrong, expected = (~RIGHT[top]).sum(), (1 - SURE[top]).sum()
        row = table.loc[name]
        assert row["rows"] == f"{top.sum():,}"
        assert row["wrong"] == f"{wrong:,}"
        assert float(row["expected"].replace(",", "")) == pytest.approx(expected, rel=0.01)
        right, low, high = (float(part) / 100 for part in re.findall(r"[\d.]+", row["accuracy"]))
        plain = binomtest(int(top.sum() - wrong), int(top.sum())).proportion_ci()
        assert low - 1e-3 <= plain.low < right < plain.high <= high + 1e-3  # all intervals hold together
        assert row["miscalibration"] in ("overconfident: mild", "overconfident: serious", "overconfident: unusable")


def test_intervals_of_clusters_do_not_hold_together():
    joint, alone = (
        trust(evidence_of(groups=groups)).parts[-1].notes[0] for groups in (None, np.arange(len(SURE)) // 2)
    )
    assert "With a probability of 95%, all intervals of a model contain their true values." in joint
    assert "With a probability of 95%, each interval contains its true value." in alone
    weighted = ConfidenceProfile.from_correctness(RIGHT, SURE, sample_weight=1 + RNG.random(len(SURE)))
    single = confidence_report({"a": weighted, "b": weighted}, metrics=["confidence_gap"]).evidence
    assert "With a probability of 95%" not in trust(single).parts[-1].notes[0]


def test_ranges_stand_in_the_order_of_their_confidences():
    said = [0.55, *np.full(3000, 0.97), *np.full(3000, 0.996), *np.full(500, 0.9995), *np.full(30, 1.0)]
    right = [1, *(np.arange(3000) > 300), *(np.arange(3000) > 200), *np.ones(530)]
    table = trust(evidence_of(np.array(right) == 1, np.array(said))).parts[-1].table
    begins = [float(name.removeprefix("≥ ").split()[0]) for name in table["answers"][1:]]
    assert table["answers"][0] == "all"
    assert begins == sorted(begins)
    assert len(set(begins) - {0.9, 0.99, 0.999, 1.0}) == 1  # that of the range that was found


@pytest.mark.parametrize("weighted", [False, True])
def test_the_diagram_is_that_of_the_display(weighted):
    """One binning, whether matplotlib draws it or the page."""
    evidence = evidence_of(sample_weight=RNG.random(3000) if weighted else None)
    data = charts(trust(evidence))[0].data
    display = ReliabilityDisplay.from_profile(*evidence.profiles.values())
    for column, numbers in zip(
        ("says", "right", "low", "high", "answers"),
        (display.confidence, display.accuracy, display.low, display.high, display.weight),
        strict=True,
    ):
        np.testing.assert_array_equal(data[column], numbers)


def test_the_line_of_the_page_breaks_where_that_of_the_display_does():
    sure = np.array([0.51, *np.full(200, 0.55), *np.full(200, 0.62), *np.full(3, 0.7), *np.full(200, 0.95)])
    evidence = evidence_of(np.arange(604) % 3 > 0, sure)
    line = next(mark for mark in charts(trust(evidence))[0].marks if isinstance(mark, Line) and mark.series == 0)
    display = ReliabilityDisplay.from_predictions(*evidence.profiles.values(), name="mine")
    drawn = next(each for each in display.ax_.lines if each.get_label() == "mine")
    np.testing.assert_array_equal(np.column_stack([line.x, line.y]), drawn.get_xydata())
    assert np.isnan(line.x).sum() == 3  # around the three answers, and across the empty bins


def test_the_diagram_has_the_answers_of_each_bin_with_exact_intervals():
    data = charts(trust(evidence_of()))[0].data
    bins = np.ceil(15 * SURE).astype(int)
    for row, each in zip(data.itertuples(), np.unique(bins), strict=True):
        part = bins == each
        assert row.answers == part.sum()
        assert row.says == pytest.approx(SURE[part].mean())
        assert row.right == pytest.approx(RIGHT[part].mean())
        exact = binomtest(int(RIGHT[part].sum()), int(part.sum())).proportion_ci(0.95, "exact")
        assert (row.low, row.high) == pytest.approx(tuple(exact))


def test_the_tail_has_observed_and_expected_errors_where_enough_answers_are():
    data = charts(trust(evidence_of()))[1].data
    for row in data.itertuples():
        top = row._1 <= SURE  # the column "from"
        assert row.answers == top.sum() >= 50
        assert row.wrong == pytest.approx((~RIGHT[top]).mean())
        assert row.expected == pytest.approx((1 - SURE[top]).mean())
    assert 0.99 in data["from"].to_numpy()


def test_a_model_that_is_never_sure_has_no_tail():
    section = trust(evidence_of(RIGHT, SURE * 0.4))
    assert [chart.name for chart in charts(section)] == ["Accuracy by confidence"]
    assert section.html(Ids())


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_answers(n):
    section = trust(evidence_of(RIGHT[:n], SURE[:n]))
    assert "Too few to say" in section.text()
    assert "nan" not in section.html(Ids()).lower()


def test_weighted_answers_are_not_counted():
    section = trust(evidence_of(sample_weight=RNG.random(3000)))
    assert list(section.parts[-1].table.columns) == ["answers", "rows", "average confidence", "accuracy"]
    data = charts(section)[0].data
    assert (data["high"] - data["low"]).min() > 0


def test_pictures_can_be_left_out():
    assert "<svg" not in trust(evidence_of(), pictures=False).html(Ids())


def test_no_error_is_a_bar_without_a_point():
    """It had the mark of an error rate."""
    sure = np.repeat([0.8, 0.95], 200)
    page = confidence_report(ConfidenceProfile.from_correctness(np.ones(400), sure)).page()
    (tail,) = (figure for figure in page.split("<figure")[1:] if "<strong>Errors of the most" in figure)
    *_, points = re.findall(r'<g class="points[^"]*">(.*?)</g>', tail, re.S)
    interval, marker = re.findall(r'<path d="([^"]*)"', points)
    assert marker == ""
    steps = [list(map(float, re.findall(r"[\d.]+", part))) for part in interval.split("M")[1:]]
    assert sum(y == to_y and x != to_x for x, y, to_x, to_y in steps) == 2  # from 0.8 and from 0.95 up
    assert sum(x == to_x for x, _, to_x, _ in steps) == 2
