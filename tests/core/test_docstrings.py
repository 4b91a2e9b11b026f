"""Docstrings that share text."""

from skconf._core.docstrings import filled


def documented():
    """Sum of things.

    {parameters} and more of the same line
    goes on here.

        {facts} One.
        Two.

    References
    ----------
    .. [1] {reference}.

    >>> _ = "a line of code that is too wide, but for which nothing was filled in, so that it is nobody else's fault", 1
    """


def test_places_are_filled_as_they_are_indented_and_wrapped_where_too_wide():
    places = {
        "{parameters}": "x : int\n    A number.\ny : int",
        "{facts}": "in [0, 1]; " * 9 + "in [0, 1].",
        "{reference}": "word " * 30,
    }
    before = documented.__doc__
    lines = filled(documented, places).splitlines()
    assert lines[:2] == ["Sum of things.", ""]
    assert lines[2:6] == ["x : int", "    A number.", "y : int and more of the same line", "goes on here."]
    assert lines[7] == "    " + ("in [0, 1]; " * 9 + "in [0, 1].").strip()
    assert lines[8] == "    One. Two."
    assert lines[10:12] == ["References", "----------"]
    assert lines[12].startswith(".. [1] word word")
    assert lines[13].startswith("   word")
    assert max(map(len, lines[:-1])) <= 116
    assert documented.__doc__ == before
