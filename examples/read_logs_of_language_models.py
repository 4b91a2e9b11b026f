"""
Evaluate logs of language models
================================

Which answers of a language model should be accepted? A log contains the grade of each answer, and often the confidence
of the model. A second model can help. In this example, a small model answers 65% of the questions at a guaranteed error
rate. A large model also gives a probability to every answer of the small model. If the confidence is the mean of the
probabilities of both models, the small model answers 89% of the questions at the same guaranteed error rate.
"""

# %%
# These are logs of lm-evaluation-harness, of two models on the same questions. Both models are simulated.
from pathlib import Path

import numpy as np

from skconf import ConfidenceProfile, confidence_report, read_log, tune_threshold
from skconf.inference import compare, confidence_interval
from skconf.inspection import RiskCoverageDisplay

logs = next(folder for folder in (Path("logs"), Path("examples/logs")) if folder.is_dir())
small, large = (read_log(logs / f"samples_arithmetic_{name}.jsonl.gz") for name in ("small", "large"))
print(small[["id", "correct", "confidence", "y_pred", "doc.kind"]].head().round(3))

# %%
# The confidence is the probability of the graded choice. Can it be trusted, and where does the model fail?
profile = ConfidenceProfile.from_correctness(small["correct"], small["confidence"])
print(confidence_report(profile, slices={"kind": small["doc.kind"]}).summary())

# %%
# Is the large model better? Both models answered the same questions, so the comparison is paired. The small model is
# right 12 percentage points less often (95% interval 8 to 16).
asked_large = ConfidenceProfile.from_correctness(large["correct"], large["confidence"])
print(compare("accuracy", {"small": profile, "large": asked_large}))

# %%
# A second opinion
# ----------------
#
# There are three confidences in an answer of the small model. The first is its own. The second is the probability that
# the large model gives to the same answer. The third is the mean of both. The lower the area under the risk–coverage
# curve, the better a confidence finds the errors.
proba = large[["proba_0", "proba_1", "proba_2"]].to_numpy()
judge = proba[np.arange(len(small)), small["y_pred"]]
scores = {"own": small["confidence"], "large model's": judge, "mean of both": (small["confidence"] + judge) / 2}
ax = None
for name, score in scores.items():
    ranked = ConfidenceProfile.from_correctness(small["correct"], small["confidence"], score=score)
    area = confidence_interval("aurc_loss", ranked)
    print(f"{name:13} AURC {area.value:.3f} [{area.low:.3f}, {area.high:.3f}]")
    ax = RiskCoverageDisplay.from_predictions(ranked, name=name, ax=ax).ax_
ax.set_title("A second opinion finds the errors")

# %%
# These thresholds allow at most 25% errors among the answers, guaranteed with 95% probability. The guarantee holds for
# both scores together, so you may use the better one.
for name in ("own", "mean of both"):
    score = scores[name]
    ranked = ConfidenceProfile.from_correctness(small["correct"], small["confidence"], score=score)
    tuned = tune_threshold(ranked, target=0.25, confidence_level=0.95, n_candidates=2)
    print(f"{name}: {tuned.coverage:.1%} answered" if tuned.feasible else f"{name}: no threshold")

# %%
# When not to ask for one
# -----------------------
# The large model gives its opinion on every question. So it could also answer by itself:
alone = tune_threshold(asked_large, target=0.25, confidence_level=0.95)
print(f"large model alone: {alone.coverage:.1%} answered")

# %%
# Its opinion is useful if an opinion is cheaper than an answer, or if its answers cannot be used. The opinion of a
# weaker model adds noise: on real questions, the best of five models answered a share that was 8 percentage points
# lower with the opinions of the others. The two models of this example err independently. Real models share many
# errors, so their agreement is weaker evidence.

# %%
# Answers that abstain
# --------------------
#
# This is a log of Inspect. In some rows the model abstains: the answer is blank, or says that the model does not know.
# These rows lower the coverage, and cost as much as a rejection.
quiz = read_log(logs / "quiz.json")
print(quiz["state"].value_counts())
asked = ConfidenceProfile.from_correctness(
    quiz["correct"], quiz["confidence"], abstained=quiz["abstained"], groups=quiz["id"]
)
print(confidence_report(asked, metrics=["accuracy_score", "selective_accuracy_score", "coverage_score"], threshold=0.9))

# %%
# **What to do.** Pass the log to ``skconf evaluate``. If you have a second opinion, add ``--score``. Choose the error
# rate of the guarantee before you look at the answers.
