"""Download raw files from their archives."""

import errno
import gzip
import hashlib
import http.client
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from urllib.parse import unquote_plus, urlsplit
from urllib.request import Request, urlopen

from skconf._core.progress import progress
from skconf.datasets._registry import DataSet, RawFile

_BLOCK = 1 << 18
#: Most bytes that a server may send, and that an unpacked file may have: three times the largest known value of each.
MOST_SENT, MOST_UNPACKED = 512 << 20, 256 << 20
#: How deep archives may be nested; one of the data sets is a zip file inside another.
_DEEPEST = 2


#: Errors of the disk, not of the file.
_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE)


class DamagedError(ValueError):
    """The downloaded content cannot be read as a file or an archive."""


def download(data_set: DataSet, folder: Path) -> list[Path]:
    """Download missing files, and return them. A file appears in the folder only when it is complete and checked."""
    missing = [file for file in data_set.files if not (folder / file.name).is_file()]
    closed = [file.name for file in missing if file.url is None]
    if closed:
        raise FileNotFoundError(f"{', '.join(closed)} can only be downloaded by hand")
    folder.mkdir(parents=True, exist_ok=True)
    # Downloaded beside its final place, so that the last step is a rename.
    with TemporaryDirectory(dir=folder, prefix=".download-") as scratch:
        sent: dict[str, Path] = {}
        for file in missing:
            url = str(file.url)
            if url not in sent:
                sent[url] = Path(scratch) / str(len(sent))
                _get(url, sent[url], data_set.name)
            unpacked = Path(scratch) / "unpacked"
            _extract(sent[url], file, unpacked)
            _verify(unpacked, file, folder)
            unpacked.replace(folder / file.name)
    return [folder / file.name for file in missing]


def checksum(path: Path, name: str) -> str:
    """Return the SHA-256 of a file's content, because gzip may write the same content in several ways."""
    digest, n_bytes = hashlib.sha256(), 0
    with gzip.open(path) if name.endswith(".gz") else path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            n_bytes += len(block)
            _check_size(n_bytes)
    return digest.hexdigest()


def _verify(unpacked: Path, file: RawFile, folder: Path) -> None:
    """Raise if a file does not have the expected content."""
    if file.sha256 is None and not file.name.endswith(".gz"):
        return  # no checksum to compare with, and nothing to unpack
    with _reading(f"{file.url} sent an unreadable {file.name}, which was not kept"):
        digest = checksum(unpacked, file.name)
    if file.sha256 not in (None, digest):
        raise ValueError(
            f"{file.url} sent another version of {file.name}, which was not kept: its SHA-256 is {digest}, expected "
            f"{file.sha256}. Put the expected version into {folder} by hand."
        )


def _get(url: str, target: Path, title: str) -> None:
    """Download a file."""
    # Some servers refuse clients that identify as Python.
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
                    if file.tell() > MOST_SENT:
                        raise ValueError(
                            f"{url} sends more than {MOST_SENT:,} bytes; every file of the data sets is smaller"
                        )
        size = target.stat().st_size
        if total not in (None, size):
            raise OSError(f"the connection ended after {size:,} of {total:,} bytes")
    except (OSError, http.client.HTTPException) as error:
        raise FileNotFoundError(f"the download of {url} failed: {error}") from error


def _extract(sent: Path, file: RawFile, target: Path) -> None:
    """Copy a file from the download, which is the file itself or an archive that contains it at any depth."""
    if unquote_plus(urlsplit(str(file.url)).path).endswith(f"/{file.name}"):
        shutil.copyfile(sent, target)
        return
    with _reading(f"{file.url} sent an unreadable archive"), sent.open("rb") as archive:
        copied = _copy_member(archive, file.name, target, _DEEPEST)
    if not copied:
        raise ValueError(f"there is no {file.name} in {file.url}")


@contextmanager
def _reading(otherwise: str) -> Iterator[None]:
    """Turn all errors that a damaged or hostile file may cause into a DamagedError."""
    try:
        yield
    except DamagedError as error:
        raise DamagedError(f"{otherwise}: {error}") from None
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _OF_THE_DISK:
            raise
        raise DamagedError(f"{otherwise}: {error}") from error


def _copy_member(archive: IO[bytes], name: str, target: Path, depth: int) -> bool:
    """Copy the member with this name from any place in an archive, and return whether there is one."""
    if not zipfile.is_zipfile(archive):
        archive.seek(0)
        return _copy_from_tar(archive, name, target)
    with zipfile.ZipFile(archive) as zipped:
        for member in zipped.infolist():
            if member.filename.split("/")[-1] == name:
                with zipped.open(member) as source:
                    _copy(source, target)
                return True
        for member in zipped.infolist():
            if member.filename.endswith(".zip") and depth > 1:
                _check_size(member.file_size)
                with zipped.open(member) as inner:
                    if _copy_member(inner, name, target, depth - 1):
                        return True
    return False


def _copy_from_tar(archive: IO[bytes], name: str, target: Path) -> bool:
    passed = 0
    with tarfile.open(fileobj=archive) as tar:
        for entry in tar:
            source = tar.extractfile(entry) if entry.isfile() and entry.name.split("/")[-1] == name else None
            if source is not None:
                with source:
                    _copy(source, target)
                return True
            passed += entry.size  # skipped members are unpacked, too
            if passed > 4 * MOST_UNPACKED:
                raise DamagedError(f"it unpacks to more than {4 * MOST_UNPACKED:,} bytes")
    return False


def _copy(source: IO[bytes], target: Path) -> None:
    """Copy a file; raise if its real size is too large."""
    with target.open("wb") as file:
        while block := source.read(_BLOCK):
            file.write(block)
            _check_size(file.tell())


def _check_size(n_bytes: int) -> None:
    if n_bytes > MOST_UNPACKED:
        raise DamagedError(f"it unpacks to more than {MOST_UNPACKED:,} bytes; every file of the data sets is smaller")
