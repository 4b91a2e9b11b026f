"""How often it is right in parts of the rows, against loops over rows."""

import numpy as np
import pytest
from _support.predictions import draw_answers, draw_counts
from scipy.stats import beta

from skconf import ConfidenceProfile
from skconf.report._evidence.shares import Shares
from skconf.report._sections.words import says_and_right


def clopper_pearson(wins, n):
    low = beta.ppf(0.025, wins, n - wins + 1) if wins > 0 else 0.0
    high = beta.ppf(0.975, wins + 1, n - wins) if wins < n else 1.0
    return low, high


@pytest.mark.parametrize("weighted", [False, True])
def test_parts_of_all_columns_are_counted_by_rows(weighted):
    right, sure = draw_answers(300, low=0.3)
    profile = ConfidenceProfile.from_correctness(
        right, sure, sample_weight=draw_counts(300, seed=2) if weighted else None
    )
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 4, 300), np.where(np.arange(300) < 5, 0, 2)]  # part 1 of the second has no row
    weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
    expected = {}
    for part in range(7):
        count = total = squares = right = says = 0.0
        for row in range(len(profile)):
            if part in (columns[0][row], 4 + columns[1][row]):
                count += 1
                total += weight[row]
                squares += weight[row] ** 2
                right += weight[row] * profile.correct[row]
                says += weight[row] * profile.confidence[row]
        if total:
            size = total**2 / squares
            expected[part] = (count, right / total, *clopper_pearson(right / total * size, size), says / total)
    assert set(expected) == {0, 1, 2, 3, 4, 6}
    found = Shares.of(profile, columns, 0.95)
    assert found.code.tolist() == sorted(expected, key=lambda part: expected[part][3])
    for at, part in enumerate(found.code):
        shown = (found.count[at], found.right[at], found.low[at], found.high[at], found.says[at])
        np.testing.assert_allclose(shown, expected[part], rtol=1e-9)


def test_parts_without_weight_are_left_out():
    profile = ConfidenceProfile.from_correctness([1, 0, 1], [0.9, 0.8, 0.7], sample_weight=[1.0, 0.0, 2.0])
    found = Shares.of(profile, [np.array([0, 1, 0])], 0.95)
    assert found.code.tolist() == [0]
    assert says_and_right(found, 0).startswith("average confidence 76.7%, accuracy 100% (")
    assert says_and_right(found, 0).endswith(") in 2 answers")
