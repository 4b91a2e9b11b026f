"""Measure the results on the page "How we know", and write them there with the date.

    python tools/how_we_know.py checks           scikit-learn's checks of both classifiers, in every configuration
    python tools/how_we_know.py branches         how many branches of five rooms the tests take, from the data that
                                                 `nox --session coverage` has written
    python tools/how_we_know.py mutants          how many of a sample of small mistakes in each room the tests find
    python tools/how_we_know.py minutes          whether the tests that take minutes pass

Each writes its own part of docs/how_we_know.md, after minutes to an hour of one core. "branches" and "mutants" need the
package coverage.
"""

import argparse
import datetime as dt
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "how_we_know.md"
#: Rooms whose branches are counted.
ROOMS = ("metrics", "profile", "calibration", "selective", "inference")


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def python(*arguments: str) -> str:
    """Return what a run of Python prints. It runs in the checkout, and can import the modules of the tests."""
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
    done = subprocess.run(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stdout[-3000:]}")
    return done.stdout


def checks() -> str:
    """Return the results of scikit-learn's checks for every configuration of both classifiers."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    from _support.selective.configurations import CONFIGURATIONS, results_of

    rows = []
    for code, expected in CONFIGURATIONS.items():
        results = results_of(code)
        failed = [r["check_name"] for r in results if r["status"] == "failed"]
        if failed:
            raise SystemExit(f"{code} fails {failed}")
        by_reason = defaultdict(list)
        for check, reason in expected.items():
            by_reason[reason].append(f"`{check}`")
        said = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in by_reason.items())
        counts = Counter(r["status"] for r in results)
        rows.append([f"`{code}`", counts["passed"], counts["skipped"], counts["xfail"], said or "–"])
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    return f"By scikit-learn {version('scikit-learn')}:\n\n" + table(
        ("configuration", "passed", "skipped", "failed", "which checks fail, and why"), rows
    )


def branches() -> str:
    """Return how many branches of each room the tests took, from the data of an earlier run."""
    with tempfile.TemporaryDirectory() as folder:
        python("-m", "coverage", "json", "-q", "-o", f"{folder}/found.json")
        files = json.loads(Path(folder, "found.json").read_text())["files"]
    rows = []
    for room in ROOMS:
        total: Counter[str] = Counter()
        for path, found in files.items():
            if Path(path).parts[:2] == ("skconf", room):
                total.update({key: value for key, value in found["summary"].items() if isinstance(value, int)})
        rows.append(
            [
                f"`skconf.{room}`",
                f"{total['num_branches']:,}",
                f"{total['covered_branches'] / total['num_branches']:.1%}",
                f"{total['covered_lines'] / total['num_statements']:.1%}",
            ]
        )
    return table(("package", "branches", "share taken", "share of lines run"), rows)


def mutants(*, sample: int) -> str:
    """Return, for a sample of mutants in each room, how many of them its tests find."""
    printed = python("tests/mutation.py", "--sample", str(sample))
    print(printed, file=sys.stderr)
    found = re.findall(r"^([\w-]+): (\d+) of (\d+) found \((.*?)\)", printed, flags=re.M)
    return table(("package", "mutants tried", "share found"), ([room, tried, share] for room, _, tried, share in found))


def minutes() -> str:
    """Return what pytest says of the tests that take minutes, and which of them fail."""
    arguments = [sys.executable, "-m", "pytest", "-q", "-m", "slow", "-p", "no:cacheprovider"]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    lines = done.stdout.splitlines()
    failed = [f"- `{line.split()[1]}`" for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return "\n".join([f"{lines[-1].strip(' =')[:1].upper()}{lines[-1].strip(' =')[1:]}.", "", *failed]).strip()


def write(part: str, text: str, command: str) -> None:
    """Replace a part of the page, which begins and ends with a comment."""
    now = dt.datetime.now(dt.UTC).date().isoformat()
    said = f"Measured on {now} with Python {platform.python_version()} by `{command}`.\n\n{text}"
    begin, end = f"<!-- {part} -->\n", f"<!-- end of {part} -->"
    before, found, rest = PAGE.read_text(encoding="utf-8").partition(begin)
    if not found or end not in rest:
        raise SystemExit(f"{PAGE}: write {begin!r} and {end!r} where this part belongs.")
    PAGE.write_text(f"{before}{begin}\n{said}\n\n{end}{rest.partition(end)[2]}", encoding="utf-8")


def main() -> None:
    """Measure one part, and write it."""
    parts: dict[str, Callable[..., str]] = {
        "checks": checks,
        "branches": branches,
        "mutants": mutants,
        "minutes": minutes,
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=parts)
    parser.add_argument("--sample", type=int, default=100, metavar="N", help="mutants of each room (default: 100)")
    options = parser.parse_args()
    given = {"sample": options.sample} if options.part == "mutants" else {}
    command = f"python tools/how_we_know.py {options.part}" + (f" --sample {options.sample}" if given else "")
    if options.part == "branches":
        command = f"nox --session coverage && {command}"
    text = parts[options.part](**given)
    write(options.part, text, command)


if __name__ == "__main__":
    main()
