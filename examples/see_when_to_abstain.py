"""
Draw a risk-coverage curve and choose a threshold
=================================================

How many errors does abstaining avoid, and which threshold is right? In this example, calibrated naive Bayes is wrong on
14% of all digits. If it rejects the 40% with the lowest confidences, it is wrong on 5% of the others.
"""

# %%
# The data are handwritten digits. The model is naive Bayes, which is far overconfident.
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from skconf import ConfidenceProfile, SelectiveClassifier, TunedSelectiveClassifierCV
from skconf.inspection import ECUASDisplay, RiskCoverageDisplay, ThresholdDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
models = {
    "naive Bayes": SelectiveClassifier(GaussianNB(), threshold=0.9).fit(X_train, y_train),
    "calibrated": SelectiveClassifier(GaussianNB(), threshold=0.9, calibration="platt").fit(X_train, y_train),
}
profiles = {name: ConfidenceProfile.from_estimator(model, X_test, y_test) for name, model in models.items()}

# %%
# The curve shows the error rate of the accepted predictions, as more and more are accepted, from the most confident
# down. Naive Bayes gives half of the digits a confidence of 1, so these have no order. This is the horizontal part of
# its curve. A mark shows what a threshold of 0.9 accepts.
ax = None
for name, profile in profiles.items():
    display = RiskCoverageDisplay.from_predictions(profile, name=name, ax=ax)
    ax = display.ax_
    at = display.coverage.searchsorted(0.6)
    risks = f"error rate {display.risk[-1]:.3f} of all, {display.risk[at]:.3f} of the most confident 60%"
    print(f"{name:12} AURC {display.aurc:.3f}, {risks}")

# %%
# The next picture shows the metrics at each threshold. CWSA rewards confidence above the threshold if the answer is
# right, and punishes it if the answer is wrong. CWSA+ only rewards.
display = ThresholdDisplay.from_estimator(models["calibrated"], X_test, y_test, name="calibrated")

# %%
# A tuned classifier finds the threshold, here for at most 10% errors, guaranteed with a probability of 90%. The picture
# shows what each threshold would have done, with an upper limit of the risk. The limit is computed for each threshold
# by itself. But the tuned classifier tests many thresholds, and all of these tests together may be wrong in 10% of
# cases. So it stops before the limit reaches 10%.
tuned = TunedSelectiveClassifierCV(
    GaussianNB(), calibration="platt", target=0.1, confidence_level=0.9, random_state=0
).fit(X_train, y_train)
display = ThresholdDisplay.from_tuned(tuned)
print(f"threshold {tuned.threshold_:.2f}: coverage {tuned.coverage_:.2f}, risk at most {tuned.risk_upper_bound_:.3f}")

# %%
# If a rejection has a price, the confidence decides which answers to give. The confidences of naive Bayes mislead: at
# low prices, its answers cost more than rejecting every case.
ax = None
for name, profile in profiles.items():
    ax = ECUASDisplay.from_predictions(profile, name=name, kind="reject_cost", ax=ax).ax_

# %%
# ECUAS is the average of this cost over all prices. The larger n is, the less weight low prices have, and the less the
# confidence matters.
ax = None
for name, profile in profiles.items():
    ax = ECUASDisplay.from_predictions(profile, name=name, ax=ax).ax_

# %%
# **What to do.** Calibrate before you abstain. Choose the error rate or the price first. Then take the threshold from
# :class:`~skconf.TunedSelectiveClassifierCV`, not from the picture.
