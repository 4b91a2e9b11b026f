"""Names of elements that are unique on a page, and the same in each run."""

import re


class Ids:
    """Hands out identifiers: what it is asked for, with a number where that is taken.

    Parameters
    ----------
    prefix : str, default=""
        What every identifier begins with, so that several pages fit into one notebook.
    scripted : bool, default=True
        Whether a script runs where the elements are shown; without one, buttons are left out.
    """

    def __init__(self, prefix: str = "", *, scripted: bool = True) -> None:
        self.scripted = scripted
        self._prefix = prefix
        self._taken: dict[str, int] = {}

    def new(self, stem: str) -> str:
        """Return an identifier of letters, digits and dashes."""
        plain = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:40] or "part"
        return self.unique(self._prefix + plain, between="-")

    def unique(self, name: str, between: str = " ") -> str:
        """Return a name, with a number behind it if it was given before."""
        number = self._taken[name] = self._taken.get(name, 0) + 1
        return name if number == 1 else f"{name}{between}{number}"
