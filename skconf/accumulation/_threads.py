"""Threads that work on the items of several streams, with results in the order of the items."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextvars import copy_context
from threading import Condition, Thread
from typing import Any, NamedTuple, TypeVar

from joblib import effective_n_jobs
from joblib.parallel import get_active_backend

from skconf._core.messages import option

Item = TypeVar("Item")
Result = TypeVar("Result")

#: For each thread, this many results may wait for an earlier result. Then only the earlier one is worked on.
_MOST_WAITING = 4


def number_of_threads(n_jobs: int | None) -> int:
    """Return the number of threads. It is 1 in workers of joblib, Dask and Spark, which share the cores."""
    if n_jobs == 0:
        raise ValueError(
            f"{option('n_jobs')} must be a number of threads, or -1 for one thread on each core, but is 0."
        )
    return 1 if _in_worker() else int(effective_n_jobs(n_jobs))


def _in_worker() -> bool:
    if get_active_backend()[0].nesting_level:
        return True
    if "pyspark" in sys.modules:
        from pyspark import TaskContext

        if TaskContext.get() is not None:
            return True
    if "distributed" in sys.modules:
        from distributed import get_worker

        try:
            return get_worker() is not None
        except ValueError:
            return False
    return False


def in_order(
    streams: Sequence[Iterable[Item]], work: Callable[[Item], Result], n_threads: int = 1
) -> Generator[Result]:
    """Yield the results of a function for the items of all streams, one stream after the other.

    Each thread reads an item from the earliest stream that no other thread is reading, and works on it. So there is one
    item for each thread in memory. Errors are raised in the order of the items, so the earliest one is raised. If the
    caller stops early, because of an error or an interrupt, each thread finishes its item and ends.
    """
    if n_threads == 1:
        for stream in streams:
            for item in stream:
                yield work(item)
        return
    feed = _Feed([iter(stream) for stream in streams], work, _MOST_WAITING * n_threads)
    threads = [Thread(target=copy_context().run, args=(feed.run,), daemon=True) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    try:
        yield from feed.results()
    finally:
        feed.stop()
        for thread in threads:
            thread.join()


class _Failure(NamedTuple):
    """The error that a thread raised instead of a result."""

    error: BaseException


class _Feed:
    """Hands items to threads, and their results to one reader."""

    def __init__(self, streams: Sequence[Iterator[Any]], work: Callable[[Any], Any], most_waiting: int) -> None:
        self.streams, self.work, self.most_waiting = streams, work, most_waiting
        self.taken = [0] * len(streams)
        self.reading, self.ended = set[int](), set[int]()
        self.awaited = (0, 0)  # the stream and number of the result that the reader waits for
        self.done: dict[tuple[int, int], Any] = {}
        self.changed = Condition()

    def run(self) -> None:
        """Read items and work on them until all streams are read. Each thread runs this method."""
        while (at := self._start_reading()) is not None:
            try:
                items = list(_next_of(self.streams[at]))
            except BaseException as error:  # noqa: BLE001 – the reader raises it
                items = [_Failure(error)]
            with self.changed:
                self.reading.discard(at)
                place = (at, self.taken[at])
                self.taken[at] += len(items)
                if not items or isinstance(items[0], _Failure):
                    self.ended.add(at)
                self.changed.notify_all()
            for item in items:
                self._finish(place, item if isinstance(item, _Failure) else self._result(item))

    def _start_reading(self) -> int | None:
        """Wait until a stream can be read, and return its position; None if all streams are read."""
        with self.changed:
            while True:
                left = [at for at in range(self.awaited[0], len(self.streams)) if at not in self.ended]
                free = [at for at in left if at not in self.reading]
                if len(self.done) >= self.most_waiting:
                    free = [at for at in free if (at, self.taken[at]) == self.awaited]
                if not left:
                    return None
                if free:
                    self.reading.add(free[0])
                    return free[0]
                self.changed.wait()

    def _result(self, item: Any) -> Any:
        try:
            return self.work(item)
        except BaseException as error:  # noqa: BLE001 – the reader raises it
            return _Failure(error)

    def _finish(self, place: tuple[int, int], result: Any) -> None:
        with self.changed:
            self.done[place] = result
            if isinstance(result, _Failure):  # later results are not needed
                self.ended.update(range(place[0], len(self.streams)))
            self.changed.notify_all()

    def results(self) -> Iterator[Any]:
        """Yield the results in order; raise the earliest error."""
        for at in range(len(self.streams)):
            number = 0
            while True:
                with self.changed:
                    self.awaited = (at, number)
                    self.changed.notify_all()
                    self.changed.wait_for(lambda: (at, number) in self.done or self._is_over(at, number))  # noqa: B023
                    if (at, number) not in self.done:
                        break
                    result = self.done.pop((at, number))
                if isinstance(result, _Failure):
                    raise result.error
                yield result
                number += 1

    def _is_over(self, at: int, number: int) -> bool:
        return at in self.ended and at not in self.reading and number >= self.taken[at]

    def stop(self) -> None:
        """Make each thread end when it has finished its item."""
        with self.changed:
            self.ended.update(range(len(self.streams)))
            self.changed.notify_all()


def _next_of(stream: Iterator[Any]) -> Iterator[Any]:
    """Yield the next item, if there is one."""
    for item in stream:
        yield item
        return
