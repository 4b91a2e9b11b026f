"""The CSR paper's synthetic experiments."""

import inspect

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import stats
from sklearn.metrics import roc_auc_score

from skconf import experiments, metrics
from skconf.datasets import make_confidence_profile
from skconf.experiments._csr import synthetic as synthetic
from skconf.experiments._csr.synthetic import DISTRIBUTIONS, MODES
from skconf.experiments._csr.synthetic_page import synthetic_report
from skconf.experiments._shared.printed import compare_with_paper, count_agreement, printed_table

HEAVY = {"Uniform", "Skew High", "Bimodal", "Tight Hi", "Normal"}


def largest_by_chance(n_cells, level=1e-3):
    """Return what the largest of so many deviations exceeds with a probability of at most `level`, related or not."""
    return stats.norm.isf(level / n_cells / 2)


def compared(cells):
    return cells[cells["paper"].notna() & (cells["note"] == "")]


def assert_within_sampling_error(cells):
    """No deviation is larger than chance allows, and of independent ones no more than chance allows exceed 2."""
    cells = compared(cells)
    largest = cells.loc[cells["deviation"].abs().idxmax()]
    assert abs(largest["deviation"]) < largest_by_chance(len(cells)), largest
    # Accuracies in the eight modes are those of separate draws of correctness.
    accuracy = cells.loc[cells["quantity"] == "accuracy", "deviation"].abs()
    assert (accuracy > 2).sum() <= stats.binom.isf(1e-3, len(accuracy), 2 * stats.norm.sf(2))


@pytest.fixture(scope="module")
def modes_cells():
    return synthetic.csr_synthetic_experiment()


def test_tables_8_and_9(modes_cells):
    assert len(modes_cells) == 10 * 8 * 8
    assert modes_cells["paper"].notna().all()
    assert_within_sampling_error(modes_cells)


def test_table_5_at_100():
    cells = synthetic.csr_synthetic_experiment(100, modes=["perfect"], n_repetitions=400)
    assert len(compared(cells)) == 80 - 2 * len(HEAVY)
    assert_within_sampling_error(cells)


@pytest.mark.slow
def test_table_5():
    cells = synthetic.csr_synthetic_experiment([100, 10_000, 100_000], modes=["perfect"])
    assert cells["paper"].notna().sum() == 240
    assert_within_sampling_error(cells)
    means = experiments.csr_table1(cells)
    assert_within_sampling_error(means)
    assert means["paper"].notna().sum() == 80 + 3


def printed_cells(sizes, distributions=tuple(DISTRIBUTIONS)):
    """The printed values of calibrated samples in place of ours, with a standard error of .1."""
    printed = printed_table("csr_tables5_8_9").melt(["n_samples", "distribution", "mode"], var_name="quantity")
    rows = printed[printed["n_samples"].isin(sizes) & (printed["mode"] == "perfect")]
    rows = rows[rows["distribution"].isin(distributions)].rename(columns={"value": "ours"})
    return rows.assign(paper=rows["ours"], standard_error=0.1, deviation=0.0, note="").reset_index(drop=True)


def test_table_1_is_the_mean_of_table_5_as_printed():
    means = experiments.csr_table1(printed_cells([100, 10_000, 100_000]))
    assert len(means) == 80 + 3
    # Rounded twice.
    np.testing.assert_allclose(means["ours"], means["paper"], atol=1.01e-4)
    assert (means["deviation"].abs() < 1e-3).all()
    np.testing.assert_allclose(means["standard_error"][:80], 0.1 / np.sqrt(3))
    assert means["standard_error"][80:].tolist() == pytest.approx([0.1 / np.sqrt(n) for n in (30, 10, 10)])


def test_the_page_has_table_1_where_its_samples_were_drawn():
    areas = synthetic.csr_synthetic_auc_experiment(distributions=["Bell"], modes=["perfect"], n_repetitions=2)
    whole = synthetic_report(printed_cells([100, 10_000, 100_000]), areas, {}).markdown()
    assert "more than 1σ above 1 in 9.77% (paper 9.77%) of calibrated sets" in whole
    assert "0.70% (paper 0.70%) of sets of 100 samples" in whole
    assert "## Table 1\n" in whole
    assert "## Table 1\n" not in synthetic_report(printed_cells([100]), areas, {}).markdown()


def test_table_1_needs_its_three_sizes():
    with pytest.raises(ValueError, match=r"'perfect' with 10,000 and 100,000 samples\. .*=\[100, 10000, 100000\]"):
        experiments.csr_table1(printed_cells([100, 1000]))
    few = experiments.csr_table1(printed_cells([100, 10_000, 100_000], ["Bell", "Uniform"]))
    assert set(few["distribution"]) == {"Bell", "Uniform"}


