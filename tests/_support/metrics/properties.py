"""What holds for every metric: a test file of a family lists its cases, and one line runs all of this on them.

    CASES = [Case("cw_accuracy_score", twin=cw_accuracy_score)]
    TestProperties = properties_of(CASES)

What a test must know of a metric is an attribute of its class: its bounds, what its value is, what a weight means.
A case adds what belongs to its parameters.
"""

import math
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from _support.blocks import cut_into_blocks
from _support.metrics.interval_choice import check_default_interval
from _support.metrics.strategies import outcomes
from _support.predictions import draw_profile, draw_weights
from hypothesis import given, settings
from hypothesis import strategies as st

from skconf import ConfidenceProfile
from skconf.metrics import get_metric
from skconf.metrics._base.kinds import Additive, Ratio, merge
from skconf.metrics._base.registry import WeightMeaning, metric_classes

#: Examples of a property that is mostly that of code which all metrics share: more than a hundred cases draw them. All
#: cases of a metric together have twice as many, and each has three at least, of which the first is the simplest.
_FEW = 6


@dataclass(frozen=True)
class Case:
    """A metric at some of its parameters, and its brute-force twin.

    Attributes
    ----------
    name : str
        The public function.
    params : mapping
        Its own parameters.
    twin : callable
        ``twin(y, proba, predicted, w, **params)``: the definition in plain loops, of labels as column numbers,
        probabilities (n, K), predicted columns and weights.
    read : callable
        What of the result the twin computes; of a test the statistic.
    drawn : mapping
        How the data of the twin are drawn: arguments of `outcomes`.
    bounded : bool
        Whether the bounds of the metric hold at these parameters.
    atol : float
        How far the twin may be off.
    examples : int
        How many random data the twin sees; of a metric with many cases, each sees fewer.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    twin: Callable[..., Any] = None
    read: Callable[[Any], Any] = lambda result: result
    drawn: Mapping[str, Any] = field(default_factory=dict)
    bounded: bool = True
    atol: float = 1e-12
    examples: int = 30

    def __str__(self) -> str:
        return f"{self.name}-{dict(self.params)}"

    @property
    def metric(self) -> Any:
        return get_metric(self.name, **self.params)

    @property
    def function(self) -> Any:
        return metric_classes()[self.name].function  # of a definition that is not exported yet, too

    @property
    def weights(self) -> WeightMeaning:
        return self.metric.weight_meaning

    @property
    def is_number(self) -> bool:
        return self.metric.result is float and self.params.get("average", "macro") is not None

    @property
    def is_tuple(self) -> bool:
        result = self.metric.result
        return isinstance(result, type) and issubclass(result, tuple)

    @property
    def n_classes(self) -> int:
        """Number of classes of data that are not random."""
        return min(4, self.drawn.get("max_classes", 4))

    def of(self, outcome: Any) -> Any:
        """Return the value of an outcome, without its weights where the metric takes none."""
        if self.weights is WeightMeaning.REFUSED:
            outcome.weight = None
        return self.read(outcome.call(self.function, **self.params))

    def outcomes(self, **drawn: Any) -> Any:
        """Return random outcomes, with as many classes as the parameters allow."""
        allowed = {key: value for key, value in self.drawn.items() if key == "max_classes"}
        return outcomes(**{**allowed, **drawn})


def same(actual: Any, expected: Any, **tolerance: float) -> None:
    """Hold a number, an array or the parts of a tuple to what is expected."""
    if not isinstance(expected, tuple):
        actual, expected = (actual,), (expected,)
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_allclose(one, other, **tolerance)


def profile_of(outcome: Any) -> ConfidenceProfile:
    """Return an outcome as a profile."""
    return ConfidenceProfile.from_predictions(
        outcome.y,
        outcome.proba,
        y_pred=outcome.predicted,
        labels=np.arange(outcome.proba.shape[1]),
        sample_weight=outcome.weight,
    )


def drawn_profile(n: int, seed: int = 0, n_classes: int = 4, weighted: bool = True) -> ConfidenceProfile:
    """Return calibrated predictions."""
    return draw_profile(n, n_classes, seed, weight=draw_weights(n) if weighted else None)


def assert_influence_is_the_derivative(metric: Any, profile: ConfidenceProfile) -> None:
    """Influence of sample i = d value / d ε when its terms count 1 + ε times, here by finite differences."""
    influence, sums = metric.influence(profile), metric.sums(profile)
    step = 1e-6
    for row in (0, 7, 39):
        single = metric.sums(profile[row : row + 1])
        up, down = (
            metric.combine(*(total + sign * step * own for total, own in zip(sums, single, strict=True)))
            for sign in (1, -1)
        )
        assert influence[row] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-8)


def assert_blocks_do_not_show(metric: Any, profile: ConfidenceProfile, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading the rows in small blocks changes nothing."""
    whole = metric.value(profile)
    cut_into_blocks(monkeypatch, 37)
    assert sum(1 for _ in profile.blocks()) == -(-len(profile) // 37)
    same(metric.value(profile), whole, rtol=1e-12)


def properties_of(cases: list[Case]) -> type:
    """Return the tests of all properties of some cases, for pytest to collect."""
    assert all(case.twin is not None for case in cases), "a Case needs a twin: the definition in plain loops"
    additive = [case for case in cases if isinstance(case.metric, Additive)]
    numbers = [case for case in additive if case.is_number]
    errors = [case for case in cases if case.is_number and case.metric.info.best == case.metric.info.bounds[0] == 0]
    of_metric = Counter(case.name for case in cases)

    def few(case: Case) -> Any:
        return settings(max_examples=min(_FEW, max(3, 2 * _FEW // of_metric[case.name])), deadline=None)

    def several(case: Case) -> Any:
        fewer = max(15, 3 * case.examples // of_metric[case.name])
        return settings(max_examples=min(case.examples, fewer), deadline=None)

    def on(chosen: list[Case]) -> Any:
        if not chosen:
            return lambda _: None  # a test of nothing would be skipped
        return pytest.mark.parametrize("case", chosen, ids=str)

    def weighted(*meanings: WeightMeaning) -> Any:
        return on([case for case in cases if case.weights in meanings])

    @pytest.mark.filterwarnings(
        "ignore::sklearn.exceptions.UndefinedMetricWarning",
        "ignore:Some answers have a higher expected cost",
        "ignore:No threshold was given",
        "ignore:(t_cal|ecd)_test cannot return a p-value",
    )
    class TestProperties:
        of_cases = cases

        # Values -----------------------------------------------------------------------------------------------------

        @on(cases)
        def test_agrees_with_its_definition(self, case):
            @several(case)
            @given(outcome=outcomes(**{"whole_weights": case.weights is WeightMeaning.WHOLE_COUNTS, **case.drawn}))
            def hold(outcome):
                actual = case.of(outcome)
                weight = np.ones(len(outcome.y)) if outcome.weight is None else outcome.weight
                expected = case.twin(outcome.y, outcome.proba, outcome.predicted, weight, **case.params)
                same(actual, expected, rtol=1e-12, atol=case.atol)

            hold()

        @on(cases)
        def test_order_of_rows_never_matters(self, case):
            @few(case)
            @given(outcome=case.outcomes(whole_weights=True), seed=st.integers(0, 2**32 - 1))
            def hold(outcome, seed):
                before = case.of(outcome)
                order = np.random.default_rng(seed).permutation(len(outcome.y))
                outcome.pick(order)
                same(case.of(outcome), before, rtol=max(1e-11, case.atol * 1e3), atol=1e-13)

            hold()

        @weighted(WeightMeaning.COUNTS, WeightMeaning.WHOLE_COUNTS)
        def test_weight_is_a_repetition_count(self, case):
            @few(case)
            @given(outcome=case.outcomes(whole_weights=True))
            def hold(outcome):
                before = case.of(outcome)
                times, outcome.weight = outcome.weight.astype(int), None
                outcome.pick(np.repeat(np.arange(len(times)), times))
                same(case.of(outcome), before, rtol=max(1e-11, case.atol * 1e3), atol=1e-13)

            hold()

        @on([case for case in cases if case.weights is not WeightMeaning.REFUSED])
        def test_rows_without_weight_change_nothing(self, case):
            profile = drawn_profile(300, n_classes=case.n_classes, weighted=False)
            by_confidence = np.argsort(profile.confidence)  # those at both ends have none
            weight = 1.0 + np.arange(300) % 3
            weight[[*by_confidence[:40], *by_confidence[-40:], *range(0, 300, 7)]] = 0
            weighted = profile.with_weight(weight)
            without = case.read(case.metric(weighted[weight > 0]))
            same(case.read(case.metric(weighted)), without, rtol=1e-12, atol=1e-14)

        @weighted(WeightMeaning.IMPORTANCES)
        def test_weights_may_be_scaled(self, case):
            @few(case)
            @given(outcome=case.outcomes())
            def hold(outcome):
                before = case.of(outcome)
                outcome.weight = 7.0 * outcome.weight
                same(case.of(outcome), before, rtol=1e-9, atol=1e-12)

            hold()

        @weighted(WeightMeaning.REFUSED)
        def test_weights_are_refused(self, case):
            with pytest.raises(ValueError, match=f"{case.name} takes no sample_weight"):
                case.metric(drawn_profile(20))

        @on(cases)
        def test_labels_may_be_renamed_in_order(self, case):
            @few(case)
            @given(outcome=case.outcomes())
            def hold(outcome):
                before = case.of(outcome)
                names = np.array([f"class {number:02d}" for number in range(outcome.proba.shape[1])])
                renamed = case.function(
                    names[outcome.y],
                    outcome.proba,
                    y_pred=names[outcome.predicted].astype(object),
                    labels=names,
                    sample_weight=outcome.weight,
                    **case.params,
                )
                np.testing.assert_equal(case.read(renamed), before)

            hold()

        @on(cases)
        def test_float32_is_read_without_loss(self, case):
            @few(case)
            @given(outcome=case.outcomes(dtype=np.float32))
            def hold(outcome):
                from_single = case.of(outcome)
                outcome.proba = outcome.proba.astype(np.float64)
                # The row sums of float32 probabilities are off by its rounding, which float64 is warned of.
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", message="The probabilities of a row should sum to 1")
                    same(from_single, case.of(outcome), rtol=1e-12, atol=1e-14)

            hold()

        @on([case for case in cases if case.is_number and case.bounded])
        def test_value_lies_within_its_stated_bounds(self, case):
            low, high = case.metric.info.bounds

            @few(case)
            @given(outcome=case.outcomes())
            def hold(outcome):
                value = case.of(outcome)
                assert math.isnan(value) or low - 1e-12 <= value <= high + 1e-12

            hold()

        @on(cases)
        def test_single_column_is_the_second_of_two(self, case):
            @few(case)
            @given(outcome=outcomes(max_classes=2))
            def hold(outcome):
                positive = outcome.proba[:, 1].round(15)
                other = [float(1 - Decimal(repr(p))) for p in positive.tolist()]  # as one writes it
                outcome.proba = np.column_stack([other, positive])
                of_both = case.of(outcome)
                single = case.function(
                    outcome.y,
                    outcome.proba[:, 1],
                    y_pred=outcome.predicted,
                    labels=[0, 1],
                    sample_weight=outcome.weight,
                    **case.params,
                )
                np.testing.assert_equal(case.read(single), of_both)

            hold()

        # Groups and parts -------------------------------------------------------------------------------------------

        @on([case for case in cases if not case.is_tuple])
        def test_value_of_a_group_is_the_value_of_its_rows(self, case):
            profile = drawn_profile(120, n_classes=case.n_classes, weighted=case.weights is not WeightMeaning.REFUSED)
            groups = np.arange(120) % 3
            values = case.metric.by_group(profile, groups, 3)
            assert len(values) == 3
            for group in range(3):
                np.testing.assert_allclose(values[group], case.metric.value(profile[groups == group]), rtol=1e-10)

        @on(additive)
        def test_parts_and_blocks_do_not_show(self, case, monkeypatch):
            metric, profile = case.metric, drawn_profile(300, n_classes=case.n_classes)
            parts = zip(metric.sums(profile[:100]), metric.sums(profile[100:]), strict=True)
            same(metric.combine(*(a + b for a, b in parts)), metric.value(profile), rtol=1e-12, atol=1e-14)
            assert_blocks_do_not_show(metric, profile, monkeypatch)

        @on(numbers)
        def test_value_of_any_group_is_the_value_of_its_rows(self, case):
            metric = case.metric

            @few(case)
            @given(outcome=case.outcomes(), n_groups=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
            def hold(outcome, n_groups, seed):
                profile = profile_of(outcome)
                groups = np.random.default_rng(seed).integers(0, n_groups, len(profile))
                values = metric.by_group(profile, groups, n_groups)
                assert values.shape == (n_groups,)
                for group in range(n_groups):
                    members = profile[groups == group]
                    if len(members) and (members.sample_weight > 0).any():
                        np.testing.assert_allclose(values[group], metric.value(members), rtol=1e-9, atol=1e-12)

            hold()

        @on(numbers)
        def test_sums_of_parts_add_up_in_any_order(self, case):
            metric = case.metric

            @few(case)
            @given(outcome=case.outcomes(), seed=st.integers(0, 2**32 - 1))
            def hold(outcome, seed):
                profile, rng = profile_of(outcome), np.random.default_rng(seed)
                pieces = np.array_split(rng.permutation(len(profile)), 3)  # some may be empty
                parts = [metric.sums(profile[piece]) for piece in pieces if len(piece)]
                rng.shuffle(parts)
                total = parts[0]
                for part in parts[1:]:
                    total = merge(total, part)
                np.testing.assert_allclose(metric.combine(*total), metric.value(profile), rtol=1e-9, atol=1e-12)

            hold()

        # Effects of single samples ----------------------------------------------------------------------------------

        @on(numbers)
        def test_influence_is_the_derivative_by_the_share_of_a_sample(self, case):
            assert_influence_is_the_derivative(case.metric, drawn_profile(40, n_classes=case.n_classes))

        @on([case for case in numbers if isinstance(case.metric, Ratio)])
        def test_contributions_of_a_ratio_add_up_to_its_value(self, case):
            metric = case.metric

            @few(case)
            @given(outcome=case.outcomes())
            def hold(outcome):
                profile = profile_of(outcome)
                value = metric.value(profile)
                if np.isnan(value):
                    return
                contributions = metric.contributions(profile)
                assert contributions.shape == (len(profile),)
                assert contributions.sum() == pytest.approx(value, rel=1e-10, abs=1e-12)

            hold()

        @on([case for case in numbers if isinstance(case.metric, Ratio)])
        def test_gradient_of_a_ratio_is_that_of_the_complex_step(self, case):
            metric = case.metric
            sums = metric.sums(drawn_profile(40, n_classes=case.n_classes))
            for own, general in zip(metric.gradient(*sums), Additive.gradient(metric, *sums), strict=True):
                np.testing.assert_allclose(own, general, rtol=1e-12)

        # Intervals --------------------------------------------------------------------------------------------------

        @on([case for case in cases if case.is_number])
        def test_default_interval_fits_what_the_value_rests_on(self, case):
            check_default_interval(case.name, case.params, case.n_classes, bounded=case.bounded)

        @on([case for case in errors if case.metric.takes != "right or wrong"])
        def test_says_whether_it_is_zero_of_calibrated_answers_alone(self, case):
            sure = np.repeat(np.linspace(0.05, 0.95, 50), 2)
            right = np.arange(100) % 2 == 0
            share = np.where(right, sure, 1 - sure)  # of each confidence, as much is right as it says
            calibrated = ConfidenceProfile.from_correctness(right, sure, sample_weight=share)
            try:
                is_zero = abs(case.metric.value(calibrated)) < 1e-9
            except ValueError:  # it reads classes
                is_zero = False
            assert case.metric.zero_if_calibrated == is_zero

    return TestProperties
