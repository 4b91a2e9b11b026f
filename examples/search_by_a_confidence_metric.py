"""
Search hyperparameters by a confidence metric
=============================================

Is the most accurate setting also the one to use? Fast training of XGBoost is right most often and overconfident in its
errors, which accuracy does not see. A search that looks at several metrics at once shows what longer training buys, and
the metric that the decision is about, here ECUAS, chooses another setting.
"""

# %%
# We try six settings of XGBoost. One call of ``predict_proba`` per fold gives five metrics of each; accuracy is
# scikit-learn's own. ECUAS is the cost of deciding with these probabilities, over all costs of a rejection.
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, cross_validate
from xgboost import XGBClassifier

from skconf import confidence_scoring

X, y = load_breast_cancer(return_X_y=True)
names = ["accuracy", "cw_accuracy", "neg_ecuas", "neg_aurc", "neg_csr_excess"]
search = GridSearchCV(
    XGBClassifier(max_depth=3, n_jobs=1),
    {"learning_rate": [0.03, 0.3], "n_estimators": [25, 100, 400]},
    scoring=confidence_scoring(names),
    refit="neg_ecuas",
    cv=3,
).fit(X, y)
means = pd.DataFrame({name: search.cv_results_[f"mean_test_{name}"] for name in names})
table = pd.DataFrame(search.cv_results_["params"]).join(means)
print(table.round(3).to_string(index=False))

figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
for ax, name in zip(axes, ["accuracy", "neg_ecuas", "neg_csr_excess"], strict=True):
    values = table.pivot(index="n_estimators", columns="learning_rate", values=name)
    values.plot(
        ax=ax, style=["-o", "--s"], color=["#0072B2", "#D55E00"], ylabel=f"{name}, greater is better", legend=False
    )
figure.legend(*axes[0].get_legend_handles_labels(), title="learning_rate", loc="outside right center")
figure.suptitle("Fast training is right more often, and overconfident")

# %%
# Fast and long training is the most accurate, and overconfident on its errors, as the excess of its size ratio tells.
# Short training never gives high confidence, and ECUAS charges for that. ECUAS chooses the slow and long one, which is
# slightly less accurate.
print(search.best_params_)

# %%
# How good is what such a search finds? A search inside a cross-validation answers that: the outer folds were not used
# for the choice.
nested = cross_validate(search, X, y, scoring=confidence_scoring(names), cv=3)
print(pd.DataFrame(nested).filter(like="test_").mean().round(3).to_string())

# %%
# **What to do.** Search with several scorers, ``refit`` by the one that your decision is about, and read the others
# before you deploy.
