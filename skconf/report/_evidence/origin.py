"""Where predictions come from: files with their hashes, the command, and how columns were read."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path


@dataclass(frozen=True)
class SourceFile:
    """A file that was read.

    Attributes
    ----------
    model : str
        The model whose predictions it holds.
    path : str
        The file as the user named it; of several files their number.
    n_rows : int
        Number of predictions.
    digest : str
        SHA-256 of its bytes, in hexadecimal; "" where it was not computed.
    """

    model: str
    path: str
    n_rows: int
    digest: str = ""

    @property
    def name(self) -> str:
        """Its name, without folders."""
        return Path(self.path).name


@dataclass(frozen=True)
class Origin:
    """Where predictions come from.

    Attributes
    ----------
    files : sequence of SourceFile
        The files; empty for predictions in memory.
    command : str
        The command that made the report; "" where it was called from Python.
    read_as : sequence of str
        How columns were read, in sentences.
    """

    files: Sequence[SourceFile] = ()
    command: str = ""
    read_as: Sequence[str] = ()


def digest(path: Path | str) -> str:
    """Return the SHA-256 of a file in hexadecimal, read block by block."""
    with Path(path).open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
