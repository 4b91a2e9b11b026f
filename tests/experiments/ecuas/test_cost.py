"""Figure 1 of the ECUAS paper: the cost of one answer."""

import numpy as np
import pytest
from scipy.integrate import quad

from skconf.experiments._ecuas.cost import cost_charts, ecuas_costs


def by_integral(confidence, wrong, n, k):
    """Return equation (8): what rejection costs below the uncertainty, and the error above it."""
    largest, u = 1 - 1 / k, 1 - confidence
    scale = (n + 1) / largest ** (n + 1)
    rejected = quad(lambda cost: scale * cost**n, 0, u)[0]
    accepted = quad(lambda cost: scale * cost ** (n - 1), u, largest)[0] if u < largest else 0.0
    return rejected + wrong * accepted


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("k", [2, 16, np.inf])
def test_costs_are_the_integral_over_costs_of_a_rejection(n, k):
    table = ecuas_costs()
    table = table[(table["n"] == n) & (table["classes"] == k)].iloc[::40]
    assert len(table) == 6
    for row in table.itertuples():
        assert row.right == pytest.approx(by_integral(row.confidence, 0, n, k), abs=1e-6)
        assert row.wrong == pytest.approx(by_integral(row.confidence, 1, n, k), rel=1e-6)


def test_what_the_paper_says_of_the_figure():
    for _, curve in ecuas_costs().groupby(["n", "classes"]):
        assert curve["confidence"].iloc[0] == pytest.approx(1 / curve["classes"].iloc[0])
        assert curve["right"].iloc[0] == pytest.approx(1)
        assert curve["wrong"].iloc[0] == pytest.approx(1)
        assert (np.diff(curve["right"]) <= 1e-12).all()
        assert (np.diff(curve["wrong"]) >= -1e-12).all()


def test_a_picture_for_each_order():
    assert [chart.name[-4:] for chart in cost_charts()] == [" = 0", " = 1", " 128"]
