"""The report on graded answers, costs and answers in groups: numbers against loops, words against their kind."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from skconf import ConfidenceProfile, confidence_report
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.stops import Stops
from skconf.report._page.elements import Ids
from skconf.report._sections.abstain import abstain
from skconf.report._sections.slices import slice_parts
from skconf.report._sections.trust import trust
from skconf.report._sections.where import findings, where
from skconf.report._sections.which import which

N = 1200
LABELS = ["even", "prime", "<b>"]


def graded(shift=0.0, seed=0, n=N):
    """Calibrated, but for a shift of the confidence."""
    rng = np.random.default_rng(seed)
    c = rng.beta(4, 1, n)
    return ConfidenceProfile.from_correctness(rng.beta(4 * c, 4 * (1 - c)), np.clip(c + shift, 0, 1))


def labels(n=400, bad=None, seed=0):
    """A multilabel task whose labels are calibrated, but for one."""
    rng = np.random.default_rng(seed)
    proba = rng.beta(0.3, 0.3, (n, 3))
    chance = proba.copy()
    if bad is not None:
        chance[:, bad] = 0.5 + 0.4 * (chance[:, bad] - 0.5)
    return ConfidenceProfile.from_multilabel(rng.random((n, 3)) < chance, proba, labels=LABELS)


def costs(factor=1.0, seed=0):
    rng = np.random.default_rng(seed)
    u = rng.gamma(2, 1, N)
    return ConfidenceProfile.from_costs(factor * u * rng.exponential(1, N), u, largest=12)


KINDS = {"graded": graded(), "groups": labels(), "costs": costs()}
of_each_kind = pytest.mark.parametrize("profile", KINDS.values(), ids=KINDS)


def evidence_of(profile, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return confidence_report(profile, metrics=["aurc_loss"], **options).evidence


def bare(profile, **options):
    """The same without metrics, which take long."""
    return Evidence(rows=[], values={"value": []}, profiles={"value": profile}, **options)


def table_of(section, title):
    (found,) = (part for part in section.parts if getattr(part, "title", None) == title)
    return found.table


@of_each_kind
def test_every_question_is_answered(profile):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = confidence_report(profile, slices={"half": np.arange(len(profile)) % 2})
    text, page = report.text(), report.page()
    numbers = "uncertainties" if profile.kind == "costs" else "confidences"
    for question in (f"Can I trust its {numbers}?", "When should it abstain?", "Where does it fail?"):
        assert question in text
        assert question in page
    assert not re.search(r"\bnan\b", text + page)
    assert "half = 0" in text
    assert "<b>" not in page
    for what in ("wrong", "errors at most", "size ratio"):
        assert (profile.kind == "costs" and what in text) is False
    assert re.search(r"\*\*Accept\*\*: \w+.* \d", report.model_card())
    assert "prime" not in report.page(anonymous=True)


@of_each_kind
def test_two_models_are_compared(profile):
    other = replace(profile, score=profile.score[::-1].copy())
    section = which(evidence_of({"one": profile, "two": other}))
    assert "(AURC): one better" in " ".join(section.text().split())
    assert ("right answers" in section.text()) == (profile.kind == "right or wrong")
    assert ("Mean cost of its answers: no clear difference, 0 [0, 0]" in section.text()) == (profile.kind == "costs")


def test_correctness_and_costs_have_a_table_alone():
    profiles = {"one": graded(), "two": costs()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = confidence_report(profiles, metrics=["aurc_loss"])
    assert report.evidence is None
    with pytest.raises(ValueError, match="only some of its models have costs"):
        report.model_card()


def test_answers_that_cost_nothing_are_all_accepted():
    free = ConfidenceProfile.from_costs(np.zeros(200), np.linspace(0.1, 1, 200))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = confidence_report(free)
    assert "Accept**: All answers: 0 is the mean cost of all answers" in report.model_card()
    assert "Mean cost of the answers" not in report.page()  # no curve without costs


class TestTrust:
    def test_what_is_lost_is_a_sum(self):
        profile = graded(0.05)
        section = trust(evidence_of(profile))
        assert section.parts[0].words.startswith("Overconfident: ")
        table = table_of(section, "Expected and observed errors").set_index("answers")
        for name, cut in {"all": 0.0, "≥ 0.9": 0.9, "≥ 0.99": 0.99}.items():
            top = profile.confidence >= cut
            row, lost, announced = table.loc[name], profile.loss[top], 1 - profile.confidence[top]
            assert row["rows"] == f"{top.sum():,}"
            assert float(row["lost"].replace(",", "")) == pytest.approx(lost.sum(), rel=0.01)
            assert float(row["expected"].replace(",", "")) == pytest.approx(announced.sum(), rel=0.01)
            mean, low, high = (
                float(part.strip("[],%")) for part in row["average correctness"].replace("%", "").split()
            )
            expected = stats.ttest_1samp(1 - lost, 0).confidence_interval(0.95)
            assert mean == pytest.approx(100 * (1 - lost.mean()), abs=0.06)
            assert (low, high) == pytest.approx((100 * expected.low, 100 * expected.high), abs=0.6)

    def test_labels_of_a_row_count_together(self):
        profile = labels()
        assert trust(evidence_of(profile)).parts[-1].table.loc[0, "wrong"] == f"{(~profile.correct).sum():,}"
        repeated = ConfidenceProfile.from_correctness(
            np.repeat(profile.correct, 9), np.repeat(profile.confidence, 9), groups=np.repeat(np.arange(1200), 9)
        )
        ends = []
        for each in (replace(profile, groups=np.arange(len(profile))), repeated):
            cell = trust(evidence_of(each)).parts[-1].table.loc[0, "accuracy"]
            ends.append([float(end) for end in re.findall(r"[\d.]+", cell)[1:]])
        assert ends[1] == pytest.approx(ends[0], abs=0.11)  # nine copies of an answer are one

    def test_costs_that_are_announced_too_low(self):
        profile = costs(1.4)
        section = trust(evidence_of(profile))
        paid, said = profile.answer_cost, profile.uncertainty
        assert section.parts[0].words.startswith(f"Overconfident: average uncertainty is {said.mean():.2f}, but ")
        assert section.parts[0].harm == "serious"
        ends = stats.ttest_1samp(paid, 0).confidence_interval(0.95)
        assert f"{paid.mean():.2f} (95% interval {ends.low:.2f}–{ends.high:.2f})" in section.parts[0].words
        assert trust(evidence_of(costs())).parts[0].words.startswith("No sign of a gap: ")
        few = trust(evidence_of(costs()[:20]))
        assert few.parts[0].words == "Too few to say: there are too few answers with costs."

    @pytest.mark.simulation
    def test_calibrated_costs_are_called_too_sure_or_modest_in_one_of_twenty(self):
        found = [bare(costs(seed=seed)).assessments["value"].p_value for seed in range(200)]
        assert 1 <= np.count_nonzero(np.array(found) <= 0.05) <= 19

    def test_bins_of_the_diagram_are_means(self):
        profile = costs()
        data = trust(evidence_of(profile)).parts[2].parts[0].chart.data
        order = np.argsort(profile.uncertainty)
        start = 0
        for row in data.itertuples():
            part = order[start : start + int(row.answers)]
            start += int(row.answers)
            assert (row.says, row.right) == pytest.approx((profile.uncertainty[part].mean(), profile.loss[part].mean()))
            ends = stats.ttest_1samp(profile.loss[part], 0).confidence_interval(0.95)
            assert (row.low, row.high) == pytest.approx((max(ends.low, 0), ends.high))
        assert start == N


class TestAbstain:
    @of_each_kind
    def test_stops_are_means(self, profile):
        stops = Stops.of(profile, 0.95)
        for at in range(0, len(stops.score), 97):
            accepted = profile.score >= stops.score[at]
            assert stops.answered[at] == pytest.approx(accepted.mean())
            assert stops.wrong[at] == pytest.approx(profile.loss[accepted].mean())
            low, high = stops.ends(at)
            assert at == 0 or low <= stops.wrong[at] <= high

    def test_printed_uncertainties_accept_what_stands_beside_them(self):
        profile = costs()
        table = table_of(abstain(evidence_of(profile)), "Thresholds for the mean costs that you allow")
        table = table.set_axis([name for _, name in table.columns], axis=1)
        assert len(table) == 4
        for _, row in table.iterrows():
            accepted = profile.uncertainty <= float(row["observed uncertainty at most"])
            assert f"{1000 * accepted.mean():,.0f}" == row["answered of 1,000"]
            assert profile.loss[accepted].mean() <= float(row["mean cost at most"])
            assert not any("guaranteed" in name for name in row.index)

    @pytest.mark.slow
    def test_assured_thresholds_of_graded_answers_keep_their_promise(self):
        """At 80%: the mean loss of what is accepted exceeds the target in no more than one of five sets."""
        truth, broken, found = graded(seed=999, n=200_000), 0, 0
        for seed in range(120):
            evidence = bare(graded(seed=seed, n=300), level=0.8)
            guarantee = evidence.guarantee("value", 0.10)
            if guarantee.status == "guaranteed":
                found += 1
                threshold = evidence.stops["value"].threshold(guarantee.stop)
                broken += truth.loss[truth.score >= threshold].mean() > 0.10
        assert found > 60
        assert broken <= 0.2 * 120 + 2.6 * np.sqrt(120 * 0.2 * 0.8)

    def test_clusters_that_are_needed_are_counted(self):
        text = abstain(evidence_of(labels(40))).text()
        assert "none: needs 59 clusters" in text.replace("rows", "clusters")
        assert "none: needs 59 rows" not in text


class TestWhere:
    def test_the_worst_label_is_found(self):
        profile = labels(2000, bad=1)
        evidence = evidence_of(profile)
        said = findings(evidence)
        rows = np.arange(len(profile)) % 3 == 1
        assert said[0].startswith("Worst label, prime: average confidence ")
        assert f"{100 * profile.correct[rows].mean():.1f}%" in said[0]
        assert said[1].startswith("Overconfident in 1 of 3 slices. Worst, label = prime: average confidence")
        worst = int(np.argmax(np.where(profile.correct, -1, profile.confidence)))
        assert said[2].startswith(f"Most confident error: row {worst // 3 + 1:,}, {LABELS[worst % 3]}, wrong at ")
        part = evidence_of(profile[worst:])  # no longer label by label: answers are counted
        assert f"row 1, {LABELS[worst % 3]}, wrong" in findings(part)[2]

    @pytest.mark.simulation
    def test_calibrated_labels_are_not_called_too_sure(self):
        called = sum(len(bare(labels(seed=seed)).by_slice["value"].overconfident) > 0 for seed in range(100))
        assert called <= 11

    def test_slices_of_graded_answers_are_tested_by_a_t_test(self):
        profile = graded(0.05)
        half = np.arange(N) % 2
        found = evidence_of(profile, slices={"half": half}).by_slice["value"]
        for at, name in enumerate(found.names):
            apart = (profile.confidence - profile.correctness)[half == int(name[-1])]
            alone = stats.ttest_1samp(apart, 0, alternative="greater").pvalue
            assert alone <= found.p_values[at] <= 2 * alone
        assert len(found.overconfident) == 2
        note = slice_parts(found, "")[0].notes[0]
        assert "if confidences are calibrated and answers are independent" in note
        assert "Holm's method for 2 slices, and" in note

    def test_costs_are_not_tested(self):
        evidence = evidence_of(costs(1.4), slices={"shop": np.array(["a", "b"])[np.arange(N) % 2]})
        text = " ".join(where(evidence).text().split())
        assert "Worst of 2 slices (this may be chance), shop = " in text
        assert "too sure" not in text
        assert "not tested: costs have no bound" in text
        assert "Cost furthest above its uncertainty: row " in text
        assert where(evidence).html(Ids())
