"""Getting raw files from their archives."""

import gzip
import hashlib
import http.client
import shutil
import tarfile
import zipfile
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from urllib.parse import unquote_plus, urlsplit
from urllib.request import Request, urlopen

from skconf._core.progress import progress
from skconf.datasets._registry import DataSet, RawFile

_BLOCK = 1 << 18


def download(data_set: DataSet, folder: Path) -> None:
    """Download the files that are missing; one is in its place complete and checked, or not at all.

    Parameters
    ----------
    data_set : DataSet
        The data set.
    folder : Path
        Where its files belong; made, if need be.

    Raises
    ------
    FileNotFoundError
        If a file cannot be had.
    ValueError
        If what was sent is not the file expected.
    """
    missing = [file for file in data_set.files if not (folder / file.name).is_file()]
    closed = [file.name for file in missing if file.url is None]
    if closed:
        raise FileNotFoundError(f"{', '.join(closed)} cannot be downloaded, only by hand")
    folder.mkdir(parents=True, exist_ok=True)
    # Beside its final place, so that the last step is a rename.
    with TemporaryDirectory(dir=folder, prefix=".download-") as scratch:
        sent: dict[str, Path] = {}
        for file in missing:
            assert file.url is not None
            if file.url not in sent:
                sent[file.url] = Path(scratch) / str(len(sent))
                _get(file.url, sent[file.url], data_set.name)
            unpacked = Path(scratch) / "unpacked"
            _extract(sent[file.url], file, unpacked)
            _verify(unpacked, file, folder)
            unpacked.replace(folder / file.name)


def checksum(path: Path, name: str) -> str:
    """Return the SHA-256 of a file's content: gzip writes the same content in more than one way."""
    with gzip.open(path) if name.endswith(".gz") else path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _verify(unpacked: Path, file: RawFile, folder: Path) -> None:
    """Raise if a file has not the content expected."""
    if file.sha256 is None:
        return
    try:
        found = checksum(unpacked, file.name)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{file.url} sent no readable {file.name}, which was not kept: {error}") from error
    if found != file.sha256:
        raise ValueError(
            f"{file.url} sent another version of {file.name}, which was not kept: its SHA-256 is {found}, expected "
            f"{file.sha256}. Put the expected one into {folder} by hand."
        )


def _get(url: str, target: Path, title: str) -> None:
    """Download a file."""
    # Some servers turn away what calls itself Python.
    request = Request(url, headers={"User-Agent": "skconf"})
    try:
        with urlopen(request, timeout=60) as answer, target.open("wb") as file:
            length = answer.headers.get("Content-Length")
            total = None if length is None else int(length)
            with progress(f"{title}: downloading {url}", total, unit="B") as bar:
                bar.write(f"{title}: downloading {url}")
                while block := answer.read(_BLOCK):
                    file.write(block)
                    bar.update(len(block))
        size = target.stat().st_size
        if total not in (None, size):
            raise OSError(f"the connection ended after {size:,} of {total:,} bytes")
    except (OSError, http.client.HTTPException) as error:
        raise FileNotFoundError(f"the download of {url} failed: {error}") from error


def _extract(sent: Path, file: RawFile, target: Path) -> None:
    """Copy a file out of what was sent: the file itself, or an archive with it at any depth."""
    if unquote_plus(urlsplit(str(file.url)).path).endswith(f"/{file.name}"):
        shutil.copyfile(sent, target)
        return
    try:
        with sent.open("rb") as archive:
            found = _copy_member(archive, file.name, target)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise ValueError(f"{file.url} sent no readable archive: {error}") from error
    if not found:
        raise ValueError(f"there is no {file.name} in {file.url}")


def _copy_member(archive: IO[bytes], name: str, target: Path) -> bool:
    """Copy the member with this name, from wherever it is in an archive, and return whether there is one."""
    if not zipfile.is_zipfile(archive):
        archive.seek(0)
        with tarfile.open(fileobj=archive) as tar:
            for entry in tar:
                if entry.isfile() and entry.name.split("/")[-1] == name:
                    _copy(tar.extractfile(entry), target)
                    return True
        return False
    with zipfile.ZipFile(archive) as zipped:
        for member in zipped.namelist():
            if member.split("/")[-1] == name:
                _copy(zipped.open(member), target)
                return True
        for member in zipped.namelist():
            if member.endswith(".zip"):
                with zipped.open(member) as inner:
                    if _copy_member(inner, name, target):
                        return True
    return False


def _copy(source: IO[bytes] | None, target: Path) -> None:
    assert source is not None
    with source, target.open("wb") as file:
        shutil.copyfileobj(source, file)
