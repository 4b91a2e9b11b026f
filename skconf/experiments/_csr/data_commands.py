"""``datasets``: list, download and check the data sets."""

import argparse
import sys
from typing import Any

from skconf.cli.options import one_of
from skconf.cli.output import say
from skconf.datasets import describe_uci, fetch_uci, list_uci
from skconf.datasets._uci import changed_files, unchecked_files
from skconf.experiments._shared.commands import add_data_home

_DESCRIPTION = """\
The CSR paper's fifteen data sets, read from the raw files of their archives. Those that ship with scikit-learn need
no files.

Exit status: 0; 1 where a data set failed, also if the rest is at hand; 2 for a mistake in the command.
"""
_EXAMPLES = """\
examples:
  %(prog)s list
  %(prog)s fetch wine adult_income
  %(prog)s check --data-home ~/uci

Run %(prog)s ACTION --help for details.
"""


def add_options(datasets: argparse.ArgumentParser) -> None:
    """Add the command's subcommands."""
    datasets.description, datasets.epilog = _DESCRIPTION, _EXAMPLES
    actions = datasets.add_subparsers(title="commands", required=True, metavar="ACTION")
    listing = actions.add_parser(
        "list",
        help="list the data sets and whether their files are at hand",
        description="List the data sets.\n\nExit status: 0.",
        **_examples("", "--data-home ~/uci"),
    )
    listing.set_defaults(run=_list)
    fetching = actions.add_parser(
        "fetch",
        help="download what is missing",
        description="Download the files that are missing, and check them.\n\nExit status: 0; 1 if a download fails.",
        **_examples("", "wine adult_income --data-home ~/uci"),
    )
    fetching.set_defaults(run=lambda options: _read_all(options, download=True))
    checking = actions.add_parser(
        "check",
        help="check the files that are at hand",
        description="Read the files that are at hand; compare the numbers of rows and classes with those the paper\n"
        "used, and checksums if they are known.\n\nExit status: 0; 1 if something is wrong or missing.",
        **_examples("", "digits"),
    )
    checking.set_defaults(run=lambda options: _read_all(options, download=False))
    for parser in (fetching, checking):
        parser.add_argument(
            "names",
            nargs="*",
            default=list_uci(),
            type=one_of(list_uci(), "data set"),
            metavar="NAME",
            help="data sets (default: all)",
        )
    for parser in (listing, fetching, checking):
        add_data_home(parser)


def _examples(*arguments: str) -> dict[str, Any]:
    """Return the examples of a command, for its parser."""
    lines = "\n".join(f"  %(prog)s {each}".rstrip() for each in arguments)
    return {"epilog": f"examples:\n{lines}", "formatter_class": argparse.RawDescriptionHelpFormatter}


def _list(options: argparse.Namespace) -> int:
    table = describe_uci(options.data_home)
    # The last column needs no padding.
    pages = table.pop("page")
    lines = table.to_string().splitlines()
    say("\n".join(f"{line}  {page}" for line, page in zip(lines, ["page", *pages], strict=True)))
    return 0


def _read_all(options: argparse.Namespace, *, download: bool) -> int:
    failed = False
    for name in options.names:
        try:
            data = fetch_uci(name, options.data_home, download_if_missing=download)
        except (OSError, ValueError, ImportError) as error:
            failed = True
            say(f"{name}: {error}", file=sys.stderr)
            continue
        say(f"{name}: {len(data.target):,} rows, {data.data.shape[1]:,} features, {data.target.nunique()} classes")
        for file, reason in unchecked_files(name).items():
            say(f"{name}: {file}: no checksum to compare with: {reason}", file=sys.stderr)
        changed = changed_files(name, options.data_home)
        if changed:
            say(f"{name}: {', '.join(changed)}: not the archive's file, though its counts agree", file=sys.stderr)
    return int(failed)
