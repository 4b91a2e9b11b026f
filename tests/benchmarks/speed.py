"""The page of speed: time and memory of every metric and job, beside peers and the floor; and two commits compared.

    python tests/benchmarks/speed.py measure                # writes docs/speed.md and its pictures
    python tests/benchmarks/speed.py measure --most-rows 1e8
    python tests/benchmarks/speed.py compare main HEAD      # says what moved by more than 10 %

Seconds are those of processors, the fewest of some calls, so that other programs on the machine matter little.
"""

import argparse
import json
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
from speed_jobs import jobs_in_memory, jobs_of_files, write_files  # noqa: E402

#: Seconds after which a call is repeated no more, and the fewest calls.
ENOUGH, FEWEST = 0.05, 3
#: Sizes of what two commits are compared by.
COMPARED = [("memory", 1_000, 2), ("memory", 300_000, 2), ("memory", 20_000, 100), ("file", 2_000_000, 2)]


def main():
    """Measure, or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measured = commands.add_parser("measure", help="measure everything, and write the page")
    measured.add_argument("--most-rows", type=float, default=1e6, help="of predictions in memory (default: 1e6)")
    measured.add_argument("--most-rows-of-file", type=float, default=2e7, help="of files (default: 2e7)")
    measured.add_argument("--raw", default=os.devnull, help="write what was measured to this file, as JSON")
    measured.set_defaults(run=measure)
    compared = commands.add_parser("compare", help="compare two commits by turns")
    compared.add_argument("commits", nargs=2, metavar="COMMIT")
    compared.add_argument("--rounds", type=int, default=5)
    compared.add_argument("--only", nargs="+", metavar="NAME", help="names of jobs, or parts of them")
    compared.set_defaults(run=compare)
    timed = commands.add_parser("time", help="time the jobs of one size, and write what is found as JSON")
    timed.add_argument("kind", choices=["memory", "file"])
    timed.add_argument("rows", type=int)
    timed.add_argument("classes", type=int)
    timed.add_argument("--folder", default="")
    timed.add_argument("--only", nargs="+", default=[])
    timed.add_argument("--exactly", nargs=2, metavar=("KIND", "NAME"))
    timed.add_argument("--memory", action="store_true", help="measure memory, too")
    timed.set_defaults(run=print_times)
    options = parser.parse_args()
    options.run(options)


def measure(options):
    """Measure every size in a process of its own, and write the page."""
    rows = [10**exponent for exponent in range(3, 9) if 10**exponent <= options.most_rows]
    wide = [(max(min(2_000_000 // classes, 100_000), 200), classes) for classes in (10, 100, 1_000, 10_000)]
    sizes = [("memory", n, 2) for n in rows] + [("memory", n, k) for n, k in wide]
    sizes += [("file", n, 2) for n in (200_000, 2_000_000, int(options.most_rows_of_file))] + [("file", 200_000, 100)]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            print("measuring", *size, file=sys.stderr)
            found += time_apart(size, folder, ["--memory"]) if size[0] == "memory" else time_each(size, folder)
    Path(options.raw).write_text(json.dumps(found))
    speed_page.write(found, HERE.parent.parent / "docs", _machine())


def time_each(size, folder):
    """Time each job on a file in a process of its own, whose memory is that of the job."""
    time_apart(size, folder, ["--exactly", "", ""])  # which writes the files: a child's memory begins with its parent's
    path = write_files(folder, *size[1:])
    jobs = [(job.kind, job.name) for job in jobs_of_files(path, size[2])]
    return [row for job in jobs for row in time_apart(size, folder, ["--memory", "--exactly", *job])]


def time_apart(size, folder, given=(), root=HERE.parent.parent):
    """Time the jobs of a size in a new process, with the package of a working tree."""
    command = [sys.executable, str(HERE / "speed.py"), "time", *map(str, size), "--folder", folder, *given]
    found_in = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": found_in, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def print_times(options):
    """Write a line of JSON for each job."""
    warnings.simplefilter("ignore")
    if options.kind == "file":
        jobs = jobs_of_files(write_files(options.folder, options.rows, options.classes), options.classes)
    else:
        jobs = jobs_in_memory(options.rows, options.classes)
    for job in jobs:
        if options.only and not any(part in job.name for part in options.only):
            continue
        if options.exactly and [job.kind, job.name] != options.exactly:
            continue
        row = {"where": options.kind, "rows": options.rows, "classes": options.classes, "seconds": seconds_of(job.call)}
        row |= {"name": job.name, "kind": job.kind, "like": job.like}
        if options.memory:
            row["peak"] = peak_of(job.call) if options.kind == "memory" else peak_of_process()
        print(json.dumps(row), flush=True)


def seconds_of(call):
    """Return the fewest seconds of processors that a call takes."""
    found, started = [], time.process_time()
    while len(found) < FEWEST or time.process_time() - started < ENOUGH:
        before = time.process_time()
        call()
        found.append(time.process_time() - before)
        if sum(found) > 20 * ENOUGH:
            break
    return min(found)


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
    """Time two commits by turns, each round in the other order, and say what moved."""
    times = {}
    given = ["--only", *options.only] if options.only else []
    with tempfile.TemporaryDirectory() as folder:
        trees = [Path(folder) / f"tree{number}" for number in range(2)]
        for tree, commit in zip(trees, options.commits, strict=True):
            subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, commit], check=True)
        try:
            for number in range(options.rounds):
                for side in (0, 1) if number % 2 == 0 else (1, 0):
                    print(f"round {number + 1}: {options.commits[side]}", file=sys.stderr)
                    for size in COMPARED:
                        for row in time_apart(size, folder, given, trees[side]):
                            if row["kind"] in ("metric", "job"):
                                name = f"{row['name']}, {row['rows']:,} × {row['classes']}"
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
    import sklearn

    return (
        f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, numpy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}, at a load of {os.getloadavg()[2]:.0f} by other programs"
    )


if __name__ == "__main__":
    main()
