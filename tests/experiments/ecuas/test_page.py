"""What the page of the ECUAS paper's experiments says of costs."""

import numpy as np
import pandas as pd

from skconf.experiments._ecuas.page import ecuas_report


def test_what_costs_show():
    """Two systems: calibration helps the first at n = 0 only; the second gets cheaper once answers are drawn."""
    rows = [
        (system, scores, f"n_ecuas_{n}", cost)
        for system, costs in {"a": ((1, 2, 3), (0.5, 4, 6)), "b": ((2, 2, 2), (1, 1, 1))}.items()
        for scores, by_order in zip(("raw", "cal"), costs, strict=True)
        for n, cost in zip((0, 1, 128), by_order, strict=True)
    ]
    cells = pd.DataFrame(rows, columns=["system", "scores", "quantity", "ours"])
    cells = cells.assign(paper=np.nan, standard_error=np.nan, deviation=np.nan, note="")
    drawn = {"system": ["a", "a", "b", "b"], "temperature": [0.0, 1, 0, 1], "error_rate": 0.5}
    sampled = pd.DataFrame({**drawn, "n_ecuas_0": [1, 2, 2, 1], "n_ecuas_1": [1, 2, 1, 2], "n_ecuas_128": [2, 1, 2, 1]})
    calibrated, drawn_answers, nothing = ecuas_report(cells, sampled, {}).result
    assert "nothing is compared" in nothing
    assert calibrated == (
        "Calibration lowers the cost of 2 of 2 systems at n = 0 (calibrated ÷ raw: median 0.50), 1 of 2 systems at n "
        "= 1 (calibrated ÷ raw: median 1.25) and 1 of 2 systems at n = 128 (calibrated ÷ raw: median 1.25)."
    )
    assert drawn_answers.endswith("1 of 2 systems at n = 0, 2 of 2 systems at n = 1 and 0 of 2 systems at n = 128.")
