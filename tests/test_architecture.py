"""What may know what: arrows between the files and rooms of the package, read from its source."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
MOST_ARROWS = 42
#: A comment in a line that reads the message of another package, which has no other form.
FOREIGN = "# words of another package"
#: What takes a text apart.
PATTERNS = {"sub", "subn", "search", "match", "fullmatch", "findall", "finditer", "split"}
METHODS = {"startswith", "endswith", "removeprefix", "removesuffix", "split", "rsplit", "partition", "rpartition"}
METHODS |= {"replace", "find", "index"}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def files() -> dict[str, Path]:
    """Return the package's files by the names of their modules."""
    found = {}
    for path in sorted((ROOT / "skconf").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, package: str) -> Iterator[tuple[ast.stmt, str, str]]:
    """Go through the imports of a file, at any depth: the statement, the module, and the name that is taken from it."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
            home = ".".join(filter(None, [above if node.level else "", node.module or ""]))
            yield from ((node, home, alias.name) for alias in node.names)


def of_module(name: str) -> Iterator[tuple[ast.stmt, str, str]]:
    """Go through the imports of a module of the package."""
    path = files()[name]
    return imports(path, name if path.name == "__init__.py" else name.rpartition(".")[0])


@cache
def graph() -> dict[str, set[str]]:
    """Return the files of the package that each of its files imports; a name may be that of a file."""
    return {
        name: {
            full if (full := f"{home}.{taken}") in files() else home
            for _, home, taken in of_module(name)
            if home in files()
        }
        - {name}
        for name in files()
    }


def room(module: str) -> str:
    """Return the folder or file directly below skconf that a module is in; "" stands for the root."""
    return module.partition(".")[2].partition(".")[0]


def circles(arrows: dict[str, set[str]]) -> Iterator[list[str]]:
    """Go through circles, a shortest one through each file that is in one and not in a circle before."""
    known: set[str] = set()
    for start in arrows:
        ways, queue = {start: [start]}, [start]
        for here in queue:
            for there in sorted(arrows[here] - ways.keys() if start not in arrows[here] else ()):
                ways[there] = [*ways[here], there]
                queue.append(there)
            if start in arrows[here] and start not in known:
                known |= {*ways[here]}
                yield [*ways[here], start]
                break


def assert_none(offenders: Iterable[str], what: str) -> None:
    """Fail with the offenders, one in a line."""
    lines = list(dict.fromkeys(offenders))
    assert not lines, f"{len(lines)} {what}:\n" + "\n".join(lines)


def test_files_import_each_other_in_no_circle():
    # An import within a function, or for type checkers, is one too: whoever reads one file must read the other.
    assert_none((" → ".join(circle) for circle in circles(graph())), "circles")


def test_rooms_have_few_arrows():
    """The root, which hands out names, `__main__`, and the experiments, which no room imports, are not counted."""
    out = {"", "__main__", "experiments"}
    pairs = {(room(name), room(other)) for name, others in graph().items() for other in others}
    arrows = sorted(f"{here} → {there}" for here, there in pairs if here != there and not {here, there} & out)
    assert len(arrows) <= MOST_ARROWS, f"{len(arrows)} arrows, more than {MOST_ARROWS}:\n" + "\n".join(arrows)


def test_no_file_imports_the_root():
    # The root imports everything that has a public name: to import it is to import all.
    assert_none(
        (
            f"{name}:{node.lineno}: {ast.unparse(node)}"
            for name in files()
            if name not in ("skconf", "skconf.__main__")
            for node, home, _ in of_module(name)
            if home == "skconf"
        ),
        "imports of the root",
    )


def test_the_index_of_a_room_names_all_of_its_files():
    """An `__init__` that lists the private files beside it lists each of them, and none that is gone."""
    offenders = []
    for name, path in files().items():
        index = ast.get_docstring(parsed(path)) or ""
        if path.name == "__init__.py" and "._" in name and "\n- " in index:
            there = {each.stem for each in path.parent.glob("*.py")} - {"__init__"}
            offenders += [f"{name}: {each}" for each in sorted(there ^ {*re.findall(r"`(\w+)`", index)})]
    assert_none(offenders, "files that an index lacks, or that are gone")


class Messages:
    """The messages in a file: texts of errors and warnings, and what was made from them."""

    def __init__(self, tree: ast.Module, told: dict[str, set[int]]) -> None:
        self.tree, self.told = tree, told
        self.errors = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}

    def is_error(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and (node.id in self.errors or node.id in ("error", "exception", "warning"))

    def is_message(self, node: ast.AST, names: set[str]) -> bool:
        """Whether an expression has the text of a message somewhere in it."""
        return any(self.is_text(each) or (isinstance(each, ast.Name) and each.id in names) for each in ast.walk(node))

    def is_text(self, node: ast.AST) -> bool:
        """Whether this is ``str(error)``, ``error.args[0]`` or ``….message``."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("str", "repr"):
            return any(map(self.is_error, node.args))
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "args":
            return self.is_error(node.value.value)
        return isinstance(node, ast.Attribute) and node.attr == "message"

    def names(self, function: ast.FunctionDef | ast.Module) -> set[str]:
        """Return the variables of a function that hold messages."""
        found = {"message", "reason"}
        if isinstance(function, ast.FunctionDef):
            found |= {each.arg for i, each in enumerate(function.args.args) if i in self.told.get(function.name, ())}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and self.is_message(node.value, set()):
                found |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        return found

    def told_to(self) -> Iterator[tuple[str, int]]:
        """Go through the functions that are called with a message, and its place among their arguments."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield from ((node.func.id, i) for i, each in enumerate(node.args) if self.is_message(each, set()))

    def read(self) -> Iterator[ast.Call]:
        """Go through the calls that take a message apart."""
        for function in [self.tree, *(each for each in ast.walk(self.tree) if isinstance(each, ast.FunctionDef))]:
            names = self.names(function) if function is not self.tree else set()
            for node in ast.walk(function):
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                    continue
                by_pattern = node.func.attr in PATTERNS and len(node.args) > 0
                texts = [*node.args, node.func.value] if by_pattern else [node.func.value]
                if (by_pattern or node.func.attr in METHODS) and any(self.is_message(each, names) for each in texts):
                    yield node


def test_no_message_is_read():
    # What code must know of an error is an attribute of it; its words are for people, and change.
    told: dict[str, set[int]] = {}
    for path in files().values():
        for name, place in Messages(parsed(path), {}).told_to():
            told.setdefault(name, set()).add(place)
    assert_none(
        (
            f"{name}:{call.lineno}: {ast.unparse(call)}"
            for name, path in files().items()
            for call in Messages(parsed(path), told).read()
            if not any(FOREIGN in line for line in path.read_text().splitlines()[call.lineno - 1 : call.end_lineno])
        ),
        "messages that are read",
    )


def test_tests_of_a_room_know_no_other_room_within():
    """`tests/NAME/` and `tests/_support/NAME/` are of `skconf.NAME` or `skconf._NAME`; others know public names."""
    names = {room(name) for name in files()}
    offenders = []
    for path in sorted(TESTS.rglob("*.py")):
        folders = path.relative_to(TESTS).parts[:-1]
        first = next((folder for folder in folders if folder != "_support"), "")
        own = next((each for each in (first, f"_{first}") if first and each in names), None)
        for node, home, taken in imports(path, ""):
            full = f"{home}.{taken}" if f"{home}.{taken}" in files() else home
            private = any(part.startswith("_") and not part.startswith("__") for part in full.split(".")[1:])
            if full.split(".")[0] == "skconf" and private and room(full) != own:
                offenders.append(f"{path.relative_to(ROOT)}:{node.lineno}: {full}")
    assert_none(offenders, "private modules of other rooms")
