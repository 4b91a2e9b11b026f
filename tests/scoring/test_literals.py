"""Metrics with parameters as text."""

import numpy as np
import pytest

from skconf import confidence_report, confidence_scoring, get_scorer, metrics
from skconf.inference import confidence_interval

Y = np.array([0, 1, 1, 0, 1, 0])
PROBA = np.array([0.2, 0.9, 0.4, 0.6, 0.7, 0.3])


def test_parameters_reach_the_metric_wherever_it_is_named():
    expected = metrics.ecuas_loss(Y, PROBA, n=128)
    text = "ecuas_loss(n=128)"
    assert confidence_interval([text], Y, PROBA).loc[text, "value"] == expected
    assert confidence_report(Y, PROBA, metrics=[text]).frame.loc[text, "value"] == expected
    assert get_scorer("neg_ecuas(n=128)").params == {"n": 128}
    assert confidence_interval("ecuas_loss()", Y, PROBA).value == metrics.ecuas_loss(Y, PROBA)


def test_scorers_of_other_parameters_have_other_keys():
    scorers = confidence_scoring(["neg_ecuas(n=1)", "neg_ecuas(n=2)"]).scorers
    assert {name: scorer.params for name, scorer in scorers.items()} == {
        "neg_ecuas(n=1)": {"n": 1},
        "neg_ecuas(n=2)": {"n": 2},
    }


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("n=one", r"n in .* must be a number, .* but is one\. Put strings in quotes: n='one'"),
        ("n=__import__('os').getpid()", r"n in .* but is __import__\('os'\)\.getpid\(\)"),
        ("eps=1e-7, n=2**3", r"n in .* but is 2 \*\* 3"),
        ("n={[]: 1}", "n in .* must be a number"),
        ("128", r"has 128 without the name of a parameter\. Write NAME=128"),
        ("n=1, n=2", "gives n twice"),
        ("**{'n': 1}", r"unpacks \{'n': 1\}\. Write each parameter as NAME=VALUE"),
    ],
)
def test_only_literals_are_read(parameters, message):
    for read in (get_scorer, lambda name: confidence_interval(name, Y, PROBA)):
        with pytest.raises(ValueError, match=message):
            read(f"neg_ecuas({parameters})")


@pytest.mark.parametrize(
    "text", ["neg_ecuas(n=", "neg_ecuas" + "(" * 5000, "neg_ecuas(n=" + "-" * 50_000 + "1)", "no(n=x)"]
)
def test_what_is_no_metric_is_named(text):
    for read in (get_scorer, lambda name: confidence_interval(name, Y, PROBA)):
        with pytest.raises(ValueError, match=r"There is no (metric or )?scorer"):
            read(text)
