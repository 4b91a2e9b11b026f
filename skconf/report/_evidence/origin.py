"""The origin of predictions: files with their hashes, the command, and how columns were read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path


@dataclass(frozen=True)
class SourceFile:
    """A file that was read.

    Attributes
    ----------
    model : str
        The model whose predictions are in the file.
    path : str
        The path as the user gave it; for several files, how many they are, such as "3 files".
    n_rows : int
        Number of predictions.
    digest : str
        SHA-256 of its bytes, in hexadecimal; "" if it was not computed.
    """

    model: str
    path: str
    n_rows: int
    digest: str = ""

    @property
    def name(self) -> str:
        """The name of the file, without folders."""
        return Path(self.path).name


#: The state of a graded sample that is left out because another file has no grade for it.
NO_GRADE_ELSEWHERE = "without a grade in another file"


@dataclass(frozen=True)
class Origin:
    """Where predictions come from.

    Attributes
    ----------
    files : sequence of SourceFile
        The files; empty for predictions in memory.
    command : str
        The command that made the report; "" for a call from Python.
    read_as : sequence of str
        Sentences on how columns were read.
    states : mapping of str to mapping of str to int
        For logs, by model: how many samples are answers, abstain (for each reason), or do not count.
    """

    files: Sequence[SourceFile] = ()
    command: str = ""
    read_as: Sequence[str] = ()
    states: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def digest(path: Path | str) -> str:
    """Return the SHA-256 of a file in hexadecimal, read block by block."""
    with Path(path).open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
