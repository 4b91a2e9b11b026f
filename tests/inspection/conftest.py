"""Pictures are drawn without a window, and closed after each test."""

import pytest

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None
else:
    plt.switch_backend("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    if plt is not None:
        plt.close("all")