def test_wrong_figures_are_seen(modes_cells):
    """The modes' printed values, each beside those of the next mode."""
    accuracy = modes_cells.query("quantity == 'accuracy'").assign(spread=0.016, resolution=5e-5)
    shifted = accuracy.groupby("distribution")["paper"].shift(1).bfill()
    deviations = compare_with_paper(accuracy.assign(paper=shifted), 100, 100)["deviation"].abs()
    assert (deviations > 3).mean() > 0.5


def test_what_cannot_be_compared_is_shown_with_its_reason(modes_cells):
    noted = modes_cells[modes_cells["note"] != ""]
    assert set(noted["distribution"]) == HEAVY
    assert set(noted["quantity"]) == {"csr", "csr_std"}
    assert len(noted) == len(HEAVY) * 8 * 2
    assert noted["ours"].notna().all()
    # The printed σ is a draw: of such a tail, it is hardly ever twice the same.
    sigma = noted.query("quantity == 'csr_std' and mode == 'perfect'")
    assert not np.allclose(sigma["ours"], sigma["paper"], rtol=1e-3)


def test_figures_are_those_of_the_public_metrics():
    n_samples, n_repetitions = 50, 4
    profile = make_confidence_profile("Bell", "overconf_half", n_samples * n_repetitions, random_state=0)
    groups = np.repeat(np.arange(n_repetitions), n_samples)
    found = synthetic._size_ratios(profile, groups, n_repetitions)
    for r in range(n_repetitions):
        part = profile[r * n_samples : (r + 1) * n_samples]
        ratio, sigma = metrics.calibrated_size_ratio(part), metrics.calibrated_size_ratio_std(part)
        expected = {
            "accuracy": part.correct.mean(),
            "cw_accuracy": np.average(part.correct, weights=part.confidence),
            "gain": metrics.confidence_gain(part),
            "csr": ratio,
            "csr_std": sigma,
            "risk_probability": stats.norm.cdf((ratio - 1) / sigma) if ratio > 1 else 0.0,
            "over_1_sigma": float(ratio > 1 + sigma),
            "over_3_sigma": float(ratio > 1 + 3 * sigma),
        }
        assert found.loc[r].to_dict() == pytest.approx(expected)


def test_areas_are_scikit_learns():
    n_samples, n_repetitions = 60, 3
    profile = make_confidence_profile("Uniform", "perfect", n_samples * n_repetitions, random_state=1)
    found = synthetic._areas(profile, np.repeat(np.arange(n_repetitions), n_samples), n_repetitions)
    for r in range(n_repetitions):
        part = profile[r * n_samples : (r + 1) * n_samples]
        c = part.confidence
        for column, weight in (("auc", None), ("cw_auc", c)):
            by_class = [
                roc_auc_score(
                    part.true_class == k,
                    np.where(part.predicted_class == k, c, np.minimum(c, 1 - c)),
                    sample_weight=weight,
                )
                for k in (0, 1)
            ]
            assert found[column][r] == pytest.approx(np.mean(by_class))
        difference = found["cw_auc"][r] - found["auc"][r]
        assert found["auc_gain"][r] == pytest.approx(difference / (1 - min(found["cw_auc"][r], found["auc"][r])))


@pytest.mark.slow
def test_tables_10_and_11():
    tables = synthetic.csr_synthetic_auc_experiment(n_repetitions=25)
    perfect = tables.areas[tables.areas["mode"] == "perfect"]
    assert len(compared(perfect)) == 80 - 3
    assert tables.areas.loc[tables.areas["mode"] != "perfect", "paper"].isna().all()
    assert_within_sampling_error(perfect)
    counts = compared(tables.counts)
    assert set(counts["mode"]) == set(MODES) - {"random_0.5"}
    assert counts["deviation"].abs().max() < largest_by_chance(len(counts))


def test_equal_scores_have_an_area_of_one_half_under_any_weights():
    tables = synthetic.csr_synthetic_auc_experiment(distributions=["Tight Lo"], n_repetitions=5)
    noted = tables.areas[tables.areas["note"] != ""].query("quantity == 'cw_auc'")
    np.testing.assert_allclose(noted["ours"], 0.5, atol=1e-12)
    np.testing.assert_allclose(tables.counts["ours"], 0.5)
    assert tables.counts["paper"].isna().all()  # one distribution of ten


def test_numbers_do_not_depend_on_jobs_or_on_what_else_is_simulated(monkeypatch):
    monkeypatch.setattr(synthetic, "_SAMPLES_TOGETHER", 600)  # several blocks
    settings = {"modes": ["perfect", "overconf_sqrt"], "n_repetitions": 10, "random_state": 3}
    alone = synthetic.csr_synthetic_experiment(200, distributions=["Bell", "Tight Hi"], **settings)
    with parallel_config("threading"):
        shared = synthetic.csr_synthetic_experiment(200, distributions=["Bell", "Tight Hi"], n_jobs=3, **settings)
    pd.testing.assert_frame_equal(alone, shared)
    fewer = synthetic.csr_synthetic_experiment([300, 200], distributions=["Tight Hi"], **settings)
    expected = alone[alone["distribution"] == "Tight Hi"].reset_index(drop=True)
    pd.testing.assert_frame_equal(fewer[fewer["n_samples"] == 200].reset_index(drop=True), expected)
    other = synthetic.csr_synthetic_experiment(
        200, distributions=["Bell", "Tight Hi"], **settings | {"random_state": 4}
    )
    assert (other["ours"] != alone["ours"]).any()


