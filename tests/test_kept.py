"""Files of earlier versions are read, and answer as they did: see the page "Versions"."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from _support import kept

import skconf

KEPT = Path(__file__).parent / "kept"
FILES = sorted(KEPT.glob("*/*.pickle"))
#: skops asks before it makes an object of a type: these are all types of ours, and of these tests, that it asks for.
VERSIONS = (Path(skconf.__file__).parent.parent / "docs" / "versions.md").read_text(encoding="utf-8")
# Inside a matrix or a pool is a FrozenEstimator, with the version of scikit-learn.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
numpy_2 = pytest.mark.skipif(np.__version__ < "2", reason="numpy 1 cannot read arrays that numpy 2 has pickled")


def name_of(file):
    return f"{file.parent.name}-{file.stem}"


def assert_answers_as_before(model, file):
    before = np.load(file.with_suffix(".npz"))
    now = kept.answers(model)
    assert {*now} == {*before.files}
    assert now["proba"] == pytest.approx(before["proba"], abs=1e-9)
    for name in set(now) - {"proba", "label"}:
        assert now[name] == pytest.approx(before[name], abs=1e-9)
    assert np.array_equal(now.get("label"), before["label"] if "label" in now else None)


def test_every_estimator_is_kept():
    newest = max(KEPT.iterdir(), key=lambda folder: [int(number) for number in re.findall(r"\d+", folder.name)])
    names = {file.stem for file in newest.glob("*.pickle")} - {"profile"}
    assert names == {name for name, _ in kept.estimators()}, "python tools/keep.py writes them"


@numpy_2
@pytest.mark.parametrize("file", [file for file in FILES if file.stem != "profile"], ids=name_of)
def test_pickles_of_estimators_are_read(file):
    assert_answers_as_before(pickle.loads(file.read_bytes()), file)


@numpy_2
@pytest.mark.parametrize("file", [file for file in FILES if file.stem == "profile"], ids=name_of)
def test_pickles_of_profiles_are_read(file):
    before, now = pickle.loads(file.read_bytes()), kept.profile()
    assert np.array_equal(before.correct, now.correct)
    assert before.confidence == pytest.approx(now.confidence)
    assert skconf.metrics.aurc_loss(before) == pytest.approx(skconf.metrics.aurc_loss(now))


@pytest.mark.parametrize("file", sorted(KEPT.glob("*/accumulator.npz")), ids=name_of)
def test_states_of_accumulators_are_read(file):
    state = dict(np.load(file))
    fresh = skconf.MetricAccumulator(["accuracy", "neg_ece", "neg_aurc"], labels=kept.CLASSES)
    assert fresh.load_state_dict(state).result() == pytest.approx(kept.accumulator().result())


@pytest.mark.parametrize("file", sorted(KEPT.glob("*/*.skops")), ids=name_of)
def test_skops_files_are_read_and_ask_for_the_types_that_are_listed(file):
    io = pytest.importorskip("skops.io")
    asked = [name for name in io.get_untrusted_types(file=file) if not name.startswith("_support.")]
    assert all(name.startswith("skconf.") for name in asked)
    listed = set(re.findall(r"^    (skconf\.\S+)$", VERSIONS, flags=re.MULTILINE))
    assert {*asked} <= listed, "list the type in docs/versions.md"
    assert_answers_as_before(io.load(file, trusted=io.get_untrusted_types(file=file)), file)
