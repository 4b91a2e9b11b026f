"""``threshold``: what it prints for a config is what Python chooses, and what a count finds."""

import json
import tomllib
import unicodedata

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, tune_threshold
from skconf.cli import main
from skconf.metrics import cwsa_score, ecuas_loss

RNG = np.random.default_rng(0)
N = 6000
CONFIDENCE = RNG.beta(4, 1, N)
FRAUD = np.where(RNG.random(N) < 0.5, CONFIDENCE, 1 - CONFIDENCE).round(4)
LABEL = np.where(RNG.random(N) < FRAUD, "fraud", "ok")
REGION = RNG.choice(["north", "south", "tiny"], N, p=[0.6, 0.39, 0.01])
AGE = RNG.integers(0, 90, N)
TABLE = pd.DataFrame({"y_true": LABEL, "proba_fraud": FRAUD, "proba_ok": 1 - FRAUD, "region": REGION, "age": AGE})
RIGHT = (FRAUD > 0.5) == (LABEL == "fraud")
ANSWERS = pd.DataFrame({"correct": RIGHT.astype(int), "confidence": np.maximum(FRAUD, 1 - FRAUD)})
PROFILE = ConfidenceProfile.from_predictions(LABEL, np.c_[FRAUD, 1 - FRAUD], labels=["fraud", "ok"])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("p.csv", index=False)
    ANSWERS.to_csv("a.csv", index=False)


def run(capsys, *arguments, status=0):
    assert main(["threshold", *arguments]) == status
    return capsys.readouterr().out


def test_text_says_what_is_accepted_and_what_holds(capsys):
    out = run(capsys, "p.csv", "--target", "risk=0.1")
    tuned = tune_threshold(PROFILE, target=0.1, confidence_level=0.95)
    accepted = PROFILE.confidence >= tuned.threshold
    assert f"Accept from {tuned.threshold} up, {1000 * accepted.mean():.0f} of every 1,000 cases." in out
    assert f"risk: at most 10%, guaranteed. Observed {100 * (~RIGHT[accepted]).mean():.3g}%" in out


@pytest.mark.parametrize(("form", "read"), [("json", json.loads), ("toml", tomllib.loads)])
def test_config_holds_the_thresholds_of_each_slice(capsys, form, read):
    promises = ["risk=0.1", "false_negative_rate:fraud=0.2"]
    out = run(capsys, "p.csv", "--target", *promises, "--slices", "region", "--format", form, status=1)
    found = read(out)
    target = {"risk": 0.1, "false_negative_rate": {"fraud": 0.2}}
    with pytest.warns(UserWarning, match="1 of 3 slices is rejected"):
        tuned = tune_threshold(PROFILE, target=target, confidence_level=0.95, slices=TABLE[["region"]], random_state=0)
    entries = {entry["slice"]["region"]: entry for entry in found["thresholds"]}
    assert list(entries) == list(tuned.thresholds.index)
    for region, entry in entries.items():
        assert entry.get("threshold", np.inf) == tuned.thresholds[region]
        assert entry["accepts"] == np.isfinite(tuned.thresholds[region])
        accepted = (region == REGION) & (PROFILE.confidence >= tuned.thresholds[region])
        assert entry["coverage"] == pytest.approx(accepted.sum() / (region == REGION).sum(), abs=1e-12)
        risk, missed = entry["promises"]
        if entry["accepts"]:
            assert risk["observed"] == pytest.approx((~RIGHT[accepted]).mean(), abs=1e-12)
            is_fraud = LABEL == "fraud"
            of_fraud = (region == REGION) & is_fraud
            assert missed["observed"] == pytest.approx((accepted & is_fraud & ~RIGHT).sum() / of_fraud.sum(), abs=1e-12)
            assert risk["shown"]
            assert missed["class"] == "fraud"
    assert found["shown"] is False
    assert "reason" in entries["tiny"]["promises"][0]


@pytest.mark.parametrize("label", ["1", "1.0"])
def test_classes_are_found_in_any_spelling_of_their_number(label, capsys):
    TABLE.assign(y_true=(LABEL == "fraud").astype(int)).rename(
        columns={"proba_fraud": "proba_1.0", "proba_ok": "proba_0"}
    )[["y_true", "proba_0", "proba_1.0"]].to_csv("n.csv", index=False)
    found = json.loads(run(capsys, "n.csv", "--target", f"false_negative_rate:{label}=0.2", "--format", "json"))
    assert float(found["thresholds"][0]["promises"][0]["class"]) == 1


