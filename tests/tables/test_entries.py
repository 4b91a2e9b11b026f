"""Entries of columns of pyarrow: texts are read as they are, however short."""

import numpy as np
import pytest

from skconf.tables._entries import labels_in

pa = pytest.importorskip("pyarrow")

TEXTS = {
    "digits": ["0", "1", "1", "0"],
    "of one byte": ["~", " ", "\x00", "A", "\x7f", "A"],
    "of one letter": ["ä", "é", "a", "ä"],
    "of two bytes in the mean": ["a", "abc", "bb", "b"],
    "all different": [chr(code) for code in range(128)],
}


@pytest.mark.parametrize("kind", ["string", "large_string"])
@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_texts_are_read_as_they_are(texts, kind):
    array = pa.array(texts, getattr(pa, kind)())
    pieces = {
        "whole": array,
        "slice": pa.concat_arrays([pa.array(["zz", "", "0"], array.type), array, pa.array(["x"], array.type)])[3:-1],
        "chunks": pa.chunked_array([array[:2], array[2:2], array[2:]]),
    }
    for name, column in pieces.items():
        assert list(labels_in({"label": column}, "label")) == texts, name


@pytest.mark.parametrize("missing", [None, ""])
@pytest.mark.parametrize("place", [0, 2])
def test_missing_texts_are_refused(missing, place):
    texts = ["0", "1", "0"]
    texts[place] = missing
    with pytest.raises(ValueError, match=rf"column 'label' has .* in row {place}, where a label is needed"):
        labels_in({"label": pa.array(texts, pa.string())}, "label")


def test_nulls_behind_values_are_refused():
    """A null may stand where the bytes of a value are."""
    whole = pa.array(["0", "1", "0"])
    hidden = pa.Array.from_buffers(pa.string(), 3, [pa.py_buffer(bytes([0b101])), *whole.buffers()[1:]])
    with pytest.raises(ValueError, match="in row 1, where a label is needed"):
        labels_in({"label": hidden}, "label")
    assert np.asarray(labels_in({"label": whole}, "label")).tolist() == ["0", "1", "0"]
