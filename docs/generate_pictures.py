"""Draw the pictures of the README and of the guide: `python docs/generate_pictures.py`.

Those of the guide are the figures that the code before them makes.
"""

import io
import re
from pathlib import Path

import matplotlib.pyplot as plt
from PIL import Image
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from skconf import ConfidenceProfile, SelectiveClassifier, metrics
from skconf.inspection import ReliabilityDisplay

DOCS = Path(__file__).parent
#: A block of code, and all that follows up to the next.
BLOCK = re.compile(r"^```python\n(.*?)^```$(.*?)(?=^```python$|\Z)", flags=re.M | re.S)
PICTURE = re.compile(r"\]\((pictures/\w+\.png)\)")


def draw_main_finding():
    """Draw calibrations of a forest, as they are usually drawn and in the tail."""
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    calibrations = {"isotonic": "isotonic", "smoothed isotonic": "smoothed_isotonic", "Platt": "platt"}
    for name, calibration in calibrations.items():
        model = SelectiveClassifier(RandomForestClassifier(n_estimators=50, random_state=0), calibration=calibration)
        profile = ConfidenceProfile.from_estimator(model.fit(X_train, y_train), X_test, y_test)
        ratio, error = metrics.calibrated_size_ratio(profile), metrics.expected_calibration_error(profile)
        ReliabilityDisplay.from_predictions(profile, ax=axes[0], name=f"{name}: ECE {error:.3f}", n_bins=8)
        shown = f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"
        ReliabilityDisplay.from_predictions(profile, ax=axes[1], name=f"{name}: size ratio {shown}", view="tail")
    axes[0].set_title("the usual diagram: isotonic has the least error", fontsize="medium")
    axes[1].set_title("near full confidence: isotonic is wrong", fontsize="medium")
    return figure


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
