"""Blocks of rows, small enough that tests of few rows have several: how rows are cut must not show."""


def cut_into_blocks(monkeypatch, n_rows):
    """Let the package look at so many rows together, at most."""
    monkeypatch.setattr("skconf._core.probabilities._MOST_ROWS", n_rows)
