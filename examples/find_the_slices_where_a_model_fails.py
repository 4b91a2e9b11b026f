"""
Find the slices where a model fails
===================================

A model that is right often enough on average may fail some of the people it is used on. Which slices are worse, is
that more than chance, and which predictions cost most? Of patients under 40 of the first sex, naive Bayes gets fewer
right than of all others: one slice of six, and its interval says that this is hardly chance.
"""

# %%
# The patients have diabetes: has their disease progressed by more than the median after a year? Every probability is
# for a patient whom the model was not trained on.
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
# The slices are by sex (which the data code by number) and age. The gap is the difference from the value of all
# patients.
ages = pd.cut(X["age"], [0, 40, 60, 100], right=False, labels=["under 40", "40 to 59", "from 60"])
slices = pd.DataFrame({"sex": X["sex"].map({1: "first", 2: "second"}), "age": ages})
accuracy = by_group("cw_accuracy", profile, groups=slices, confidence_level=0.95)
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
ax.set_title("One slice of six lies wholly below the average")

# %%
# Are the confidences too high in some slice? The size ratio is 1 for calibrated confidences. Among many slices the
# largest ratio is large by chance: ``p_adjusted`` takes that into account.
print(overconfidence_by_group(profile, groups=slices, random_state=0).round(3).to_string())

# %%
# Ratios like these come from few predictions. Shares add up to the ratio of all patients, so sorting finds the worst:
# the most confident errors come first.
cost = contributions("calibrated_size_ratio", profile).set_axis(X.index)
worst = cost.nlargest(5).to_frame("share").join(X[["sex", "age", "bmi", "bp", "s5"]])
print(worst.assign(confidence=profile.confidence[worst.index], truth=y[worst.index]).round(3).to_string())
print(f"all patients: {cost.sum():.2f}; without these: {cost.sum() - worst['share'].sum():.2f}")

# %%
# **What to do.** List the slices that matter before you look. Where an interval leaves out the average, collect more
# samples of that slice, or give it a :doc:`threshold of its own <guarantee_every_group>`.
