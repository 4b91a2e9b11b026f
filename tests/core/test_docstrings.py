"""Docstrings that share text."""

import contextlib
import inspect

import skconf
from skconf._core.docstrings import documented, filled


def of_places():
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
    before = of_places.__doc__
    lines = filled(of_places, places).splitlines()
    assert lines[:2] == ["Sum of things.", ""]
    assert lines[2:6] == ["x : int", "    A number.", "y : int and more of the same line", "goes on here."]
    assert lines[7] == "    " + ("in [0, 1]; " * 9 + "in [0, 1].").strip()
    assert lines[8] == "    One. Two."
    assert lines[10:12] == ["References", "----------"]
    assert lines[12].startswith(".. [1] word word")
    assert lines[13].startswith("   word")
    assert max(map(len, lines[:-1])) <= 116
    assert of_places.__doc__ == before


def test_functions_of_predictions_say_the_same_of_them():
    @documented(more="more : int\n    What is more.")
    def function():
        """Do something.

        Parameters
        ----------
        {predictions}
        {more}
        {labels}
        """

    lines = inspect.getdoc(function).splitlines()
    assert [line.partition(" : ")[0] for line in lines if " : " in line] == [
        *("y_true", "y_proba", "more", "labels", "pos_label")
    ]
    assert lines[lines.index("more : int") + 1] == "    What is more."
    assert not any("{" in line for line in lines)


def public_callables():
    """Return the public classes, functions and methods, by name."""
    for room in (skconf, *(getattr(skconf, name) for name in dir(skconf) if inspect.ismodule(getattr(skconf, name)))):
        for name in getattr(room, "__all__", ()):
            public = getattr(room, name)
            if callable(public):
                yield f"{room.__name__}.{name}", public
            if inspect.isclass(public):
                methods = [each for each in vars(public) if not each.startswith("_")]
                yield from ((f"{room.__name__}.{name}.{each}", getattr(public, each)) for each in methods)


def test_help_shows_code_that_can_be_copied_and_signatures_that_can_be_read():
    documented_names = dict(public_callables())
    assert len(documented_names) > 100
    doubled = [name for name, public in documented_names.items() if "{{" in (inspect.getdoc(public) or "")]
    assert not doubled, "A docstring needs no doubled braces."
    lengthy = []
    for name, public in documented_names.items():
        with contextlib.suppress(ValueError, TypeError):  # it has no signature
            if "_array_like" in str(inspect.signature(public)):
                lengthy.append(name)
    assert not lengthy, "Begin the module with `from __future__ import annotations`."
