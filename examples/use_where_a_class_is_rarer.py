"""
Use a model where a class is rarer than in its training rows
============================================================

Does a model that was trained on 37% malignant cases work if only 1% are malignant? Not without a correction: its
probabilities imply four times as many malignant cases as there are. Calibrate the probabilities on rows that the model
was not trained on. Then multiply the probability of each class by its share where the model is used, divided by its
share in the calibration rows. A classifier with the parameters ``calibration=`` and ``prevalence=`` does both.
"""

# %%
# The data are the breast cancer data of scikit-learn. There, 212 of 569 cases are malignant. In a screening there are
# far fewer. We assume *label shift*: the cases of each class are like those of the data, and only the shares of the
# classes differ.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB

from skconf import ConfidenceProfile, SelectiveClassifier, confidence_report
from skconf.calibration import PooledCalibrator, correct_prevalence

data = load_breast_cancer()
X, y = data.data, np.where(data.target == 0, "malignant", "benign")

# %%
# We train one classifier, for a share of 5%. It holds out a third of its rows, and calibrates on them. The shares of
# the classes in these rows are known.
there = SelectiveClassifier(
    GaussianNB(), threshold=0, calibration="pooled", cv=0.33, prevalence={"malignant": 0.05}, random_state=0
).fit(X[::2], y[::2])
profile = ConfidenceProfile.from_estimator(there, X[1::2], y[1::2])
report = confidence_report(profile, prevalence={"malignant": 0.05})
print(report.summary())

# %%
# How many malignant cases do the probabilities imply? We make 20 splits. In each, a third of the rows trains the model,
# and a third calibrates. The last third stands for the cases on which the model is used. In this third, the classes are
# weighted to the share in use. The table is for a share of 1.1%: of 1,000 cases, 11 are malignant. It has the number of
# malignant cases that the probabilities imply, and the cost of 1,000 cases.
shares = np.geomspace(0.003, 0.37, 12)
costs = {"missed": 20, "false alarm": 1}
rows = []
for seed in range(20):
    halves = StratifiedShuffleSplit(1, test_size=2 / 3, random_state=seed)
    train, rest = next(halves.split(X, y))
    held, use = (
        rest[part] for part in next(StratifiedShuffleSplit(1, test_size=0.5, random_state=seed).split(rest, y[rest]))
    )
    model = GaussianNB().fit(X[train], y[train])
    raw = model.predict_proba(X[use])
    calibrated = PooledCalibrator().fit(model.predict_proba(X[held]), y[held]).predict_proba(raw)
    for share in shares:
        after = {"malignant": share}
        ways = {
            "as it is": raw,
            "ratio alone": correct_prevalence(raw, y[train], after),
            "calibrated, then the ratio": correct_prevalence(calibrated, y[held], after),
        }
        malignant = y[use] == "malignant"
        weight = np.where(malignant, share / malignant.sum(), (1 - share) / (~malignant).sum())
        for way, proba in ways.items():
            # A case is called back if this costs less than the risk of missing it.
            called = proba[:, 1] > costs["false alarm"] / (costs["false alarm"] + costs["missed"])
            cost = weight @ (costs["missed"] * (malignant & ~called) + costs["false alarm"] * (~malignant & called))
            rows.append((way, share, weight @ proba[:, 1], cost))
found = pd.DataFrame(rows, columns=["way", "share", "expected", "cost"]).groupby(["way", "share"], sort=False).mean()
at = found.xs(shares[np.abs(shares - 0.01).argmin()], level="share")
print(at.assign(expected=(1000 * at["expected"]).round(1), cost=(1000 * at["cost"]).round(1)).to_string())

# %%
# The picture shows expected against true positives, before and after the correction. On the dashed line, the
# probabilities imply the true share. The ratio alone cannot correct probabilities that are wrongly near 0 or 1.
styles = {"as it is": ("C3", "o"), "ratio alone": ("C1", "s"), "calibrated, then the ratio": ("C0", "D")}
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for way, (color, marker) in styles.items():
    ax.plot(shares, found.loc[way, "expected"], color=color, marker=marker, label=way)
ax.plot(shares, shares, color="0.3", linestyle="--", label="the true share")
ticks = [0.003, 0.01, 0.03, 0.1, 0.3]
for axis, scale in ((ax.xaxis, ax.set_xscale), (ax.yaxis, ax.set_yscale)):
    scale("log")
    axis.set_ticks(ticks, [f"{tick:.1%}" for tick in ticks])
    axis.minorticks_off()
ax.set(xlabel="true share of malignant cases", ylabel="share that the probabilities imply")
ax.set_title("Calibrated, then corrected: expected and true shares agree")
ax.legend()

# %%
# The next picture shows the cost of a missing correction, if a missed case costs as much as 20 false alarms. The grey
# line is the cost of calling back all cases or none, whichever is cheaper.
figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for way, (color, marker) in styles.items():
    ax.plot(shares, 1000 * found.loc[way, "cost"], color=color, marker=marker, label=way)
idle = np.minimum(costs["missed"] * shares, costs["false alarm"] * (1 - shares))
ax.plot(shares, 1000 * idle, color="0.6", label="without a model")
ax.set_xscale("log")
ax.set_yscale("log")
ax.set_xticks(ticks, [f"{tick:.1%}" for tick in ticks])
ax.minorticks_off()
ax.set(xlabel="true share of malignant cases", ylabel="cost of 1,000 cases, in false alarms")
ax.set_title("What decisions cost where malignant cases are rarer")
ax.legend()

# %%
# **What to do.** State the share where the model is used, as ``prevalence=``, to classifiers, reports and
# ``tune_threshold``. If you do not know it, :func:`skconf.inference.estimate_prevalence` estimates it from cases
# without labels, with an interval. It also tests whether the cases of a class have changed.
