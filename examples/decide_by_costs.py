"""
Decide and abstain by cost
==========================

A false alarm costs 1 and a miss 10: which answer should a model give, and when should it give none? If a miss is likely
enough, the most probable class is not the cheapest answer. In this example, deciding by expected cost halves the mean
cost. The cost falls further if a person decides the expensive cases.
"""

# %%
# The data are simulated: 20,000 claims, of which one in ten is fraud. A miss, in row ``True`` and column ``False``,
# costs 10. Rows and columns follow the sorted labels. If ``SKCONF_DATA`` is the folder of the raw files, two more data
# sets are read: card holders who default, and customers who subscribe.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV, cross_val_predict

from skconf import SelectiveClassifier, TunedSelectiveClassifierCV
from skconf.datasets import fetch_uci

X, y = make_classification(20_000, n_informative=6, n_clusters_per_class=3, weights=[0.9], flip_y=0.02, random_state=0)
booster = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=40, random_state=0)
tasks = {"claims": (X, y == 1)}
for name in ("credit", "bank_marketing"):
    try:
        data = fetch_uci(name, download_if_missing=False)
    except (FileNotFoundError, ImportError):
        continue
    positive = np.asarray(data.target == sorted(data.target.unique())[1])
    tasks[name] = (data.data, positive)

costs = pd.DataFrame([[0, 1], [10, 0]], index=[False, True], columns=[False, True])
price = 0.6  # of a rejection


# %%
# There are five ways to answer, with the same classifier. Scikit-learn's ``TunedThresholdClassifierCV`` finds the
# probability above which the positive class is cheaper. Plain Bayes decisions use the probabilities unchanged. Our
# classifier calibrates them by cross-fitting. If a rejection has a price, it also tunes the threshold of rejection.
def cost_of(y, answer):
    """Return the cost of each answer. The answer -1 is a rejection, and costs ``price``."""
    answer = np.asarray(answer).astype(int)
    return np.where(answer == -1, price, costs.to_numpy()[y.astype(int), np.maximum(answer, 0)])


def cheapness(y, answer):
    """Return minus the mean cost, because a greater score must be better."""
    return -cost_of(y, answer).mean()


given = {"cost_matrix": costs, "calibration": "platt", "random_state": 0}
ways = {
    "most probable class": booster,
    "plain Bayes": SelectiveClassifier(booster, cost_matrix=costs),
    "scikit-learn's threshold": TunedThresholdClassifierCV(booster, scoring=make_scorer(cheapness)),
    "ours, never abstains": SelectiveClassifier(booster, **given),
    "ours, may abstain": TunedSelectiveClassifierCV(booster, objective="cost", reject_cost=price, **given),
}


# %%
# The table has the mean cost of a new case for each way, and the difference from scikit-learn's threshold. The 95%
# interval of the difference is paired, case by case. All ways that use the costs and never abstain cost the same, 0.24
# a claim; abstaining saves 0.02. A card holder costs 0.71, and abstaining saves 0.16. A customer costs 0.20, and
# abstaining saves 0.02. Rows are shuffled first, because one file is in the order of dates: otherwise the folds inside
# a fit would be from different years.
rows = []
for name, (X, y) in tasks.items():
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X.iloc[order] if hasattr(X, "iloc") else X[order], y[order]
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    paid = {way: cost_of(y, cross_val_predict(model, X, y, cv=folds)) for way, model in ways.items()}
    for way, cost in paid.items():
        difference = cost - paid["scikit-learn's threshold"]
        half = 1.96 * difference.std(ddof=1) / np.sqrt(len(difference))
        rows.append((name, way, cost.mean(), difference.mean(), difference.mean() - half, difference.mean() + half))
table = pd.DataFrame(rows, columns=["data", "answers", "cost", "difference", "low", "high"])
print(table.set_index(["data", "answers"]).round(3).to_string())

claims = table[table["data"] == "claims"]
figure, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
ax.barh(claims["answers"], claims["cost"], color="#0072B2")
ax.invert_yaxis()
ax.set_xlabel("mean cost of a claim")
ax.set_title("Deciding by expected cost halves the mean cost")

# %%
# The classifier abstains if its expected cost u is above the price of a rejection. The score is 1 − u/u_M, where u_M is
# the largest u. So the threshold should be near 1 − price/u_M. The search on the samples found a higher one.
largest = 10 / 11  # at a probability of 1/11, where both answers cost the same
model = ways["ours, may abstain"].fit(*tasks["claims"])
print(f"1 - price / u_M = {1 - price / largest:.2f}; tuned: {model.threshold_:.2f}")

# %%
# **What to do.** Write down the cost of each confusion, and of a rejection. Pass both to
# :class:`~skconf.TunedSelectiveClassifierCV`. It then abstains where this is cheaper.
