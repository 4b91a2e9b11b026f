"""The command ``experiment``: a subcommand for each experiment of the papers."""

import argparse
from collections.abc import Callable
from typing import Any

from skconf.experiments._answers.commands import add_answers
from skconf.experiments._arena.commands import add_arena
from skconf.experiments._cf1.commands import add_cf1
from skconf.experiments._csr.commands import add_csr, add_synthetic
from skconf.experiments._cwsa.commands import add_cwsa, add_ranking, add_stress
from skconf.experiments._ecuas.commands import add_ecuas
from skconf.experiments._shared.commands import STATUS

#: Adds each subcommand, in the order of the help text.
_COMMANDS: tuple[Callable[[Any], None], ...] = (
    add_csr,
    add_arena,
    add_synthetic,
    add_cwsa,
    add_ranking,
    add_stress,
    add_ecuas,
    add_answers,
    add_cf1,
)
_EXAMPLES = """\
examples:
  %(prog)s csr
  %(prog)s cwsa --html cwsa.html

Run %(prog)s NAME --help for details.
"""


def add_options(experiment: argparse.ArgumentParser) -> None:
    """Add the command's subcommands."""
    experiment.description = f"Rerun an experiment of the papers, and print their values beside ours.\n\n{STATUS}"
    experiment.epilog = _EXAMPLES
    names = experiment.add_subparsers(title="experiments", required=True, metavar="NAME")
    for add_command in _COMMANDS:
        add_command(names)
