"""Renamed keywords: the old name works with a warning, the signature shows the new one."""

import inspect
import pickle

import pytest
from sklearn.base import BaseEstimator, clone

from skconf._core.renamed import renamed_keywords


@renamed_keywords(seed="random_state", level="confidence_level")
def draw(size, *, confidence_level=0.95, random_state=None):
    """Draw."""
    return size, confidence_level, random_state


class Estimator(BaseEstimator):
    @renamed_keywords(seed="random_state")
    def __init__(self, *, random_state=None):
        self.random_state = random_state


def test_new_names_pass_without_a_word():
    assert draw(1, confidence_level=0.9, random_state=2) == (1, 0.9, 2)


def test_an_old_name_is_passed_on_and_the_warning_names_the_new_one():
    with pytest.warns(FutureWarning, match=r"^draw\(\): seed is now called random_state,") as caught:
        assert draw(1, seed=2) == (1, 0.95, 2)
    assert [warning.filename for warning in caught] == [__file__]


def test_both_names_at_once_are_refused():
    with pytest.raises(TypeError, match=r"draw\(\) got confidence_level and also level"):
        draw(1, level=0.9, confidence_level=0.9)


def test_signature_and_docstring_are_the_functions_own():
    assert list(inspect.signature(draw).parameters) == ["size", "confidence_level", "random_state"]
    assert (draw.__name__, draw.__doc__, draw.__module__) == ("draw", "Draw.", __name__)


def test_constructors_of_estimators_keep_their_parameters():
    with pytest.warns(FutureWarning, match=r"^Estimator\(\): seed is now called random_state"):
        model = Estimator(seed=3)
    assert clone(model).get_params() == {"random_state": 3}
    assert pickle.loads(pickle.dumps(draw)) is draw
