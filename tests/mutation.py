"""Mutation testing: how many small mistakes in the code the tests find.

Run with ``python -m pip install coverage`` and then, from the checkout,

    python tests/mutation.py [--sample N] [--random-state S] [--kept FOLDER] ROOM ...

where a room is one of the keys of `ROOMS`, all of them by default. It needs a system that can fork. The tests of a room
are collected once, simulations left out, and run once to note which of them reach which line. Then a child is forked
for every mutant, or for those of a random sample: it changes the code of one function, and runs the tests that reach
its line until one fails, first those of the file that is named after the module, the quick ones before the slow.
What survives is printed: each survivor is a missing test, or a mutant that means the same. With ``--kept``, the same
command continues after an interruption, and tries again what survived.
"""

import argparse
import ast
import copy
import gc
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import redirect_stdout
from itertools import chain, pairwise
from pathlib import Path
from types import CodeType, FunctionType

ROOT = Path(__file__).parent.parent
#: Modules of each room, and the tests that are to find mistakes in them.
ROOMS = {
    "core": (["skconf/_core"], ["tests/core", "tests/metrics", "tests/profile", "tests/tables", "tests/cli"]),
    "metrics": (["skconf/metrics"], ["tests/metrics", "tests/inference/test_intervals.py"]),
    "calibration": (["skconf/calibration"], ["tests/calibration"]),
    "selective": (["skconf/selective"], ["tests/selective"]),
    "inference": (["skconf/inference"], ["tests/inference"]),
    "profile": (
        ["skconf/profile"],
        [
            "tests/profile",
            *(f"tests/metrics/{name}" for name in ("test_abstained.py", "test_graded.py", "cwsa", "ecuas")),
        ],
    ),
    "tables": (
        ["skconf/tables"],
        [
            *("tests/tables", "tests/cli", "tests/report/test_files.py", "tests/report/test_logs.py"),
            *(f"tests/accumulation/{name}.py" for name in ("test_files", "test_foreign_files")),
        ],
    ),
    "accumulation": (["skconf/accumulation"], ["tests/accumulation"]),
}
#: Machinery that says names and texts, and computes nothing.
LEFT_OUT = ("__init__.py", "references.py", "registry.py", "_dask.py", "_spark.py")
#: Tests that are run: simulations are slow, and a mistake that they alone find is one for a quick test.
MARKED = "not slow and not simulation and not dask and not spark and not browser"
#: Seconds of the tests of one file: what comes later is not run. One test of each function comes first.
MOST = 15.0
#: Seconds that the tests of one mutant take in all, at most.
LIMIT = 25.0
#: How many times its seconds, and this more, a test may take; a mutant on which it takes longer is found.
PATIENCE = 4.0
#: Seconds up to which tests are equally quick: they stay in the order of their files, which share what they prepare.
QUICK = (0.03, 0.3, 3.0)
COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.FloorDiv: ast.Div, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Mult,
}  # fmt: skip


def changes_of(node):
    """Yield functions that change a copy of a node, with what they do in words."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        other = COMPARISONS[type(node.ops[0])]
        yield f"{type(node.ops[0]).__name__} -> {other.__name__}", lambda twin: twin.ops.__setitem__(0, other())
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPERATORS:
        operator = OPERATORS[type(node.op)]
        yield f"{type(node.op).__name__} -> {operator.__name__}", lambda twin: setattr(twin, "op", operator())
    if isinstance(node, ast.BoolOp):
        boolean = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield f"{type(node.op).__name__} -> {boolean.__name__}", lambda twin: setattr(twin, "op", boolean())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield f"no {type(node.op).__name__}", lambda twin: setattr(twin, "op", ast.UAdd())
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield f"{node.value} -> {node.value + 1}", lambda twin: setattr(twin, "value", node.value + 1)
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield f"{node.value} -> {not node.value}", lambda twin: setattr(twin, "value", not node.value)
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        test = node.test
        yield "condition turned", lambda twin: setattr(twin, "test", ast.UnaryOp(ast.Not(), copy.deepcopy(test)))


def parts(tree):
    """Yield the nodes that compute, no annotations, texts or imports, each with the statement it belongs to."""
    stack = [(tree, None)]
    while stack:
        node, statement = stack.pop()
        if isinstance(node, ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom):
            continue
        statement = node if isinstance(node, ast.stmt) else statement
        if statement is not None:
            yield node, statement
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "keywords", "bases") and not isinstance(
                node, ast.Call
            ):
                continue
            children = value if isinstance(value, list) else [value]
            stack.extend((child, statement) for child in children if isinstance(child, ast.AST))


def mutants(path):
    """Yield lines of the statement, line, what is changed, and how, for every mutant of a module."""
    for number, (node, statement) in enumerate(parts(ast.parse(path.read_text()))):
        body = getattr(statement, "body", None)
        last = body[0].lineno - 1 if body else statement.end_lineno
        for choice, (words, _) in enumerate(changes_of(node)):
            yield range(statement.lineno, max(last, statement.lineno) + 1), node.lineno, words, (number, choice)


def mutated(path, which):
    """Return the syntax tree of a mutant."""
    number, choice = which
    tree = ast.parse(path.read_text())
    node = [node for node, _ in parts(tree)][number]
    list(changes_of(node))[choice][1](node)
    return ast.fix_missing_locations(tree)


def code_in(code):
    """Yield a code object and all inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_in(constant)


