"""
Draw a reliability diagram and its tail
=======================================

Can the highest confidences of a model be trusted? A forest has a confidence of 1 if all its trees agree; in this
example, one such answer is wrong. A reliability diagram shows how often a classifier is right at each confidence. But
it puts all confident answers, and their costly errors, into its last point. The tail view shows this point in detail.
"""

# %%
# The tumours are benign or malignant. Each sample is predicted by a forest that was not trained on it: without
# calibration, and with two calibrations.
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

from skconf import ConfidenceProfile, SelectiveClassifier, metrics
from skconf.inspection import ConfidenceHistogramDisplay, CWROCDisplay, ReliabilityDisplay

X, y = load_breast_cancer(return_X_y=True)
forest = RandomForestClassifier(n_estimators=50, random_state=0)
profiles = {}
for calibration in ["none", "platt", "isotonic"]:
    model = forest if calibration == "none" else SelectiveClassifier(forest, calibration=calibration)
    proba = cross_val_predict(model, X, y, method="predict_proba")
    profiles[calibration] = ConfidenceProfile.from_predictions(y, proba)

# %%
# The first display makes a figure, and the others draw into its axes. The vertical lines are 95% intervals. They are
# long, because a bin of 20 predictions shows little.
ax = None
for name, profile in profiles.items():
    ax = ReliabilityDisplay.from_predictions(profile, name=name, n_bins=8, ax=ax).ax_

# %%
# The forest is slightly underconfident, and both calibrations correct this. The next picture shows the same predictions
# against 1 − confidence, on logarithmic scales. Calibrated confidences lie on the diagonal. If all trees agree, the
# forest has a confidence of exactly 1, at the right end of the picture. It should never be wrong there, but once it
# was. Isotonic calibration also gives confidences of 1, and by chance has no error there. Platt scaling gives no
# confidence of 1.
ax = None
for name, profile in profiles.items():
    ax = ReliabilityDisplay.from_predictions(profile, name=name, view="tail", ax=ax).ax_

# %%
# The calibrated size ratio is one number for this. A ratio of 3 means: a calibrated model would make such errors only
# in a data set three times as large. The calibration error does not show them.
for name, profile in profiles.items():
    error, ratio = metrics.expected_calibration_error(profile), metrics.calibrated_size_ratio(profile)
    print(f"{name:8}  ECE {error:.3f}  size ratio {ratio:11.2f}")

# %%
# Right predictions are drawn upwards and wrong ones downwards. The scale is logarithmic, so single errors are visible.
display = ConfidenceHistogramDisplay.from_predictions(profiles["none"])
print(f"predictions in the last bin: {display.right[-1]:.0f} right, {display.wrong[-1]:.0f} wrong")

# %%
# Is the ranking better among confident predictions? The picture compares two ROC curves. In one, the weight of a
# sample is its confidence. The other has no weights.
ax = None
for name, profile in profiles.items():
    ax = CWROCDisplay.from_predictions(profile, name=name, ax=ax).ax_

# %%
# **What to do.** Draw the tail beside the diagram. If points lie above the line at the right end, calibrate, and draw
# the tail again. Do not act on single confident answers while points lie above the line.
