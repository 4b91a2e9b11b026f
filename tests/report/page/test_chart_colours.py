"""Colours of charts: contrast by WCAG, and difference for the colour-blind by the matrices of Machado and others."""

import re
from itertools import combinations

import numpy as np
import pytest

from skconf.report._page.document import style_sheet

_STYLE = style_sheet()
_PAIRS = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", _STYLE)
_LIGHT, _DARK = ({name: pair[theme] for name, *pair in _PAIRS} for theme in (0, 1))
_THEMES = [(_LIGHT["ground"], _LIGHT), (_DARK["ground"], _DARK)]
# G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, 2009: a whole deficiency, on linear RGB.
_SEEN_BY = {
    "all": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def _linear(colour):
    shares = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def _contrast(one, other):
    low, high = sorted(_linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def _lab(linear):
    matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    shares = matrix @ np.clip(linear, 0, 1) / [0.9505, 1, 1.089]
    x, y, z = np.where(shares > 0.008856, np.cbrt(shares), 7.787 * shares + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize(("ground", "colours"), _THEMES, ids=["light", "dark"])
def test_names_can_be_read(ground, colours):
    for name in ("s0", "s1", "s2", "s3", "s4", "quiet"):
        assert _contrast(colours[name], ground) >= 4.5, name


@pytest.mark.parametrize("kind", _SEEN_BY)
@pytest.mark.parametrize("colours", [_LIGHT, _DARK], ids=["light", "dark"])
def test_series_are_told_apart(colours, kind):
    seen = [_lab(_SEEN_BY[kind] @ _linear(colours[f"s{series}"])) for series in range(5)]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 15


def test_series_differ_by_more_than_colour():
    dashes = re.findall(r"--dash: ([^;} ][^;}]*)", _STYLE)
    assert len(set(dashes)) == 5
