"""Labels and the texts that mean them: columns, files and people write 1, 1.0 and True in many ways."""

import re
from collections.abc import Iterable
from typing import Any

_TRUTH = {"true": "1", "false": "0"}


def plain(label: Any) -> str:
    """Return the text of a label without what depends on who wrote it: 1.0, True and "true" are "1"; "01" is not."""
    text = str(label)
    return re.sub(r"^(-?\d+)\.0+$", r"\1", _TRUTH.get(text.lower(), text))


class Spellings:
    """Labels by their texts: as they are written, or else by the plain text, where no two labels share one."""

    def __init__(self, labels: Iterable[Any]) -> None:
        listed = list(labels)
        self._written = {str(label): label for label in listed}
        by_plain_text = {plain(label): label for label in listed}
        self._plain = by_plain_text if len(by_plain_text) == len(listed) else {}

    def __contains__(self, text: Any) -> bool:
        return str(text) in self._written or plain(text) in self._plain

    def label(self, text: Any) -> Any:
        """Return the label that a text means; the text itself where it means none."""
        written = str(text)
        return self._written[written] if written in self._written else self._plain.get(plain(text), text)
