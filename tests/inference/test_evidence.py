"""How messages count what a value depends on."""

import pytest

from skconf.inference._evidence import Share


@pytest.mark.parametrize(
    ("value", "size", "told"),
    [
        (0.28, 100, "28 errors"),
        (0.01, 100, "1 error"),
        (0.0, 100, "0 errors"),
        (0.72, 100, "28 right answers"),
        (0.99, 100, "1 right answer"),
        (0.2999, 100, "29 effective errors"),
        (0.3 - 1e-15, 100, "30 errors"),
        (0.28, 93.4, "26 effective errors"),
    ],
)
def test_the_rarer_kind_is_counted(value, size, told):
    assert Share(value, size).told() == told
