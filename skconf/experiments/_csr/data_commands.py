"""``datasets``: list, download and check the data sets."""

import argparse
import sys
from functools import partial

from skconf._core.command_options import one_of
from skconf._core.terminal import say
from skconf.datasets import describe_uci, fetch_uci, list_uci
from skconf.datasets._uci import changed_files, unchecked_files
from skconf.experiments._shared.commands import add_data_home, new_command

_DESCRIPTION = """\
The fifteen data sets of the CSR paper, and the handwritten digits of scikit-learn. They are read from the raw files of
their archives. The two data sets of scikit-learn, breast_cancer and digits, need no files.

Exit status: 0 on success; 1 if a data set failed, even if the others did not; 2 for a mistake in the command.
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
    listing = new_command(
        actions,
        "list",
        "list the data sets, and whether their files exist",
        _list,
        "List the data sets.\n\nExit status: 0 on success.",
        ("", "--data-home ~/uci"),
    )
    fetching = new_command(
        actions,
        "fetch",
        "download missing files",
        partial(_read_all, download=True),
        "Download missing files, and check them.\n\nExit status: 0 on success; 1 if a download fails.",
        ("", "wine adult_income --data-home ~/uci"),
    )
    checking = new_command(
        actions,
        "check",
        "check the existing files",
        partial(_read_all, download=False),
        "Read the existing files. Compare the numbers of rows and classes with the numbers in the paper,\n"
        "and checksums if they are known.\n\nExit status: 0 on success; 1 if something is wrong or missing.",
        ("", "digits"),
    )
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
            say(f"{name}: the checksum of {file} is not known: {reason}", file=sys.stderr)
        changed = changed_files(name, options.data_home)
        if changed:
            differs = "not identical to the original, but the numbers of rows and classes are as expected"
            say(f"{name}: {', '.join(changed)}: {differs}", file=sys.stderr)
    return int(failed)
