"""Profiles of correctness, graded or not, and of costs."""

import numpy as np
import pytest

from skconf import ConfidenceProfile


class TestGraded:
    def test_what_needs_right_and_wrong_is_told_so(self):
        profile = ConfidenceProfile.from_correctness([0.5, 1, 0], [0.9, 0.8, 0.1])
        assert profile.kind == "graded"
        with pytest.raises(ValueError, match=r"right or wrong, but these answers are graded"):
            _ = profile.correct
        np.testing.assert_array_equal(profile.loss, [0.5, 0, 1])

    def test_a_part_stays_graded(self):
        profile = ConfidenceProfile.from_correctness([0.5, 1, 0], [0.9, 0.8, 0.1])
        assert profile[1:].kind == "graded"

    def test_groups_follow_their_rows(self):
        profile = ConfidenceProfile.from_correctness([1, 0, 1], [0.9, 0.8, 0.1], groups=["b", "a", "b"])
        np.testing.assert_array_equal(profile.groups, [1, 0, 1])
        np.testing.assert_array_equal(profile[[2, 1]].groups, [1, 0])

    def test_its_repr_tells_what_it_is(self):
        profile = ConfidenceProfile.from_correctness([0.5, 1], [0.9, 0.8])
        assert repr(profile) == "ConfidenceProfile(n_samples=2, graded)"


class TestCosts:
    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"cost": [1, -1]}, "cost is -1.0 in row 1; it must not be negative"),
            ({"uncertainty": [1, np.nan]}, "uncertainty is nan in row 1; it must be finite"),
            ({"cost": [1]}, "cost has 1 row, but there are 2"),
            ({"largest": None}, "a cost or an uncertainty is 2, which is above 1. Pass largest="),
            ({"largest": 0}, "largest must be above 0"),
        ],
    )
    def test_errors_name_the_argument(self, changed, message):
        given = {"cost": [1, 0], "uncertainty": [1, 2], "largest": 4}
        ConfidenceProfile.from_costs(**given)
        with pytest.raises(ValueError, match=message):
            ConfidenceProfile.from_costs(**{**given, **changed})

    def test_selection_ranks_by_uncertainty_over_the_largest(self):
        profile = ConfidenceProfile.from_costs([1, 0], [1, 2], largest=4)
        np.testing.assert_array_equal(profile.score, [0.75, 0.5])
        assert np.isnan(profile.correctness).all()
        with pytest.raises(ValueError, match="only costs and uncertainties of these answers are known"):
            _ = profile.correct


def test_log_probabilities_and_ranges_are_no_confidences():
    with pytest.raises(ValueError, match=r"for log-probabilities, pass np\.exp\(confidence\)"):
        ConfidenceProfile.from_correctness([1, 0], [-0.1, -2.5])
    with pytest.raises(ValueError, match=r"it must lie in \[0, 1\]\.$"):
        ConfidenceProfile.from_correctness([1, 0], [-0.1, 0.5])
    with pytest.raises(ValueError, match=r"'85-90%' in row 0, .* Use grades to give '85-90%' a number\.$"):
        ConfidenceProfile.from_correctness([1, 0], ["85-90%", "50%"])
