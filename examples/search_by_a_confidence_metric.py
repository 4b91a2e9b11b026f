"""
Search hyperparameters by a confidence metric
=============================================

Is the most accurate setting also the best one to use? XGBoost with a high learning rate has the highest accuracy, but
is overconfident in its errors. Accuracy does not show this. A search with several metrics shows how each metric
changes with the learning rate and the number of trees. If the search chooses by the metric that fits the decision, here
ECUAS, it chooses another setting.
"""

# %%
# We try six settings of XGBoost. For each setting, one call of ``predict_proba`` per fold gives five metrics. Accuracy
# is scikit-learn's own. ECUAS is the cost of deciding with these probabilities, averaged over all costs of a rejection.
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
figure.suptitle("A high learning rate has the best accuracy, but is overconfident")

# %%
# A high learning rate is the most accurate, but overconfident: its size ratio is far above 1. With few trees and a low
# learning rate, the confidences are never high, which makes the ECUAS worse. The search by ECUAS chooses many trees and
# a low learning rate. The accuracy of this setting is one point lower, and its ECUAS is only 0.004 better, but it is
# less overconfident.
print(search.best_params_)

# %%
# How good is the chosen setting on new samples? A search inside a cross-validation says so, because the outer folds
# were not used for the choice.
nested = cross_validate(search, X, y, scoring=confidence_scoring(names), cv=3)
print(pd.DataFrame(nested).filter(like="test_").mean().round(3).to_string())

# %%
# **What to do.** Search with several scorers. Set ``refit`` to the scorer that fits your decision, and look at the
# others before you deploy the model.
