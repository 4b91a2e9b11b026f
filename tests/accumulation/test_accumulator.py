"""MetricAccumulator: the scores of parts, however cut and merged, are those of all samples in memory."""

import copy
import functools
import io
import json
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from _support.metrics.strategies import outcomes
from _support.predictions import draw_classes
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from skconf import ConfidenceProfile, MetricAccumulator, confidence_scoring, get_scorer, get_scorer_names
from skconf.inference import confidence_interval

#: What cannot be accumulated, and why; every other scorer can.
REFUSED = {"neg_tce": "takes no sample_weight", "neg_ad_ece": "its bins depend on numbers of samples"}
NAMES = [name for name in get_scorer_names() if name not in REFUSED]
#: Scores of the positive class of two.
BINARY = [name for name in NAMES if f"{name}_macro" in NAMES]
SOME = ["cw_accuracy", "neg_ece", "cw_f1_macro", "neg_aurc", "cw_roc_auc"]


def in_memory(scorers, profile):
    """Return the scores of all samples at once, each by its own scorer, NaN where it has none."""
    found = {}
    for key in scorers:
        scorer = scorers[key] if isinstance(scorers, dict) else key
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found[key] = (get_scorer(scorer) if isinstance(scorer, str) else scorer).of_profile(profile)
            except ValueError:
                found[key] = np.nan
    return found


