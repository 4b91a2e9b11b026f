"""
Cross-validate confidence metrics
=================================

Three classifiers have nearly the same accuracy: which of them has the most useful confidences? Naive Bayes is confident
in its errors, so its decisions cost nearly twice as much as the decisions of logistic regression. Repeated
cross-validation gives the mean and the spread of each metric. A test says which differences are more than chance.
"""

# %%
# We compare three classifiers on the same folds. The data are four measurements of tumours. ``predict_proba`` is called
# once per fold, for all metrics of the list, also for those of scikit-learn.
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skconf import confidence_scoring
from skconf.inference import compare_scores

data = load_breast_cancer()
X, y = data.data[:, :4], data.target_names[data.target]  # few features: on an easy task all are alike
models = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "naive Bayes": GaussianNB(),
    "random forest": RandomForestClassifier(50, random_state=0),
}
metrics = ["accuracy", "cw_accuracy", "neg_overconfidence_risk", "neg_ece", "neg_aurc", "neg_ecuas"]
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
by_fold = {
    name: cross_validate(model, X, y, cv=folds, scoring=confidence_scoring(metrics), return_indices=True)
    for name, model in models.items()
}

# %%
# The spread shows how much the folds differ. It is not the error of the mean, because folds share samples.


def mean_and_spread(result, metric):
    """Return the mean of a metric over the folds, and its standard deviation."""
    values = result[f"test_{metric}"]
    return f"{values.mean():.3f} ± {values.std():.3f}"


table = {name: [mean_and_spread(result, metric) for metric in metrics] for name, result in by_fold.items()}
print(pd.DataFrame(table, index=metrics).to_string())

# %%
# ``compare_scores`` tests the differences. It takes into account that the training sets of the folds overlap, and that
# there are eighteen comparisons. These differences are clear:
differences = compare_scores(by_fold)
clear = differences[differences["p_adjusted"] <= 0.05]
print(clear[["difference", "low", "high", "p_adjusted"]].round(3).to_string())

# %%
# In the picture, a point is a fold, and a bar is the mean.
figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True, layout="constrained")
for ax, metric in zip(axes, ["accuracy", "neg_overconfidence_risk", "neg_ecuas"], strict=True):
    for name, result in by_fold.items():
        values = result[f"test_{metric}"]
        ax.plot(values, [name] * len(values), "o", color="#0072B2", alpha=0.3)
        ax.plot(values.mean(), [name], "|", color="#D55E00", markersize=25, markeredgewidth=2)
    ax.set_xlabel(f"{metric}, greater is better")
axes[0].margins(y=0.2)
figure.suptitle("Accuracies are nearly equal; decisions by naive Bayes cost more")

# %%
# The three have nearly the same accuracy. Naive Bayes is more overconfident than logistic regression, and its decisions
# cost more (ECUAS). The forest lies in between; with so few samples, it does not differ clearly from the others.

# %%
# **What to do.** Cross-validate with ``confidence_scoring([...])``, and compare with ``compare_scores``. If accuracies
# are nearly equal, choose by the cost of decisions (``neg_ecuas``). If the model may abstain, choose by the
# risk-coverage curve (``neg_aurc``).
