"""What earlier versions wrote is read, and what they offered is still there: see the page "Versions"."""

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
    assert (newest / "names.txt").exists()


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


def gone(before, now):
    """Return the lines of an earlier interface whose name, or one of whose parameters, is gone or has moved.

    The lines do not say which parameters are required, so a new one that is required is not found.
    """
    found = {name: parameters for name, *parameters in map(str.split, now)}

    def remains(name, *parameters):
        if name not in found:
            return False
        by_place = [each for each in parameters if not each.endswith("=")]
        before, now = ({each.rstrip("=") for each in some} for some in (parameters, found[name]))
        return found[name][: len(by_place)] == by_place and before <= now

    return [line for line in before if not remains(*line.split())]


@pytest.mark.parametrize(
    ("now", "lost"),
    [
        (["f a b c="], False),
        (["f a b d c=", "g"], False),
        (["f a b c"], False),
        (["f a c=", "g"], True),
        (["f b a c="], True),
        (["f a b"], True),
        (["f a b= c="], True),
        (["g a b c="], True),
        ([], True),
    ],
)
def test_lost_names_and_parameters_are_found(now, lost):
    assert gone(["f a b c="], now) == (["f a b c="] if lost else [])


def test_a_lost_name_without_parameters_is_found():
    assert gone(["f", "g"], ["g a="]) == ["f"]


@pytest.mark.parametrize("file", sorted(KEPT.glob("*/names.txt")), ids=name_of)
def test_public_names_of_earlier_versions_are_there(file):
    """A line may be deleted there if a released version has warned of it: see "How a name is removed"."""
    assert not gone(file.read_text(encoding="utf-8").splitlines(), kept.interface())
