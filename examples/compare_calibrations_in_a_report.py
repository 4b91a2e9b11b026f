"""
Compare calibrations in a report
================================

Which calibration is the best, and is the difference more than chance? Two calibrations of naive Bayes have similar
calibration errors. But isotonic calibration makes errors at a confidence of 1. A report shows models side by side. A
star marks a model that is clearly better than the first one. For each model, the report says whether it is
overconfident or underconfident by more than chance.
"""

# %%
# The tumours are benign or malignant. The model is naive Bayes, which treats correlated features as independent
# evidence. Each sample is predicted by a model that was not trained on it.
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
# Naive Bayes is far overconfident. Both calibrations correct this on average, and their calibration errors differ
# little. But isotonic calibration was wrong twice at a confidence of 1. With n samples, each such error adds 1e8/n to
# the size ratio. The verdict and the log loss show these errors, too.
report = confidence_report(y, predicted, threshold=0.9)
print(report)

# %%
# This picture draws the error rate against the distance of the confidence from 1. At the right end, the confidence is 1
# and no error is expected. There, 8 of 467 answers of naive Bayes are wrong, and 2 of 353 after isotonic calibration.
ax = None
for name, proba in predicted.items():
    ax = ReliabilityDisplay.from_predictions(y, proba, view="tail", name=name, ax=ax).ax_
ax.set_title("Two of three models make errors at a confidence of 1")

# %%
# The attribute `frame` of the report is a DataFrame. Here we count the metrics by the models that are clearly better
# than the first model, ``raw``. If ``raw`` is listed, it is clearly better than all others. The empty entry counts the
# rows of metrics that have no best value, such as the mean confidence.
print(report.frame["best_model"].value_counts().to_string())

# %%
# You can choose the metrics, by the names of functions or of scorers.
print(confidence_report(y, predicted, metrics=["calibrated_size_ratio", "confidence_gain", "neg_ecuas_1"]))

# %%
# The profile of a fitted :class:`~skconf.SelectiveClassifier` contains its threshold.
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
selective = SelectiveClassifier(GaussianNB(), threshold=0.9, calibration="platt").fit(X_train, y_train)
profile = ConfidenceProfile.from_estimator(selective, X_test, y_test)
print(confidence_report(profile))

# %%
# For each class, the report has the precision and the recall, both weighted by confidence.
print(confidence_report(profile, by="class"))

# %%
# **What to do.** Put your calibrations into one report. Drop those that it calls overconfident, and take the best of
# the others by log loss or ECUAS, not by the calibration error alone.
