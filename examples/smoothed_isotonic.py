"""
Smooth isotonic calibration
===========================

How can isotonic calibration avoid probabilities of exactly 0 and 1? Isotonic regression is very flexible: in a range of
confidences without an error in the calibration data, it gives probabilities of exactly 0 and 1. Sooner or later such a
prediction is wrong. The remedy is to add two samples to every plateau of the curve. We call a split of the data risky
if its :func:`~skconf.metrics.calibrated_size_ratio` is more than a standard deviation above 1. With isotonic
regression, 127 of 186 splits are risky. With the two added samples, 9 are, and the confidence-weighted accuracy is not
lower. With this experiment, we also chose how strongly the calibration "smoothed_isotonic" smooths. The criteria were
the size ratio, the confidence-weighted accuracy, the Brier score and the log loss.
"""

# %%
# What it does
# ------------
# Thirty samples without an error do not prove that errors are impossible. Smoothing adds two samples to every plateau,
# here one of each class, as in Laplace's rule of succession: the probability becomes 31 of 32. Between the centres of
# two plateaus the log-odds follow a straight line, as far as isotonic regression leaves room for a slope.
import os
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split
from xgboost import XGBClassifier

from skconf import ConfidenceProfile, SelectiveClassifier, metrics
from skconf.calibration import IsotonicCalibrator, PlattCalibrator
from skconf.datasets import fetch_uci

confidence, correct = np.repeat([0.6, 0.9], 30), np.arange(60) >= 12
at = np.linspace(0.5, 1, 501)
figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
for smoothing, style in [(0, "-"), (2, "--")]:
    calibrator = IsotonicCalibrator(smoothing=smoothing).fit(confidence, correct)
    print(smoothing, calibrator.predict_proba([0.6, 0.75, 0.9])[:, 1].round(3))
    ax.plot(at, calibrator.predict_proba(at)[:, 1], style, label=f"smoothing={smoothing}")
ax.plot([0.6, 0.9], [0.6, 1], "o", color="#009E73", markersize=8, label="right among 30 samples")
ax.set(xlabel="confidence", ylabel="calibrated confidence")
ax.set_title("Thirty right answers do not prove certainty")
ax.legend()

# %%
# Data
# ----
#
# We use data sets that come with scikit-learn, and two generated ones. If the environment variable ``SKCONF_DATA``
# names the folder with the raw files of the paper's data sets, these are used, too. Long data sets are cut to save
# time.
data_sets = {
    "breast_cancer": load_breast_cancer(return_X_y=True, as_frame=True),
    "digits": load_digits(return_X_y=True, as_frame=True),
    "two classes": make_classification(3000, 20, n_informative=8, flip_y=0.05, random_state=0),
    "four classes": make_classification(1500, 20, n_informative=10, n_classes=4, flip_y=0.02, random_state=0),
}
if "SKCONF_DATA" in os.environ:
    for name in ("diabetes", "obesity", "wine", "credit", "adult_income", "bank_marketing", "accelerometer"):
        data = fetch_uci(name)
        data_sets[name] = (data.data, pd.factorize(data.target, sort=True)[0])
data_sets = {
    name: (X, y) if len(y) <= 6000 else train_test_split(X, y, train_size=6000, stratify=y, random_state=0)[::2]
    for name, (X, y) in data_sets.items()
}


