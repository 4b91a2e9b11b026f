"""Whether confidences may be trusted: counts, charts and advice, against counts by hand."""

import numpy as np
import pytest
from scipy.stats import binomtest

from skconf import ConfidenceProfile, confidence_report
from skconf.report._page.ids import Ids
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
    assert verdict.kind == "finding fault"
    assert verdict.words.startswith("Too sure: says ")
    assert "calibrate it" in todo.words
    modest = trust(evidence_of(RNG.random(3000) < 0.5 + SURE / 2)).parts
    assert modest[0].words.startswith("Too modest")
    assert "their order may still serve to abstain" in modest[1].words
    fine = trust(evidence_of(RNG.random(3000) < SURE)).parts
    assert "no fault shown is not no fault" in fine[1].words


def test_errors_announced_and_seen_are_counts():
    table = trust(evidence_of()).parts[-1].table.set_index("answers")
    for name, cut in {"all": 0.0, "≥ 0.9": 0.9, "≥ 0.99": 0.99}.items():
        top = cut <= SURE
        wrong, announced = (~RIGHT[top]).sum(), (1 - SURE[top]).sum()
        row = table.loc[name]
        assert row["rows"] == f"{top.sum():,}"
        assert row["wrong"] == f"{wrong:,}"
        assert float(row["announced"].replace(",", "")) == pytest.approx(announced, rel=0.01)
        low, high = (top.sum() * end / announced for end in binomtest(int(wrong), int(top.sum())).proportion_ci())
        shown = [float(part.strip("[],")) for part in row["wrong ÷ announced"].split()]
        assert shown == pytest.approx([wrong / announced, low, high], rel=0.1)


def test_the_diagram_has_bins_of_equally_many_answers_with_exact_intervals():
    data = charts(trust(evidence_of()))[0].data
    order = np.argsort(SURE)
    start = 0
    for row in data.itertuples():
        part = order[start : start + int(row.answers)]
        start += int(row.answers)
        assert row.says == pytest.approx(SURE[part].mean())
        assert row.right == pytest.approx(RIGHT[part].mean())
        exact = binomtest(int(RIGHT[part].sum()), len(part)).proportion_ci(0.95, "exact")
        assert (row.low, row.high) == pytest.approx(tuple(exact))
    assert start == len(SURE)
    assert data["answers"].max() - data["answers"].min() <= 100  # but for the ties at the ends


def test_the_tail_has_errors_seen_and_announced_where_enough_answers_are():
    data = charts(trust(evidence_of()))[1].data
    for row in data.itertuples():
        top = row._1 <= SURE  # the column "from"
        assert row.answers == top.sum() >= 50
        assert row.wrong == pytest.approx((~RIGHT[top]).mean())
        assert row.announced == pytest.approx((1 - SURE[top]).mean())
    assert 0.99 in data["from"].to_numpy()


def test_a_model_that_is_never_sure_has_no_tail():
    section = trust(evidence_of(RIGHT, SURE * 0.4))
    assert [chart.name for chart in charts(section)] == ["What it says, and what is right"]
    assert section.html(Ids())


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_answers(n):
    section = trust(evidence_of(RIGHT[:n], SURE[:n]))
    assert "too few to say" in section.text()
    assert "nan" not in section.html(Ids()).lower()


def test_weighted_answers_are_not_counted():
    section = trust(evidence_of(sample_weight=RNG.random(3000)))
    assert list(section.parts[-1].table.columns) == ["answers", "rows", "says it is right in", "is right in"]
    data = charts(section)[0].data
    assert (data["high"] - data["low"]).min() > 0


def test_pictures_can_be_left_out():
    assert "<svg" not in trust(evidence_of(), pictures=False).html(Ids())
