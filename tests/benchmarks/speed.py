"""The page of speed: time and memory of every metric and job, beside peers and the floor; and two commits compared.

    python tests/benchmarks/speed.py measure                # writes docs/speed.md and its pictures, in some ten minutes
    python tests/benchmarks/speed.py measure --quick --docs FOLDER
    python tests/benchmarks/speed.py compare main HEAD      # says what moved by more than 10%

Peers that are installed are measured: python -m pip install torchmetrics netcal relplot mapie polars duckdb.
Seconds are those of processors, the fewest of some calls, so that other programs on the machine matter little; those
of files are of the clock, and need a machine with nothing else to do.
"""

import argparse
import itertools
import json
import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import speed_page  # noqa: E402
import speed_peers  # noqa: E402
from speed_files_page import rows_of_file  # noqa: E402
from speed_found import expected  # noqa: E402
from speed_jobs import MAIN, jobs_in_memory, jobs_of_files, write_files  # noqa: E402

STARTED = time.perf_counter()
#: Seconds after which a call is repeated no more, and the fewest calls.
ENOUGH, FEWEST = 0.05, 3
#: Most bytes that a call may be expected to hold.
MOST_BYTES = 4 * 2**30
#: Rows of what is measured for many classes, and of the file of 100.
WIDE, WIDE_FILE = 10_000, 200_000
#: Sizes of what two commits are compared by.
COMPARED = [("memory", 1_000, 2), ("memory", 300_000, 2), ("memory", 20_000, 100), ("file", 2_000_000, 2)]


def main():
    """Measure, or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measured = commands.add_parser("measure", help="measure everything, and write the page")
    measured.add_argument("--quick", action="store_true", help="measure small sizes only, to try the command")
    measured.add_argument("--budget", type=float, default=1, help="seconds that a call may be expected to take (1)")
    measured.add_argument("--docs", default=HERE.parent.parent / "docs", help="folder of the page (default: docs)")
    measured.add_argument("--raw", default=os.devnull, help="write what was measured to this file, as JSON")
    measured.add_argument("--from-raw", help="measure nothing, write the page from such a file")
    measured.set_defaults(run=measure)
    compared = commands.add_parser("compare", help="compare two commits alternately")
    compared.add_argument("commits", nargs=2, metavar="COMMIT")
    compared.add_argument("--rounds", type=int, default=5)
    compared.add_argument("--only", nargs="+", metavar="NAME", help="names of jobs, or parts of them")
    compared.set_defaults(run=compare)
    timed = commands.add_parser("time", help="time the jobs of some sizes, and write what is found as JSON")
    timed.add_argument("where", choices=["memory", "file"])
    timed.add_argument("--rows", type=int, nargs="+", required=True)
    timed.add_argument("--classes", type=int, nargs="+", default=[2])
    timed.add_argument("--folder", default="", help="of files")
    timed.add_argument("--only", nargs="+", default=[])
    timed.add_argument("--own", action="store_true", help="leave out floors and peers")
    timed.add_argument("--exactly", nargs=3, metavar=("KIND", "NAME", "LIKE"))
    timed.add_argument("--threads", type=int, default=-1)
    timed.add_argument("--budget", type=float, default=math.inf)
    timed.add_argument("--memory", action="store_true", help="measure memory, too")
    timed.set_defaults(run=print_times)
    options = parser.parse_args()
    options.run(options)


def measure(options):
    """Measure everything, and write the page."""
    if options.from_raw:
        raw = json.loads(Path(options.from_raw).read_text())
    else:
        raw = {"machine": _machine(), "found": measured(options.quick, options.budget)}
        Path(options.raw).write_text(json.dumps(raw))
    speed_page.write(raw["found"], options.docs, raw["machine"])


def measured(quick, budget):
    """Return what is measured in memory, of files, and of files by threads."""
    rows = [10**exponent for exponent in range(3, 6 if quick else 9)]
    classes = [2, 10, 100] if quick else [2, 10, 100, 1_000, 10_000]
    file_rows = [20_000, 200_000] if quick else [200_000, 2_000_000, 20_000_000, 200_000_000]
    page_rows = rows_of_file(file_rows)
    in_memory = ["--memory", "--budget", str(budget)]
    found = told("memory", rows, [2], in_memory) + told("memory", [WIDE], classes, in_memory, where="classes")
    with tempfile.TemporaryDirectory() as folder:
        for n, k in [*((n, 2) for n in file_rows), (WIDE_FILE // (10 if quick else 1), 100)]:
            path = _written(folder, n, k)
            for kind, name, like in [job.key for job in jobs_of_files(path, k)]:
                if n == page_rows or (name in MAIN and not like):
                    found += told("file", [n], [k], ["--memory", "--exactly", kind, name, like], folder)
        found += by_threads(folder, page_rows)
    return found


def by_threads(folder, n_rows):
    """Time the jobs on a file on 1, 2, 4, … threads, and on one thread each in as many processes at once."""
    found = []
    cores = os.cpu_count() or 1
    for name in ("one metric", "ten metrics", "ten metrics with intervals"):
        for threads in sorted({1, cores} | {2**power for power in range(1, cores.bit_length()) if 2**power <= cores}):
            given = ["--exactly", "job", name, "", "--threads"]
            found += told("file", [n_rows], [2], [*given, str(threads)], folder, where="threads")
            if threads == cores > 1:
                alike = [start("file", [n_rows], [2], [*given, "1"], folder) for _ in range(threads)]
                for row in [lines_of(process)[0] for process in alike]:
                    found.append(row | {"where": "processes", "threads": threads})
    return found


def _written(folder, n_rows, n_classes):
    """Write a file in a process of its own: the memory of those that are measured begins with their parent's."""
    lines_of(start("file", [n_rows], [n_classes], ["--exactly", "", "", ""], folder))
    return write_files(folder, n_rows, n_classes)


