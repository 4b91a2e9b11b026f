"""The numbers of the summary are counted again by numpy, from the probabilities alone."""

import re

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, ConfidenceReport, confidence_report

N = 4000


def binary(sharpness, noise=0.0):
    rng = np.random.default_rng(0)
    logit = rng.normal(0, 2.5, N)
    y = (rng.random(N) < 1 / (1 + np.exp(-logit))).astype(int)
    logit = logit + np.random.default_rng(1).normal(0, 1, N) * noise
    return y, 1 / (1 + np.exp(-sharpness * logit))


def said_by(report):
    """Return the questions of a summary with their answers, each in one line."""
    text = re.sub(r"\n  ", " ", report.summary())
    return dict(line.split(": ", 1) for line in text.splitlines())


def counted(y, p):
    return np.maximum(p, 1 - p), (p > 0.5) == (y == 1)


def test_a_threshold_that_is_observed_and_guaranteed_is_never_called_without_a_guarantee():
    sure = np.repeat([0.9, 0.6], 1000)
    right = np.concatenate([np.arange(1000) >= 2, np.arange(1000) >= 400])
    said = said_by(confidence_report(ConfidenceProfile.from_correctness(right, sure), errors=0.05))["Accept"]
    assert said == (
        "Confidence 0.9 or more: errors at most 5% on new cases like these, guaranteed with a probability of 95%; 500 "
        "of every 1,000 cases are answered. In these rows, confidence 0.9 or more: 0.2% of these answers are wrong, "
        "500 of every 1,000 cases are answered."
    )


@pytest.mark.parametrize("allowed", [0.02, 0.05, 0.1])
def test_thresholds_are_counted_again(allowed):
    y, p = binary(1.4)
    sure, right = counted(y, p)
    said = said_by(confidence_report(y, p, errors=allowed))["Accept"]
    found = re.fullmatch(
        rf"Confidence ([\d.]+) or more: errors at most {100 * allowed:g}% on new cases like these, guaranteed with a "
        r"probability of 95%; ([\d,]+) of every 1,000 cases are answered\. In these rows, without a guarantee, "
        r"confidence ([\d.]+) or more: "
        r"([\d.]+)% of these answers are wrong, ([\d,]+) of every 1,000 cases are answered\.",
        said,
    )
    guaranteed, fewer, threshold, wrong, answered = (float(each.replace(",", "")) for each in found.groups())
    kept = sure >= threshold
    assert wrong == pytest.approx(100 * (~right[kept]).mean(), abs=0.05)
    assert answered == round(1000 * kept.mean())
    assert (~right[kept]).mean() <= allowed
    # No lower threshold keeps it.
    below = [(~right[sure >= each]).mean() for each in np.unique(sure[~kept])]
    assert min(below) > allowed
    assert fewer == round(1000 * (sure >= guaranteed).mean())
    assert fewer < answered


def test_trust_and_failure_are_counted_again():
    y, p = binary(1.6)
    sure, right = counted(y, p)
    said = said_by(confidence_report(y, p))
    assert said["Data"] == "4,000 labelled rows, 2 classes."
    assert f"average confidence is {100 * sure.mean():.1f}%" in said["Trust"]
    assert f"{100 * right.mean():.1f}% of answers are right" in said["Trust"]
    label, confidence, accuracy, rows = re.match(
        r"Most overconfident when it predicts class (\d): average confidence ([\d.]+)%, accuracy ([\d.]+)% .* "
        r"in ([\d,]+) answers\.",
        said["Fails"],
    ).groups()
    part = (p > 0.5) == (label == "1")
    assert rows == f"{part.sum():,}"
    assert float(confidence) == pytest.approx(100 * sure[part].mean(), abs=0.05)
    assert float(accuracy) == pytest.approx(100 * right[part].mean(), abs=0.05)


def test_what_is_fine_for_all_answers_is_not_called_fine_where_it_is_not():
    wrong = np.concatenate([np.arange(400) < 80, np.arange(400) < 0])  # 10% are implied of each class: 80 of all
    p = np.repeat([0.1, 0.9], 400)
    report = confidence_report((p > 0.5) ^ wrong, p)
    said = said_by(report)
    assert said["Trust"].startswith("No sign of miscalibration: average confidence is 90.0%, and 90.0% of answers are")
    assert said["Trust"].endswith('But it is overconfident in a part of the answers: see "Fails" below.')
    assert said["Fails"].startswith("Most overconfident when it predicts class False: average confidence 90.0%, accura")
    assert "What to do: use its confidences, but not where it is overconfident" in " ".join(report.text().split())
    even = confidence_report((p > 0.5) ^ (np.arange(800) % 10 == 0), p)
    assert "Fails" not in said_by(even)["Trust"]