def test_confidences_are_the_same_in_all_modes(modes_cells):
    by_distribution = modes_cells.query("quantity == 'csr_std'").groupby("distribution")["ours"]
    assert (by_distribution.nunique() == 1).all()


def test_extremes_are_those_of_table_3(modes_cells):
    extremes = experiments.csr_risk_extremes(modes_cells).set_index(["extreme", "mode"])
    assert len(extremes) == 16
    printed = {  # as the paper prints Table 3
        ("largest", "perfect"): ("Skew Low", 0.4165),
        ("largest", "underconf_linear"): ("Tight Hi", 0.0606),
        ("largest", "underconf_sqrt"): ("Skew High", 0.0203),
        ("largest", "random_over_c"): ("Log-Uniform High", 0.0280),
        ("smallest", "perfect"): ("Log-Uniform High", 0.0932),
        ("smallest", "overconf_sqrt"): ("Bimodal", 0.8742),
        ("smallest", "random_under_c"): ("Skew High", 0.9953),
        ("largest", "overconf_sqrt"): ("Normal", 1.0),
        ("largest", "random_under_c"): ("Tight Hi", 1.0),
        ("smallest", "overconf_half"): ("Log-Uniform Low", 1.0),
    }
    for key, row in printed.items():
        assert tuple(extremes.loc[key, ["paper_distribution", "paper_risk_probability"]]) == row
    risks = modes_cells[modes_cells["quantity"] == "risk_probability"].set_index("mode")["ours"]
    for (extreme, mode), row in extremes.iterrows():
        risk = risks[mode]
        assert row["risk_probability"] == (risk.max() if extreme == "largest" else risk.min())


def test_extremes_without_printed_figures():
    extremes = experiments.csr_risk_extremes(
        synthetic.csr_synthetic_experiment(50, distributions=["Bell"], modes=["perfect"], n_repetitions=5)
    )
    assert extremes["paper_distribution"].isna().all()
    assert (extremes["distribution"] == "Bell").all()


def test_every_printed_row_is_simulated(modes_cells):
    table = printed_table("csr_tables5_8_9")
    assert set(table["distribution"]) == set(DISTRIBUTIONS)
    assert set(table["mode"]) == set(MODES)
    assert not table.duplicated(["n_samples", "distribution", "mode"]).any()
    assert len(table) == 110


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"distributions": ["Bel"]}, "distributions must be one of 'Uniform'.*'Bel'"),
        ({"modes": ["perfekt"]}, "modes must be one of 'random_0.5'.*'perfekt'"),
        ({"n_repetitions": 1}, "n_repetitions must be at least 2"),
        ({"n_samples": 0}, "n_samples must be at least 1"),
    ],
)
@pytest.mark.parametrize("run", [synthetic.csr_synthetic_experiment, synthetic.csr_synthetic_auc_experiment])
def test_mistakes_are_told(run, arguments, message):
    with pytest.raises(ValueError, match=message):
        run(**arguments)


def test_deviations_by_hand():
    cells = pd.DataFrame(
        {
            "quantity": list("abcde"),
            "ours": [0.50, 0.500004, 0.5, 0.5, 1.0],
            "paper": [0.53, 0.5, 0.5, np.nan, 0.0],
            "spread": [0.10, 0.0, 0.0, 1.0, 0.0],
            "resolution": [0.005, 5e-5, 5e-5, 5e-5, 0.5],
            "note": ["", "", "", "", "unlike"],
        }
    )
    found = compare_with_paper(cells, n_repetitions=100, paper_repetitions=25)
    error = 0.1 * np.sqrt(0.01 + 0.04)
    assert found["standard_error"][0] == pytest.approx(error)
    assert found["deviation"].tolist()[:3] == pytest.approx([-(0.03 - 0.005) / error, 0, 0], rel=1e-5)
    assert np.isnan(found["deviation"][3])
    assert np.isnan(found["standard_error"][3])
    assert found["deviation"][4] == np.inf
    counts = count_agreement(found)
    assert counts.loc["all"].to_dict() == {"printed": 4, "compared": 3, "within_1": 2, "within_2": 3, "within_3": 3}
    assert counts.loc["e"].tolist() == [1, 0, 0, 0, 0]
    assert "d" not in counts.index


def test_no_function_takes_a_seed_by_another_name_than_random_state():
    for name in experiments.__all__:
        assert not {"seed", "seeds"} & set(inspect.signature(getattr(experiments, name)).parameters), name
