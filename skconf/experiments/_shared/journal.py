"""Journals: lines of results on disk, so that what was interrupted can continue."""

import json
from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple


class Outcome(NamedTuple):
    """The outcome of a trial: the mean loss over folds, and the mean number of rounds."""

    loss: float
    rounds: int


class Journal:
    """Outcomes of trials, one on each line, with the trial's number and parameters.

    A line belongs to the trial that has its number and its parameters, whatever the order of lines. Lines that were cut
    short, doubled, damaged, or written by another search are ignored.

    Parameters
    ----------
    path : Path
        The file; created by the first outcome.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known = dict(_entries(path))

    def outcome(self, trial: int, parameters: Mapping[str, Any]) -> Outcome | None:
        """Return the outcome of a trial, or None if it is unknown."""
        return self._known.get(_key(trial, parameters))

    def add(self, trial: int, parameters: Mapping[str, Any], outcome: Outcome) -> None:
        """Add the outcome of a trial."""
        self._known[_key(trial, parameters)] = outcome
        add_line(self.path, {"trial": trial, "parameters": dict(parameters), **outcome._asdict()})


def add_line(path: Path, entry: Mapping[str, Any]) -> None:
    """Add a line to a file."""
    with path.open("a", encoding="utf-8") as file:
        # The line break comes first: the line before may have been cut short.
        file.write(f"\n{json.dumps(dict(entry))}")


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file, without those that were cut short or damaged."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            yield entry


def _key(trial: int, parameters: Mapping[str, Any]) -> str:
    return json.dumps([trial, parameters], sort_keys=True)


def _entries(path: Path) -> Iterator[tuple[str, Outcome]]:
    """Yield the valid lines of a file."""
    for entry in read_lines(path):
        try:
            outcome = Outcome(float(entry["loss"]), int(entry["rounds"]))
            key = _key(entry["trial"], entry["parameters"])
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
        if isfinite(outcome.loss) and outcome.rounds >= 1:
            yield key, outcome
