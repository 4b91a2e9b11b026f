"""A reading of the columns of a file: what each of them may hold, and the words for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from skconf._core.messages import listed, option
from skconf._core.problems import DataError
from skconf.tables._columns import Columns

#: What columns may hold, by the parameter that names them.
_MEANINGS = {
    "target": "the true label",
    "prediction": "the predicted label",
    "correct": "the correctness of the prediction",
    "confidence": "the confidence in the prediction",
}


@dataclass(frozen=True)
class Reading:
    """A possible meaning of the columns; `of_single` is the class of a single column of probabilities."""

    target: Any = None
    prediction: Any = None
    correct: Any = None
    confidence: Any = None
    proba: tuple[Any, ...] = ()
    labels: tuple[str, ...] = ()
    of_single: str | None = None

    def completed(self, columns: Columns) -> Columns:
        """Return the columns of the user, completed by the columns of the reading."""
        return replace(
            columns,
            **{role: getattr(self, role) for role in _MEANINGS},
            proba=list(self.proba),
            labels=list(self.labels) or columns.labels,
            pos_label=columns.pos_label if self.of_single is None else self.of_single,
        )

    def __str__(self) -> str:
        roles = ((getattr(self, role), meaning) for role, meaning in _MEANINGS.items())
        parts = [f"{name!r} as {meaning}" for name, meaning in roles if name is not None]
        if self.of_single is not None:
            parts.append(f"{self.proba[0]!r} as the probability of {self.of_single}")
        elif self.labels and len(self.proba) == 1:
            parts.append(f"the lists in {self.proba[0]!r} as the probabilities of {names_in_words(self.labels, str)}")
        elif self.labels:
            parts.append(
                f"the columns {names_in_words(self.proba)} as the probabilities of {names_in_words(self.labels, str)}"
            )
        elif self.proba:
            parts.append(f"the column{'s' * (len(self.proba) > 1)} {names_in_words(self.proba)} as probabilities")
        return ", ".join(parts)


def names_in_words(names: Sequence[Any], form: Callable[[Any], str] = repr) -> str:
    """Return names as a list in words."""
    shown = [form(name) for name in names]
    return listed(shown) if len(shown) <= 5 else f"{', '.join(shown[:4])}, … {shown[-1]}"


def several_readings(readings: Sequence[Reading]) -> DataError:
    """Return the error that says how the columns can be read, and the option that chooses."""
    one, other = readings[:2]
    roles = [
        role for role in ("target", "proba", "confidence", "prediction") if getattr(one, role) != getattr(other, role)
    ]
    deciding = "pos_label" if not roles else roles[0]
    text = f"the columns can be read in {len(readings)} ways, such as: {one}; or: {other}."
    return DataError(text, kind="several readings", advice=f"Choose one with {option(deciding)}.")