def told(kind, rows, classes, given, folder="", **fields):
    """Time jobs in a new process, and say so."""
    print(f"{time.perf_counter() - STARTED:4.0f} s: measuring", kind, *rows, "x", *classes, *given, file=sys.stderr)
    return [row | fields for row in lines_of(start(kind, rows, classes, given, folder))]


def start(kind, rows, classes, given=(), folder="", root=HERE.parent.parent):
    """Begin to time jobs in a new process, with the package of a working tree."""
    command = [sys.executable, str(HERE / "speed.py"), "time", kind, "--rows", *map(str, rows)]
    command += ["--classes", *map(str, classes), "--folder", folder, *given]
    found_in = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": found_in, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def lines_of(process):
    """Return what a process writes as lines of JSON."""
    text = process.communicate()[0]
    if process.returncode:
        raise SystemExit(f"{' '.join(process.args)} ended with {process.returncode}: see above.")
    return [json.loads(line) for line in text.splitlines()]


def print_times(options):
    """Write a line of JSON for each job of each size that is expected to be within the budget."""
    warnings.simplefilter("ignore")
    before = {}
    for n_rows, n_classes in itertools.product(options.rows, options.classes):
        for job in _jobs(options, n_rows, n_classes):
            size, known = n_rows * n_classes, before.setdefault(job.key, {"seconds": [], "peak": []})
            # Much of what a report takes does not grow with the rows.
            most = {"seconds": options.budget * (3 if job.kind == "job" else 1), "peak": MOST_BYTES}
            if any(known[field] and expected(known[field], size) > most[field] for field in most):
                continue
            row = {"where": options.where, "rows": n_rows, "classes": n_classes, "threads": options.threads}
            times, result = timed(job.call)
            row |= {"kind": job.kind, "name": job.name, "like": job.like} | times
            if job.kind not in ("floor", "job", "metric") and options.where == "memory":
                row["value"] = numbers_of(result)
            del result
            if options.memory:
                row["peak"] = peak_of(job.call) if options.where == "memory" else peak_of_process()
            for field, found in known.items():
                found.append((size, row.get(field, 0)))
            print(json.dumps(row), flush=True)


