"""
Calibrate with few or with many samples
=======================================

How flexible may a calibration be? With few samples, the raw probabilities or a calibration with a single parameter are
best. With many samples, a flexible curve is best. A pool moves from simple to flexible calibrations as the number of
samples grows. :class:`~skconf.calibration.PooledCalibrator` is a weighted mean of several calibrators, and learns the
weights on folds. One member is :class:`~skconf.calibration.BayesianCalibrator`. It is the mean of rising calibration
curves, each weighted by its posterior probability.
"""

# %%
# Naive Bayes is far overconfident. Each printed line has a number of calibration samples, and the log loss of each
# calibrator on new samples.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB

from skconf.calibration import make_calibrator

X, y = make_classification(14_000, 15, n_informative=9, class_sep=1.0, flip_y=0.05, random_state=3)
model = GaussianNB().fit(X[:1000], y[:1000])
proba, new_proba, new_y = model.predict_proba(X[1000:6000]), model.predict_proba(X[6000:]), y[6000:]
sizes = [30, 100, 300, 1000, 5000]
names = ["temperature", "smoothed_isotonic", "bayesian", "pooled"]
losses = {name: [] for name in ["none", *names]}
weights = []
for n in sizes:
    losses["none"].append(log_loss(new_y, new_proba))
    for name in names:
        calibrator = make_calibrator(name).fit(proba[:n], y[1000 : 1000 + n])
        losses[name].append(log_loss(new_y, calibrator.predict_proba(new_proba)))
    weights.append(calibrator.weights_)
    print(f"{n:5}", {name: round(loss[-1], 3) for name, loss in losses.items()})

# %%
# With 30 samples, the single temperature is better than smoothed isotonic regression; from 100 samples on, it is worse.
# The pool is at most 0.002 worse than the best of them, at every number of samples. The pool is a weighted mean of its
# members; the right picture shows the weights. With more samples, more flexible members get more weight.
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for (name, loss), style in zip(losses.items(), [":", "--", "-.", (0, (1, 1)), "-"], strict=True):
    left.plot(sizes, loss, linestyle=style, linewidth=2.5 if name == "pooled" else 1.3, label=name)
left.set(
    xscale="log",
    xlabel="calibration samples",
    ylabel="log loss of new samples",
    title="No single calibrator is always best",
)
left.legend(fontsize=8)
members = ["raw", "temperature", "spline", "smoothed isotonic", "Bayesian"]
right.stackplot(sizes, np.transpose(weights), labels=members, alpha=0.8)
right.set(xscale="log", xlabel="calibration samples", ylabel="weight", title="Weights of the members of the pool")
right.legend(fontsize=8, loc="center right")

# %%
# **What to do.** Use ``calibration="pooled"`` if you do not know how many samples a flexible calibration needs.
