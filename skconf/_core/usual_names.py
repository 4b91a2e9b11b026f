"""Names of columns of predictions: default names, and names by which columns are guessed.

Names are compared in the spelling of :func:`spelled`: "True Label", "trueLabel" and ".true_label" are the same.
"""

import re


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


#: Default names. Columns of these names are read without a note.
USUAL = {
    "target": "y_true",
    "prediction": "y_pred",
    "correct": "correct",
    "confidence": "confidence",
    "weight": "sample_weight",
    "abstained": "abstained",
}
#: True labels: names that can mean nothing else, and names that also stand for predictions or features.
TARGETS = _names(
    "actual actual_class actual_label actuals expected gold gold_label ground_truth gt observed obs reference "
    "references true_class true_label true_labels true_target true_y truth y_actual y_test y_true ytrue"
)
MAYBE_TARGETS = _names("class label labels outcome response target targets true y")
#: Predicted labels.
PREDICTIONS = _names(
    "answer class_pred estimate label_pred output pred pred_class pred_label predict predicted predicted_class "
    "predicted_label predicted_labels prediction prediction_class prediction_label predictions preds response "
    "scored_labels top1 top1_class top1_label y_hat y_pred yhat ypred"
)
#: Words that turn the name of the true label into that of the predicted label, before or after it: predicted_species.
PREDICTED = _names("pred predict predicted prediction predictions preds")
#: The confidence in the prediction, whatever was predicted.
CONFIDENCES = _names(
    "conf confidence confidence_score confidences max_prob max_proba max_probability pred_conf pred_confidence "
    "pred_score predicted_confidence prediction_confidence prediction_score top1_confidence top1_prob top_prob"
)
#: The probability of the positive class of two.
POSITIVES = _names(
    "p_positive positive_proba positive_probability prob_positive proba_positive scored_probabilities y_pred_prob "
    "y_pred_proba y_prob y_proba y_score yprob yproba yscore"
)
#: Names for either of these two: a confidence, or the probability of the positive class.
CONFIDENCES_OR_POSITIVES = _names(
    "p pred_prob pred_proba predicted_prob predicted_proba predicted_probability prediction_prob prediction_proba "
    "prediction_probability prob proba probability probs score scores"
)
#: Whether the prediction is right.
CORRECTNESS = _names("correct correctness is_correct is_right right")
#: Words before or after the label in the name of its column of probabilities, without punctuation.
AROUND_LABELS = _names(
    "class conf confidence logit p pred prob proba probabilities probability probas probs score softmax yprob yproba "
    "yscore"
) | {""}
#: Columns that name the rows.
IDS = _names("id ids case_id doc_id example_id guid item_id key question_id record_id sample_id uid uuid")
#: Columns that name what several rows may belong to. Such rows depend on each other.
UNITS = _names(
    "account_id client_id customer customer_id document_id household_id member_id participant_id patient patient_id "
    "person_id session_id speaker_id student_id subject_id user user_id"
)
#: Columns that number the rows.
INDICES = _names("unnamed_0 index row row_id row_ids row_index row_number inst") | {""}


def spelled(name: object) -> str:
    """Return a name in lower case, with words joined by underscores."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name)).lower()
    return re.sub(r"[\W_]+", "_", text).strip("_")
