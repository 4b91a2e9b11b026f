"""How a page was made: its date, and its command without the folders of its machine."""

import os
import shlex
from datetime import UTC, datetime
from pathlib import PurePosixPath, PureWindowsPath


def made_on() -> str:
    """Return today's date in UTC, or that of SOURCE_DATE_EPOCH where it is set, so that pages can be made again.

    Raises
    ------
    ValueError
        If SOURCE_DATE_EPOCH is no number of seconds.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        now = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        text = f"SOURCE_DATE_EPOCH={epoch!r} is no number of seconds since 1970. Unset it, or set it to one."
        raise ValueError(text) from None
    return f"{now.day} {now:%B %Y}"


def without_folders(command: str) -> str:
    """Return a command with the last part of each absolute path in it.

    Examples
    --------
    >>> without_folders("skconf evaluate /data/a.csv --html=/data/page.html")
    'skconf evaluate a.csv --html=page.html'
    """
    try:
        words = shlex.split(command, posix=True)
    except ValueError:  # a quote without an end
        words = command.translate(dict.fromkeys(map(ord, "'\""))).split()
    return shlex.join(_shortened(word) for word in words)


def _shortened(word: str) -> str:
    """Return a word of a command; an absolute path, also behind a sign of equality, without its folders."""
    before, equal, last = word.rpartition("=")
    for kind in (PurePosixPath, PureWindowsPath):
        if kind(last).is_absolute():
            return f"{before}{equal}{kind(last).name or '/'}"
    return word