@pytest.mark.parametrize("seed", [71, 74])
def test_what_is_overconfident_is_not_contrasted_with_a_part_that_is(seed):
    rng, n = np.random.default_rng(seed), 400
    score = np.exp(rng.normal(size=(n, 3)) * 1.5)
    truth = score / score.sum(axis=1, keepdims=True)
    y = np.array([rng.choice(3, p=row) for row in truth])
    report = confidence_report(y, truth**1.3 / (truth**1.3).sum(axis=1, keepdims=True))
    assert report.evidence.assessments["value"].grade == "negligible"
    said = said_by(report)
    assert said["Trust"].startswith("Overconfident")
    assert said["Fails"].startswith("Most overconfident when it predicts class")
    assert "But it is overconfident" not in said["Trust"]


@pytest.mark.parametrize(
    ("sharper", "n_rows", "holds"), [(1.6, 4000, True), (1.0, 4000, False), (0.5, 4000, False), (1.6, 50, False)]
)
def test_a_guarantee_is_named_beside_confidences_that_are_too_high(sharper, n_rows, holds):
    """Readers hesitated between "far overconfident" and a threshold that is guaranteed."""
    y, p = binary(sharper)
    said = said_by(confidence_report(y[:n_rows], p[:n_rows]))
    assert said["Trust"].endswith(" The guarantee below is valid despite this.") == holds


@pytest.mark.parametrize("names", ["a", "ab"])
def test_of_several_models_in_batches_that_is_not_said_of_each(names, tmp_path):
    y, p = binary(1.6)
    files = {name: tmp_path / f"{name}.csv" for name in names}
    for path in files.values():
        pd.DataFrame({"y_true": y, "proba_0": 1 - p, "proba_1": p}).to_csv(path, index=False)
    text = ConfidenceReport.from_files(files, in_batches=True).model_card()
    assert text.count("The guarantee below is valid despite this.") == (len(names) == 1)


def test_of_many_models_the_better_one_stands_first():
    y, p = binary(1.0)
    others = {f"noise {noise}": binary(1.0, noise)[1] for noise in (1, 2)}
    said = said_by(confidence_report(y, {"clean": p, **others}))
    assert list(said)[:2] == ["Data", "Compare"]
    assert said["Compare"].startswith("With errors of at most 5% in these rows, clean answers ")
    assert re.search(r"Without a guarantee, [\d.]+ or more: 5\.0% wrong, \d+ answered\.$", said["Accept clean"])
    assert "interval" not in "".join(text for question, text in said.items() if question.startswith("Fails"))


def test_only_models_that_are_shown_to_fail_are_named_as_failing():
    y, p = binary(1.0)
    models = {"as it says": p, "less": binary(0.8)[1], "sharper": 1 / (1 + (1 / p - 1) ** 2)}
    failing = {
        question: text for question, text in said_by(confidence_report(y, models)).items() if "Fails" in question
    }
    assert list(failing) == ["Fails sharper"]
    del models["sharper"]
    failing = {
        question: text for question, text in said_by(confidence_report(y, models)).items() if "Fails" in question
    }
    assert failing == {"Fails": "No class is shown to be overconfident."}


def test_curve_of_differences_is_that_of_the_most_confident():
    y, p = binary(1.0)
    worse = binary(1.0, 2)[1]
    report = confidence_report(y, {"one": p, "two": worse})
    (found,) = report.evidence.risk_differences.values()
    for coverage, value in zip(found.coverage, found.value, strict=True):
        risks = []
        for each in (worse, p):
            sure, right = counted(y, each)
            risks.append((~right[np.argsort(-sure)[: round(coverage * N)]]).mean())
        assert value == pytest.approx(risks[0] - risks[1], abs=1e-12)
    page = report.page()
    assert "Errors compared with one" in page
    at = found.coverage[found.low > 0]
    assert re.search(rf"two: more where \d+% to {100 * at.max():.0f}% are answered", page)


def test_models_that_no_threshold_helps_are_left_out_of_the_picture():
    y, p = binary(1.0)
    guesses = np.random.default_rng(2).random(N)
    report = confidence_report(y, {"one": p, "two": binary(1.0, 1)[1], "guesses": guesses})
    assert list(report.evidence.risk_differences) == ["two"]
    thresholds = pd.DataFrame(report.thresholds)
    assert thresholds.loc[thresholds["model"] == "guesses", "threshold"].isna().all()
    assert "guesses: no threshold keeps any of these limits." in report.text()


