"""Every warning of the package names the file and line of the user's code, once for each call."""

import subprocess
import sys
import textwrap
import threading
import types
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.fixes import parse_version

from skconf._core.warn import Notice, collected, warn, warn_each, warn_once

SETUP = """
import warnings
import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
import skconf
from skconf import ConfidenceProfile, MetricAccumulator, SelectiveClassifier, TunedSelectiveClassifierCV
from skconf import confidence_report, confidence_scoring, get_scorer
from skconf.calibration import IsotonicCalibrator, TemperatureCalibrator
from skconf.inference import by_group, compare, confidence_interval, contributions
from skconf.metrics import cf1_score, confidence_roc_auc_score, cw_roc_auc_score, cw_roc_curve, ecuas_loss, get_metric

rng = np.random.default_rng(0)
y = rng.integers(2, size=80)
X = rng.normal(size=(80, 2)) + y[:, np.newaxis]
proba = np.column_stack([1 - y * .6 - .2, y * .6 + .2])
one_class = ConfidenceProfile.from_predictions(np.zeros(4, int), proba[:4], labels=[0, 1])
absent = {"labels": [0, 1, 2], "y_true": y[:40], "y_proba": np.column_stack([proba[:40], np.zeros(40)])}
filled = MetricAccumulator(["cf1_macro"], labels=[0, 1, 2]).update(absent["y_true"], absent["y_proba"])
AUC = "confidence_roc_auc"
easy = y[:, np.newaxis] * 10.0
fitted = LogisticRegression().fit(X, y)
def user_function(work):
    return work()
"""
#: What a user writes, in one line, and how many warnings that gives.
PROBES = {
    "metric": "confidence_roc_auc_score([0, 1], [.2, .9])",
    "metric object": "get_metric('confidence_roc_auc_score')(ConfidenceProfile.from_predictions([0, 1], [.2, .9]))",
    "zero division": "cf1_score(**absent, average='macro')",
    "class left out": "cw_roc_auc_score(**absent)",
    "curve": "cw_roc_curve(one_class)",
    "uncertain answers": "ecuas_loss(y, proba, y_pred=1 - y)",
    "rows that do not sum to one": "ConfidenceProfile.from_predictions([0, 1], [[.5, .6], [.2, .8]])",
    "interval": "confidence_interval('cw_f1_macro', **absent)",
    "several intervals": "confidence_interval(['cw_f1_macro', 'cf1_macro'], **absent)",
    "comparison": "compare('cw_f1_macro', absent['y_true'], {k: absent['y_proba'] for k in 'ab'}, labels=[0, 1, 2])",
    "groups": "by_group('confidence_roc_auc', y, proba, groups=np.arange(80) % 2)",
    "contributions": "contributions('cw_f1_macro', **absent)",
    "report": "confidence_report(**absent, metrics=['cf1_macro'])",
    "accumulator": "filled.result()",
    "scorer": "get_scorer('confidence_roc_auc')(fitted, X[:1], y[:1])",
    "cross-validation": "cross_validate(GaussianNB(), easy, y, scoring=confidence_scoring([AUC]), cv=2)",
    "search": "GridSearchCV(GaussianNB(), {'var_smoothing': [1e-9]}, scoring=get_scorer(AUC), cv=2).fit(easy, y)",
    "pipeline": "make_pipeline(StandardScaler(), TunedSelectiveClassifierCV(DummyClassifier(), cv=.5)).fit(X, y)",
    "tuned": "TunedSelectiveClassifierCV(DummyClassifier(), cv=.5).fit(X, y)",
    "calibrator": "IsotonicCalibrator().fit(absent['y_proba'], absent['y_true'], labels=[0, 1, 2])",
    "comprehension": "[confidence_roc_auc_score([0, 1], [.2, .9]) for _ in range(1)]",
    "lambda": "user_function(lambda: confidence_roc_auc_score([0, 1], [.2, .9]))",
}
#: These call a scorer or a fit several times.
OFTEN = {"cross-validation", "search"}
#: The first line of a probe in the file of the user.
FIRST = SETUP.count("\n") + 1


@pytest.fixture(scope="module")
def users():
    """Names of a user's module, whose further lines are probes."""
    names = {"__name__": "users_module"}
    exec(compile(SETUP, "users_module.py", "exec"), names)
    return names


@pytest.mark.parametrize("name", PROBES)
def test_a_warning_names_the_line_that_led_to_it(name, users):
    code = compile("\n" * (FIRST - 1) + PROBES[name], "users_module.py", "exec")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(code, users)
    ours = [warning for warning in caught if "One or more of the test scores" not in str(warning.message)]
    messages = [str(warning.message) for warning in ours]
    assert {(warning.filename, warning.lineno) for warning in ours} == {("users_module.py", FIRST)}, messages
    if name not in OFTEN:
        assert len(set(messages)) == len(messages)


