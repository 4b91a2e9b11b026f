"""A picture of every Display, on its page of the reference: what `from_estimator` draws of one model."""

from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
from docutils import nodes
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split
from sphinx.util.docutils import SphinxDirective

import skconf.inspection

MODEL = "gradient boosting on 10,000 samples, one label in a hundred wrong"


@cache
def model_and_test():
    """Return the model of all pictures, and the samples that did not train it."""
    X, y = make_classification(20_000, n_informative=8, flip_y=0.02, random_state=0)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    return HistGradientBoostingClassifier(random_state=0).fit(X_train, y_train), X_test, y_test


def draw(name, path):
    """Draw a Display, if that was not done before."""
    display = getattr(skconf.inspection, name)
    if not hasattr(display, "from_estimator"):
        raise ValueError(f"{name} has no from_estimator: say in docs/_ext/pictures.py how to draw it.")
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    display.from_estimator(*model_and_test())
    plt.gcf().savefig(path, dpi=110, bbox_inches="tight")
    plt.close("all")


class Picture(SphinxDirective):
    """The picture of a Display, with the call that draws it."""

    required_arguments = 1

    def run(self):
        """Return it as a figure."""
        name = self.arguments[0]
        path = Path(self.env.srcdir) / "generated" / "pictures" / f"{name}.png"
        draw(name, path)
        image = nodes.image(uri=f"/generated/pictures/{name}.png", alt=f"{name} of {MODEL}", classes=["dark-light"])
        call = nodes.literal("", f"{name}.from_estimator(model, X_test, y_test)")
        caption = nodes.caption("", "", call, nodes.Text(f": {MODEL}."))
        return [nodes.figure("", image, caption)]


def setup(app):
    """Add what the template of a class begins with, if it is a Display."""
    app.add_directive("picture-of", Picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
