"""Errors by confidence, in cells."""

import numpy as np

from skconf import ConfidenceProfile
from skconf.inference import _error_table
from skconf.inference._error_table import BANDS, EPS, N_CELLS, ErrorSums, ErrorTable


def test_cells_are_those_of_a_search():
    """Also at their ends, one bit beside them, and so near 0 and 1 that few bits are left."""
    rng = np.random.default_rng(0)
    ends = _error_table._ENDS
    small = 10.0 ** -rng.uniform(0, 18, 20_000)
    beside = [np.nextafter(end, to) for end in (ends, np.array([0.5])) for to in (0, 1)]
    sure = np.concatenate([[0, 0.5, 1], ends, *beside, rng.random(20_000), small, 1 - small])
    np.testing.assert_array_equal(_error_table._cell_of(sure), np.searchsorted(ends, sure, side="right"))


def test_table_is_counted_answer_by_answer():
    rng = np.random.default_rng(1)
    sure = np.concatenate([[0, 1, 1], BANDS[1:-1], rng.random(200).astype(np.float32)]).astype(np.float64)
    wrong = rng.random(len(sure)) < 0.4
    profile = ConfidenceProfile.from_correctness(~wrong, sure)
    count, chance, errors, sizes = ErrorSums().sums(profile)
    cells = [sum(c >= end for end in _error_table._ENDS) for c in sure]
    for k in range(N_CELLS):
        rows = [i for i, cell in enumerate(cells) if cell == k]
        assert count[k] == len(rows)
        assert errors[k] == wrong[rows].sum()
        np.testing.assert_allclose(chance[k], sum(1 - sure[i] for i in rows), rtol=1e-13)
    expected = sum(1 / min(max(1 - sure[i], EPS), 1 - EPS) for i in np.flatnonzero(wrong))
    np.testing.assert_allclose(sizes, expected, rtol=1e-13)


def test_all_right_one_answer():
    table = ErrorTable.of(ConfidenceProfile.from_correctness([1], [0.75]))
    assert (table.n, table.wrong.tolist(), table.chance.tolist(), table.sizes) == (1, [0], [0.25], 0)