def quiet(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function()


def same(expected, rel=1e-12):
    return pytest.approx(expected, rel=rel, abs=1e-14, nan_ok=True)


class TestScores:
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("decimals", [2, None], ids=["ties", "no ties"])
    def test_every_scorer_of_two_classes(self, weighted, decimals):
        y, proba = draw_classes(5000, 2, decimals=decimals)
        weight = np.random.default_rng(1).exponential(1, len(y)) if weighted else None
        total = MetricAccumulator(NAMES, labels=[0, 1])
        for rows in np.split(np.arange(len(y)), [1, 700, 700, 702, 4000]):  # some are short, and one is empty
            total.update(y[rows], proba[rows, 1], sample_weight=None if weight is None else weight[rows])
        expected = in_memory(NAMES, ConfidenceProfile.from_predictions(y, proba[:, 1], sample_weight=weight))
        assert not np.isnan(list(expected.values())).any()
        assert total.result() == same(expected)
        assert set(total.error_bounds().values()) == {0.0}
        assert total.n_samples == 5000

    @pytest.mark.parametrize("weighted", [False, True])
    def test_every_scorer_of_graded_answers(self, weighted):
        rng = np.random.default_rng(3)
        sure, grade = np.round(rng.random(400), 2), rng.integers(0, 5, 400) / 4
        weight = rng.integers(0, 3, 400) if weighted else None
        profile = ConfidenceProfile.from_correctness(grade, sure, sample_weight=weight)
        expected = {name: value for name, value in in_memory(NAMES, profile).items() if not np.isnan(value)}
        assert {"neg_aurc", "neg_augrc", "neg_ece", "cwsa", "neg_ecuas_1"} < expected.keys()
        total = MetricAccumulator(list(expected))
        for rows in np.split(np.arange(400), [1, 90, 300]):
            total.update(profile[rows])
        assert total.result() == same(expected)

    def test_every_scorer_of_many_classes(self):
        y, proba = draw_classes(3000, 6)
        names = [name for name in NAMES if name not in BINARY]
        total = MetricAccumulator(names, labels=list("abcdef"))
        labels = np.array(list("abcdef"))
        for rows in np.split(np.argsort(y), 6):  # most parts lack a class
            total.update(labels[y[rows]], proba[rows], y_pred=labels[proba[rows].argmax(axis=1)])
        assert total.result() == same(in_memory(names, ConfidenceProfile.from_predictions(labels[y], proba)))

    def test_scorers_of_correctness_alone(self):
        """All that a generative system gives."""
        y, proba = draw_classes(2000, 2)
        profile = ConfidenceProfile.from_correctness(y, proba[:, 1])
        expected = {name: score for name, score in in_memory(NAMES, profile).items() if not np.isnan(score)}
        assert len(expected) > 20
        total = MetricAccumulator(list(expected))
        for rows in np.array_split(np.arange(2000), 3):
            total.update(profile[rows])
        assert total.result() == same(expected)

    def test_scorers_of_another_score(self):
        y, proba = draw_classes(2000, 3)
        score = np.log(proba.max(axis=1)) - 3 * proba.min(axis=1)
        profile = ConfidenceProfile.from_predictions(y, proba, score=score, threshold=-1.0)
        names = ["neg_aurc", "neg_augrc", "confidence_roc_auc", "neg_smooth_ece", "coverage", "selective_accuracy"]
        parts = [MetricAccumulator(names).update(profile[rows]) for rows in np.array_split(np.arange(2000), 3)]
        assert functools.reduce(MetricAccumulator.merge, parts).result() == same(in_memory(names, profile))

    def test_parts_of_which_some_rank_by_the_confidence_itself(self):
        y, proba = draw_classes(1000, 3)
        score = proba.max(axis=1)
        score[:500] = -proba.min(axis=1)[:500]
        profile = ConfidenceProfile.from_predictions(y, proba, score=score)
        by_score, by_confidence = profile[:500], profile[500:]
        by_confidence = ConfidenceProfile.from_predictions(y[500:], proba[500:], labels=[0, 1, 2])
        names, expected = ["neg_aurc", "confidence_roc_auc"], in_memory(["neg_aurc", "confidence_roc_auc"], profile)
        for first, second in [(by_score, by_confidence), (by_confidence, by_score)]:
            assert MetricAccumulator(names).update(first).update(second).result() == same(expected)

    def test_parameters_of_scorers(self):
        y, proba = draw_classes(2000, 2)
        scorers = {
            "early": get_scorer("coverage", threshold=0.6),
            "late": get_scorer("coverage", threshold=0.9),
            "first": get_scorer("cw_recall", pos_label=0),
            "second": get_scorer("cw_recall"),
            "cost": get_scorer("neg_ecuas", cost_matrix=[[0, 1], [10, 0]], normalize=True),
            "quantile": get_scorer("neg_ece", strategy="quantile", n_bins=7),
        }
        total = MetricAccumulator(scorers)
        for rows in np.array_split(np.arange(2000), 4):
            total.update(y[rows], proba[rows])
        assert total.result() == same(in_memory(scorers, ConfidenceProfile.from_predictions(y, proba)))
        assert len(set(total.result().values())) == 6

    def test_other_positive_class(self):
        y, proba = draw_classes(500, 2)
        total = MetricAccumulator(["cw_precision", "cw_roc_auc"], labels=[0, 1], pos_label=0).update(y, proba[:, 0])
        profile = ConfidenceProfile.from_predictions(y, proba[:, 0], pos_label=0)
        assert total.result() == same(in_memory(["cw_precision", "cw_roc_auc"], profile))

    def test_other_positive_class_of_one_scorer(self):
        """Of float16, where neither column is one less the other: each has ties of its own."""
        y, proba = draw_classes(500, 2)
        scorers = {"first": get_scorer("cw_roc_auc", pos_label=0), "second": get_scorer("cw_roc_auc")}
        profile = ConfidenceProfile.from_predictions(y, np.column_stack([proba[:, 0] / 4 + 0.75, proba[:, 1] / 4]))
        profile = replace(profile, given_proba=profile.proba.astype(np.float16))
        found = MetricAccumulator(scorers).update(profile[:200]).update(profile[200:]).result()
        assert found == same(in_memory(scorers, profile))
        assert found["first"] != found["second"]
        with pytest.raises(ValueError, match="pos_label=7"):
            MetricAccumulator(get_scorer("cw_roc_auc", pos_label=7)).update(profile)

    def test_threshold_of_the_profile(self):
        y, proba = draw_classes(500, 2)
        profile = ConfidenceProfile.from_predictions(y, proba, threshold=0.8)
        assert MetricAccumulator("coverage").update(profile).result()["coverage"] == (proba.max(axis=1) >= 0.8).mean()

    @pytest.mark.parametrize(
        ("scorer", "proba"),
        [
            (get_scorer("cw_accuracy"), [0.0, 0.0]),  # of the prediction that is given
            (get_scorer("confidence_roc_auc"), [0.9, 0.8]),
            (get_scorer("neg_ecuas", normalize=True), [0.9, 0.8]),
        ],
        ids=lambda it: getattr(it, "name", ""),
    )
    def test_undefined_scores_are_nan_with_one_warning(self, scorer, proba):
        total = MetricAccumulator({"it": scorer, "other": get_scorer("coverage", threshold=0.5)}, labels=[0, 1])
        total.update([1, 1], proba, y_pred=[1, 1])
        with pytest.warns(UndefinedMetricWarning, match="undefined") as caught:
            found = total.result()
        assert len(caught) == 1
        assert np.isnan(found["it"])
        assert not np.isnan(found["other"])

    def test_a_class_that_no_part_has(self):
        y, proba = draw_classes(300, 4)
        y[y == 2] = 1
        total = MetricAccumulator("cw_roc_auc", labels=range(4)).update(y, proba)
        with pytest.warns(UndefinedMetricWarning, match=r"without the classes \[2\]"):
            found = total.result()
        assert found == same(in_memory(["cw_roc_auc"], ConfidenceProfile.from_predictions(y, proba, labels=range(4))))


class TestMerging:
    @settings(max_examples=20, deadline=None)
    @given(outcome=outcomes(max_classes=4), data=st.data())
    def test_any_cut_and_any_tree(self, outcome, data):
        """Parts are short or empty, lack classes, or all weight; they come in any type and merge in any order."""
        n, n_classes = outcome.proba.shape
        names = {name: name for name in NAMES if n_classes == 2 or name not in BINARY}
        names["neg_csr_zscore_deviation"] = get_scorer("neg_csr_zscore_deviation", eps=1e-3)  # else it cancels
        cut = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
        text = data.draw(st.booleans())
        labels = np.array(list("abcd"))[:n_classes] if text else np.arange(n_classes)
        parts = []
        for part in range(5):
            rows = np.flatnonzero(np.array(cut) == part)
            kind = data.draw(st.sampled_from(KINDS))
            one = MetricAccumulator(names, labels=labels, intervals=False)
            half = len(rows) // 2
            for some in (rows[:half], rows[half:]):
                one.update(
                    kind(labels[outcome.y[some]]),
                    outcome.proba[some],
                    y_pred=kind(labels[outcome.predicted[some]]),
                    sample_weight=outcome.weight[some],
                )
            parts.append(one)
        while len(parts) > 1:
            one, other = (parts.pop(data.draw(st.integers(0, len(parts) - 1))) for _ in range(2))
            parts.append(one.merge(other))
        expected = in_memory(names, outcome.call(ConfidenceProfile.from_predictions))
        assert quiet(parts[0].result) == same(expected, rel=1e-11)

    def test_order_does_not_show(self):
        y, proba = draw_classes(20_000, 3)
        weight = np.random.default_rng(1).lognormal(0, 5, len(y))
        rng = np.random.default_rng(2)
        names = [name for name in NAMES if name not in BINARY]
        found = []
        for _ in range(4):
            pieces = np.array_split(rng.permutation(len(y)), rng.integers(2, 40))
            found.append(
                functools.reduce(
                    MetricAccumulator.merge,
                    [
                        MetricAccumulator(names, labels=range(3)).update(y[i], proba[i], sample_weight=weight[i])
                        for i in pieces
                    ],
                ).result()
            )
        for other in found[1:]:
            assert other == same(found[0], rel=1e-13)

    def test_other_is_neither_changed_nor_shared(self):
        y, proba = draw_classes(300, 2)
        one = MetricAccumulator(SOME).update(y[:100], proba[:100])
        two = MetricAccumulator(SOME).update(y[100:], proba[100:])
        before = two.result()
        assert one.merge(two) is one
        one.update(y, proba)
        assert two.result() == before
        assert one.n_samples == 600

    def test_with_itself_counts_twice(self):
        y, proba = draw_classes(300, 2)
        total = MetricAccumulator(SOME).update(y, proba)
        assert total.merge(total).result() == same(MetricAccumulator(SOME).update(y, proba).update(y, proba).result())

    @pytest.mark.parametrize("empty_first", [True, False])
    def test_with_an_empty_one(self, empty_first):
        y, proba = draw_classes(300, 2)
        full, empty = MetricAccumulator(SOME).update(y, proba), MetricAccumulator(SOME)
        expected = full.result()
        merged = empty.merge(full) if empty_first else full.merge(empty)
        assert merged.result() == expected
        merged.update(y, proba)
        assert full.n_samples == (300 if empty_first else 600)

    def test_names_in_another_order(self):
        y, proba = draw_classes(300, 2)
        one = MetricAccumulator(SOME).update(y[:100], proba[:100])
        two = MetricAccumulator(SOME[::-1]).update(y[100:], proba[100:])
        expected = in_memory(SOME, ConfidenceProfile.from_predictions(y, proba))
        assert one.merge(two).result() == same(expected)
        assert list(two.result()) == SOME[::-1]

    @pytest.mark.parametrize(
        "other",
        [
            MetricAccumulator(SOME[1:]),
            MetricAccumulator([*SOME[:4], get_scorer("cw_roc_auc", average="weighted")]),
            MetricAccumulator(SOME, intervals=False),
            MetricAccumulator(SOME, max_levels=2048),
        ],
    )
    def test_of_other_arguments_is_refused(self, other):
        with pytest.raises(ValueError, match="merge needs accumulators made with the same arguments"):
            MetricAccumulator(SOME).merge(other)

    @pytest.mark.parametrize("change", [5.0, 1e-12], ids=["of many numbers", "in a late digit"])
    def test_of_other_numbers_is_refused(self, change):
        costs = 1 - np.eye(40)
        others = costs.copy()
        others[20, 30] += change
        one, two = (MetricAccumulator(get_scorer("neg_ecuas", cost_matrix=matrix)) for matrix in (costs, others))
        with pytest.raises(ValueError, match="merge needs accumulators made with the same arguments") as caught:
            one.merge(two)
        assert len(str(caught.value)) < 1500

    def test_of_the_same_numbers_of_another_type(self):
        kinds = [[[0, 1], [2, 0]], ((0, 1), (2, 0)), np.array([[0, 1], [2, 0]]), pd.DataFrame([[0, 1], [2, 0]])]
        parts = [
            MetricAccumulator({"a": get_scorer("neg_ecuas", cost_matrix=matrix), 1: "coverage"}) for matrix in kinds
        ]
        assert functools.reduce(MetricAccumulator.merge, parts).n_samples == 0

    def test_of_something_else_is_refused(self):
        with pytest.raises(TypeError, match="another MetricAccumulator"):
            MetricAccumulator(SOME).merge({"cw_accuracy": 0.5})


KINDS = [
    np.asarray,
    list,
    functools.partial(np.asarray, dtype=object),
    pd.Series,
    pd.Categorical,
]


class TestTypes:
    @pytest.mark.parametrize("library", ["pandas", "polars"])
    def test_parts_of_different_types(self, library):
        frames = pytest.importorskip(library)
        y, proba = draw_classes(600, 3, decimals=1)
        proba = (proba * 8).round() / 8  # no type rounds these
        proba[:, 2] = 1 - proba[:, 0] - proba[:, 1]
        proba = proba.clip(0, 1)
        total = MetricAccumulator(SOME, labels=["a", "b", "c"])
        labels = np.array(["a", "b", "c"])[y]
        kinds = [
            (labels, proba),
            (labels.astype(object), proba.astype(np.float32)),
            (pd.Categorical(labels), pd.DataFrame(proba)),
            (frames.Series(labels), frames.DataFrame(proba)),
            (list(labels), proba.tolist()),
            (pd.Series(labels, dtype="string"), proba.astype(np.float16)),
        ]
        for (truth, columns), rows in zip(kinds, np.split(np.arange(600), 6), strict=True):
            part = slice(rows[0], rows[-1] + 1)
            total.update(truth[part], columns[part])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            profile = ConfidenceProfile.from_predictions(labels, proba)
        assert total.result() == same(in_memory(SOME, profile))

    @pytest.mark.parametrize(
        "empty",
        [([], []), (np.array([]), np.empty((0, 2))), (pd.Series([], dtype=object), pd.DataFrame({"a": [], "b": []}))],
    )
    def test_parts_of_no_rows(self, empty):
        y, proba = draw_classes(100, 2)
        total = MetricAccumulator(SOME).update(*empty)
        assert total.n_samples == 0
        total.update(y, proba)
        before = total.result()
        assert total.update(*empty).result() == before
        assert total.update(ConfidenceProfile.from_predictions(y, proba)[:0]).n_samples == 100

    def test_part_without_weight(self):
        y, proba = draw_classes(300, 2)
        weight = np.repeat([0.0, 2.0], [100, 200])
        total = MetricAccumulator(NAMES, labels=[0, 1])
        for rows in (slice(100), slice(100, 300)):
            total.update(y[rows], proba[rows, 1], sample_weight=weight[rows])
        profile = ConfidenceProfile.from_predictions(y, proba[:, 1], sample_weight=weight)
        assert total.result() == same(in_memory(NAMES, profile))
        assert total.n_samples == 300


class TestStorage:
    @pytest.mark.parametrize("way", ["pickle", "copy", "arrays"])
    def test_round_trip(self, way):
        y, proba = draw_classes(2000, 2)
        total = MetricAccumulator(NAMES, labels=[0, 1]).update(y[:1000], proba[:1000])
        if way == "arrays":
            file = io.BytesIO()
            np.savez(file, **total.state_dict())
            file.seek(0)
            other = MetricAccumulator(NAMES).load_state_dict(np.load(file, allow_pickle=False))
        else:
            other = pickle.loads(pickle.dumps(total)) if way == "pickle" else copy.deepcopy(total)
        assert repr(other) == repr(total)
        assert other.result() == total.result()
        assert other.update(y[1000:], proba[1000:]).result() == total.update(y[1000:], proba[1000:]).result()
        pd.testing.assert_frame_equal(
            quiet(other.confidence_interval),
            quiet(total.confidence_interval),
        )

    def test_what_is_done_to_arrays_does_not_reach_the_accumulator(self):
        total = MetricAccumulator(SOME).update([0, 1, 1], [0.2, 0.9, 0.3])
        before, kept = total.result(), total.state_dict()
        other = MetricAccumulator(SOME).load_state_dict(kept)
        for array in kept.values():
            array[...] = 0
        assert total.result() == other.result() == before

    def test_changed_state_is_refused(self):
        y, proba = draw_classes(100, 3)
        state = MetricAccumulator(SOME).update(y, proba, sample_weight=np.arange(100)).state_dict()
        assert len(state) > 20
        for name in state.keys() - {"of"}:
            with pytest.raises(ValueError, match="an array is missing, or has been changed"):
                MetricAccumulator(SOME).load_state_dict({key: state[key] for key in state.keys() - {name}})
        for name, array in state.items():
            if array.ndim:
                for other in (array[..., :-1], array[::-1], array[np.newaxis], array.astype(np.float32)):
                    with pytest.raises(ValueError, match="an array is missing, or has been changed"):
                        MetricAccumulator(SOME).load_state_dict({**state, name: other})

    def test_through_json(self):
        y, proba = draw_classes(100, 3)
        total = MetricAccumulator(SOME, labels=["a", "b", "c"]).update(np.array(["a", "b", "c"])[y], proba)
        text = json.dumps({name: array.tolist() for name, array in total.state_dict().items()})
        assert MetricAccumulator(SOME).load_state_dict(json.loads(text)).result() == total.result()

    def test_labels_that_are_objects(self):
        days = [pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")]
        total = MetricAccumulator("coverage").update(days, [0.2, 0.9])
        assert pickle.loads(pickle.dumps(total)).update(days, [0.2, 0.9]).n_samples == 4
        with pytest.raises(TypeError, match=r"are neither numbers nor strings.*pickle the accumulator"):
            total.state_dict()

    def test_of_nothing(self):
        total = pickle.loads(pickle.dumps(MetricAccumulator(SOME)))
        assert total.load_state_dict(MetricAccumulator(SOME).state_dict()).n_samples == 0

    def test_profile_facts_are_kept(self):
        y, proba = draw_classes(100, 3)
        profile = ConfidenceProfile.from_predictions(y, proba, threshold=0.7, pos_label=2)
        total = MetricAccumulator(["coverage", "cw_f1"]).update(profile)
        other = MetricAccumulator(["coverage", "cw_f1"]).load_state_dict(total.state_dict())
        assert other.update(profile).result() == same(total.result())
        with pytest.raises(ValueError, match="threshold"):
            other.update(ConfidenceProfile.from_predictions(y, proba, pos_label=2))

    def test_state_of_another_is_refused(self):
        state = MetricAccumulator(SOME).state_dict()
        with pytest.raises(ValueError, match="state belongs to an accumulator of"):
            MetricAccumulator(SOME[:2]).load_state_dict(state)

    def test_functions_are_no_hindrance(self):
        """Where they lie in memory is another place in every process."""
        make = lambda: get_scorer("cwsa", phi=lambda confidence: confidence)  # noqa: E731
        y, proba = draw_classes(100, 2)
        state = MetricAccumulator(make()).update(y, proba).state_dict()
        assert MetricAccumulator(make()).load_state_dict(state).n_samples == 100

    def test_size_does_not_grow(self):
        y, proba = draw_classes(40_000, 2)
        names = [*SOME, "neg_excess_aurc"]
        total = MetricAccumulator(names, max_levels=1024).update(y[:20_000], proba[:20_000])
        before = len(pickle.dumps(total))
        total.update(y[20_000:], proba[20_000:])
        assert len(pickle.dumps(total)) < 1.1 * before < 150_000


class TestErrors:
    @pytest.mark.parametrize("name", REFUSED)
    def test_what_cannot_be_accumulated(self, name):
        with pytest.raises(ValueError, match=rf"{name} cannot be accumulated.*{REFUSED[name]}"):
            MetricAccumulator([name])

    @pytest.mark.parametrize(
        ("names", "error", "message"),
        [
            ("cw_acuracy", ValueError, "Did you mean 'cw_accuracy'"),
            (["cw_accuracy", "top_k_accuracy"], ValueError, "top_k_accuracy cannot be accumulated: it is computed by"),
            (42, TypeError, "names must be a function of skconf.metrics or scikit-learn, a scorer .* but is 42"),
            ([], ValueError, "names is empty"),
            (
                [get_scorer("neg_ece", strategy="quantile", on="classes")],
                ValueError,
                r"neg_ece\(.*\) cannot be accumulated: it cannot be computed from sums",
            ),
        ],
    )
    def test_names(self, names, error, message):
        with pytest.raises(error, match=message):
            MetricAccumulator(names)

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"labels": [0, 0]}, ValueError, "labels must be distinct"),
            ({"labels": [0, 1], "pos_label": 2}, ValueError, "pos_label=2"),
            ({"max_levels": 10}, ValueError, "max_levels must be at least 1024"),
            ({"intervals": 1}, ValueError, "intervals must be one of"),
        ],
    )
    def test_options(self, options, error, message):
        with pytest.raises(error, match=message):
            MetricAccumulator(SOME, **options)

    @pytest.mark.parametrize(
        ("part", "message"),
        [
            ((["a", "z"], [0.2, 0.3]), r"y_true holds \['z'\] \(first in row 1\)"),
            ((["a", "b"], [0.2, np.nan]), "y_proba has NaN, in row 1"),
            ((["a", "b"], [0.2, 1.3]), "outside"),
            ((["a", "b", "a"], [0.2, 0.3]), "y_true has 3 rows, but there are 2"),
            (([], [0.2, 0.3]), "y_true is empty"),
            ((["a", "b"], [[0.2, 0.3, 0.5]] * 2), "labels holds 2 labels, but y_proba has 3 columns"),
            ((ConfidenceProfile.from_correctness([1, 0], [0.5, 0.7]),), "same labels.*only correctness"),
            ((ConfidenceProfile.from_predictions(["a", "c"], [0.5, 0.7]),), r"same labels.*\['a', 'c'\]"),
            ((ConfidenceProfile.from_predictions(["b", "a"], [0.5, 0.7], pos_label="a"),), "same pos_label"),
            (
                (ConfidenceProfile.from_predictions(["b", "a"], [0.5, 0.7], groups=[0, 1]),),
                r"of the same kind, but only some come in clusters\. Accumulate the two kinds separately",
            ),
            ((ConfidenceProfile.from_predictions(["b", "a"], [0.5, 0.7], threshold=0.6),), "threshold"),
        ],
    )
    @pytest.mark.parametrize("labels", [None, ["a", "b"]])
    def test_bad_parts_change_nothing(self, part, message, labels):
        total = MetricAccumulator(SOME, labels=labels).update(["a", "b", "b"], [0.2, 0.9, 0.4])
        before = total.result()
        with pytest.raises(ValueError, match=message):
            total.update(*part)
        assert total.result() == before
        assert total.n_samples == 3

    @pytest.mark.parametrize(
        ("weight", "message"),
        [
            (0.0, "must be one-dimensional"),
            ([[0], [0]], "must be one-dimensional"),
            ([0, 0, 0], "has 3 rows"),
            ([None, None], "is nan in row 0"),
            (np.ma.array([0, 0], mask=[False, True]), "hidden values"),
        ],
    )
    def test_bad_weights_are_not_taken_for_none(self, weight, message):
        with pytest.raises(ValueError, match=f"sample_weight {message}|sample_weight is .*{message}"):
            MetricAccumulator(SOME).update([0, 1], [0.2, 0.7], sample_weight=weight)

    def test_labels_bind_the_first_part_too(self):
        with pytest.raises(ValueError, match="same labels"):
            MetricAccumulator(SOME, labels=[0, 1]).update(ConfidenceProfile.from_correctness([1, 0], [0.5, 0.7]))
        profile = ConfidenceProfile.from_predictions([0, 1], [0.5, 0.7])
        with pytest.raises(ValueError, match="pos_label is 0, but the pos_label of these predictions is 1"):
            MetricAccumulator(SOME, pos_label=0).update(profile)

    def test_first_part_that_lacks_a_class(self):
        with pytest.raises(ValueError, match=r"Pass labels=\[...\]"):
            MetricAccumulator(SOME).update(["a", "a"], [0.2, 0.9])

    def test_profile_and_more(self):
        profile = ConfidenceProfile.from_predictions([0, 1], [0.5, 0.7])
        with pytest.raises(TypeError, match="has these already"):
            MetricAccumulator(SOME).update(profile, sample_weight=[1, 2])
        for labels in ([0, 1], [], None):
            with pytest.raises(TypeError, match="needs y_proba"):
                MetricAccumulator(SOME).update(labels)

    @pytest.mark.parametrize("method", ["result", "error_bounds", "confidence_interval"])
    def test_no_samples(self, method):
        with pytest.raises(ValueError, match="no samples yet"):
            getattr(MetricAccumulator(SOME), method)()


