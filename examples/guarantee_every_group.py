"""
Choose a threshold with a guarantee for every group
===================================================

Does a guarantee for all answers hold in each group? No: if at most 5% of all answers are wrong, 7% of the answers in
one group may be wrong. With ``slices=`` each group has its own threshold. The confidence level is then the probability
that the guarantees for all groups hold at the same time.
"""

# %%
# The model reads handwritten digits, and was trained on good pictures. In use, two thirds of the pictures come from a
# new scanner, and most others from an old, noisy one. A few come from a worn scanner.
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from skconf import required_samples, tune_threshold

X, y = load_digits(return_X_y=True)
X_train, X_rest, y_train, y_rest = train_test_split(X, y, train_size=500, stratify=y, random_state=0)
X_choose, X_new, y_choose, y_new = train_test_split(X_rest, y_rest, test_size=500, stratify=y_rest, random_state=0)
model = make_pipeline(MinMaxScaler(), LogisticRegression(max_iter=500)).fit(X_train, y_train)
rng = np.random.default_rng(0)


def scan(pictures):
    """Choose a random scanner for each picture. Return the scanners, and the pictures with the scanners' noise."""
    scanner = rng.choice(["new", "old", "worn"], len(pictures), p=[0.64, 0.30, 0.06])
    noise = np.where(scanner == "new", 0, 5)[:, np.newaxis]
    return scanner, pictures + noise * rng.normal(size=pictures.shape)


# %%
# We choose one threshold for all pictures, and then one for each scanner. The worn scanner has too few pictures for a
# guarantee. So all of its answers are rejected, and a warning says how many pictures are needed.
scanner, pictures = scan(X_choose)
proba = model.predict_proba(pictures)
promise = {"target": 0.05, "confidence_level": 0.95}
one = tune_threshold(y_choose, proba, **promise)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    own = tune_threshold(y_choose, proba, **promise, slices=pd.Series(scanner, name="scanner"))
print(own.guarantees.drop(columns=["risk", "class", "target", "reason"]).round(3).to_string(index=False))
print(caught[0].message)
print(required_samples(0.05, 0.95, n_promises=3), "pictures from each scanner are enough if all of them are read right")

# %%
# We test on new digits, each scanned twenty times. With one threshold, the promise holds for all answers together, but
# not for the old and the worn scanner. With a threshold for each scanner, the promise holds for every scanner, and
# more pictures from the new scanner are answered.
scanner, pictures = scan(np.tile(X_new, (20, 1)))
proba = model.predict_proba(pictures)
wrong = model.classes_[proba.argmax(axis=1)] != np.tile(y_new, 20)
thresholds = {"one threshold": one.threshold, "one for each": own.thresholds[scanner].to_numpy()}
rows = []
for name, threshold in thresholds.items():
    accepted = proba.max(axis=1) >= threshold
    for where in ["all", *own.thresholds.index]:
        here = accepted & ((scanner == where) | (where == "all"))
        of = len(scanner) if where == "all" else (scanner == where).sum()
        rows.append((name, where, here.sum() / of, wrong[here].mean() if here.any() else np.nan))
found = pd.DataFrame(rows, columns=["threshold", "scanner", "answered", "errors"])
print(found.pivot(index="scanner", columns="threshold", values=["answered", "errors"]).round(3).to_string())

# %%
figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
for (name, each), marker, lift in zip(found.groupby("threshold", sort=False), "os", (-0.14, 0.14), strict=True):
    place = np.arange(len(each)) + lift
    ax.plot(each["errors"], place, marker, label=name)
    for at, answered in zip(place, each["answered"], strict=True):
        ax.annotate(f"{answered:.0%}", (0.118, at), va="center", ha="right")
ax.axvline(0.05, color="0.3", linestyle="--")
ax.annotate("promised: at most 5%", (0.05, -0.6), (4, 0), textcoords="offset points", va="center")
ax.annotate("answered", (0.118, -0.6), va="center", ha="right")
ax.set_yticks(range(4), ["all", "new", "old", "worn"])
ax.set(xlim=(0, 0.12), ylim=(3.5, -0.9), xlabel="share of errors among the answers", ylabel="scanner")
ax.set_xticks([0, 0.05, 0.1], ["0%", "5%", "10%"])
ax.set_title("With a threshold for each scanner, the promise holds for each")
ax.legend(loc="center left", bbox_to_anchor=(0.55, 0.65))

# %%
# In a classifier, the column is read from ``X``: ``TunedSelectiveClassifierCV(model, slices=["scanner"],
# confidence_level=0.95)`` holds out rows, chooses the thresholds, and rejects pictures from scanners that it has not
# seen.

# %%
# **What to do.** Name the groups before you look. ``required_samples(..., n_promises=...)`` says how many rows each of
# them needs. Then pass ``slices=``.
