"""Names in code lead to their pages: ours to the reference, those of scikit-learn and XGBoost to their sites.

Their inventories would be read over a network. Their addresses follow from the names, and whether a name exists is
known from the installed package.
"""

import importlib
import re

from docutils import nodes
from reference import MODULES
from sphinx.addnodes import desc, index, pending_xref

SKLEARN = "https://scikit-learn.org/stable/modules/generated/{}.html"
XGBOOST = "https://xgboost.readthedocs.io/en/stable/python/python_api.html#{}"
#: Modules of scikit-learn whose names the pages mention.
SKLEARN_MODULES = (
    "base", "calibration", "compose", "datasets", "ensemble", "frozen", "linear_model", "metrics", "model_selection",
    "naive_bayes", "neural_network", "pipeline", "preprocessing", "svm", "tree",
)  # fmt: skip
XGBOOST_NAMES = ("XGBClassifier", "XGBRFClassifier")


def foreign_names():
    """Return the address of each name of others, short and in full."""
    found = {name: XGBOOST.format(f"xgboost.{name}") for name in XGBOOST_NAMES}
    for each in SKLEARN_MODULES:
        module = importlib.import_module(f"sklearn.{each}")
        for name in getattr(module, "__all__", None) or defined_in(module):
            full = f"sklearn.{each}.{name}"
            found[full] = SKLEARN.format(full)
            if "_" in name or name[0].isupper():  # `scale` may be any parameter
                found[name] = SKLEARN.format(full)
    return found


def defined_in(module):
    """Return the public names that a module defines; some of scikit-learn's have no list of them."""
    return [
        name
        for name, each in vars(module).items()
        if name[0] != "_" and getattr(each, "__module__", "") == module.__name__
    ]


def own_names(modules):
    """Return the full name of each public name, as it is written with and without its module."""
    found = {module: module for module in modules[1:]}
    for module in reversed(modules):  # the first one that has a name wins
        home = importlib.import_module(module)
        for name in (each for each in home.__all__ if callable(getattr(home, each))):
            spelled = (name, f"{module}.{name}", f"{module.removeprefix('skconf.')}.{name}")
            found |= dict.fromkeys(spelled, f"{module}.{name}")
    return found


def link_names(app, doctree):
    """Make each name in code a link, once in each section."""
    docname = app.env.docname
    own, foreign = app.config.own_names, app.config.foreign_names
    seen = set()
    for literal in list(doctree.findall(lambda node: isinstance(node, nodes.literal | nodes.title_reference))):
        name = re.sub(r"\(\)$", "", literal.astext())
        section = next((id(each) for each in parents(literal) if isinstance(each, nodes.section)), 0)
        apart = (nodes.reference, pending_xref, nodes.title, desc, index, nodes.caption)
        inside = [each for each in parents(literal) if isinstance(each, apart)]
        inside = [each for each in inside if not isinstance(each, desc)]
        if inside or (section, name) in seen or docname.endswith(f".{name}"):
            continue
        if name in own:
            link = pending_xref(
                "", refdomain="py", reftype="obj", reftarget=own[name], refexplicit=True, refwarn=True, refdoc=docname
            )
        elif name in foreign:
            link = nodes.reference("", "", internal=False, refuri=foreign[name])
        else:
            continue
        seen.add((section, name))
        literal.replace_self(link)
        link += nodes.literal("", literal.astext())


def parents(node):
    """Yield the nodes that hold a node, from the inside out."""
    while node.parent is not None:
        node = node.parent
        yield node


def resolve(app, env, node, content):
    """Resolve a role whose target is not in these pages, or is written without its module."""
    target = node.get("reftarget", "")
    if full := app.config.own_names.get(target):
        found = env.domains["py"].resolve_xref(env, node["refdoc"], app.builder, "obj", full, node, content)
        return None if full == target else found
    return foreign(target, app.config.foreign_names, content)


def foreign(target, known, content):
    """Return a link to a name of others, a method of a class or a module."""
    owner = target.rpartition(".")[0]
    address = known.get(target) or (owner in known and f"{known[owner]}#{target}")
    if re.fullmatch(r"sklearn\.\w+", target):
        address = f"https://scikit-learn.org/stable/api/{target}.html"
    return nodes.reference("", "", content, internal=False, refuri=address) if address else None


def collect(_app, config):
    """Collect the names once, for all pages."""
    config.own_names = own_names(MODULES)
    config.foreign_names = foreign_names()


def setup(app):
    """Link names in every page."""
    for name in ("own_names", "foreign_names"):
        app.add_config_value(name, {}, "")
    app.connect("config-inited", collect)
    app.connect("doctree-read", link_names)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
