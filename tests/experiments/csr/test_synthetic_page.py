"""What the page of the CSR paper's synthetic experiments says."""

from skconf import experiments
from skconf.experiments._csr.synthetic_page import synthetic_report


def test_what_known_distributions_show():
    few = {"distributions": ["Bell", "Tight Hi"], "modes": ["underconf_sqrt", "overconf_half"], "n_repetitions": 20}
    cells, areas = experiments.csr_synthetic_experiment([1000], **few), experiments.csr_synthetic_auc_experiment(**few)
    report = synthetic_report(cells, areas, {})
    risk = cells[cells["quantity"] == "risk_probability"].groupby("mode")["ours"]
    assert risk.min()["overconf_half"] > 0.5 > risk.max()["underconf_sqrt"]  # else the next line says something else
    said = "is above one half for every distribution in overconf_half; below one half for every distribution in "
    assert f"{said}underconf_sqrt." in report.result[1]
    sizes = report.charts[0]
    assert sizes.name == "Size ratio with 1,000 samples"
    ours = cells[cells["quantity"] == "csr"]
    assert sizes.data["ours"].tolist() == ours["ours"].tolist()
    assert sizes.data["paper"].tolist() == ours["paper"].tolist()
