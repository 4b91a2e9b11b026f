"""
Count the test samples that a comparison needs
==============================================

How many test samples are needed to show that one model is better? In this example, cF1 and ECUAS need 28 and 39
samples; accuracy needs about twenty times as many. The reason: metrics of the probabilities use every sample for which
the probabilities of the two models differ. Metrics that count right and wrong answers use only the samples for which
one model is right and the other is wrong.
"""

# %%
# Two forests are tested on half of the handwritten digits. The second forest was trained on two thirds of the samples
# that trained the first.
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from skconf import metrics
from skconf.inference import compare

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
proba = {
    f"{size} digits": RandomForestClassifier(random_state=0).fit(X_train[:size], y_train[:size]).predict_proba(X_test)
    for size in (898, 600)
}

# %%
# All differences are paired: samples that are hard for both models cancel out. ``selective_accuracy_score`` at
# threshold 0 is the accuracy.
questions = {
    "accuracy": partial(metrics.selective_accuracy_score, threshold=0.0),
    "cwA": metrics.cw_accuracy_score,
    "cF1, macro": partial(metrics.cf1_score, average="macro"),
    "cwAUC": metrics.cw_roc_auc_score,
    "AURC": metrics.aurc_loss,
    "Brier": metrics.confidence_brier_loss,
    "ECUAS, n = 0": metrics.ecuas_loss,
}
found = compare(questions, y_test, proba).droplevel(["first", "second"])
print(found[["first_value", "second_value", "low", "high", "p_value", "p_adjusted"]].round(4).to_string())

# %%
# The standard error of a difference falls with the root of the number of samples. A difference is found at the 5% level
# in four of five test sets if it is 2.8 standard errors large.
needed = norm.ppf(0.975) + norm.ppf(0.8)
found["samples"] = np.ceil(len(y_test) * (needed * found["standard_error"] / found["difference"]) ** 2).astype(int)
print(found["samples"].sort_values().to_string())

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
samples = found["samples"].sort_values(ascending=False)
axes.plot(samples, samples.index, "o", color="#0072B2", markersize=8)
for metric, size in samples.items():
    axes.annotate(f"{size:,}", (size, metric), (8, 0), textcoords="offset points", va="center")
axes.set(xlabel="test samples needed to show a difference", xscale="log", xlim=(15, 2000))
axes.grid(axis="y", alpha=0.3)
axes.set_title("cF1 and ECUAS need tens of samples, accuracy hundreds")

# %%
# Are these numbers right? We draw test sets of these sizes from our test set. Four in five of them should show a
# difference.
rng = np.random.default_rng(0)
for name in ("accuracy", "ECUAS, n = 0"):
    draws = [rng.choice(len(y_test), found.loc[name, "samples"]) for _ in range(200)]
    p_values = [
        compare(questions[name], y_test[rows], {m: p[rows] for m, p in proba.items()}, labels=range(10)).p_value
        for rows in draws
    ]
    found_in = np.mean(np.array(p_values) <= 0.05)
    print(f"{name}: {found_in:.0%} of test sets of {found.loc[name, 'samples']} samples show a difference")

# %%
# cF1 and ECUAS need fewer than forty digits, accuracy needs hundreds. This alone does not make them better metrics: cF1
# rewards any confidence, and in this example the more confident model is also the better one. First choose the metrics
# that fit your decision. Of these, take the one that needs the fewest samples.

# %%
# **What to do.** Compute this table from a first test set, before you label a second one.
