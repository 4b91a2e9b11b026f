"""What the page of the cF1 paper's experiments says of variances and values."""

import numpy as np

from skconf import experiments
from skconf.experiments._cf1.page import Band, _values, cf1_report


def test_what_variances_show():
    variance = experiments.cf1_variance_experiment("breast_cancer", ratios=[1.0, 0.1], n_resamples=50)
    by_class = experiments.cf1_agreement_experiment("breast_cancer", n_models=4, n_resamples=50)
    report = cf1_report(variance, by_class, {})
    known = variance.variances.query("variance > 0")
    lower = (known["c_variance"] < known["variance"]).sum()
    assert f"less variance in {lower} of {len(known)} cases" in report.findings[0]
    tested = known["p_levene"].dropna()
    told = (
        f"{100 * (tested < 0.05).mean():.3g}% of cases according to Levene's. The paper says that the variances differ"
    )
    assert told in report.result[1]
    assert "with 28 samples" in report.findings[2]
    assert "89.1%, 80.6% and 89.3%" in report.findings[3]  # the paper's Table 1, mean over classes
    assert report.left_out == ["None of the 18 printed values can be compared: Table 1 is for other data, SNLI."]
    titles = [table.title for table in report.tables]
    assert titles[1:] == ["Agreement of pairs by class (Section 6.2, as Table 1)", "Table 1 as printed, on SNLI"]
    assert report.tables[1].table["class"].tolist() == ["0", "1"] * 3


def test_values_have_bands_by_class_or_of_the_mean():
    few = {"ratios": [1.0, 0.1], "n_resamples": 50}
    two = experiments.cf1_variance_experiment("breast_cancer", **few)
    names = [chart.name for metric in ("precision", "recall", "f1") for chart in _values(two, metric)]
    assert names[:4] == ["Precision, class 0", "cPrecision, class 0", "Precision, class 1", "cPrecision, class 1"]
    assert len(names) == 12
    ten = experiments.cf1_variance_experiment("digits", **few)
    plain, weighted = _values(ten, "f1")
    assert (plain.name, weighted.name) == ("F1, mean over classes", "cF1, mean over classes")
    assert (plain.y.low, plain.y.high) == (weighted.y.low, weighted.y.high)  # to compare the two
    drawn = [mark for mark in weighted.marks if isinstance(mark, Band)]
    means = ten.means[(ten.means["metric"] == "f1") & (ten.means["model"] == "model 2")].sort_values("n_test")
    np.testing.assert_allclose(drawn[1].low, means["c_low"])
    np.testing.assert_allclose(drawn[1].high, means["c_high"])