def test_answers_and_predicted_classes(capsys):
    found = json.loads(run(capsys, "a.csv", "--target", "risk=0.1", "--format", "json"))
    assert found["thresholds"][0]["threshold"] == tune_threshold(PROFILE, target=0.1, confidence_level=0.95).threshold
    sliced = ("--slices", "predicted_class", "--target", "risk=0.1", "--format", "json")
    found = json.loads(run(capsys, "p.csv", *sliced))
    tuned = tune_threshold(PROFILE, target=0.1, confidence_level=0.95, slices="predicted_class")
    thresholds = {entry["slice"]["predicted_class"]: entry["threshold"] for entry in found["thresholds"]}
    assert thresholds == tuned.thresholds.to_dict()


def test_predicted_classes_without_probabilities(capsys):
    predicted = PROFILE.classes[PROFILE.predicted_class]
    table = pd.DataFrame({"label": LABEL, "guess": predicted, "confidence": PROFILE.confidence})
    arguments = ("--slices", "predicted_class", "--target", "risk=0.1", "--format", "json")
    expected = tune_threshold(PROFILE, target=0.1, confidence_level=0.95, slices="predicted_class").thresholds.to_dict()
    for name, given in (("predicted_class", ()), ("y_pred", ()), ("guess", ("--prediction", "guess"))):
        table.rename(columns={"guess": name}).to_csv("b.csv", index=False)
        found = json.loads(run(capsys, "b.csv", *arguments, *given))
        assert {entry["slice"][name]: entry["threshold"] for entry in found["thresholds"]} == expected


def test_cwsa_and_what_ecuas_charges_are_no_shares(capsys):
    out = run(capsys, "a.csv", "--target", "cwsa=0.3", "ecuas_1=0.9")
    found = json.loads(run(capsys, "a.csv", "--target", "cwsa=0.3", "ecuas_1=0.9", "--format", "json"))
    (entry,) = found["thresholds"]
    profile = ConfidenceProfile.from_correctness(RIGHT, ANSWERS["confidence"])
    earned = cwsa_score(profile, threshold=entry["threshold"])
    assert f"cwsa: at least 0.3, guaranteed. Observed {earned:.3g}.\n" in out
    accepted = ANSWERS["confidence"] >= entry["threshold"]
    charged = ecuas_loss(ConfidenceProfile.from_correctness(RIGHT[accepted], ANSWERS["confidence"][accepted]), n=1)
    assert entry["promises"][1]["observed"] == pytest.approx(charged)


def test_a_floor_that_accepts_everything_is_a_threshold_of_0(capsys):
    found = json.loads(run(capsys, "a.csv", "--target", "risk=0.9", "--format", "json"))
    assert found["thresholds"][0]["threshold"] == 0


def test_rows_that_abstain_are_no_cases_that_could_be_accepted(capsys):
    gone = np.arange(N) % 4 == 0
    ANSWERS.assign(abstained=gone.astype(int)).to_csv("gone.csv", index=False)
    out = run(capsys, "gone.csv", "--target", "risk=0.1")
    assert f"{N:,} rows: {(~gone).sum():,} are answers; in the others, the model abstains. With a probability" in out
    found = json.loads(run(capsys, "gone.csv", "--target", "risk=0.1", "--format", "json"))
    accepted = (ANSWERS["confidence"] >= found["thresholds"][0]["threshold"])[~gone]
    assert (found["rows"], found["answers"]) == (N, (~gone).sum())
    assert found["thresholds"][0]["coverage"] == pytest.approx(accepted.sum() / N, abs=1e-12)
    assert f"{1000 * accepted.sum() / N:.0f} of every 1,000 cases." in out


def test_one_row_of_each_cluster_counts_and_the_text_says_so(capsys):
    """Rows of a cluster are equal, so it does not matter which one is drawn; sure clusters have more rows."""
    times = np.where(ANSWERS["confidence"] > 0.9, 5, 1)
    rows = np.repeat(np.arange(N), times)
    ANSWERS.iloc[rows].assign(case=rows).to_csv("c.csv", index=False)
    arguments = ("c.csv", "--target", "risk=0.1", "--cluster", "case")
    out, found = run(capsys, *arguments), json.loads(run(capsys, *arguments, "--format", "json"))
    (entry,) = found["thresholds"]
    accepted = ANSWERS["confidence"] >= entry["threshold"]
    assert (found["rows"], found["clusters"]) == (len(rows), N)
    assert entry["coverage"] == pytest.approx(accepted.mean(), abs=1e-12)
    assert abs(entry["coverage"] - np.average(accepted, weights=times)) > 0.1  # of all rows
    assert f"All numbers below are from one random row of each cluster ({N:,} clusters)." in out
    ANSWERS.iloc[rows].assign(case=rows, region=REGION[rows]).to_csv("c.csv", index=False)
    assert "from one random row of each cluster and slice (" in run(capsys, *arguments, "--slices", "region", status=1)


