"""
Choose a threshold with a guarantee after a search
==================================================

May the same samples choose the model and its threshold? No: a guarantee on the error rate needs samples that were used
for nothing else, and a search for hyperparameters uses samples, too. So do not search around
:class:`~skconf.TunedSelectiveClassifierCV`: the guarantee is then void. Put the search inside it: then search and
threshold use different samples.
"""

# %%
# The data are pixels of handwritten digits. The model is naive Bayes, and a search chooses how much its variances are
# smoothed.
import warnings

from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.naive_bayes import GaussianNB

from skconf import ConfidenceProfile, TunedSelectiveClassifierCV, required_samples, tune_threshold
from skconf.inspection import ThresholdDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
model = GaussianNB()
grid = {"var_smoothing": [1e-9, 1e-3, 1e-2, 1e-1]}

# %%
# How many labelled samples are needed to show a risk of at most 5% with a probability of 90%? At least this many must
# be held out.
for errors in range(3):
    print(f"errors {errors}: {required_samples(0.05, 0.9, errors=errors)} samples are needed")

# %%
# This is right: the search is inside. A third of the samples is held out first. The search works with the rest, and the
# samples that it has not seen choose the threshold.
guarantee = {"target": 0.05, "confidence_level": 0.9, "random_state": 0}
inside = TunedSelectiveClassifierCV(GridSearchCV(model, grid), cv=1 / 3, **guarantee).fit(X_train, y_train)
print(inside.estimator_.best_params_)
print(f"coverage {inside.coverage_:.2f}, risk at most {inside.risk_upper_bound_:.3f}")
profile = ConfidenceProfile.from_estimator(inside, X_test, y_test)
accepted = profile.score >= inside.threshold_
print(f"new samples: coverage {accepted.mean():.2f}, risk {1 - profile.correct[accepted].mean():.3f}")
ThresholdDisplay.from_tuned(inside)

# %%
# This is wrong: the search is outside. The same labels choose the threshold of each candidate, and then choose among
# the candidates, by coverage. So the winner is the candidate that chance favours most. A warning says so.
tuned = TunedSelectiveClassifierCV(model, cv=1 / 3, **guarantee)
around = {f"estimator__{name}": values for name, values in grid.items()}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    search = GridSearchCV(tuned, around, cv=3).fit(X_train, y_train)
    caught.clear()  # warnings about candidates that reject everything
    ConfidenceProfile.from_estimator(search, X_test, y_test)
print(caught[0].message)

# %%
# If you declare the number of candidates, the guarantee holds for the candidate that is kept. The price is a lower
# coverage.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    search = GridSearchCV(tuned.set_params(n_candidates=4), around, cv=3).fit(X_train, y_train)
best = search.best_estimator_
print(f"coverage {best.coverage_:.2f}, risk at most {best.risk_upper_bound_:.3f}")

# %%
# Or search as you like, and choose the threshold afterwards, with samples that the search has not seen.
X_search, X_choose, y_search, y_choose = train_test_split(X_train, y_train, test_size=1 / 3, random_state=0)
found = GridSearchCV(model, grid).fit(X_search, y_search)
print(tune_threshold(y_choose, found.predict_proba(X_choose), target=0.05, confidence_level=0.9))

# %%
# **What to do.** Put the search inside, as in ``TunedSelectiveClassifierCV(GridSearchCV(...))``. If the search must be
# outside, set ``n_candidates``, or keep samples that only ``tune_threshold`` uses.
