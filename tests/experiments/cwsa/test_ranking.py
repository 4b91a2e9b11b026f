"""Whether areas under CWSA rank models: counts of pairs, intervals, and the page."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from skconf import ConfidenceProfile, metrics
from skconf.cli import main
from skconf.experiments import cwsa_ranking_experiment
from skconf.experiments._cwsa.ranking import _agreement
from skconf.experiments._cwsa.ranking_page import ranking_report


@pytest.fixture(scope="module")
def profiles():
    rng, found = np.random.default_rng(0), {}
    for number in range(12):
        confidence = rng.beta(2 + number, 2, 300)
        right = rng.random(300) < confidence ** rng.uniform(0.5, 2)
        found[f"model {number}"] = ConfidenceProfile.from_correctness(right, confidence)
    return found


def test_pairs_are_counted_one_by_one(profiles):
    agreement = cwsa_ranking_experiment(profiles).agreement.set_index(["score", "reference"])
    area = {name: metrics.metric_coverage_auc(profile, normalize="all") for name, profile in profiles.items()}
    aurc = {name: metrics.aurc_loss(profile) for name, profile in profiles.items()}
    accuracy = {name: profile.correct.mean() for name, profile in profiles.items()}
    for reference, better in ((accuracy, 1), (aurc, -1)):
        pairs = [(area[a] - area[b], better * (reference[a] - reference[b])) for a, b in combinations(profiles, 2)]
        pairs = [pair for pair in pairs if all(pair)]
        row = agreement.loc["cwsa_area", "accuracy" if better == 1 else "aurc"]
        assert row["n_pairs"] == len(pairs)
        assert row["agree"] == pytest.approx(np.mean([a * b > 0 for a, b in pairs]))
        chosen = max(area, key=area.get)
        assert row["place"] == 1 + sum(better * value > better * reference[chosen] for value in reference.values())


def test_without_ties_it_is_kendalls_tau():
    rng = np.random.default_rng(1)
    first, second = pd.Series(rng.random(30)), pd.Series(rng.random(30))
    found = _agreement(first, second, "cwsa_area", "accuracy")
    assert found["agree"] == pytest.approx((kendalltau(first, second).statistic + 1) / 2)
    assert found["n_pairs"] == 30 * 29 / 2


@pytest.mark.simulation
def test_intervals_cover_the_share_of_the_population():
    """Of two normal variables with correlation r, a pair agrees with a chance of 1/2 + asin(r)/π."""
    rng, correlation, covered = np.random.default_rng(2), 0.6, 0
    truth = 0.5 + np.arcsin(correlation) / np.pi
    for _ in range(400):
        first, second = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], 40).T
        found = _agreement(pd.Series(first), pd.Series(second), "cwsa_area", "accuracy")
        covered += found["low"] <= truth <= found["high"]
    assert 0.91 < covered / 400 < 0.985


def test_few_models_and_ties_have_no_interval(profiles):
    few = dict(list(profiles.items())[:2])
    row = cwsa_ranking_experiment(few).agreement.iloc[0]
    assert row["n_pairs"] == 1
    assert np.isnan(row["low"])
    report = ranking_report(cwsa_ranking_experiment(few), {})
    assert report.findings == ["Predictions: 2 models are too few to tell whether rankings agree."]
    same = cwsa_ranking_experiment(dict.fromkeys("abcdef", profiles["model 0"])).agreement
    assert (same["n_pairs"] == 0).all()
    assert same["agree"].isna().all()
    with pytest.raises(ValueError, match="number of models"):
        cwsa_ranking_experiment(dict(list(profiles.items())[:1]))


def test_the_page_says_how_often(profiles):
    ranking = cwsa_ranking_experiment(profiles)
    report = ranking_report(ranking, {})
    row = ranking.agreement.iloc[0]
    assert f"of {row['n_pairs']} pairs of 12 models, the area under CWSA prefers" in report.findings[0]
    assert f"rank {row['place']:g} by accuracy" in report.findings[0]
    assert len(report.tables[1].table) == 10
    assert "<svg" in report.page()


def test_the_command_ranks_random_models_and_own_predictions(tmp_path, profiles, capsys):
    for name, profile in profiles.items():
        rows = pd.DataFrame({"correct": profile.correct.astype(int), "confidence": profile.confidence})
        rows.to_csv(tmp_path / f"{name}_predictions.csv", index=False)
    (tmp_path / "gap_predictions.csv").write_text("correct,confidence\n1,\n")
    assert main(["experiment", "cwsa-ranking", "--predictions", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert "pairs of 12 models" in out
    assert "left out gap_predictions.csv" in err
    assert main(["experiment", "cwsa-ranking", "--models", "5", "--jobs", "1"]) == 0
    assert "pairs of 5 models" in capsys.readouterr().out.replace("\n", " ")
