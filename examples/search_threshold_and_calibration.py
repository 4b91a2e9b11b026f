"""
Search for a threshold and a calibration together
=================================================

Which threshold and which calibration go together? Both are parameters of :class:`~skconf.SelectiveClassifier`, so a
grid search finds them, also in a pipeline. It chooses by the cost of your decisions: here, an error costs 1, and a
rejection costs 0.1. Platt scaling with a threshold of 0.7 wins.
"""

# %%
# The label of a wine is its cultivar, a string. On its own, XGBoost does not accept strings as labels.
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

from skconf import ConfidenceProfile, SelectiveClassifier, confidence_scoring, metrics

data = load_wine(as_frame=True)
X, y = data.data, data.target.map(dict(enumerate(["barolo", "grignolino", "barbera"])))
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, test_size=0.4, random_state=0)

# %%
# ``neg_reject_cost`` is minus the mean cost: a candidate pays 1 for each wrong answer, and `reject_cost` for each
# rejection. (Do not search for a threshold by CWSA. It measures confidences from the threshold, so values at different
# thresholds cannot be compared.) The other metrics come from the same single call of ``predict_proba``.
model = make_pipeline(StandardScaler(), SelectiveClassifier(XGBClassifier(n_estimators=50, n_jobs=1)))
search = GridSearchCV(
    model,
    {
        "selectiveclassifier__threshold": [0.5, 0.7, 0.9],
        "selectiveclassifier__calibration": [None, "platt", "isotonic"],
    },
    scoring=confidence_scoring(
        {
            "neg_cost": "neg_reject_cost(reject_cost=0.1)",
            "coverage": "coverage",
            "selective_accuracy": "selective_accuracy",
            "neg_overconfidence_risk": "neg_overconfidence_risk",
        }
    ),
    refit="neg_cost",
).fit(X_train, y_train)
table = pd.DataFrame(search.cv_results_["params"]).join(
    pd.DataFrame({name: search.cv_results_[f"mean_test_{name}"] for name in search.scoring.scorers})
)
table["selectiveclassifier__calibration"] = table["selectiveclassifier__calibration"].fillna("none")
table = table.rename(columns=lambda name: name.removeprefix("selectiveclassifier__"))
print(table.round(3).to_string(index=False))

# %%
# The picture shows the coverage of each candidate, and the accuracy of its accepted answers. A higher threshold raises
# the accuracy and lowers the coverage.
looks = [("-o", "#0072B2"), ("--s", "#D55E00"), ("-.D", "#009E73")]
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for (name, rows), (style, colour) in zip(table.groupby("calibration", sort=False), looks, strict=True):
    ax.plot(rows["coverage"], rows["selective_accuracy"], style, label=name, color=colour)
    for at in rows.itertuples():
        ax.annotate(at.threshold, (at.coverage, at.selective_accuracy), (4, -11), textcoords="offset points")
ax.margins(0.1)
figure.legend(title="calibration", loc="outside right center")
ax.set(xlabel="coverage", ylabel="selective accuracy")
ax.set_title("A higher threshold accepts fewer answers, but better ones")

# %%
# We test the winner on wines that it has not seen. A rejected sample has the label "reject". A profile made from the
# fitted search contains its threshold. The size ratio is below 1, so it shows no overconfidence of the winner. Isotonic
# calibration is overconfident: in the table, its ``neg_overconfidence_risk`` is below 0, because it was wrong at a
# confidence of 1 in one of five folds.
print(search.best_params_)
print(pd.Series(search.predict(X_test)).value_counts().to_dict())
profile = ConfidenceProfile.from_estimator(search, X_test, y_test)
print(f"coverage            {metrics.coverage_score(profile):.3f}")
print(f"selective accuracy  {metrics.selective_accuracy_score(profile):.3f}")
print(f"size ratio          {metrics.calibrated_size_ratio(profile):.3f}")

# %%
# **What to do.** Write down what an error and a rejection cost, and search by ``neg_reject_cost``. Look at the size
# ratio of the winner. If it was wrong with a confidence of 1, search again without isotonic calibration.
