"""Print the documentation's page of all commands: what `--help` says of each."""

import argparse
import sys
from collections.abc import Iterator

from skconf.cli.main import COMMANDS, make_parser

INTRODUCTION = """\
# Command line

**In short.** `skconf evaluate` reports on predictions in files. `skconf threshold` chooses thresholds with guarantees.
`skconf experiment` reruns the experiments of the papers, and `skconf datasets` fetches their data. This page shows what
`--help` prints for each command. `python -m skconf` is the same as `skconf`.

<!-- Generated from `--help` by `python tools/generate.py`. -->
"""


def page() -> str:
    """Return the page."""
    text = INTRODUCTION
    for parser in parsers(make_parser(list(COMMANDS), "skconf")):
        level = min(len(parser.prog.split()) + 1, 4)
        text += f"\n{'#' * level} {parser.prog}\n\n```text\n{parser.format_help().rstrip()}\n```\n"
    return text


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Go through a parser and those of its subcommands."""
    yield parser
    for action in parser._actions:  # noqa: SLF001 – the only way to them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for each in action.choices.values():
                yield from parsers(each)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(page())