def split(X, y, seed):
    """Return three fifths to train on, a fifth to calibrate on and a fifth to test on."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=seed)
    X, X_calibration, y, y_calibration = train_test_split(X, y, test_size=0.25, stratify=y, random_state=seed)
    return (X, y), (X_calibration, y_calibration), (X_test, y_test)


# %%
# Comparison
# ----------
#
# Each model is trained once and calibrated five ways. The predictions stay those of the model. So the accuracy is the
# same for all, and only the confidences differ. The paper calls a split risky if its size ratio exceeds 1 by more than
# a standard deviation σ. With perfectly calibrated confidences, this happens in up to one split of six.
calibrations = {
    "uncalibrated": None,
    "isotonic": IsotonicCalibrator(),
    "smoothed isotonic": IsotonicCalibrator(smoothing=2),
    "Platt": PlattCalibrator(),
    "Platt, of p": PlattCalibrator(on="proba"),
}
# A rare class may be absent from a calibration part. A warning says so; here it may be ignored.
warnings.filterwarnings("ignore", message=".*leaves the probabilities of")
rows = []
for name, (X, y) in data_sets.items():
    for seed in range(5):
        train, calibration_part, test = split(X, y, seed)
        model = XGBClassifier(
            n_estimators=60, learning_rate=0.15, subsample=0.8, enable_categorical=True, n_jobs=1, random_state=seed
        )
        model = FrozenEstimator(model.fit(*train))
        for calibration, calibrator in calibrations.items():
            selective = SelectiveClassifier(model, calibration=calibrator, keep_prediction=True)
            profile = ConfidenceProfile.from_estimator(selective.fit(*calibration_part), *test)
            deviations = metrics.calibrated_size_ratio_zscore(profile)
            rows.append(
                {
                    "data set": name,
                    "calibration": calibration,
                    "cwA": metrics.cw_accuracy_score(profile),
                    "Brier": metrics.confidence_brier_loss(profile),
                    "log loss": metrics.confidence_log_loss(profile),
                    "> 1σ": deviations > 1,
                    "> 3σ": deviations > 3,
                }
            )
results = pd.DataFrame(rows)
table = results.groupby("calibration", sort=False).agg(
    {"cwA": "mean", "Brier": "mean", "log loss": "mean", "> 1σ": "sum", "> 3σ": "sum"}
)
table["log loss"] /= table["log loss"]["uncalibrated"]
print(table.rename(columns={"log loss": "log loss, ratio"}).round(4).to_string())

# %%
# What was measured
# -----------------
# These are results on more data. Part A calibrates one class against the rest and keeps the prediction, as above. Part
# B calibrates the confidence alone, on pairs of confidence and correctness. Each part has five numbers: the mean cwA;
# the mean Brier score; the loss, which is the log loss of the confidence divided by the uncalibrated one; the splits
# above 1σ; and the splits above 3σ. "(k + 1)/(n + 2)" adds the two samples, but has no straight lines between
# plateaus. "Venn–Abers" is p₁/(1 − p₀ + p₁), from two regressions: in one the new sample is negative, in the other
# positive.
#
# The first table is of XGBoost with early stopping. The data are accelerometer, adult_income, bank_marketing,
# breast_cancer, credit, diabetes, digits, obesity and wine, with 20 splits each (60/20/20, official test sets kept),
# and MNIST, with 6 splits and 6,000 samples to train on::
#
#     186 splits           A: cwA  Brier   loss   >1σ >3σ   B: cwA  Brier   loss   >1σ >3σ
#     uncalibrated         0.8979  0.0787  1.000   16   3   0.8979  0.0787  1.000   16   3
#     isotonic             0.8985  0.0800  1.256  127 121   0.8991  0.0801  1.177   88  86
#     Platt                0.8987  0.0789  1.008    8   0   0.8976  0.0788  0.997   12   0
#     Platt, of p          0.8936  0.0807  1.070    6   0   0.8976  0.0800  1.035    7   0
#     (k + 1)/(n + 2)      0.8986  0.0799  1.032   21   3   0.8985  0.0797  1.015   36   6
#     Venn–Abers           0.8995  0.0820  1.068    6   0   0.8987  0.0795  1.011   11   0
#     smoothing 1          0.8990  0.0792  1.005   22   1   0.8991  0.0794  1.003   27   0
#     smoothing 2          0.8990  0.0792  1.010    9   0   0.8990  0.0793  1.005   10   0
#     smoothing 3          0.8990  0.0795  1.019    3   0   0.8989  0.0793  1.009    6   0
#
# The log loss of all classes in part A is 1.288 for isotonic, 1.006 for Platt, and 1.009 for smoothing 2.
#
# The second table is of eight neural systems (AG News and SST-2 with GPT-2, CIFAR-10 with ResNet-20 and VGG-19,
# CIFAR-100 with RepVGG, PathMNIST and PneumoniaMNIST with ResNet-50, a speaker verification). Each is halved 10 times,
# CIFAR-100 5 times::
#
#     75 splits            A: cwA  Brier   loss   >1σ >3σ   B: cwA  Brier   loss   >1σ >3σ
#     uncalibrated         0.8234  0.1165  1.000   73  60   0.8234  0.1165  1.000   73  60
#     isotonic             0.8858  0.0729  0.598   48  47   0.8444  0.0979  0.741   33  33
#     Platt                0.8840  0.0730  0.548   21  18   0.8389  0.0997  0.713    4   0
#     Platt, of p          0.8703  0.0833  0.656   13   1   0.8318  0.1061  0.790    2   0
#     (k + 1)/(n + 2)      0.8859  0.0728  0.544   15  12   0.8438  0.0977  0.700   11   5
#     Venn–Abers           0.8866  0.0732  0.547   11  10   0.8437  0.0977  0.700    3   0
#     smoothing 1          0.8859  0.0726  0.545   26  16   0.8440  0.0977  0.700   14   2
#     smoothing 2          0.8856  0.0726  0.544   20  15   0.8438  0.0976  0.699    5   0
#     smoothing 3          0.8853  0.0727  0.545   17  15   0.8434  0.0975  0.700    1   0
#
# All choices were made on the data of these two tables, and on random forests. The third table is of models that were
# not used for any choice: logistic regression, a multilayer perceptron, 15 nearest neighbours and naive Bayes. They are
# trained on the first nine data sets above, and on six of ``make_classification`` (600 to 20,000 samples, two to five
# classes). XGBoost is trained on those six. Each pair of a model and a data set has 5 splits, and at most 6,000 samples
# to train on::
#
#     330 splits           A: cwA  Brier   loss   >1σ >3σ   B: cwA  Brier   loss   >1σ >3σ
#     uncalibrated         0.8316  0.1272  1.000  209 166   0.8316  0.1272  1.000  209 166
#     isotonic             0.8400  0.1159  0.891  169 145   0.8359  0.1192  0.890  147 117
#     Platt                0.8385  0.1162  0.779  123  64   0.8310  0.1188  0.789  132  65
#     Platt, of p          0.8326  0.1173  0.789   43   6   0.8308  0.1198  0.796   40   1
#     (k + 1)/(n + 2)      0.8396  0.1158  0.775   58  12   0.8350  0.1186  0.786   65   8
#     Venn–Abers           0.8398  0.1165  0.786   33   4   0.8350  0.1186  0.785   50   1
#     smoothing 1          0.8398  0.1151  0.767   75  17   0.8354  0.1185  0.784   69  11
#     smoothing 2          0.8397  0.1153  0.769   36   7   0.8351  0.1184  0.783   47   3
#     smoothing 3          0.8396  0.1156  0.772   18   1   0.8347  0.1184  0.784   23   0

# %%
# Why two
# -------
#
# There were four requirements: a cwA at most 0.001 below that of isotonic calibration; at most as many risky splits as
# with Platt scaling, plus one split in fifty; a Brier score no higher than that of isotonic calibration; and a log loss
# at most 2% above the uncalibrated one. Smoothing 2 meets all of them in all six parts (A and B of three tables).
# Smoothing 3 does, too, except for the cwA of the last part. With less than 2, there are too many risky splits in the
# first four parts. With 4, the log loss rises by 2.8% in the first part. Added samples without straight lines are still
# risky at the lower ends of plateaus, and have a higher log loss. The confidences of Venn–Abers prediction are too low
# with many classes and little data.
#
# So the size ratio and the confidence-weighted accuracy can guide a calibration, together with a proper score. Alone
# they mislead: if all confidences are too low, both still look good.
#
# Its limits:
#
# - For single kinds of models, cwA was lower by more than 0.001 in three of ten cases: by 0.0011 for naive Bayes in A
#   and B, and for XGBoost on the generated sets in B.
# - Random forests, on the ten data sets of the first table, are far underconfident for many classes. There the Brier
#   score in A was 0.0807 with smoothing 2, 0.0804 with isotonic calibration and 0.0976 without any.
# - A few hundred samples are few for ten classes. On digits, in A, the log loss rose by 14% with smoothing 2, and by
#   28% with Platt scaling.
# - Two neural systems are risky in all splits of A, also with Platt scaling: AG News (hardly better than chance) and
#   CIFAR-100 (50 samples for each class).

# %%
# **What to do.** In place of isotonic regression, use ``IsotonicCalibrator(smoothing=2)`` or
# ``calibration="smoothed_isotonic"``. Or use the pool, which has it as a member.
