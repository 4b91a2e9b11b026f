"""Benchmarks report ratios: both sides are timed in one run, on the same arrays."""

import time
import tracemalloc

import pytest

ROWS = []


@pytest.fixture
def ratio(benchmark):
    """Return a function that times a call beside a baseline and records the ratio, and the peak of extra memory.

    A slow baseline may do a part of the work, so that its time is multiplied, and be timed in fewer rounds.
    """

    def measure(name, against, baseline, call, size, *, rounds=7, parts=1):
        call()
        if rounds > 1:
            baseline()
        times = []
        for _ in range(rounds):
            started = time.perf_counter()
            baseline()
            times.append(parts * (time.perf_counter() - started))
        benchmark.pedantic(call, rounds=rounds, warmup_rounds=1)
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        found = benchmark.stats.stats.min / min(times)
        benchmark.extra_info.update(against=against, ratio=found, peak_bytes=peak)
        ROWS.append(
            (
                name,
                f"{found:.2g} × {against}" if found < 0.1 else f"{found:.2f} × {against}",
                f"{peak / 2**20:.0f} MiB",
                f"{peak / size:.2f} × the array",
            )
        )
        return found

    return measure


def pytest_terminal_summary(terminalreporter):
    """Print the ratios."""
    if ROWS:
        terminalreporter.section("ratios")
        widths = [max(len(row[column]) for row in ROWS) for column in range(4)]
        for row in ROWS:
            terminalreporter.line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
