"""
Find the slices where a model fails
===================================

For which people is a model worse, and is this more than chance? A model may be right often enough on average, and still
fail some groups. In this example, naive Bayes is worse for patients under 40 of one sex (coded 1) than for all others.
This is one slice of six, and its 95% interval does not contain the average.
"""

# %%
# The patients have diabetes. The model predicts whether the disease has progressed by more than the median after a
# year. Each patient is predicted by a model that was not trained on this patient.
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

from skconf import ConfidenceProfile
from skconf.inference import by_group, contributions, overconfidence_by_group

data = load_diabetes(as_frame=True, scaled=False)
X, y = data.data, (data.target > data.target.median()).map({True: "progressed", False: "stable"})
proba = cross_val_predict(GaussianNB(), X, y, cv=10, method="predict_proba")
profile = ConfidenceProfile.from_predictions(y, proba, labels=["progressed", "stable"])

# %%
# The slices are by age and sex (a number in the data). The gap is the difference from the value for all patients.
ages = pd.cut(X["age"], [0, 40, 60, 100], right=False, labels=["under 40", "40 to 59", "from 60"])
slices = pd.DataFrame({"sex": X["sex"].map({1: "first", 2: "second"}), "age": ages})
accuracy = by_group("cw_accuracy", profile, groups=slices, confidence_level=0.95, random_state=0)
print(accuracy.round(3).to_string())
print("all:", round(accuracy.attrs["overall"], 3), " worst:", accuracy.attrs["worst"])

names = [f"{sex} sex, {age}" for sex, age in accuracy.index]
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ends = abs(accuracy[["low", "high"]].T - accuracy["value"])
ax.errorbar(accuracy["value"], names, xerr=ends, fmt="o", capsize=3)
ax.axvline(accuracy.attrs["overall"], color="0.5", linestyle="--")
ax.annotate("all patients", (accuracy.attrs["overall"], -0.8), (5, 0), textcoords="offset points", va="center")
ax.set_xlabel("confidence-weighted accuracy, with 95% intervals")
ax.set_ylim(bottom=-1.2)
ax.set_title("The interval of one slice of six is below the average")

# %%
# One of the six intervals does not contain the average. Is this more than chance? Of six 95% intervals, at least one
# misses by chance in about a quarter of all data sets. So this is a reason to look at more patients, not yet a proof.
#
# Are the confidences too high in some slice? The size ratio is 1 for calibrated confidences. Among many slices, the
# largest ratio is large by chance; ``p_adjusted`` corrects for this. Here, all six slices are overconfident.
print(overconfidence_by_group(profile, groups=slices, random_state=0).round(3).to_string())

# %%
# A few predictions decide such a ratio. The contributions of all patients add up to the ratio. If you sort them, the
# most confident errors come first. Here, five of 442 patients make 99% of the ratio.
cost = contributions("calibrated_size_ratio", profile).set_axis(X.index)
worst = cost.nlargest(5).to_frame("share").join(X[["sex", "age", "bmi", "bp", "s5"]])
print(worst.assign(confidence=profile.confidence[worst.index], truth=y[worst.index]).round(3).to_string())
print(f"all patients: {cost.sum():.2f}; without these five patients: {cost.sum() - worst['share'].sum():.2f}")

# %%
# **What to do.** List the slices that matter before you look. If the interval of a slice does not contain the average,
# collect more samples of this slice, or choose a :doc:`threshold for it <guarantee_every_group>`.
