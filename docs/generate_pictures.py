"""Draw the pictures of the README and of the guide: `python docs/generate_pictures.py`.

Those of the guide are the figures that the code before them makes.
"""

import io
import re
from pathlib import Path

import matplotlib.pyplot as plt
from PIL import Image
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from skconf import ConfidenceProfile, metrics
from skconf.inspection import ReliabilityDisplay

DOCS = Path(__file__).parent
#: A block of code, and all that follows up to the next.
BLOCK = re.compile(r"^```python\n(.*?)^```$(.*?)(?=^```python$|\Z)", flags=re.M | re.S)
PICTURE = re.compile(r"\]\((pictures/\w+\.png)\)")


def confident_answers(seed=0):
    """Return predictions of boosting for new samples. One label in a hundred is wrong, in training and in the test."""
    X, y = make_classification(20_000, 20, n_informative=10, class_sep=2.0, flip_y=0.02, random_state=seed)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
    model = HistGradientBoostingClassifier(max_iter=400, random_state=seed).fit(X_train, y_train)
    return ConfidenceProfile.from_estimator(model, X_test, y_test)


def main_finding(profile):
    """Return the calibration error; and the number of answers at 0.999 or more, with expected and observed errors."""
    top = profile.confidence >= 0.999
    expected, observed = (1 - profile.confidence)[top].sum(), int((~profile.correct)[top].sum())
    return metrics.expected_calibration_error(profile), int(top.sum()), expected, observed


def draw_main_finding():
    """Draw a model with a small calibration error and errors at the top, as it is usually drawn and in the tail."""
    profile = confident_answers()
    error, n, expected, observed = main_finding(profile)
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
    shown = ReliabilityDisplay.from_predictions(profile, view="both", n_bins=5, ax=axes, title=None)
    for ax in shown.ax_:
        ax.get_legend().remove()
    name_lines(*shown.ax_)
    axes[0].set_title(f"Its calibration error (ECE)\nis only {100 * error:.1f} points", loc="left")
    title = f"Of its {n:,} most confident answers {observed}\nare wrong, where {expected:.1f} are expected"
    axes[1].set_title(title, loc="left")
    return figure


def name_lines(usual, tail):
    """Name what is drawn, where it is."""
    usual.set(ylim=(0.25, 1.03), ylabel="share of right answers")
    grey, blue = {"color": "0.4"}, {"color": "#0072B2"}
    usual.text(0.73, 0.78, "calibrated", ha="right", **grey)
    usual.text(0.945, 0.97, "99 of 100 answers", ha="right", **blue)
    tail.text(1e-2, 6e-3, "expected\nerrors", ha="right", va="top", **grey)
    tail.text(2e-6, 4e-2, "observed errors", ha="center", **blue)


def save(figure, path):
    """Save a figure with few colours, which makes a small file."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=110)
    path.parent.mkdir(exist_ok=True)
    Image.open(drawn).convert("RGB").quantize(64).save(path, optimize=True)


def draw_page(page):
    """Run the code of a page, and save the figures that it shows."""
    scope = {}
    for code, below in BLOCK.findall(page.read_text()):
        exec(code, scope)
        names = PICTURE.findall(below)
        for number, name in zip(plt.get_fignums() if names else (), names, strict=True):
            save(plt.figure(number), page.parent / name)
        plt.close("all")


if __name__ == "__main__":
    save(draw_main_finding(), DOCS / "picture.png")
    plt.close("all")
    plt.rcParams["figure.figsize"] = 5.5, 3.6
    for page in sorted(DOCS.glob("guide/*.md")):
        if PICTURE.search(page.read_text()):
            draw_page(page)
