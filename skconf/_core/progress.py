"""Progress on standard error: a bar of tqdm if it is installed and there is a terminal, else plain lines."""

import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import Any, Self

try:
    from tqdm import tqdm
except ImportError:
    tqdm = None

#: Progress is shown only after this many seconds, so short work prints nothing.
FIRST = 1.0


def progress(title: str, total: float | None, *, unit: str, quiet: bool = False) -> Any:
    """Return a context manager with the methods ``update(amount)`` and ``write(line)``, like a bar of tqdm.

    The total is in units of `unit`, and None if it is unknown. If `quiet`, nothing is printed.
    """
    if quiet:
        return _Lines(title, total, quiet=True)
    if tqdm is not None and sys.stderr.isatty():
        form = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}, {remaining} left" if total else None
        bar = tqdm(desc=title, total=total, unit=unit, unit_scale=True, bar_format=form, leave=False)
        bar.write = partial(tqdm.write, file=sys.stderr)  # it writes to standard output by default
        return bar
    return _Lines(title, total)


def run_parallel(tasks: Sequence[Any], title: str, *, n_jobs: int | None, quiet: bool) -> list[Any]:
    """Run joblib's delayed calls, show how many are done, and return the results in order."""
    from joblib import Parallel  # it takes longer to load than all else here

    with progress(title, len(tasks), unit="", quiet=quiet) as bar:
        results = []
        for result in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
            results.append(result)
            bar.update(1)
    return results


class Steps:
    """Print the current step to standard error, after the first second.

    In a terminal, each step overwrites the one before.

    `total` is the number of steps. If `quiet`, nothing is printed.
    """

    def __init__(self, total: int, *, quiet: bool = False) -> None:
        self.total, self.quiet = total, quiet
        self._done, self._text, self._shown = 0, "", 0
        self._lock, self._is_late = threading.Lock(), False
        self._clock = threading.Timer(FIRST, self._first)
        self._clock.daemon = True

    def __enter__(self) -> Self:
        if not self.quiet:
            self._clock.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._clock.cancel()
        with self._lock:
            self.quiet = True
            if self._shown:
                print(f"\r{' ' * self._shown}\r", end="", file=sys.stderr, flush=True)

    def begin(self, text: str) -> None:
        """Begin a step."""
        with self._lock:
            self._done, self._text = self._done + 1, text
            if self._is_late:
                self._write()

    def _first(self) -> None:
        with self._lock:
            self._is_late = True
            if self._text:
                self._write()

    def _write(self) -> None:
        if self.quiet or sys.stderr is None:
            return
        line = f"skconf: {self._text} (step {self._done} of {self.total})"
        if sys.stderr.isatty():  # the next output is written over it
            print(f"\r{line:<{self._shown}}\r", end="", file=sys.stderr, flush=True)
            self._shown = len(line)
        else:
            print(line, file=sys.stderr, flush=True)


class _Lines:
    """Progress in lines, for output that cannot show a bar: from time to time, the share that is done."""

    def __init__(self, title: str, total: float | None, *, quiet: bool = False) -> None:
        self.title, self.total, self.quiet = title, total, quiet
        self.done, self.started = 0.0, time.monotonic()
        self.last_line, self.has_spoken = self.started, False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        pass

    def update(self, amount: float) -> None:
        """Advance the progress by an amount of work."""
        self.done += amount
        # The longer the work takes, the longer the pauses: after hours, a log has a few dozen lines.
        pause = max(5.0, (self.last_line - self.started) / 4) if self.has_spoken else FIRST
        if self.total and self.done < self.total and time.monotonic() - self.last_line > pause:
            self.write(self.title)

    def write(self, line: str) -> None:
        """Print a line, with the share that is done and the time left at this rate."""
        if self.quiet:
            return
        self.last_line, self.has_spoken = time.monotonic(), True
        if self.total and 0 < self.done < self.total:
            left = (self.last_line - self.started) * (self.total / self.done - 1)
            line = f"{line} ({self.done / self.total:.0%} done, about {duration(left)} left)"
        print(line, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Return a time in words, with about two digits."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
