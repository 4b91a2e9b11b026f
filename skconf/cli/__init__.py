"""The command line: ``python -m skconf …``, one module for each command."""

from skconf.cli.main import main

__all__ = ["main"]
