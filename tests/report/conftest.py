"""What tests of reports share."""

import pytest


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch):
    """Draw little for the intervals of a page: how narrow they are is tested with the intervals."""
    monkeypatch.setattr("skconf.inference._bayesian_bootstrap.N_DRAWS", 100)
    monkeypatch.setattr("skconf.report._evidence.intervals._N_RESAMPLES", 50)
