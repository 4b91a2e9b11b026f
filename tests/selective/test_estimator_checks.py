"""scikit-learn's checks of estimators: all pass, but for those with a reason."""

import re
from pathlib import Path

import pytest
from _support.selective.configurations import CONFIGURATIONS, SLOW, UNCHECKED, results_of

from skconf import SelectiveClassifier, TunedSelectiveClassifierCV

PAGE = Path(__file__).parents[2] / "docs" / "how_we_know.md"


@pytest.mark.parametrize(
    "code", [pytest.param(code, marks=[pytest.mark.slow] if code in SLOW else []) for code in CONFIGURATIONS]
)
def test_every_check_passes_but_for_those_with_a_reason(code):
    results = results_of(code)
    assert len(results) > 40
    assert {r["check_name"]: str(r["exception"])[:80] for r in results if r["status"] == "failed"} == {}
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(CONFIGURATIONS[code])


def test_the_page_lists_these_configurations_and_the_checks_that_they_fail():
    rows = re.findall(r"^\| `(\w*SelectiveClassifier.*?)` \|(.*)$", PAGE.read_text(), flags=re.M)
    listed = {code: set(re.findall(r"`(check_\w+)`", cells)) for code, cells in rows}
    assert listed == {code: set(expected) for code, expected in CONFIGURATIONS.items()}


def test_every_parameter_is_in_a_configuration():
    given = {name for code in CONFIGURATIONS for name in re.findall(r"(\w+)=", code)}
    for kind in (SelectiveClassifier, TunedSelectiveClassifierCV):
        assert set(kind._parameter_constraints) - given - UNCHECKED == {"estimator"}
