"""What pages of the CWSA paper's experiments say of simulated models and of predictions in files."""

import re

import numpy as np
import pandas as pd

from skconf import experiments
from skconf.experiments._cwsa.files import predictions_cells, read_predictions
from skconf.experiments._cwsa.page import Line, cwsa_report, predictions_report


def test_what_simulated_models_show():
    cells, sweep = experiments.cwsa_experiment(n_repetitions=2), experiments.cwsa_sweep()
    report = cwsa_report(cells, sweep, {})
    (areas,) = report.findings
    best = [(by, model) for model, by in re.findall(r"(\w+) by ([\w ]+) \(", areas)]
    assert best == [
        ("the area under the curve of CWSA over coverage", sweep.summary["cwsa_area"].idxmax()),
        ("accuracy", sweep.summary["accuracy"].idxmax()),
        ("AURC", sweep.summary["aurc"].idxmin()),
    ]
    (chart,) = (
        chart for chart in report.charts if "calibrated over" in chart.name and "Model calibrated" in chart.name
    )
    curves = sweep.curves.query("model == 'calibrated'")
    drawn = {mark.name: mark.y for mark in chart.marks if isinstance(mark, Line)}
    labels = {"coverage": "coverage", "selective_accuracy": "accuracy", "cwsa": "CWSA", "cwsa_plus": "CWSA+"}
    for column, label in labels.items():
        np.testing.assert_array_equal(drawn[label], curves[column])
    printed = cells[(cells["model"] == "calibrated") & cells["threshold"].notna()]
    assert sorted(chart.data["paper"].dropna()) == sorted(printed["paper"])
    assert "29 printed values, of which 21 cannot be compared" in chart.finding


def test_what_predictions_show(tmp_path):
    rows = pd.DataFrame({"correct": [1, 1, 0, 1], "confidence": [0.9, 0.8, 0.7, 0.3]})
    rows.to_csv(tmp_path / "cifar10_predictions.csv", index=False)
    pd.DataFrame({"correct": [1, 1], "confidence": [1.0, 1.0]}).to_csv(tmp_path / "sure_predictions.csv", index=False)
    read = read_predictions(tmp_path)
    sweep = experiments.cwsa_sweep(read.profiles)
    report = predictions_report(predictions_cells(read, sweep), sweep, {})
    compared, went, ranks = report.result
    assert "with a standard error of 0 agree with the printed ones" in compared
    # φ at .5 is .8, .6 and −.4, of four samples; at .99 nothing is left.
    assert went.endswith("CWSA goes from 0.250 to 0 (cifar10) and from 1.00 to 1.00 (sure).")
    assert "sure by accuracy (1.00) and sure by AURC (0)." in ranks
    assert "is cifar10 by the area under the curve of CWSA over coverage (" in ranks  # a perfect model has 0
    assert [chart.name for chart in report.charts] == [
        "Model cifar10 over the threshold (Figure 2)",
        "Model sure over the threshold",
    ]
    assert "where 75.0% of the samples are answered." in report.charts[0].finding