def run(code):
    """Return what Python prints on standard error, with its default filter of warnings."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    return done.stderr


@pytest.mark.slow
def test_two_lines_that_cause_it_give_two_warnings_and_one_line_in_a_loop_one():
    told = run("""
        from skconf.metrics import confidence_roc_auc_score
        confidence_roc_auc_score([0, 1], [.2, .9])
        confidence_roc_auc_score([0, 1], [.2, .9])
        for _ in range(3):
            confidence_roc_auc_score([0, 1], [.2, .9])
        """)
    assert [line.partition(": ")[0] for line in told.splitlines() if "Warning" in line] == [
        "<string>:3",
        "<string>:4",
        "<string>:6",
    ]


MADE_HERE = """
from contextlib import contextmanager
from dataclasses import dataclass
from skconf._core.warn import warn

@contextmanager
def manager():
    yield
    warn("from a manager")

@dataclass
class Checked:
    value: int
    def __post_init__(self):
        warn("from a dataclass")
"""


@pytest.mark.parametrize(
    ("code", "told"), [("with manager():\n  pass", "from a manager"), ("Checked(1)", "from a dataclass")]
)
def test_frames_of_context_managers_and_dataclasses_are_not_the_users(code, told, monkeypatch):
    module = types.ModuleType("skconf.made_here")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # where dataclasses look for their globals
    exec(MADE_HERE, vars(module))
    users = {"__name__": "users_module", **{name: vars(module)[name] for name in ("manager", "Checked")}}
    with pytest.warns(UserWarning, match=told) as caught:
        exec(compile(f"\n\n{code}", "users_module.py", "exec"), users)
    assert (caught[0].filename, caught[0].lineno) == ("users_module.py", 3)


def test_a_package_whose_name_begins_like_ours_is_the_users():
    names = {"__name__": "skconf_helpers.models", "warn": warn}
    with pytest.warns(UserWarning, match="here") as caught:
        exec(compile("\n\nwarn('here')", "models.py", "exec"), names)
    assert (caught[0].filename, caught[0].lineno) == ("models.py", 3)


@pytest.mark.skipif(parse_version(pd.__version__) < parse_version("3"), reason="pandas 2 itself changes the filters")
def test_filters_of_warnings_are_the_same_before_and_after_eight_threads_and_meanwhile(users):
    before, meanwhile, stop = list(warnings.filters), [], threading.Event()

    def look():
        while not stop.is_set():
            meanwhile.append(list(warnings.filters) == before)

    proba = np.random.default_rng(0).random(400)
    y = (np.random.default_rng(1).random(400) < proba).astype(int)

    def work():
        users["confidence_report"](y, proba, metrics=["cw_accuracy_score", "neg_ece"], confidence_level=0.9)
        users["by_group"]("cw_accuracy", y, proba, groups=np.arange(400) % 2, confidence_level=0.9)

    watcher, workers = threading.Thread(target=look), [threading.Thread(target=work) for _ in range(8)]
    watcher.start()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    stop.set()
    watcher.join()
    assert list(warnings.filters) == before
    assert all(meanwhile)


def test_collected_notices_are_those_of_this_thread_alone():
    with collected() as mine:
        warn("mine")
        other = threading.Thread(target=lambda: theirs.append(_is_issued()))
        theirs = []
        other.start()
        other.join()
    assert mine == [Notice("mine")]
    assert theirs == [True]
    with pytest.warns(UserWarning, match="^twice$") as caught:
        warn_each([Notice("twice"), Notice("twice")])
    assert len(caught) == 1


def _is_issued():
    """Return whether a warning of this thread is issued, as nobody collects it."""
    try:
        warn("theirs")
    except UserWarning:
        return True
    return False


def test_of_each_kind_the_first_is_said_with_its_place_and_row():
    """Kinds are told apart as such, not by words without digits: "v1" and "v2" are two."""
    notices = [
        Notice("The weight is 0.1 in ", kind="weight", row=1, rest=" of v1."),
        Notice("The weight is 0.2 in ", kind="weight", row=2, rest=" of v1."),
        Notice("The model v1 is odd."),
        Notice("The model v2 is odd."),
    ]
    seen: set[str] = set()
    with collected() as said:
        warn_once(notices[:1], "a.csv", 100, seen)
        warn_once(notices[1:], "b.csv", 200, seen)
    assert list(map(str, said)) == [
        "a.csv: The weight is 0.1 in row 101 of v1.",
        "b.csv: The model v1 is odd.",
        "b.csv: The model v2 is odd.",
    ]
    assert [(notice.place, notice.row) for notice in said] == [("a.csv", 101), ("b.csv", None), ("b.csv", None)]
