"""
Compare calibrators, your own among them
========================================

Which calibrator is best for your model? That depends on the data, the model and the number of samples. The experiment
``arena`` compares all calibrators on the same samples and models. The command ``python -m skconf experiment arena
--html arena.html`` runs it on two dozen data sets, and writes a page.
"""

# %%
# A calibrator of your own
# ------------------------
# Your calibrator is a class without required arguments. It has the methods ``fit(proba, y)`` and
# ``predict_proba(proba)``. On the command line its name is ``module:Class``.
import matplotlib.pyplot as plt
import numpy as np

from skconf.experiments import arena_experiment


class TowardsTheRates:
    """Moves each probability halfway to the frequency of its class."""

    def fit(self, proba, y):
        """Count the classes."""
        self.rates = np.bincount(y, minlength=proba.shape[1]) / len(y)
        return self

    def predict_proba(self, proba):
        """Mix."""
        return (proba + self.rates) / 2


# %%
# A small arena
# -------------
#
# The arena of this example has three data sets, two models and two numbers of calibration samples.
found = arena_experiment(
    ["breast_cancer", "waves_two_1", "tails_two_1"],
    calibrators=["pooled", "platt", "isotonic", "sklearn sigmoid", "ets", TowardsTheRates, "none"],
    only_models=["forest", "naive_bayes"],
    sizes=[50, 200],
)
runs = ["data", "model", "n"]
loss = found.pivot(index=runs, columns="calibrator", values="log_loss")
print(loss.round(3).to_string())

# %%
# Who wins, and by how much
# -------------------------
# Each point is a run. It shows the log loss divided by the log loss of the pooled calibrator (the pool).
others = loss.drop(columns="pooled")
others = others[others.median().sort_values(ascending=False).index]
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for row, name in enumerate(others):
    ratio = others[name] / loss["pooled"]
    ax.plot(ratio, np.full(len(ratio), row), "o", alpha=0.6)
    print(f"{name:22} loses {(ratio > 1).mean():.0%} of runs against the pool")
ax.axvline(1, color="black", linewidth=0.8)
ax.set(
    xscale="log",
    xlabel="log loss / log loss of the pooled calibrator",
    yticks=range(others.shape[1]),
    yticklabels=list(others),
)
ax.set_title("Right of the line, the pooled calibrator is better")

# %%
# Look at the size of the differences, too, and not only at the number of runs. No calibration (``none``) has a lower
# log loss than the pool in 7 of 12 runs, because most of these models are nearly calibrated. But for naive Bayes on
# ``breast_cancer``, its log loss is more than three times as high.

# %%
# **What to do.** Run the arena with your model and your number of samples. Add your own calibrator. If none is clearly
# better than the pool, use ``calibration="pooled"``.
