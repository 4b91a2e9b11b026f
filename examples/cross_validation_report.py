"""
Cross-validate confidence metrics
=================================

Three classifiers have nearly the same accuracy: which of them has the most useful confidences? One of them is confident
in its errors. Repeated cross-validation gives the mean and the spread of each metric, in one table.
"""

# %%
# We compare three classifiers on the same folds. ``predict_proba`` is called once per fold, for all metrics of the
# list, also for those of scikit-learn.
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skconf import confidence_scoring

data = load_wine()
X, y = data.data[:, :4], data.target_names[data.target]  # few features: on an easy task all are alike
models = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "naive Bayes": GaussianNB(),
    "random forest": RandomForestClassifier(50, random_state=0),
}
scoring = confidence_scoring(["accuracy", "cw_accuracy", "neg_overconfidence_risk", "neg_ece", "neg_aurc", "neg_ecuas"])
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
scores = pd.concat(
    {name: pd.DataFrame(cross_validate(model, X, y, cv=folds, scoring=scoring)) for name, model in models.items()},
    names=["model", "fold"],
)

# %%
# The spread shows how much the folds differ. It is not the error of the mean, because folds share samples.
by_model = scores.filter(like="test_").rename(columns=lambda name: name.removeprefix("test_")).groupby("model")
print((by_model.mean().map("{:.3f}".format) + " ± " + by_model.std().map("{:.3f}".format)).T.to_string())

# %%
# In the picture, a point is a fold, and a bar is the mean.
figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True, layout="constrained")
for ax, metric in zip(axes, ["accuracy", "neg_aurc", "neg_ecuas"], strict=True):
    for model, values in scores.groupby("model")[f"test_{metric}"]:
        ax.plot(values, [model] * len(values), "o", color="#0072B2", alpha=0.3)
        ax.plot(values.mean(), [model], "|", color="#D55E00", markersize=25, markeredgewidth=2)
    ax.set_xlabel(f"{metric}, greater is better")
axes[0].margins(y=0.2)
figure.suptitle("Accuracies are nearly equal; decisions by naive Bayes cost more")

# %%
# The three have nearly the same accuracy. Naive Bayes is confident in its errors: the metric of overconfidence shows
# it. So its decisions cost more (ECUAS). The forest separates its errors best by confidence (AURC).

# %%
# **What to do.** Cross-validate with ``confidence_scoring([...])``. If accuracies are nearly equal, choose by the cost
# of decisions (``neg_ecuas``). If the model may abstain, choose by the risk-coverage curve (``neg_aurc``).
