"""Tables as CSV that spreadsheets read as they are."""

import pandas as pd

from skconf._core.terminal import csv_text


def test_only_texts_that_are_no_numbers_are_kept_from_being_formulas():
    table = pd.DataFrame({"loss": [-0.5, 1.0], "name": ["=1+1", "-1"]})
    assert csv_text(table, index=False).split() == ["loss,name", "-0.5,'=1+1", "1.0,-1"]