def _jobs(options, n_rows, n_classes):
    """Return the jobs of a size that were asked for."""
    if options.where == "file":
        path, kind = write_files(options.folder, n_rows, n_classes), (options.exactly or [None])[0]
        jobs = jobs_of_files(path, n_classes, options.threads, kind)
    else:
        jobs = jobs_in_memory(n_rows, n_classes)
    return [
        job
        for job in jobs
        if (not options.only or any(part in job.name for part in options.only))
        and (not options.own or job.kind in ("metric", "job"))
        and (not options.exactly or list(job.key) == options.exactly)
    ]


def timed(call):
    """Return the fewest seconds of processors, and of the clock, that a call takes; and what it returns."""
    seconds, walls = [], []
    while len(seconds) < FEWEST or sum(seconds) < ENOUGH:
        started, before = time.perf_counter(), time.process_time()
        result = call()
        seconds.append(time.process_time() - before)
        walls.append(time.perf_counter() - started)
        if sum(seconds) > 6 * ENOUGH:
            break
    return {"seconds": min(seconds), "wall": min(walls)}, result


def numbers_of(result):
    """Return the first numbers of what a metric returned, to set beside those of a peer."""
    import numpy as np

    return np.ravel(np.asarray(result, dtype=float))[:4].tolist()


def peak_of(call):
    """Return the most bytes that a call holds beyond what there was."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def peak_of_process():
    """Return the most bytes that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def compare(options):
    """Time two commits alternately, each round in the other order, and say what moved."""
    times = {}
    given = ["--own", *(["--only", *options.only] if options.only else [])]
    with tempfile.TemporaryDirectory() as folder:
        trees = [Path(folder) / f"tree{number}" for number in range(2)]
        for tree, commit in zip(trees, options.commits, strict=True):
            subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, commit], check=True)
        try:
            for number in range(options.rounds):
                for side in (0, 1) if number % 2 == 0 else (1, 0):
                    print(f"round {number + 1}: {options.commits[side]}", file=sys.stderr)
                    for where, n, k in COMPARED:
                        for row in lines_of(start(where, [n], [k], given, folder, trees[side])):
                            name = f"{row['name']}{', ' * bool(row['like'])}{row['like']}, {n:,} × {k}"
                            times.setdefault(name, ([], []))[side].append(row["seconds"])
        finally:
            for tree in trees:
                subprocess.run(["git", "worktree", "remove", "--force", tree], check=False)
    for line in moved(times):
        print(line)


def moved(times, least=0.1):
    """Yield a line for each job that moved by more than a share, beyond the noise of its rounds.

    The noise is half the range of the ratios of the rounds, of five or more without the most extreme ones.
    """
    rows = []
    for name, (before, after) in times.items():
        if len(before) != len(after) or not before:
            continue
        ratios = sorted(b / a for a, b in zip(before, after, strict=True))
        cut = ratios[1:-1] if len(ratios) >= 5 else ratios
        ratio, noise = statistics.median(ratios), (cut[-1] - cut[0]) / 2
        if abs(ratio - 1) > least and (cut[0] > 1 or cut[-1] < 1):
            rows.append((ratio, f"{ratio:6.2f} ± {noise:.2f}  {name}  ({min(before):.2g} s → {min(after):.2g} s)"))
    yield f"{len(rows)} of {len(times)} jobs moved by more than {least:.0%}; ratio of times, after over before:"
    yield from (line for _, line in sorted(rows))


def _machine():
    import numpy as np

    found, missing = speed_peers.versions()
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, numpy {np.__version__}, "
        f"{', '.join(found)}; other programs caused a load of {os.getloadavg()[2]:.0f}"
        + (f". Not installed: {', '.join(missing)}" if missing else "")
    )


if __name__ == "__main__":
    main()
