"""Formulas as MathML, made at build time.

Browsers draw MathML themselves: no script, no fonts and no other site, so that the pages work from a disk, print, and
are read aloud. MathJax and KaTeX come from another site, or as megabytes in this one.
"""

from docutils.nodes import SkipNode
from latex2mathml.converter import convert


def visit_inline(writer, node):
    """Write a formula in a line."""
    writer.body.append(convert(node.astext()))


def visit_block(writer, node):
    """Write a formula of its own, which scrolls where it is wider than the page."""
    writer.body.append(f'<div class="formula" tabindex="0">{convert(node.astext(), display="block")}</div>\n')


def depart(_writer, _node):
    """Nothing is left to close: the visitors wrote everything."""


def skip(visitor):
    """Let a visitor write all there is to write of a node."""

    def visit(writer, node):
        visitor(writer, node)
        raise SkipNode

    return visit


def setup(app):
    """Add the renderer: ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", (skip(visit_inline), depart), (skip(visit_block), depart))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
