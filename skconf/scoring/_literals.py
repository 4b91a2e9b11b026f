"""Metrics with parameters as text, such as "ecuas_loss(n=128)". Values are read as literals, and no code is run."""

import ast
from typing import Any

#: Errors that Python raises for a text that is not Python, or that is nested too deeply.
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def as_call(text: str) -> tuple[str, ast.Call] | None:
    """Return the name of the function that a text calls, and the call; None if the text is not a call of a name."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except _UNREADABLE:
        return None
    return (call.func.id, call) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else None


def literals_of(call: ast.Call, text: str) -> dict[str, Any]:
    """Return the parameters of a call that :func:`as_call` found in a text; raise if a value is not a literal."""
    params: dict[str, Any] = {}
    if call.args:
        raise ValueError(
            f"{text!r} has {ast.unparse(call.args[0])} without the name of a parameter. Write "
            f"NAME={_seen(call.args[0])}."
        )
    for word in call.keywords:
        if word.arg is None:
            raise ValueError(f"{text!r} unpacks {_seen(word.value)}. Write each parameter as NAME=VALUE.")
        if word.arg in params:
            raise ValueError(f"{text!r} gives {word.arg} twice. Leave one of them out.")
        try:
            params[word.arg] = ast.literal_eval(word.value)
        except (*_UNREADABLE, TypeError):
            quoted = (
                f" Put strings in quotes: {word.arg}={word.value.id!r}." if isinstance(word.value, ast.Name) else ""
            )
            raise ValueError(
                f"{word.arg} in {text!r} must be a number, a string in quotes, True, False, None, or a list of these, "
                f"but is {_seen(word.value)}.{quoted}"
            ) from None
    return params


def _seen(value: ast.expr) -> str:
    """Return the text of a value, shortened."""
    written = ast.unparse(value)
    return written if len(written) <= 40 else f"{written[:39]}…"
