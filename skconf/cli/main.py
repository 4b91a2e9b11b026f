"""The command line: ``skconf …``, or ``python -m skconf …``."""

import argparse
import os
import platform
import shlex
import sys
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from skconf._core.terminal import CommandError, say, write_plainly_where_needed
from skconf._core.version import __version__

#: Every command: its module, imported when the command is used, and its help text.
COMMANDS = {
    "evaluate": ("skconf.cli.evaluate", "report on predictions in files"),
    "threshold": ("skconf.cli.threshold", "choose thresholds with guarantees for new cases"),
    "experiment": ("skconf.experiments._commands", "rerun an experiment of the papers"),
    "datasets": ("skconf.experiments._csr.data_commands", "list, download and check the data sets"),
}

#: The status that shells give to a program that a closed pipe ended.
_PIPE_CLOSED = 141
_DESCRIPTION = """\
Confidence-aware evaluation and selective classification.

Results go to standard output. Progress and warnings go to standard error. Exit status: 0 on success; 1 if a part, such
as a data set, failed, or if something cannot be guaranteed; 2 for a mistake in the command, or a full disk; 130 after
Ctrl-C; 141 if the program that reads the output has closed the pipe.
"""
_EXAMPLES = """\
examples:
  %(prog)s evaluate predictions.csv
  %(prog)s threshold predictions.csv --target risk=0.02
  %(prog)s experiment csr
  %(prog)s experiment csr --datasets all --seeds 5 --html csr.html
  %(prog)s datasets fetch wine adult_income

Run %(prog)s COMMAND --help for details.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, default=None
        Command-line arguments. None means the arguments of the process.

    Returns
    -------
    int
        Exit status: 0 on success. 1 if a part, such as a data set, failed, or if something cannot be guaranteed. 2
        after any other error, such as a mistake of the user or a full disk. 130 after Ctrl-C. 141 if the program that
        reads the output, such as ``head``, has ended.
    """
    write_plainly_where_needed()
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        try:
            return _run(given)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where an error can still be reported
    except OSError as error:
        return _cannot_write(error)
    except KeyboardInterrupt:
        return _failed("interrupted", 130)
    except (CommandError, ImportError) as error:
        return _failed(f"error: {error}")
    except MemoryError:
        return _failed("error: there is not enough memory.")


def make_parser(given: Sequence[str], prog: str | None = None) -> argparse.ArgumentParser:
    """Return the parser, with the options of the given commands only: the other commands are not imported.

    Parameters
    ----------
    given : sequence of str
        Command-line arguments.
    prog : str, default=None
        Name of the program in the help. None means the name that the user typed.
    """
    parser = _Parser(
        prog=_typed() if prog is None else prog,
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the versions of skconf and its packages")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, formatter_class=argparse.RawDescriptionHelpFormatter)
        if name in given:
            import_module(module).add_options(command)
            command.set_defaults(parser=command)
    return parser


def _run(given: Sequence[str]) -> int:
    parser = make_parser(given)
    if not given:
        parser.print_help()
        return 0
    if not given[0].startswith("-") and given[0] not in COMMANDS:
        parser.error(f"there is no command {given[0]!r}.{_suggest(given[0], COMMANDS)}")
    options = parser.parse_args(given)
    options.command = shlex.join(["skconf", *given])  # pages quote it like this
    from skconf._core.command_options import check_outputs
    from skconf._core.messages import on_command_line  # needs numpy, which the help does not

    with warnings.catch_warnings(), on_command_line():
        warnings.simplefilter("default", UserWarning)
        # As one sentence, without file and line.
        warnings.showwarning = lambda message, *_: say(f"skconf: warning: {message}", file=sys.stderr)
        check_outputs(options)
        return int(options.run(options))


class _Parser(argparse.ArgumentParser):
    """A parser that reports a mistake in one line, with the option that was probably meant."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the options; the error about an unknown option names the nearest option of the command."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            parser = getattr(options, "parser", self)
            if not unknown[0].startswith("-"):
                parser.error(f"{unknown[0]} is one argument too many")
            known = [option for action in parser._actions for option in action.option_strings]  # noqa: SLF001
            parser.error(f"there is no option {unknown[0]}.{_suggest(unknown[0], known)}")
        return options

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print a message; raise if it cannot be written, which argparse ignores."""
        if message and file is not None:
            file.write(message)

    def error(self, message: str) -> NoReturn:
        """Report a mistake, and say how to see all options."""
        self.exit(2, f"{self.prog}: error: {message}\nTry '{self.prog} --help'.\n")


def _suggest(text: str, known: Iterable[str]) -> str:
    close = get_close_matches(text, known, 1)
    return f" Did you mean {close[0]}?" if close else ""


def _cannot_write(error: OSError) -> int:
    """Say why a result cannot be written, unless a pipe was closed, as by `head`; return the exit status."""
    if sys.stdout is not None:
        with suppress(OSError):  # the rest would fail again at exit, with a traceback
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return _PIPE_CLOSED
    reason = f"cannot write to standard output: {error.strerror}" if error.filename is None else str(error)
    return _failed(f"error: {reason}.")


def _failed(reason: str, status: int = 2) -> int:
    """Say why a command ended, and return the exit status."""
    with suppress(OSError):  # standard error may be full, or closed
        say(f"skconf: {reason}", file=sys.stderr)
    return status


class _Version(argparse.Action):
    """Show versions, without importing the packages."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "scikit-learn"))
        print(f"skconf {__version__} (Python {platform.python_version()}, {packages})")
        parser.exit()


def _typed() -> str:
    """Return the command that the user typed."""
    return "python -m skconf" if Path(sys.argv[0]).parts[-2:] == ("skconf", "__main__.py") else "skconf"
