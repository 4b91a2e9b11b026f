"""Mutation testing: how many small mistakes in the code the tests find.

Run with ``python -m pip install coverage`` and then, from the checkout,

    python tests/mutation.py [--sample N] [--random-state S] ROOM ...

where a room is one of the keys of `ROOMS`, all of them by default. It needs a system that can fork. First the tests of
a room run once and note which of them reach which line. Then every mutant, or a random sample, runs the tests that
reach its line, the quickest first, until one fails. What survives is printed: each survivor is a missing test,
or a mutant that means the same.
"""

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: Modules of each room, and the tests that are to find mistakes in them.
ROOMS = {
    "metrics": (["skconf/metrics"], ["tests/metrics", "tests/inference"]),
    "calibration": (["skconf/calibration"], ["tests/calibration"]),
    "risk-control": (
        ["skconf/selective/_risk_control.py"],
        [f"tests/selective/test_{name}.py" for name in ("risk_control", "objective", "tuning", "guarantee")],
    ),
    "accumulation": (["skconf/accumulation", "skconf/tables"], ["tests/accumulation", "tests/tables"]),
}
#: Machinery that says names and texts, and computes nothing.
LEFT_OUT = ("__init__.py", "references.py", "registry.py", "_dask.py", "_spark.py")
#: Seconds that the tests of one mutant may take in all; a mutant that hangs counts as found.
LIMIT = 240.0
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


class Swapped(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from another syntax tree."""

    def __init__(self, path, tree):
        self.path, self.tree = path, tree
        self.name = ".".join(path.relative_to(ROOT).with_suffix("").parts)

    def find_spec(self, name, *_):
        if name == self.name:
            return importlib.machinery.ModuleSpec(name, self, origin=str(self.path))
        return None

    def exec_module(self, module):
        module.__file__ = str(self.path)
        exec(compile(self.tree, str(self.path), "exec"), vars(module))


class Unhurried:
    """Lets a test of hypothesis take its time: while lines are noted it is slow, whatever it tests."""

    def pytest_configure(self):
        from hypothesis import settings

        settings.register_profile("unhurried", deadline=None)
        settings.load_profile("unhurried")


def run_tests(tests, plugins=()):
    """Run pytest quietly in this process, and return its exit status."""
    import pytest

    options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly", "--no-header", "--tb=no"]
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return int(pytest.main([*options, *tests], plugins=[Unhurried(), *plugins]))


def in_child(work, limit, loud=False):
    """Return what a function returns in a process of its own; None if that takes longer than the limit."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(work())
        except BaseException as error:  # noqa: BLE001 – whatever it is, a test would have seen it
            if loud:
                print(repr(error), file=sys.stderr)
            os._exit(1)
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


class Clock:
    """Notes how long each test function takes; parameters of one function count together."""

    def __init__(self):
        self.seconds = defaultdict(float)

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid.partition("[")[0]] += report.duration


def reached(tests, folder):
    """Return the test functions that reach each line of each file, and their seconds; found in a child."""

    answer = Path(folder) / "reached.json"

    def work():
        import coverage

        clock = Clock()
        measured = coverage.Coverage(data_file=None, source=[str(ROOT / "skconf")], config_file=False)
        measured.set_option("run:dynamic_context", "test_function")
        measured.start()
        failed = run_tests(tests, [clock])
        measured.stop()
        data = measured.get_data()
        by_name = defaultdict(list)
        for node in clock.seconds:
            by_name[node.rpartition("::")[2]].append(node)
        lines = {}
        for file in data.measured_files():
            for line, contexts in data.contexts_by_lineno(file).items():
                nodes = {node for context in contexts for node in by_name[context.rpartition(".")[2]]}
                lines[f"{file}:{line}"] = sorted(nodes)
        answer.write_text(json.dumps({"lines": lines, "seconds": clock.seconds, "failed": failed}))
        return 0

    in_child(work, 3600, loud=True)
    found = json.loads(answer.read_text())
    if found["failed"]:
        sys.exit("the tests fail without any mutant; mend them first")
    return found["lines"], found["seconds"]


def main():
    """Print the survivors, and the share that was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", default=list(ROOMS), metavar="ROOM")
    parser.add_argument("--sample", type=int, metavar="N", help="mutants of each room, drawn at random")
    parser.add_argument("--random-state", type=int, default=0, metavar="S")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    for name in ("numpy", "pandas", "scipy.stats", "sklearn.ensemble", "sklearn.calibration", "matplotlib", "joblib"):
        __import__(name)  # once, before the children are forked
    for room in options.rooms or ROOMS:
        modules, tests = ROOMS[room]
        files = [
            file
            for module in modules
            for file in ([ROOT / module] if module.endswith(".py") else sorted((ROOT / module).rglob("*.py")))
            if file.name not in LEFT_OUT
        ]
        with tempfile.TemporaryDirectory() as folder:
            lines, seconds = reached(tests, folder)
        known = [(file, *mutant) for file in files for mutant in mutants(file)]
        random.Random(options.random_state).shuffle(known)
        found = survived = unreached = 0
        for file, reach, line, words, which in known[: options.sample]:
            spent, chosen = 0.0, []
            nodes = {node for each in reach for node in lines.get(f"{file}:{each}", ())}
            for node in sorted(nodes, key=seconds.get):
                spent += seconds[node]
                if spent < LIMIT:
                    chosen.append(node)

            def work(file=file, which=which, chosen=chosen):
                sys.meta_path.insert(0, Swapped(file, mutated(file, which)))
                return 1 if run_tests(chosen) else 0

            if not chosen:
                unreached += 1
                print(f"unreached {file.relative_to(ROOT)}:{line}: {words}", flush=True)
            elif in_child(work, 2 * LIMIT) == 0:
                survived += 1
                print(f"survived  {file.relative_to(ROOT)}:{line}: {words}", flush=True)
            else:
                found += 1
        total = found + survived
        print(
            f"{room}: {found} of {total} found ({found / max(total, 1):.1%}); {unreached} on lines that run at import"
        )


if __name__ == "__main__":
    main()
