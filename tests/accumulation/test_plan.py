"""Many classes and small floats: no copy of the probabilities, and the numbers of float64."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from _support.predictions import draw_proba

from skconf import ConfidenceProfile, MetricAccumulator, accumulate, get_scorer, get_scorer_names
from skconf.accumulation._plan import Plan

N_ROWS, N_CLASSES = 20_000, 1_000
#: Metrics that read the probabilities of all classes, and others.
NAMES = ["cw_accuracy", "cf1_macro", "neg_ecd_deviation", "cw_f1_macro", "neg_ece", "neg_aurc"]


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory):
    """A file with the float16 probabilities of many classes, 40 MB, and labels."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("wide") / "proba.npy"
    file = np.lib.format.open_memmap(path, mode="w+", dtype=np.float16, shape=(N_ROWS, N_CLASSES))
    for start in range(0, N_ROWS, 2000):
        weight = rng.random((2000, N_CLASSES), dtype=np.float32) ** 8
        file[start : start + 2000] = weight / weight.sum(axis=1, keepdims=True)
    file.flush()
    return rng.integers(0, N_CLASSES, N_ROWS), path


def extra_memory(call):
    """Return the peak of the memory that a call takes."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", [np.float16, pytest.param(np.float32, marks=pytest.mark.slow)])
def test_no_copy_is_made(on_disk, dtype):
    y, path = on_disk
    proba = np.load(path, mmap_mode="r")
    if dtype == np.float32:
        proba = proba.astype(np.float32)
    total = MetricAccumulator(NAMES, labels=range(N_CLASSES))
    assert extra_memory(lambda: total.update(y, proba)) < 0.3 * proba.nbytes
    assert (
        extra_memory(lambda: ConfidenceProfile.from_predictions(y, proba, labels=range(N_CLASSES))) < 0.1 * proba.nbytes
    )
    profile = ConfidenceProfile.from_predictions(y, proba, labels=range(N_CLASSES))
    for name in NAMES:
        assert extra_memory(lambda: get_scorer(name).of_profile(profile)) < 0.3 * proba.nbytes, name  # noqa: B023


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_every_scorer_has_the_value_of_float64(n_classes, dtype):
    """The numbers are the same, so that the type must not show; 1 − 1e-3 is a multiple of 2^-11 in float16."""
    proba = draw_proba(400, n_classes, concentration=0.2).astype(dtype)
    y = np.random.default_rng(1).integers(0, n_classes, 400)
    for given in (proba, proba[:, 1]) if n_classes == 2 else (proba,):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rows of float16 that do not add up to 1 in float64
            small, double = (ConfidenceProfile.from_predictions(y, p) for p in (given, given.astype(np.float64)))
            for name in get_scorer_names():
                if f"{name}_macro" in get_scorer_names() and n_classes > 2:
                    continue
                scorer = get_scorer(name)
                assert scorer.of_profile(small) == pytest.approx(scorer.of_profile(double), rel=1e-12), name


def test_rows_of_float16_that_add_up_within_rounding_raise_no_warning(on_disk):
    y, path = on_disk
    ConfidenceProfile.from_predictions(y[:500], np.load(path, mmap_mode="r")[:500], labels=range(N_CLASSES))


@pytest.mark.parametrize(
    ("bad", "message"),
    [(np.nan, "has NaN, in row 1, column 2"), (1.25, "has 1.25, outside"), (-0.5, "has -0.5, outside")],
)
def test_bad_float16_is_found(bad, message):
    proba = np.full((3, 4), 0.25, dtype=np.float16)
    proba[1, 2] = bad
    with pytest.raises(ValueError, match=message):
        ConfidenceProfile.from_predictions([0, 1, 2], proba, labels=range(4))


def test_float16_in_any_layout():
    proba = draw_proba(50, 4).astype(np.float16)
    expected = ConfidenceProfile.from_predictions(np.zeros(50, int), proba, labels=range(4)).confidence
    for layout in (np.asfortranarray(proba), np.repeat(proba, 2, axis=0)[::2]):
        profile = ConfidenceProfile.from_predictions(np.zeros(50, int), layout, labels=range(4))
        np.testing.assert_array_equal(profile.confidence, expected)


def test_one_plan_serves_all_groups_and_parts(monkeypatch):
    """200 groups in 10 tables built 2,001 plans."""
    made = []
    make = Plan.__init__

    def counted(self, *args, **kwargs):
        made.append(self)
        make(self, *args, **kwargs)

    monkeypatch.setattr(Plan, "__init__", counted)
    rng = np.random.default_rng(0)
    tables = [
        {"y_true": rng.integers(0, 2, 400), "proba_1": rng.random(400), "shop": np.repeat(np.arange(200), 2)}
        for _ in range(10)
    ]
    found = accumulate(tables, ["cw_accuracy", "neg_ece"], labels=[0, 1], groups="shop")
    assert len(found) == 200
    assert len(made) == 1
    again = pickle.loads(pickle.dumps(found))
    assert len(made) == 2
    for shop, total in found.items():
        assert again[shop].merge(total).n_samples == 40
        assert total.n_samples == 20
