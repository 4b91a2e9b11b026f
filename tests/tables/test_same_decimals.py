"""The same predictions, written with a few decimals in four layouts, have the same metrics in memory and in batches.

One minus a probability misses the written decimal by the last bit, and metrics of ranks would then find other ties.
"""

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceReport

N = 400
#: Of answers alone it is another number, as the number of classes is unknown.
OTHER_OF_ANSWERS = {"ecuas_loss"}


def layouts(decimals, seed):
    """Return the tables, of which the first two have probabilities."""
    rng = np.random.default_rng(seed)
    of_one = rng.integers(0, 10**decimals + 1, N)
    y_true = (rng.random(N) < of_one / 10**decimals).astype(int)
    y_pred = (2 * of_one > 10**decimals).astype(int)
    written = [f"{count / 10**decimals:.{decimals}f}" for count in of_one]
    other = [f"{(10**decimals - count) / 10**decimals:.{decimals}f}" for count in of_one]
    sure = np.where(y_pred == 1, written, other)
    return {
        "one column": pd.DataFrame({"y_true": y_true, "proba_1": written}),
        "two columns": pd.DataFrame({"y_true": y_true, "proba_0": other, "proba_1": written}),
        "labels": pd.DataFrame({"y_true": y_true, "y_pred": y_pred, "confidence": sure}),
        "correctness": pd.DataFrame({"correct": (y_true == y_pred).astype(int), "confidence": sure}),
    }


@pytest.mark.filterwarnings("ignore:these metrics cannot be computed in batches")
@pytest.mark.parametrize(("decimals", "seed"), [(1, 0), (2, 1), (3, 2)])
def test_metrics_do_not_depend_on_the_layout(decimals, seed, tmp_path):
    tables = layouts(decimals, seed)
    found = {}
    for name, table in tables.items():
        table.to_csv(tmp_path / "a.csv", index=False)
        labels = ["0", "1"] if "y_pred" not in table and "y_true" in table else None
        for in_batches in (False, True):
            options = {"labels": labels, "metrics": "all", "threshold": 0.7, "in_batches": in_batches}
            report = ConfidenceReport.from_files(tmp_path / "a.csv", **options)
            found[name, in_batches] = report.frame["value"].dropna()
    first = found["one column", False]
    assert len(first) > 40
    for (name, in_batches), values in found.items():
        left_out = set() if "column" in name else OTHER_OF_ANSWERS
        names = [each for each in first.index.intersection(values.index) if each not in left_out]
        assert len(names) > (35 if "column" in name else 20), (name, in_batches)
        np.testing.assert_allclose(values[names], first[names], rtol=1e-9, atol=1e-12, err_msg=f"{name}, {in_batches}")
