"""Graded answers that other tools write as JSON lines: an object for each answer, whose values are columns by name."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from math import nan
from typing import IO, Any

from skconf._core.problems import DataError
from skconf._core.usual_names import IDS, PREDICTIONS, spelled
from skconf.tables._json_lines import objects_in
from skconf.tables._log_samples import Choices, Sample, is_scalar, no_grade

_NESTED = {dict, list}
#: Most bytes of a line: prompts of long contexts have millions.
_LINE_BYTES = 1 << 26


class JsonRows:
    """A log of any tool.

    Parameters
    ----------
    file : file of bytes
        Its lines.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.rows: list[dict[str, Any]] = []
        self.broken: list[str] = []
        for number, _, row in objects_in(file, _LINE_BYTES):
            if isinstance(row, dict):
                self.rows.append(row if _NESTED.isdisjoint(map(type, row.values())) else dict(_flat(row)))
            else:
                self.broken.append(f"line {number}")
        if not self.rows:
            raise DataError(
                "no line of it holds an object.",
                kind="no log",
                advice="Give samples_TASK_TIME.jsonl of lm-evaluation-harness, or other JSON lines.",
            )
        self.grades: list[str] = []
        self.refused: dict[str, str] = {}
        self.names = list(dict.fromkeys(chain.from_iterable(self.rows)))
        for name in self.names:
            why = no_grade(row.get(name) for row in self.rows)
            if why:
                self.refused[name] = why
            else:
                self.grades.append(name)

    def samples(self, grade: str) -> list[Sample]:
        """Return all rows, graded by a column."""
        of_id = next((name for name in self.names if spelled(name) in IDS), None)
        of_answer = next((name for name in self.names if spelled(name) in PREDICTIONS), None)
        ids = [at if of_id is None else row.get(of_id, at) for at, row in enumerate(self.rows)]
        seen, found = Counter[Any](), []
        repeat = len(set(ids)) < len(ids)
        for key, row in zip(ids, self.rows, strict=True):
            value, answer = row.get(grade), None if of_answer is None else row.get(of_answer)
            if repeat:
                seen[key] += 1
            grading, epoch = nan if value is None else float(value), seen[key] or 1
            if isinstance(answer, str):
                text = answer.strip()
                found.append(Sample(key, epoch, grading, answer, (text,), row, not text))
            else:
                found.append(Sample(key, epoch, grading, answer, (), row))
        return found

    def choices(self, grade: str) -> Choices | None:  # noqa: ARG002
        """Return None: choices are not made by likelihoods."""
        return None


def _flat(row: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Go through the texts and numbers of an object, those within another one as OUTER.INNER."""
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        elif is_scalar(value):
            yield f"{before}{name}", value