def put_into_place(path, tree):
    """Let the living functions of a module have the code of another tree; return how many have changed."""
    where = {(code.co_qualname, code.co_firstlineno): code for code in code_in(compile(tree, str(path), "exec"))}
    changed = 0
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == str(path):
            code = where.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
            if code is not None and code != function.__code__:
                function.__code__ = code
                changed += 1
    return changed


def in_child(work, loud=False):
    """Return what a function returns in a process of its own; or another number if that is killed."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(work())
        except BaseException as error:  # noqa: BLE001 – whatever it is, a test would have seen it
            if loud:
                print(repr(error), file=sys.__stderr__)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def one_of_each_first(items):
    """Put one test of each function before the others."""
    seen = set()
    names = {item: getattr(item, "originalname", item.name) for item in items}  # examples have a name only
    return sorted(items, key=lambda item: (names[item] in seen, seen.add(names[item]))[0])


def run_tests(items):
    """Run tests that pytest has collected, one after the other."""
    for item, following in pairwise(chain(items, [None])):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


class Mutation:
    """A plugin of pytest that runs the tests it has collected again and again, each time with another mistake."""

    def __init__(self, room, kept, options):
        self.room, self.kept, self.options = room, Path(kept), options
        self.out = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
        self.measured, self.seconds, self.failed, self.trouble = None, {}, [], ""

    def pytest_configure(self):
        from hypothesis import settings

        settings.register_profile("unhurried", deadline=None, database=None, derandomize=True, max_examples=15)
        settings.load_profile("unhurried")

    def pytest_runtest_logreport(self, report):
        """Note how long a test takes; or, with a mistake, end with the first that fails."""
        if self.measured is None:
            if report.failed:
                os._exit(1)
            return
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        self.failed += [report.nodeid] * report.failed

    def pytest_runtest_call(self, item):
        """Name a test whose lines are noted; or, with a mistake, let it hang no longer than PATIENCE allows."""
        if self.measured is None:
            signal.setitimer(signal.ITIMER_PROF, PATIENCE + PATIENCE * self.seconds[item.nodeid])
        else:
            self.measured.switch_context(item.nodeid)

    def pytest_runtest_teardown(self):
        if self.measured is not None:
            self.measured.switch_context("")

    def pytest_runtestloop(self, session):
        """Run the tests as they are, and then for every mutant those that reach it."""
        by_name = {item.nodeid: item for item in session.items}
        if (noted := self.reached(session.items)) is None:
            return True
        lines, self.seconds = noted
        modules, _ = ROOMS[self.room]
        known = [(file, *mutant) for file in files_of(modules) for mutant in mutants(ROOT / file)]
        random.Random(self.options.random_state).shuffle(known)
        counts, found = defaultdict(int), self.kept / "found.txt"
        before = set(found.read_text().splitlines() if found.exists() else [])
        for file, reach, line, words, which in known[: self.options.sample]:
            mutant, outcome = f"{file}:{line}: {words}", "found"
            if f"{mutant} {which}" not in before:
                nodes = {node for each in reach for node in lines.get(f"{file}:{each}", ())} & by_name.keys()
                chosen = self.chosen(file, nodes, list(by_name))
                outcome = self.outcome(ROOT / file, which, [by_name[node] for node in chosen])
                if outcome == "found":
                    with found.open("a") as notes:
                        notes.write(f"{mutant} {which}\n")
                else:
                    print(f"{outcome:9} {mutant}", file=self.out)
            counts[outcome] += 1
        total = counts["found"] + counts["survived"]
        print(
            f"{self.room}: {counts['found']} of {total} found ({counts['found'] / max(total, 1):.1%}); "
            f"{counts['unreached']} on lines that no test reaches, {counts['imported']} on lines that run at import",
            file=self.out,
        )
        return True

    def chosen(self, file, nodes, order):
        """Return the tests that reach a mutant, those that are likely to find it soon first, as many as it may take."""
        places = {node: place for place, node in enumerate(order)}

        def key(node):
            own = Path(node.partition("::")[0]).stem.removeprefix("test_") == file.stem.strip("_")
            return not own, sum(self.seconds[node] > limit for limit in QUICK), places[node]

        chosen, spent = [], 0.0
        for node in sorted(nodes, key=key):
            spent += self.seconds[node]
            if spent < LIMIT:
                chosen.append(node)
        return chosen

    def outcome(self, file, which, items):
        """Say whether tests find a mutant."""
        if not items:
            return "unreached"

        def work():
            gc.unfreeze()  # tests/conftest.py hides from the collector what is there after the collection
            if not put_into_place(file, mutated(file, which)):
                return 3
            run_tests(items)
            return 0

        return {0: "survived", 3: "imported"}.get(in_child(work), "found")

    def reached(self, items):
        """Return the tests that reach each line, and the seconds of each; None if one fails without any mutant."""
        by_file = defaultdict(list)
        for item in items:
            by_file[item.nodeid.partition("::")[0]].append(item)
        lines, seconds = defaultdict(list), {}
        for file, of_file in by_file.items():
            kept = self.kept / f"{file.replace('/', '-')}.json"
            if not kept.exists():
                in_child(lambda items=of_file, kept=kept: self.measure(items, kept), loud=True)
            notes = json.loads(kept.read_text())
            if notes["failed"]:
                kept.unlink()
                self.trouble = f"tests fail without any mutant, mend them first: {notes['failed']}"
                return None
            seconds |= notes["seconds"]
            for line, reach in notes["lines"].items():
                lines[line] += [notes["names"][number] for number in reach]
        return lines, seconds

    def measure(self, items, kept):
        """Run all tests, and note which of them reach which line."""
        import coverage

        self.measured = coverage.Coverage(data_file=None, source=[str(ROOT / "skconf")], config_file=False)
        self.measured.set_option("run:disable_warnings", ["no-data-collected"])  # some tests compute nothing
        self.measured.start()
        start = time.process_time()
        run_tests(each for each in one_of_each_first(items) if time.process_time() - start < MOST)
        self.measured.stop()
        names = list(self.seconds)
        numbers = {name: number for number, name in enumerate(names)}
        data = self.measured.get_data()
        lines = {
            f"{Path(file).relative_to(ROOT)}:{line}": [numbers[context] for context in contexts if context]
            for file in data.measured_files()
            for line, contexts in data.contexts_by_lineno(file).items()
        }
        notes = {"names": names, "lines": lines, "seconds": self.seconds, "failed": self.failed}
        kept.write_text(json.dumps(notes))
        return 0


def files_of(modules):
    """Return the files of modules and folders whose mistakes count."""
    places = [ROOT / module for module in modules]
    files = [file for place in places for file in ([place] if place.is_file() else sorted(place.rglob("*.py")))]
    return [file.relative_to(ROOT) for file in files if file.name not in LEFT_OUT]


def main():
    """Print the survivors, and the share that was found."""
    import pytest

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", default=list(ROOMS), metavar="ROOM")
    parser.add_argument("--sample", type=int, metavar="N", help="mutants of each room, drawn at random")
    parser.add_argument("--random-state", type=int, default=0, metavar="S")
    parser.add_argument("--kept", type=Path, metavar="FOLDER", help="keep there what tests reach, and what they found")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    quiet = ["-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly", "--no-header", "--tb=no", "--capture=sys"]
    for room in options.rooms or ROOMS:
        with tempfile.TemporaryDirectory() as folder:
            kept = options.kept or Path(folder)
            kept.mkdir(parents=True, exist_ok=True)
            plugin, said = Mutation(room, kept, options), io.StringIO()
            with redirect_stdout(said):
                ended = pytest.main([*quiet, "-m", MARKED, *ROOMS[room][1]], plugins=[plugin])
            if plugin.trouble or ended not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
                sys.exit(plugin.trouble or said.getvalue())


if __name__ == "__main__":
    main()