def test_many_slices_without_rows_enough_are_told_in_short(capsys):
    TABLE.assign(shop=[f"s{row % 400}" for row in range(N)]).to_csv("shops.csv", index=False)
    out = run(capsys, "shops.csv", "--slices", "shop", status=1)
    assert "Reject everything in 397 more slices, for" in out
    assert len(out.splitlines()) < 20


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("p.csv", "--target", "fnr:fraud=0.1"), "target has 'fnr', but can only have risk,"),
        (("p.csv", "--target", "recall:frau=0.1"), "Did you mean 'fraud'?"),
        (("p.csv", "--target", "risk=5"), "For 5% pass 0.05."),
        (("p.csv", "--target", "risk=0.1", "risk=0.2"), "--target has risk twice"),
        (("p.csv", "--target", "cost=1"), "use tune_threshold in Python"),
        (("p.csv", "--slices", "regio"), "Did you mean 'region'?"),
        (("p.csv", "--slices", "age"), "90 distinct numbers"),
        (("p.csv", "--label", "nope"), "name one of them with --label"),
        (("a.csv", "--target", "recall:1=0.1"), "Or use a target for the risk."),
        (("p.csv", "--target", "coverage=1"), "must be below 1. No number of samples can show that a rate is one"),
        (("p.csv", "--target", "recall:fraud=1"), "must be below 1"),
        (("no.csv",), "no.csv"),
    ],
)
def test_mistakes_are_told_in_a_line(capsys, arguments, words):
    assert main(["threshold", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize("promise", ["risk", "=0.1", "risk=much", "risk=nan"])
def test_a_promise_that_cannot_be_read_is_named(capsys, promise):
    with pytest.raises(SystemExit) as ended:
        main(["threshold", "p.csv", "--target", promise])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "must be NAME=SHARE" in error
    assert "--label names the true labels" in error


def test_rates_of_a_class_need_the_probabilities_of_labels_with_confidences(capsys):
    labels = pd.DataFrame({"y_true": LABEL, "y_pred": np.where(RIGHT, LABEL, "x"), "confidence": ANSWERS["confidence"]})
    labels.to_csv("l.csv", index=False)
    assert main(["threshold", "l.csv", "--target", "recall:fraud=0.5"]) == 2
    assert "probabilities of all classes (--proba)" in capsys.readouterr().err


def test_grades_are_refused_with_what_to_pass(capsys):
    ANSWERS.assign(correct=np.where(RIGHT, 0.75, 0.0)).to_csv("g.csv", index=False)
    assert main(["threshold", "g.csv"]) == 2
    assert "graded between 0 and 1. Name a column of 1 and 0 with --correct." in capsys.readouterr().err


def test_weights_are_not_offered(capsys):
    """The option is known, so that its error can say why, but the help does not show what is always refused."""
    with pytest.raises(SystemExit):
        main(["threshold", "--help"])
    shown = capsys.readouterr().out
    assert "--weight" not in shown
    assert "there must be no weights" in shown


def test_weights_are_refused(capsys):
    TABLE.assign(sample_weight=2.0).to_csv("w.csv", index=False)
    assert main(["threshold", "w.csv"]) == 2
    assert "counts every row once" in capsys.readouterr().err


@pytest.mark.parametrize(("form", "read"), [("json", json.loads), ("toml", tomllib.loads)])
@pytest.mark.parametrize("odd", ["\x7f", "\x9b2J", "\u202e", "\U000e0041", "🙂", 'a"b\\', "\x1b[31m", "\U000f0000"])
def test_names_and_values_of_slices_are_read_back(capsys, form, read, odd):
    ANSWERS.assign(**{f"region{odd}": np.where(REGION == "north", odd, "b")}).to_csv("odd.csv", index=False)
    out = run(capsys, "odd.csv", "--slices", f"region{odd}", "--target", "risk=0.5", "--format", form)
    assert [entry["slice"] for entry in read(out)["thresholds"]] == [
        {f"region{odd}": each} for each in sorted(["b", odd])
    ]
    assert all(letter == "\n" or unicodedata.category(letter) not in ("Cc", "Cf") for letter in out)


@pytest.mark.parametrize("option", [("--seed", "-1"), ("--seed", "x"), ("--candidates", "0")])
def test_a_number_that_counts_nothing_is_refused(capsys, option):
    with pytest.raises(SystemExit) as ended:
        main(["threshold", "p.csv", *option])
    assert ended.value.code == 2
    assert f"argument {option[0]}: must be a whole number" in capsys.readouterr().err


def test_a_level_in_percent_is_told_as_a_share(capsys):
    with pytest.raises(SystemExit):
        main(["threshold", "p.csv", "--confidence-level", "95"])
    assert "must be a number from 0 to 1, but is '95'; for 95% pass 0.95" in capsys.readouterr().err


class TestAnotherScore:
    """Thresholds by the confidence and by another score hold together, and the better ones are printed."""

    SCORE = (2.0 * RIGHT + RNG.normal(size=N)).round(4)

    def written(self, score, **more):
        ANSWERS.assign(judge=score, **more).to_csv("a.csv", index=False)

    @pytest.mark.parametrize("score", [SCORE, (RIGHT + RNG.normal(size=N)).round(4)], ids=["better", "worse"])
    def test_both_have_half_of_the_error_and_the_one_that_accepts_more_is_taken(self, score, capsys):
        self.written(score)
        found = json.loads(run(capsys, "a.csv", "--target", "risk=0.1", "--score", "judge", "--format", "json"))
        by = {"confidence": ANSWERS["confidence"].to_numpy(), "judge": score}
        tuned = {
            name: tune_threshold(
                ConfidenceProfile.from_correctness(RIGHT, ANSWERS["confidence"], score=each),
                target=0.1,
                confidence_level=0.975,  # one of two candidates
            )
            for name, each in by.items()
        }
        coverages = {name: (by[name] >= each.threshold).mean() for name, each in tuned.items()}
        assert found["coverages"] == pytest.approx(coverages)
        assert found["score"] == max(coverages, key=coverages.get)
        assert found["thresholds"][0]["threshold"] == pytest.approx(max(tuned[found["score"]].threshold, 0))

    def test_the_text_names_it(self, capsys):
        self.written(self.SCORE)
        out = run(capsys, "a.csv", "--target", "risk=0.1", "--score", "judge")
        assert "Rank by judge. " in out
        assert "The guarantees hold for both." in out
        assert "Accept by judge from" in out

    @pytest.mark.parametrize("promise", ["coverage=0.9999", "risk=0.0001"])
    def test_nothing_is_said_to_be_guaranteed_where_everything_is_rejected(self, promise, capsys):
        self.written(self.SCORE)
        out = run(capsys, "a.csv", "--target", promise, "--score", "judge", status=1)
        assert "Rank by confidence. Accepted cases of every 1,000: 0 by confidence and 0 by judge" in out
        assert "guarantee" not in out

    def test_where_everything_is_accepted_there_is_no_threshold(self, capsys):
        self.written(self.SCORE - 100)
        arguments = ("a.csv", "--target", "risk=0.9", "--score", "judge")
        ANSWERS.assign(judge=self.SCORE - 100, confidence=0.5).to_csv("a.csv", index=False)
        found = json.loads(run(capsys, *arguments, "--format", "json"))
        assert found["coverages"] == {"confidence": 1.0, "judge": 1.0}
        assert (found["score"], found["thresholds"][0]["threshold"]) == ("confidence", 0)

    def test_rows_that_abstain_need_no_score(self, capsys):
        gone = np.arange(N) % 4 == 0
        self.written(np.where(gone, np.nan, self.SCORE), abstained=gone.astype(int))
        found = json.loads(run(capsys, "a.csv", "--target", "risk=0.1", "--score", "judge", "--format", "json"))
        (entry,) = found["thresholds"]
        assert found["score"] == "judge"
        assert entry["coverage"] == pytest.approx((entry["threshold"] <= self.SCORE)[~gone].sum() / N)
        assert found["coverages"]["judge"] == pytest.approx(entry["coverage"])
        assert f"Rank by judge. Accepted cases of every 1,000: {1000 * entry['coverage']:.0f} by judge" in run(
            capsys, "a.csv", "--target", "risk=0.1", "--score", "judge"
        )

    def test_with_a_floor_the_one_of_lower_risk_is_taken(self, capsys):
        self.written(self.SCORE)
        promises = ("--target", "coverage=0.3", "risk=0.2", "--objective", "coverage")
        found = json.loads(run(capsys, "a.csv", *promises, "--score", "judge", "--format", "json"))
        assert found["score"] == "judge"
        (entry,) = found["thresholds"]
        accepted = entry["threshold"] <= self.SCORE
        assert entry["promises"][1]["observed"] == pytest.approx((~RIGHT[accepted]).mean())

    def test_a_score_that_is_not_there_is_told(self, capsys):
        assert main(["threshold", "a.csv", "--score", "judge"]) == 2
        assert "--score" in capsys.readouterr().err


def test_a_file_of_percentages_is_told_in_what_is_written(tmp_path, capsys):
    rng = np.random.default_rng(0)
    sure = rng.integers(60, 100, 1000)
    table = pd.DataFrame({"correct": (rng.random(1000) < sure / 100) * 1, "confidence": sure})
    written = {}
    for name, each in {"percentages": table, "shares": table.assign(confidence=sure / 100)}.items():
        each.to_csv(tmp_path / f"{name}.csv", index=False)
        assert main(["threshold", str(tmp_path / f"{name}.csv"), "--target", "risk=0.2", "--format", "json"]) == 0
        written[name] = json.loads(capsys.readouterr().out)
    assert written["percentages"].pop("confidences") == "percentages, divided by 100"
    assert written["percentages"] == written["shares"]
