"""Results that experiments keep on disk, so that an interrupted run continues.

Folders are tested before hours of work. Each result has its own file, whose name depends on everything that determines
the result. A file is written completely or not at all, and a damaged file is made again. :mod:`joblib` reads the files,
so they must come from people that you trust.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import joblib

#: The number of characters of a data set's name in file names.
_LONGEST = 60


class ResultsFolderError(OSError):
    """The folder for results cannot be written to."""


class KeptResult(NamedTuple):
    """A result that is kept in a file. If `path` is None, nothing is kept.

    Several runs may share a folder. If two of them make the same result at the same time, the last one is kept.

    Attributes
    ----------
    path : Path or None
        The file.
    """

    path: Path | None

    @classmethod
    def of(cls, folder: Path | None, name: str, key: Any) -> "KeptResult":
        """Return the kept result for a key, which has all that determines the result. Equal keys share a file."""
        return cls(None if folder is None else folder / f"{as_file_name(name)}-{joblib.hash(key)[:16]}.pkl")

    def part(self, name: str) -> "KeptResult":
        """Return a second file, for what is kept until the result is complete."""
        return KeptResult(None if self.path is None else self.path.with_suffix(f".{name}"))

    def load(self, kind: type) -> Any:
        """Return the result; None if there is none, if it is damaged, or if it has another type."""
        if self.path is None:
            return None
        try:
            result = joblib.load(self.path)
        except Exception:  # noqa: BLE001 – a damaged file makes zlib and pickle raise errors of a dozen kinds
            return None
        return result if isinstance(result, kind) else None

    def save(self, result: Any) -> None:
        """Write the result to its file. If the process ends early, the file stays as it was."""
        if self.path is None:
            return
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        try:
            joblib.dump(result, unfinished, compress=3)  # compressed, it has a checksum
            unfinished.replace(self.path)
        finally:
            unfinished.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the file, if there is one."""
        if self.path is not None:
            with suppress(OSError):  # Windows does not remove open files
                self.path.unlink()


def results_folder(folder: str | os.PathLike[str] | None) -> Path | None:
    """Return the folder for results; None if no results are kept."""
    return None if folder is None else Path(folder).expanduser()


def prepare_results(folder: Path | None) -> None:
    """Make the folder for results, if results are kept, and test that it can be written to."""
    advice = "Choose another folder (results, or --results on the command line), or keep no results (results=None, or "
    prepare_folder(folder, f"cannot keep results in {folder}", f"{advice}--no-results).")


def prepare_folder(folder: Path | None, cannot: str, advice: str) -> None:
    """Make a folder, if one is given, and test that it can be written to.

    If it cannot be written to, the error begins with `cannot` and ends with `advice`.
    """
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ResultsFolderError(f"{cannot}: {error}. {advice}") from None


def as_file_name(name: str) -> str:
    """Return a name that the user chose in a form that is valid as the name of a file."""
    return re.sub(r"[^\w.,\- ]+", "_", name).strip(". ")[:_LONGEST] or "_"
