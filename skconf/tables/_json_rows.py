"""Graded answers of other tools in JSON lines: an object for each answer, with a value for each column."""

from collections.abc import Mapping, Sequence
from itertools import islice
from math import nan
from typing import IO, Any

from skconf._core.problems import DataError
from skconf._core.usual_names import IDS, PREDICTIONS, spelled
from skconf.tables._json_objects import columns_in, objects_in
from skconf.tables._log_samples import Log, Sample, no_grade, repetitions

#: The most bytes of a line: prompts with long contexts have millions of bytes.
_LINE_BYTES = 1 << 26
#: The number of rows whose columns are gathered at once.
_BLOCK_ROWS = 1 << 10


class JsonRows(Log):
    """A log of any tool.

    Parameters
    ----------
    file : file of bytes
        Its lines.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.columns: dict[str, list[Any]] = {}
        self.n_rows = 0
        broken: list[str] = []
        found = objects_in(file, _LINE_BYTES)
        while block := list(islice(found, _BLOCK_ROWS)):
            self._add([row for *_, row in block if isinstance(row, dict)])
            broken += [f"line {number}" for number, _, row in block if not isinstance(row, dict)]
        if not self.n_rows:
            raise DataError(
                "it has no line that is an object.",
                kind="no log",
                advice="Give samples_TASK_TIME.jsonl of lm-evaluation-harness, or other JSON lines.",
            )
        super().__init__({name: no_grade(values) for name, values in self.columns.items()}, broken)

    def _add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rows to the columns."""
        found = {".".join(place): values for place, values in columns_in(rows)}
        for name in {**self.columns, **found}:
            if name not in self.columns:
                self.columns[name] = [None] * self.n_rows
            self.columns[name] += found[name] if name in found else [None] * len(rows)
        self.n_rows += len(rows)

    def samples(self, grade: str) -> list[Sample]:
        """Return all rows with the grade in a column, and with the columns of the log."""
        of_id = next((name for name in self.columns if spelled(name) in IDS), None)
        of_answer = next((name for name in self.columns if spelled(name) in PREDICTIONS), None)
        ids: list[Any] = list(range(self.n_rows))
        if of_id is not None:
            ids = [at if key is None else key for at, key in enumerate(self.columns[of_id])]
        answers = [None] * self.n_rows if of_answer is None else self.columns[of_answer]
        epochs = repetitions(ids)
        found, none = list[Sample](), dict[str, Any]()
        for key, epoch, value, answer in zip(ids, epochs, self.columns[grade], answers, strict=True):
            grading = nan if value is None else float(value)
            if isinstance(answer, str):
                text = answer.strip()
                found.append(Sample(key, epoch, grading, answer, (text,), none, not text))
            else:
                found.append(Sample(key, epoch, grading, answer, (), none))
        return found
