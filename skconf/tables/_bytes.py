"""The bytes of a file, decompressed as its name says."""

import bz2
import gzip
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

from skconf.tables._paths import COMPRESSED
from skconf.tables._unreadable import UnreadableError

#: Bytes that are counted at once.
_READ_BYTES = 1 << 20


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to read its content after decompression."""
    if path.suffix == ".zip":
        with ZipFile(path) as archive:
            names = archive.namelist()
            if len(names) != 1:
                raise UnreadableError(f"it contains {len(names)} files instead of one. Unpack it, and name a file.")
            with archive.open(names[0]) as part:
                yield part
        return
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zst": _open_zstandard}
    with openers.get(path.suffix, open)(path, "rb") as file:
        yield file


def _open_zstandard(path: Path, _: str) -> Any:
    if find_spec("pyarrow") is None:
        if find_spec("zstandard") is None:
            raise ImportError(f"Reading {path} needs pyarrow: pip install pyarrow.")
        return import_module("zstandard").open(path)  # as pandas needs it
    from pyarrow import input_stream

    return input_stream(str(path))


def count_bytes(path: Path, enough: int) -> int:
    """Return the number of bytes in a file after decompression; stop counting when there are at least `enough`."""
    if path.suffix not in COMPRESSED:
        return path.stat().st_size
    n_bytes = 0
    with opened(path) as file:
        while n_bytes < enough and (data := file.read(_READ_BYTES)):
            n_bytes += len(data)
    return n_bytes
