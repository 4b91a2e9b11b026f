"""Cards of the gallery whose pictures can be read at 200 pixels: one panel, few and large ticks, no title, no legend.

A card shows the first picture of an example, or that of its comment `# sphinx_gallery_thumbnail_number = 2`.
"""

import itertools
import re
import shutil
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator, ScalarFormatter
from sphinx_gallery.scrapers import matplotlib_scraper

#: Inches and dots per inch: twice the size at which a card shows it, which is 200 pixels wide.
SIZE, DPI = (4, 2.8), 100
#: In points. 14 are 10 pixels on the card, 12 are 8.
LABELS, TICKS, MANY_TICKS = 15, 14, 12
#: Pixels that belong between numbers.
GAP = 10
NUMBER = re.compile(r"^# sphinx_gallery_thumbnail_number = (\d+)", flags=re.M)


def shrink(figure):
    """Leave of a figure what can be read on a card."""
    first, *others = figure.axes
    for ax in others:
        if ax.get_subplotspec() != first.get_subplotspec():
            ax.remove()
    figure.set_size_inches(SIZE)
    figure.set_layout_engine("constrained")
    figure.suptitle("")
    for legend in [*figure.legends, *(ax.get_legend() for ax in figure.axes)]:
        if legend:
            legend.remove()
    for ax in figure.axes:
        ax.set_subplotspec(figure.add_gridspec(1, 1)[0])
        ax.set_title("")
        for text in list(ax.texts):
            text.remove()
        for axis in (ax.xaxis, ax.yaxis):
            shrink_axis(axis)
        for line in ax.lines:
            line.set_linewidth(max(line.get_linewidth(), 2.5) if line.get_linewidth() > 1 else 1)
        fit(ax)


def shrink_axis(axis):
    """Leave a short label and three ticks; names of categories stay, in lines of a few letters."""
    label = re.split("[,:]", axis.get_label_text())[0]
    axis.set_label_text(textwrap.fill(label, 17), fontsize=LABELS)
    if isinstance(axis.get_major_locator(), FixedLocator):
        names = [textwrap.fill(text.get_text(), 16) for text in axis.get_ticklabels()]
        size = TICKS if len(names) < 6 else MANY_TICKS
        axis.set_ticks(axis.get_major_locator().locs, names, fontsize=size)
        return
    axis.set_tick_params(labelsize=TICKS)
    if axis.get_scale() == "linear" and isinstance(axis.get_major_formatter(), ScalarFormatter):
        axis.set_major_locator(MaxNLocator(3))
    axis.set_minor_locator(NullLocator())


def fit(ax):
    """Break a label below that is cut at the edge, and leave out every second of numbers that touch."""
    ax.figure.draw_without_rendering()
    axis = ax.xaxis
    if axis.label.get_window_extent().x1 > ax.figure.bbox.x1:
        axis.set_label_text(textwrap.fill(" ".join(axis.get_label_text().split()), 13))
    boxes = [text.get_window_extent() for text in axis.get_ticklabels() if text.get_text()]
    if any(right.x0 < left.x1 + GAP for left, right in itertools.pairwise(boxes)):
        names = [text.get_text() for text in axis.get_ticklabels()]
        axis.set_ticks(axis.get_majorticklocs()[::2], names[::2])


def scrape(block, block_vars, gallery_conf, **options):
    """Save the pictures of a block as sphinx-gallery does, and what a card would show of them."""
    paths = block_vars["image_path_iterator"]
    figures, first = [plt.figure(number) for number in plt.get_fignums()], len(paths) + 1
    text = matplotlib_scraper(block, block_vars, gallery_conf, **options)
    for number, figure in enumerate(figures, first):
        path = Path(paths.image_path.format(number))
        folder = path.parent / "cards"
        folder.mkdir(exist_ok=True)
        shrink(figure)
        figure.savefig(folder / path.name, dpi=DPI)
    return text


def use_cards(app):
    """Put what was saved for cards in the place of the pictures that sphinx-gallery made for them."""
    images = Path(app.srcdir) / "auto_examples" / "images"
    for example in (Path(app.srcdir).parent / "examples").glob("*.py"):
        number = int((NUMBER.search(example.read_text()) or [0, 1])[1])
        card = images / "cards" / f"sphx_glr_{example.stem}_{number:03d}.png"
        if card.exists():
            shutil.copy(card, images / "thumb" / f"sphx_glr_{example.stem}_thumb.png")


def setup(app):
    """Replace the pictures of cards once the gallery is made."""
    app.connect("builder-inited", use_cards, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
