"""
Compare calibrations in a report
================================

Which calibration is the best, and is the difference more than chance? By the calibration error, two calibrations of
naive Bayes are nearly alike; but isotonic calibration is wrong where it is certain. A report puts models side by side,
marks the best where a paired difference shows it, and says of each whether it is overconfident or underconfident by
more than chance.
"""

# %%
# The tumours are benign or malignant. The model is naive Bayes, which takes features that say the same for independent
# evidence. Each sample is predicted by a model that has not seen it.
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB

from skconf import ConfidenceProfile, SelectiveClassifier
from skconf.inspection import ReliabilityDisplay
from skconf.report import confidence_report

X, y = load_breast_cancer(return_X_y=True)
y = load_breast_cancer().target_names[y]
models = {
    "raw": GaussianNB(),
    "platt": SelectiveClassifier(GaussianNB(), calibration="platt"),
    "isotonic": SelectiveClassifier(GaussianNB(), calibration="isotonic"),
}
predicted = {name: cross_val_predict(model, X, y, method="predict_proba") for name, model in models.items()}

# %%
# Naive Bayes is far overconfident. Both calibrations correct that on average, and their calibration errors differ
# little. But isotonic calibration was wrong at a confidence of 1, and each such error adds 1e8/n to the size ratio. The
# verdict and the log loss show it.
report = confidence_report(y, predicted, threshold=0.9)
print(report)

# %%
# This picture shows where: it draws the error rate against the distance of the confidence from 1. At the right end no
# error is expected. There naive Bayes is wrong about once in fifty times, and isotonic calibration once in a hundred
# and fifty.
ax = None
for name, proba in predicted.items():
    ax = ReliabilityDisplay.from_predictions(y, proba, view="tail", name=name, ax=ax).ax_
ax.set_title("Where no error is expected, two of three make some")

# %%
# Its `frame` is a DataFrame. Here we count the rows in which models are shown to be better than the first.
print(report.frame["best_model"].value_counts().to_string())

# %%
# Rows can be chosen, by the names of functions or of scorers.
print(confidence_report(y, predicted, metrics=["calibrated_size_ratio", "confidence_gain", "neg_ecuas_1"]))

# %%
# The profile of a fitted :class:`~skconf.SelectiveClassifier` knows the threshold below which it rejects.
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
selective = SelectiveClassifier(GaussianNB(), threshold=0.9, calibration="platt").fit(X_train, y_train)
profile = ConfidenceProfile.from_estimator(selective, X_test, y_test)
print(confidence_report(profile))

# %%
# By class, the report says how much of the confidence in it is right, and how much of the class is found.
print(confidence_report(profile, by="class"))

# %%
# **What to do.** Put your calibrations into one report. Drop those that it calls overconfident, and take the best of
# the others by log loss or ECUAS, not by the calibration error alone.
