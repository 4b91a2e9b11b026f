"""Draw the picture of the README: `python docs/generate_picture.py`."""

from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from skconf import ConfidenceProfile, SelectiveClassifier, metrics
from skconf.inspection import ReliabilityDisplay


def draw():
    """Draw calibrations of a forest, as they are usually drawn and in the tail."""
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for calibration in ["isotonic", "smoothed_isotonic", "platt"]:
        model = SelectiveClassifier(RandomForestClassifier(n_estimators=50, random_state=0), calibration=calibration)
        profile = ConfidenceProfile.from_estimator(model.fit(X_train, y_train), X_test, y_test)
        ratio, error = metrics.calibrated_size_ratio(profile), metrics.expected_calibration_error(profile)
        name = calibration.replace("_", " ")
        ReliabilityDisplay.from_predictions(profile, ax=axes[0], name=f"{name}, ECE {error:.3f}", n_bins=8)
        ReliabilityDisplay.from_predictions(profile, ax=axes[1], name=f"{name}, CSR {ratio:,.2g}", view="tail")
    axes[0].set_title("the usual diagram", fontsize="medium")
    axes[1].set_title("the same predictions, near full confidence", fontsize="medium")
    return figure


if __name__ == "__main__":
    draw().savefig(Path(__file__).with_name("picture.png"), dpi=110)
