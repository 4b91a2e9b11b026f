"""Print the documentation's page of all commands: what `--help` says of each."""

import argparse
import sys
from collections.abc import Iterator

from skconf.cli.main import COMMANDS, make_parser


def page() -> str:
    """Return the page."""
    text = "# Command line\n\nGenerated from `--help` by `python tools/generate.py`. The same by `python -m skconf`.\n"
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
