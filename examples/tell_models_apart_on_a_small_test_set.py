"""
Compare two models on a small test set
======================================

Which metric finds a difference between two models with few samples? cF1 often finds one where F1 does not, on the same
test samples. The reason: F1 counts predictions and ignores their probabilities. cF1 adds up the probabilities of each
class. This has a price: cF1 rewards confidence, even if it is not justified.
"""

# %%
# We train three models of handwritten digits: on all data; on two thirds of it, with a tenth of the labels wrong; and
# on a third, with a fifth of them wrong. All three are tested on 899, 180 and 90 samples, by a bootstrap.
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from skconf import SelectiveClassifier
from skconf.experiments import cf1_agreement_experiment, cf1_variance_experiment

tables = cf1_variance_experiment("digits", ratios=[1.0, 0.2, 0.1], n_resamples=500)

# %%
# The table has the difference between a better and a worse model, in standard errors: by the ordinary metric (``z``),
# and by the probabilistic one (``c_z``). A difference above about 2 is more than chance.
apart = tables.contrasts.groupby(["metric", "n_test"])[["z", "c_z"]].mean()
print(apart.round(1))

figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
apart.loc["f1"].rename(columns={"z": "F1", "c_z": "cF1"}).plot(ax=ax, style=["-o", "--s"], color=["#0072B2", "#D55E00"])
ax.axhline(2, color="0.5", linewidth=1)
ax.set(xlabel="test samples", ylabel="difference, in standard errors", ylim=(0, None))
ax.set_title("cF1 needs 90 samples where F1 needs 180")

# %%
# Here is the price. Shallow trees are right more often than naive Bayes, but with much lower confidences. In the table,
# ``significant`` is the share of the ten classes in which both metrics find a difference, and ``agree`` is the share of
# these in which both prefer the same model. Without calibration, they nearly always contradict each other. After
# calibration, a probability means the same for both models, and the metrics agree.
models = [RandomForestClassifier(max_depth=5, random_state=0), GaussianNB()]
calibrated = [SelectiveClassifier(model, calibration="platt") for model in models]
agreement = {
    name: cf1_agreement_experiment("digits", models=pair, n_resamples=500)
    .groupby("metric")[["significant", "agree"]]
    .mean()
    for name, pair in {"as they are": models, "calibrated": calibrated}.items()
}
print(pd.concat(agreement, axis=1).round(2))

# %%
# **What to do.** With few samples, calibrate both models and compare them by cF1. Before you act on the result, check
# with accuracy on more samples that the same model is better.
