"""
Draw a reliability diagram and its tail
=======================================

Does a model deserve its high confidences? Where all its trees agree, a forest has a confidence of 1, and once it is
wrong there. A reliability diagram shows how often a classifier is right at each confidence, but the confident errors,
which are the ones that hurt, are drawn into its last point. The tail view pulls that point apart.
"""

# %%
# The tumours are benign or malignant. Each sample is predicted by a forest that has not seen it, without calibration
# and with two kinds of it.
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
# A display made without axes has a figure of its own; those of the other classifiers join it. The lines are 95%
# intervals: 20 predictions in a bin show little.
ax = None
for name, profile in profiles.items():
    ax = ReliabilityDisplay.from_predictions(profile, name=name, n_bins=8, ax=ax).ax_

# %%
# The forest is slightly underconfident, and both calibrations correct that. The next picture shows the same predictions
# against their distance from full confidence, on logarithmic scales. Calibrated confidences lie on the diagonal. Where
# all trees agree, the forest has a confidence of exactly 1, drawn at the right end: it should never be wrong there, and
# once it was. Isotonic calibration also gives 1, and by chance has no error; Platt scaling does not give 1.
ax = None
for name, profile in profiles.items():
    ax = ReliabilityDisplay.from_predictions(profile, name=name, view="tail", ax=ax).ax_

# %%
# The calibrated size ratio puts that into one number: how many times larger a calibrated data set would have to be to
# contain such errors. The calibration error does not show it.
for name, profile in profiles.items():
    error, ratio = metrics.expected_calibration_error(profile), metrics.calibrated_size_ratio(profile)
    print(f"{name:8}  ECE {error:.3f}  size ratio {ratio:11.2f}")

# %%
# Right predictions are drawn upwards and wrong ones downwards; the scale is logarithmic, so that single errors are
# seen.
display = ConfidenceHistogramDisplay.from_predictions(profiles["none"])
print(f"in the last bin {display.right[-1]:.0f} predictions are right, and wrong: {display.wrong[-1]:.0f}")

# %%
# What is confidence worth beyond the ranking? The picture has the ROC curve in which every sample counts as much as its
# confidence, beside the classical one.
ax = None
for name, profile in profiles.items():
    ax = CWROCDisplay.from_predictions(profile, name=name, ax=ax).ax_

# %%
# **What to do.** Draw the tail beside the diagram. Where errors lie above the line at the right end, calibrate, and
# do not act on single confident answers until you have looked again.
