"""Pictures are drawn without a window, and each test begins without those of others."""

import pytest

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None
else:
    plt.switch_backend("Agg")


@pytest.fixture(autouse=True)
def _closed():
    if plt is not None:
        plt.close("all")  # those of documents and docstrings stay open
    yield
    if plt is not None:
        plt.close("all")