@pytest.mark.parametrize("n_models", [1, 3])
def test_a_guarantee_names_its_level_and_for_whom_it_holds(n_models):
    y, p = binary(1.0)
    report = confidence_report(
        y, p if n_models == 1 else {f"noise {n}": binary(1.0, n / 5)[1] for n in range(n_models)}
    )
    accepted = [text for question, text in said_by(report).items() if question.startswith("Accept")]
    assert len(accepted) == n_models
    for text in accepted:
        promise = r"errors at most \d+% on new cases like these, guaranteed with a probability of 95%"
        assert re.match(rf"Confidence [\d.]+ or more: {promise}; [\d,]+ of every 1,000 (cases are )?answered\.", text)


def test_tables_and_pictures_are_in_the_order_of_harm():
    y, p = binary(1.0)
    far, some = (1 / (1 + (1 / p - 1) ** times) for times in (8.0, 1.5))
    report = confidence_report(y, {"far": far, "some": some, "calm": p})
    order = ["calm", "some", "far"]
    trust = re.findall(r"^(\w+): (?:Over|Far|No |Close|Neg)", report.text(), re.M)
    assert trust == order
    page = report.page()
    legends = re.findall(r'class="legend".*?</ul>|<ul[^>]*>.*?</ul>', page, re.S)
    named = [found for legend in legends if len(found := re.findall(r">(calm|some|far)<", legend)) == 3]
    assert named
    assert all(found == order for found in named)
    slider, thresholds = (re.findall(rf"^ *({'|'.join(order)})\b", part, re.M) for part in _abstain(report.text()))
    assert (slider[:3], list(dict.fromkeys(thresholds))) == (order, order)


def _abstain(text):
    part = text.partition("When should they abstain?")[2]
    slider, _, rest = part.partition("Thresholds for the errors that you allow")
    return slider, rest.partition("Observed: ")[0]


def test_what_keeps_the_errors_as_it_is_says_whether_that_is_guaranteed():
    many, few = (ConfidenceProfile.from_correctness(np.ones(n), np.full(n, 0.99)) for n in (400, 100))
    assert said_by(confidence_report(many))["Accept"] == (
        "All answers: errors at most 1% on new cases like these, guaranteed with a probability of 95%. "
        "In these rows, 0% of all answers are wrong."
    )
    # 0.99^n <= 0.05 from n = 299 on.
    assert said_by(confidence_report(few))["Accept"] == (
        "All answers: 0% of all answers are wrong "
        "(errors at most 1% cannot be guaranteed: that needs at least 299 rows)."
    )


@pytest.mark.parametrize("noise", [0.35, 0.6])
def test_a_difference_is_that_of_the_printed_counts_and_its_interval_reads_in_the_same_direction(noise):
    y, p = binary(1.0)
    said = said_by(confidence_report(y, {"clean": p, "noisy": binary(1.0, noise)[1]}))["Compare"]
    best, other, difference, low, low_is, high, high_is = re.search(
        r"answers (\d+) of every 1,000 cases; .* answers (\d+), (?:no clear difference \()?(\d+) fewer"
        r"(?:;| \() ?95% interval: (\d+)( more)? to (\d+)( more| fewer)\)",
        said,
    ).groups()
    assert int(difference) == int(best) - int(other)
    low, high = (-int(low) if low_is else int(low)), (-int(high) if high_is == " more" else int(high))
    assert low <= int(difference) <= high
    if low > 0 or high < 0:
        assert "no clear difference" not in said
    if low < 0 < high:
        assert "no clear difference" in said


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ((10, 1), "confidence 0.9 or more costs least: 200 per 1,000 cases, of which 900 are answered."),
        ((1, 1), "answering every case costs least: 60 per 1,000 cases."),
        ((200, 1), "no threshold costs less than sending every case to a person."),
    ],
)
def test_the_least_cost_of_a_single_model_is_said_if_prices_are_given(prices, said):
    """Of 1,000 answers, 900 have 10 errors and 100 have 50 errors."""
    wrong, sure = np.concatenate([np.arange(900) < 10, np.arange(100) < 50]), np.repeat([0.9, 0.6], [900, 100])
    profile = ConfidenceProfile.from_correctness(~wrong, sure)
    cost = said_by(confidence_report(profile, prices=prices))["Cost"]
    assert cost == f"If an error costs {prices[0]} and a case sent to a person costs {prices[1]}, {said}"
    assert "Cost" not in said_by(confidence_report(profile))
