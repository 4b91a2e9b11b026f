"""Configurations of both classifiers, as code, and the checks of scikit-learn that each fails, with the reason."""

import warnings

import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

from skconf import SelectiveClassifier, TunedSelectiveClassifierCV
from skconf.calibration import CALIBRATORS, LearnedConfidence

ABSTAINS = {"check_classifiers_train": "predict abstains, so it does not return the argmax of predict_proba"}
#: It demands that all samples of a single class are accepted.
ONE_CLASS = "check_classifiers_one_label_sample_weights"
TOO_FEW = "ten samples are too few for a guarantee"
OBJECTS = "labels that are numbers and a text make an array of objects, on which arithmetic fails"
TEXT_AMONG_NUMBERS = ABSTAINS | dict.fromkeys(
    (
        "check_estimators_pickle",
        "check_classifier_data_not_an_array",
        "check_supervised_y_2d",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_fit_idempotent",
    ),
    OBJECTS,
)


def selective(options=""):
    return f"SelectiveClassifier(LogisticRegression(){options and f', {options}'})"


def tuned(options, calibration=None):
    given = f', calibration="{calibration}", cv=2' if calibration else ""
    return f"TunedSelectiveClassifierCV(LogisticRegression(), {options}{given}, random_state=0)"


CONFIGURATIONS = {
    # Those that accept every sample.
    selective(): {},
    **{selective(f'calibration="{name}"'): {} for name in CALIBRATORS},
    selective('calibration="platt", cv=0.3'): {},  # single classes, held out, too
    selective('calibration="platt", ensemble=True'): {},
    selective('calibration="platt", keep_prediction=True'): {},
    selective('confidence="entropy"'): {},
    selective('confidence="margin"'): {},
    selective("confidence=LearnedConfidence()"): {},
    selective('reject_label="none"'): {},
    "SelectiveClassifier(XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1))": {},
    "SelectiveClassifier(XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1), validation_fraction=0.2)": {},
    tuned('objective="coverage", target=1.0'): {},
    **{tuned('objective="coverage", target=1.0', name): {} for name in CALIBRATORS},
    tuned('objective="coverage", target=1.0, keep_prediction=True', "platt"): {},
    tuned('objective="coverage", target=1.0, confidence="margin"'): {},
    tuned('objective="coverage", target=1.0, reject_label="none"'): {},
    tuned('target={"coverage": 0.1}, confidence_level=0.5'): {},
    # Those that abstain.
    selective("threshold=0.9"): ABSTAINS,
    selective('threshold=0.9, calibration="platt"'): ABSTAINS,
    selective('threshold=0.9, calibration="isotonic"'): ABSTAINS,
    selective('threshold=0.9, reject_label="none"'): TEXT_AMONG_NUMBERS,
    selective("reject_cost=0.3"): ABSTAINS,
    tuned("target=0.01", "platt"): ABSTAINS,
    tuned('objective="cost", reject_cost=0.01, cv=2'): ABSTAINS,
    tuned('objective="coverage", target=0.5, cv=0.3'): ABSTAINS | {ONE_CLASS: "half are rejected, as the target says"},
    tuned("target=0.05, confidence_level=0.7"): ABSTAINS | {ONE_CLASS: TOO_FEW},
    tuned('target=0.05, confidence_level=0.7, n_candidates=2, spend="first"'): ABSTAINS | {ONE_CLASS: TOO_FEW},
}  # fmt: skip


#: Every calibrator is fitted by the same lines, so the checks with one of them are run each time.
SLOW = {code for code in CONFIGURATIONS if "calibration=" in code and 'calibration="platt"' not in code}
#: Of these each part is in a configuration that is faster: it has the same lines, once or on fewer folds.
SLOW |= {
    "SelectiveClassifier(XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1))",
    selective("reject_cost=0.3"),
    selective('calibration="platt"'),  # on five folds; with cv=0.3, of one
    selective("confidence=LearnedConfidence()"),  # a quarter of a minute
    selective('confidence="margin"'),
    selective('calibration="platt", ensemble=True'),
    selective('calibration="platt", keep_prediction=True'),
    selective('threshold=0.9, calibration="platt"'),
    tuned('objective="coverage", target=1.0'),
    tuned('objective="coverage", target=1.0, keep_prediction=True', "platt"),
    tuned('objective="coverage", target=1.0, confidence="margin"'),
    tuned('objective="coverage", target=1.0, reject_label="none"'),
    tuned('target=0.05, confidence_level=0.7, n_candidates=2, spend="first"'),
    tuned('target={"coverage": 0.1}, confidence_level=0.5'),
    tuned("target=0.01", "platt"),
}

#: Parameters that no configuration gives: they need the labels or the groups of the data, or change nothing but time.
UNCHECKED = {"cost_matrix", "decisions", "prevalence", "slices", "thresholds", "n_jobs"}


def model_of(code):
    """Return the classifier that the code makes."""
    known = (SelectiveClassifier, TunedSelectiveClassifierCV, LogisticRegression, LearnedConfidence)
    names = {each.__name__: each for each in known}
    if "XGBClassifier" in code:
        names["XGBClassifier"] = pytest.importorskip("xgboost").XGBClassifier
    return eval(code, names)


def results_of(code):
    """Return what each check says of the classifier, the expected failures marked as such."""
    with warnings.catch_warnings():
        for about in (
            "invalid value encountered in cast",  # the check on infinite labels, in type_of_target
            "The least populated class in y has only",  # a check draws a class of four members
            ".*leaves the probabilities of",  # a check gives weight to a single class
            ".*makes probabilities nearly uniform",  # checks draw labels at random
            "Everything is rejected",
            "Unknown data type",  # XGBoost, of a sparse matrix that is none of its kinds
        ):
            warnings.filterwarnings("ignore", about)
        warnings.simplefilter("ignore", SkipTestWarning)
        return check_estimator(model_of(code), expected_failed_checks=CONFIGURATIONS[code], on_fail=None)
