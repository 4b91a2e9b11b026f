"""
Learn which answers to keep
===========================

Can right and wrong answers be separated better than by the confidence of the model? With two classes, a calibrator
corrects confidences but keeps their order, so it does not change which answers are rejected first. A second model can
change this order: it sees the samples, too, and estimates the probability that each answer is right. In this example,
no error is left in the most confident half of the answers.
"""

# %%
# The samples are points in ten dimensions. Their class says whether they are inside a sphere. A random forest
# approximates the sphere by boxes. Its votes do not show where the boxes fit badly.
from sklearn.datasets import make_blobs, make_hastie_10_2
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from skconf import ConfidenceProfile, SelectiveClassifier, TunedSelectiveClassifierCV
from skconf.calibration import LearnedConfidence
from skconf.inspection import ReliabilityDisplay, RiskCoverageDisplay

X, y = make_hastie_10_2(4000, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
forest = RandomForestClassifier(50, random_state=0)

# %%
# ``LearnedConfidence`` is fitted on the samples of the calibrator, with out-of-fold probabilities of the forest. Small
# models of several kinds estimate the probability that each answer is right. Cross-validation chooses their weights,
# and the weight of the calibrated confidence.
models = {
    "calibrated": SelectiveClassifier(forest, calibration="pooled").fit(X_train, y_train),
    "learned": SelectiveClassifier(forest, calibration="pooled", confidence=LearnedConfidence()).fit(X_train, y_train),
}
learned = models["learned"].confidence_
print(f"weights {learned.weights_.round(2)}, gain in log loss {learned.gain_:.3f} ± {learned.gain_stderr_:.3f}")

# %%
# The answers are the same. Only their order by confidence differs.
ax = None
for name, model in models.items():
    display = RiskCoverageDisplay.from_estimator(model, X_test, y_test, name=name, ax=ax)
    ax = display.ax_
    at = display.coverage.searchsorted(0.5)
    print(f"{name:10} AURC {display.aurc:.4f}, error rate of the most confident half {display.risk[at]:.4f}")
ax.set_title("The same answers in a better order")

# %%
# The learned confidence is a probability of being right, and it is calibrated, too.
answer = models["learned"].predict_selective(X_test)
profile = ConfidenceProfile.from_correctness(answer.prediction == y_test, answer.score)
ReliabilityDisplay.from_predictions(profile, name="learned").ax_.set_title(
    "Of answers with confidence 0.8, eight in ten are right"
)

# %%
# If there is a guarantee on the risk, ``LearnedConfidence`` and the threshold use different samples. So the guarantee
# stays exact.
for name, confidence in (("calibrated", "max_proba"), ("learned", LearnedConfidence())):
    tuned = TunedSelectiveClassifierCV(
        forest, target=0.05, confidence_level=0.9, calibration="pooled", confidence=confidence, random_state=0
    ).fit(X_train, y_train)
    accepted = tuned.accept(X_test)
    risk = (tuned.predict(X_test) != y_test)[accepted].mean()
    print(f"{name:10} coverage {accepted.mean():.2f}, error rate of the accepted answers {risk:.3f}")

# %%
# Sometimes nothing can be learned. The best boundary between two round clouds is a line, and a logistic regression
# finds it. The confidence of the calibrator then stays unchanged.
X_clouds, y_clouds = make_blobs(1000, n_features=4, centers=2, cluster_std=5.0, random_state=0)
line = SelectiveClassifier(LogisticRegression(), calibration="pooled", confidence=LearnedConfidence())
print("weights", line.fit(X_clouds, y_clouds).confidence_.weights_)

# %%
# **What to do.** Try ``confidence=LearnedConfidence()`` if you need more coverage at your error rate. Keep it only if
# it lowers the risk-coverage curve.