def test_forms_of_names():
    assert list(MetricAccumulator("cw_accuracy").update([0, 1], [0.2, 0.9]).result()) == ["cw_accuracy"]
    assert repr(MetricAccumulator(confidence_scoring(["coverage"]))) == "MetricAccumulator(['coverage'], n_samples=0)"
    assert repr(MetricAccumulator({"a": "coverage"})) == "MetricAccumulator(['a'], n_samples=0)"


def test_labels():
    total = MetricAccumulator("coverage")
    assert total.labels is None
    assert total.update([2, 5], [0.2, 0.9]).labels.tolist() == [2, 5]
    assert MetricAccumulator("coverage", labels=["x", "y"]).labels.tolist() == ["x", "y"]


@pytest.mark.parametrize("state", [None, 3, "state", [1, 2]])
def test_a_state_that_is_none(state):
    with pytest.raises(TypeError, match=r"state must be what state_dict\(\) returned, a mapping of arrays, but is"):
        MetricAccumulator("coverage").load_state_dict(state)


def test_repr_of_many_scores_is_short():
    names = [name for name in get_scorer_names() if name.startswith(("cw_", "neg_c"))]
    assert len(names) > 20
    assert len(repr(MetricAccumulator(names))) < 400


def test_parts_are_not_weighted_to_a_prevalence_each_by_itself():
    """The classes have other shares in each part, so these weights do not add up to those of all rows."""
    y, proba = draw_classes(600, 2)
    everything = ConfidenceProfile.from_predictions(y, proba).at_prevalence({1: 0.05})
    total, weight = MetricAccumulator(SOME, labels=[0, 1]), 600 * np.array([0.95, 0.05])[y] / np.bincount(y)[y]
    for rows in np.split(np.argsort(y + np.arange(600) % 100 / 20), [100, 400]):
        part = ConfidenceProfile.from_predictions(y[rows], proba[rows], labels=[0, 1])
        with pytest.raises(ValueError, match="shares in all rows"):
            total.update(part.at_prevalence({1: 0.05}))
        total.update(y[rows], proba[rows], sample_weight=weight[rows])
    assert total.result() == same(in_memory(SOME, everything))


def test_rows_that_abstain_are_refused_and_what_to_do_gives_the_scores_of_all():
    rng = np.random.default_rng(7)
    right, sure, gone = rng.random(500) < 0.7, rng.random(500), rng.random(500) < 0.2
    whole = ConfidenceProfile.from_correctness(right, sure, abstained=gone)
    scorers = {
        "coverage": get_scorer("coverage", threshold=0.6),
        "right": get_scorer("selective_accuracy", threshold=0.6),
        "neg_aurc": get_scorer("neg_aurc"),
    }
    told = rf"abstains in {gone.sum()} of 500 rows.*by the share of rows with an answer"
    with pytest.raises(ValueError, match=told):
        MetricAccumulator(scorers).update(whole)
    total = MetricAccumulator(scorers)
    for rows in np.array_split(np.arange(500), 3):
        kept = rows[~gone[rows]]
        total.update(ConfidenceProfile.from_correctness(right[kept], sure[kept]))
    coverage, *others = total.result().values()
    expected, *of_answers = (confidence_interval(scorer, whole).value for scorer in scorers.values())
    assert coverage * (~gone).mean() == pytest.approx(expected)
    assert others == pytest.approx(of_answers)
