"""The command line: ``skconf …``, one module for each command."""

from skconf.cli.main import main

__all__ = ["main"]
