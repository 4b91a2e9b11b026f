"""What the pages of definitions and errata say of the printed tables, counted in them by definitions of its own."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from skconf.experiments._shared.printed import printed_table

GUIDE = Path(__file__).parents[3] / "docs/guide"
PAGE = " ".join((GUIDE / name).read_text(encoding="utf-8") for name in ("disagreements.md", "errata.md"))
PAGE = re.sub(r"\s+", " ", PAGE).replace("**", "")
NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def says(text):
    """Assert that one of the pages has these words."""
    assert text in PAGE, text


def real(column, table="csr_table12"):
    """Return a column of a table on real data, a row for each data set and a column for each calibration."""
    return printed_table(table).pivot(index="dataset", columns="calibration", values=column)


def test_risk_below_a_ratio_of_one():
    table = printed_table("csr_table6").query("calibration == 'none'")
    everywhere = norm.cdf((table["csr"] - 1) / table["csr_std"])
    cut = np.where(table["csr"] > 1, everywhere, 0)
    says("is printed as 46.22%. This is correct only if ratios below 1 have a risk of 0;")
    says(f"with Φ in every row, the average would be {everywhere.mean():.2%}")
    assert f"{cut.mean():.2%}" == f"{table['risk_probability'].mean():.2%}" == "46.22%"


def test_risks_of_known_distributions():
    table = printed_table("csr_tables5_8_9").query("n_samples == 1000")
    of_random = table[table["mode"] == "random_0.5"].set_index("distribution")["risk_probability"]
    says(
        f"In Table 8 only {NUMBERS[(of_random == 1).sum()]} have it: there, the risk of Bell is {of_random['Bell']:.2%}"
    )
    several = others = 0
    for row in printed_table("csr_table3").itertuples():
        risks = table[table["mode"] == row.mode].set_index("distribution")["risk_probability"]
        extreme = risks.max() if row.extreme == "largest" else risks.min()
        assert risks[row.distribution] == extreme == row.risk_probability
        several += (risks == extreme).sum() > 1
        others += row.distribution != risks.index[risks == extreme][0]
    assert len(printed_table("csr_table3")) == 16
    says(f"In {NUMBERS[several]} of the sixteen rows of Table 3, several distributions share the largest or smallest")
    says(f"In {NUMBERS[several - others]} of these rows, it names the first of them in the order of Table 8;")
    says(f"in the other {NUMBERS[others]}, a later one.")
    table = printed_table("csr_tables5_8_9").query("mode == 'perfect'")
    by_size = table.groupby("n_samples")[["over_1_sigma", "over_3_sigma"]].mean()
    assert f"{printed_table('csr_table1')['over_1_sigma'].mean():.2%}" == "9.77%"
    assert by_size.loc[100_000, "over_3_sigma"] == pytest.approx(0.003)  # 3 of 1,000


def test_clipped_confidences_could_not_have_made_the_synthetic_ratio():
    table = printed_table("csr_tables5_8_9").set_index(["n_samples", "distribution", "mode"])["csr"]
    says(f"Bimodal under Random 0.5 has a size ratio of {table[1000, 'Bimodal', 'random_0.5']:,.0f}")
    assert 1e8 / 1000 / 100 == 1000  # an error at the clip, of 1,000 samples, in the mean over 100 repetitions


def test_orders_of_calibrations():
    order = ["isotonic", "none", "platt"]
    weighted, area = real("cw_accuracy"), real("cw_auc")
    for table, means in (
        (weighted, "{:.4f} (isotonic), {:.4f} (uncalibrated) and {:.4f} (Platt)"),
        (area, "{:.4f}, {:.4f} and {:.4f}"),
    ):
        says(means.format(*table.mean()[order]))
    without = [table.drop(index="wine") for table in (weighted, area)]
    holds = [(table["isotonic"] > table["none"]) & (table["none"] > table["platt"]) for table in without]
    assert len(without[0]) == 14
    says(f"holds on {holds[0].sum()} of these for cwA, and on {holds[1].sum()} for cwAUC")
    assert (without[1]["none"] > without[1]["platt"]).all()
    rest = area.drop(index="obesity").mean()
    says(
        f"the mean after isotonic regression is {rest['isotonic']:.4f}, still below the {rest['none']:.4f} without "
        "calibration"
    )


def test_differences_that_are_not_substantial():
    table = printed_table("csr_table12")
    small = table["delta_cw_accuracy"].between(0, 0.01, inclusive="neither")
    says(f"In {small.sum()} of the {len(table)} rows the printed difference is positive but below 0.01")
    negative = table[table["delta_cw_accuracy"] < 0]
    assert negative[["dataset", "calibration"]].to_numpy().tolist() == [["breast_cancer", "isotonic"]]
    areas = printed_table("csr_table11").set_index("distribution")["delta_auc"]
    assert areas.index[areas <= 0].tolist() == ["Tight Lo"]
    says(f"the change of Tight Lo is −{-areas['Tight Lo']:.4f}")


def test_rows_of_table_1_are_impossible_by_either_reading():
    table = printed_table("cwsa_tables1_2_3").set_index(["source", "threshold"])
    rounding = 1e-3
    over_all = table["cwsa"] > table["coverage"] * table["cwsa_plus"] + rounding
    apart, errors = table["cwsa_plus"] - table["cwsa"], 1 - table["selective_accuracy"]
    expected = [("Table 1", t) for t in (0.6, 0.7, 0.8, 0.9, 0.95)]
    assert over_all.index[over_all].tolist() == expected
    assert all(apart[row] > errors[row] + rounding for row in expected)
    low, high = expected[0], expected[-1]
    says(f"At 0.6 the difference is {apart[low]:.3f}, and the error rate {errors[low]:.3f};")
    says(f"at 0.95 the difference is {apart[high]:.2f}, and the error rate {errors[high]:.3f}.")


def test_calibrated_and_overconfident_models():
    table = printed_table("cwsa_tables1_2_3").pivot(index="threshold", columns="source", values="cwsa_plus")
    behind = table.index[table["Table 1"] < table["Table 2"]].tolist()
    assert behind == [0.5, 0.6, 0.7, 0.8]
    says(
        "CWSA+ of the calibrated model is lower from 0.5 to 0.8 ({:.4f} and {:.4f} at 0.5)".format(
            *table.loc[0.5, ["Table 1", "Table 2"]]
        )
    )
    last = printed_table("cwsa_tables1_2_3").set_index(["source", "threshold"]).loc[("Table 2", 0.99)]
    says(f"in Table 2, {last['selective_accuracy']:.4f} and a coverage of {last['coverage']} at 0.99")


def test_brier_scores_of_two_systems():
    table = printed_table("ecuas_table3").query("scores == 'raw'").set_index("system")
    rows = [
        next(name for name in table.index if re.match(pattern, name))
        for pattern in ("cifar10_.*resnet", "cifar10_.*vgg")
    ]
    normalised = table.loc[rows, "n_brier_confidence"]
    errors = table.loc[rows, "n_error_rate"] * 0.9  # ten classes, equally many of each
    plain = normalised / 2 * errors * (1 - errors)
    says("{:.4f} and {:.4f}. These are twice".format(*normalised))
    says("the Brier scores are {:.4f} and {:.4f}".format(*plain))


def test_infinitely_many_classes():
    u = 1 - 0.999
    for classes, text in ((16, ("7.30", "2.13")), (np.inf, ("6.91", "2.00"))):
        largest = 1 - 1 / classes
        r = u / largest
        assert (f"{r - np.log(r) / largest:.2f}", f"{r**2 + 2 * (1 - r) / largest:.2f}") == text
    says(
        "For n = 0, it costs 7.30 with K = 16, and 6.91 with infinitely many classes; "
        "for n = 1, it costs 2.13 and 2.00."
    )
