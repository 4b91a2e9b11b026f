"""Folders that experiments write to: made and tested before hours of work, not after."""

import re
from pathlib import Path
from tempfile import TemporaryFile

#: Characters of a data set's name in the names of files.
_LONGEST = 60


class ResultsFolderError(OSError):
    """The folder for results cannot be written to."""


def prepare_results(folder: Path | None) -> None:
    """Make the folder that results are kept in, if there is to be one, and test that it can be written to.

    Raises
    ------
    ResultsFolderError
        If it cannot.
    """
    advice = "Choose another folder (results, or --results on the command line), or keep no results (results=None, or "
    prepare_folder(folder, f"cannot keep results in {folder}", f"{advice}--no-results).")


def prepare_folder(folder: Path | None, cannot: str, advice: str) -> None:
    """Make a folder, if there is to be one, and test that it can be written to.

    Parameters
    ----------
    folder : Path or None
        The folder.
    cannot, advice : str
        Beginning and end of the message if it cannot.

    Raises
    ------
    ResultsFolderError
        If it cannot be made or written to.
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
    """Return a name that the user may have given as one of a file."""
    return re.sub(r"[^\w.,\- ]+", "_", name).strip(". ")[:_LONGEST] or "_"
