"""Standard input as a file: predictions from a pipe."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from skconf._core.terminal import CommandError, StandardInput, say

#: The name of standard input among the files of a command.
DASH = "-"
#: First bytes of the formats that may come through a pipe, and the endings of such files.
_ENDINGS = {b"{": ".jsonl", b"PAR1": ".parquet", b"\x1f\x8b": ".csv.gz", b"BZh": ".csv.bz2", b"\xfd7zXZ": ".csv.xz"}


@contextmanager
def written_out(files: Sequence[str]) -> Iterator[list[str | Path]]:
    """If standard input is among the files, write it to a temporary file, because files are read twice."""
    if DASH not in files:
        yield list(files)
        return
    if sys.stdin is None:
        raise CommandError("standard input is closed. Name a file, or pass its content: skconf evaluate - < FILE.")
    if sys.stdin.isatty():
        say("skconf: reading standard input. Press Ctrl-D to end it", file=sys.stderr)
    with TemporaryDirectory() as folder:
        path = StandardInput(folder, "standard input")
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        with path.open("rb") as file:
            start = file.read(8)
        ending = next((ending for sign, ending in _ENDINGS.items() if start.startswith(sign)), "")
        path = path.rename(path.with_name(path.name + ending))
        yield [path if name == DASH else name for name in files]
