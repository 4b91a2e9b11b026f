"""What the guide shows with other libraries."""

import re
from pathlib import Path

import numpy as np
import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide"


def test_skops_keeps_the_classifier_of_the_page_on_production(tmp_path, monkeypatch):
    pytest.importorskip("skops.io")
    monkeypatch.chdir(tmp_path)
    page = (GUIDE / "production.md").read_text()
    memory = {}
    for language in ("python", "py"):  # the first block, and the one that needs skops
        exec(re.search(rf"^```{language}\n(.*?)^```$", page, flags=re.M | re.S)[1], memory)
    new = memory["X"][16_000:]
    assert np.array_equal(memory["loaded"].predict(new), memory["model"].predict(new))
