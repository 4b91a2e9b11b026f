"""Where each public name is used: at the end of its page of the reference."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

from reference import FAMILIES, names_by_family, public_names
from sphinx.util.docutils import SphinxDirective

#: Pages that list names, or tell of them once they have changed.
LISTS = (
    "changelog",
    "columns",
    "command_line",
    "contributing",
    "metrics",
    "reference",
    "sources",
    "speed",
    "style",
    "versions",
)
#: Pages that are named, the ones with most uses first.
AT_MOST = 5
CODE = re.compile(r"^```\w*\n(.*?)^```|`([^`\n]+)`", flags=re.M | re.S)


@cache
def uses(docs):
    """Return for each last part of a public name how often each page of the documentation has it in code."""
    names = {name.rpartition(".")[2] for name in public_names()}
    found = {name: Counter() for name in names}
    for path in sorted(docs.rglob("*.md")):
        page = path.relative_to(docs).with_suffix("").as_posix()
        if page in LISTS or page.startswith(("_", "generated/", "auto_examples/")):
            continue
        code = " ".join(block or span for block, span in CODE.findall(path.read_text()))
        for name, count in Counter(re.findall(r"\w+", code)).items():
            if name in names:
                found[name][page] = count
    return found


@cache
def family_of(name):
    """Return the family of a public name."""
    names = names_by_family()
    return next(family for family in FAMILIES if name in names[family.key])


def in_examples(docs, name):
    """Return a name, and its methods that examples use."""
    used = json.loads((docs / "generated" / "examples" / "backreferences_all.json").read_text())
    return [name, *(each for each in used if each.startswith(f"{name}."))]


def used_in(docs, name):
    """Return what stands at the end of the page of a name: pages that use it, or are about it; and examples."""
    family = family_of(name)
    pages = [page for page, _ in uses(docs)[name.rpartition(".")[2]].most_common(AT_MOST)]
    links = " · ".join(f":doc:`/{page}`" for page in pages or family.guides)
    return "\n".join([
        f".. rubric:: {'Used in' if pages else 'Read on'}", "",
        f"{links} · :doc:`all of this family <{family.key}>`", "",
        f".. minigallery:: {' '.join(in_examples(docs, name))}", "",
    ])  # fmt: skip


class UsedIn(SphinxDirective):
    """The pages and examples that use a name."""

    required_arguments = 1

    def run(self):
        """Return them as if the page had them."""
        return self.parse_text_to_nodes(used_in(Path(self.env.srcdir), self.arguments[0]))


def setup(app):
    """Add what the templates of the reference end with."""
    app.add_directive("used-in", UsedIn)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
