"""RiskMonitor against its definition, one answer at a time, and against simulated streams."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skconf import RiskMonitor

BETS, SHARES = (1.25, 1.5, 2.0, 3.0, 5.0), (0.25, 0.4, 0.2, 0.1, 0.05)


def same(one, other):
    """Return whether two monitors know the same, up to rounding."""
    mine, theirs = one.state_dict(), other.state_dict()
    bets = mine.pop("log_bets"), theirs.pop("log_bets")
    return mine == pytest.approx(theirs) and bets[0] == pytest.approx(bets[1])


def evidence(right, target):
    """Return the sum of all bets after each answer, from the definition: every bet that started at every answer."""
    total = []
    for now in range(1, len(right) + 1):
        value = 0.0
        for start in range(1, now + 1):
            stake = 0.5 if start == 1 else 0.5 * ((start - 1) ** -0.15 - start**-0.15)
            for times, share in zip(BETS, SHARES, strict=True):
                rate, grown = min(times * target, (1 + target) / 2), 1.0
                for each in right[start - 1 : now]:
                    grown *= (1 - rate) / (1 - target) if each else rate / target
                value += stake * share * grown
        total.append(value)
    return total


@given(st.lists(st.booleans(), min_size=1, max_size=25), st.floats(0.01, 0.9), st.integers(1, 24))
def test_it_is_the_sum_of_bets_from_every_start(right, target, cut):
    expected = evidence(right, target)
    monitor = RiskMonitor(target, 0.9).update(right)
    assert monitor.evidence == pytest.approx(max(expected), rel=1e-9)
    above = [at for at, value in enumerate(expected, 1) if value >= 10 * (1 + 1e-9)]
    assert monitor.alarm_at == (above[0] if above else None)
    parts = RiskMonitor(target, 0.9).update(right[:cut]).update(right[cut:])
    assert same(parts, monitor)
    assert (monitor.n_answers, monitor.n_errors) == (len(right), right.count(False))


def test_stakes_sum_to_one():
    number = np.arange(1, 2_000_001)
    from skconf.selective import _monitor

    staked = np.exp(_monitor._log_stakes(number)).sum()
    assert staked == pytest.approx(1 - 0.5 * number[-1] ** -0.15, rel=1e-9)
    assert math.isclose(sum(SHARES), 1)


def test_one_by_one_and_at_once_are_the_same():
    rng = np.random.default_rng(0)
    right = rng.random(300) > 0.08
    one = RiskMonitor(0.05)
    for each in right:
        one.update(each)
    assert same(one, RiskMonitor(0.05).update(right))


def test_state_goes_through_json():
    right = np.random.default_rng(1).random(500) > 0.1
    monitor = RiskMonitor(0.05).update(right[:200])
    again = RiskMonitor.from_state_dict(json.loads(json.dumps(monitor.state_dict())))
    assert again.update(right[200:]).state_dict() == monitor.update(right[200:]).state_dict()
    assert RiskMonitor.from_state_dict(RiskMonitor(0.05).state_dict()).state_dict() == RiskMonitor(0.05).state_dict()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"target": 2}, "target must"),
        ({"n_errors": None}, "n_errors must be a whole number, but is None"),
        ({"n_errors": 2.5}, "n_errors must be a whole number, but is 2.5"),
        ({"n_errors": 201}, "n_errors must be at most 200"),
        ({"n_errors": -1}, "n_errors must be at least 0"),
        ({"alarm_at": 300}, "alarm_at must be at most 200"),
        ({"alarm_at": 0}, "alarm_at must be at least 1"),
        ({"n_answers": 0, "alarm_at": 1}, "alarm_at must be at most 0"),
        ({"log_bets": [0.0]}, "log_bets a list of 5 numbers"),
        ({"log_bets": None}, "log_bets a list of 5 numbers"),
        ({"log_bets": [np.inf] * 5}, "log_bets a list of 5 numbers"),
        ({"log_evidence": float("nan")}, "log_evidence must be a number"),
        ({"log_evidence": 10**400}, "int too large"),
        ({"log_evidence": "high"}, "could not convert"),
    ],
)
def test_a_changed_state_is_refused(changed, words):
    state = {**RiskMonitor(0.05).update(np.ones(200, bool)).state_dict(), **changed}
    with pytest.raises(ValueError, match=rf"^state is not what state_dict\(\) of a RiskMonitor returned: .*{words}"):
        RiskMonitor.from_state_dict(state)


def test_counts_of_a_state_may_be_written_with_a_point():
    state = RiskMonitor(0.05).update([1, 0, 1]).state_dict()
    again = RiskMonitor.from_state_dict({**state, "n_answers": 3.0, "n_errors": 1.0})
    assert json.dumps(again.state_dict()) == json.dumps(state)
    again = RiskMonitor.from_state_dict({**state, "n_answers": np.int64(3), "n_errors": np.int32(1)})
    assert json.dumps(again.state_dict()) == json.dumps(state)


def test_a_missing_part_of_a_state_is_named():
    with pytest.raises(ValueError, match="returned: 'confidence_level' is missing"):
        RiskMonitor.from_state_dict({"target": 0.1})


def test_an_alarm_stays_and_hears_of_bad_answers_after_many_good_ones():
    monitor = RiskMonitor(0.05).update(np.ones(100_000, bool))
    assert not monitor.alarm
    monitor.update(np.zeros(20, bool))
    assert monitor.alarm
    at = monitor.alarm_at
    assert 100_000 < at <= 100_020
    assert monitor.update(np.ones(1000, bool)).alarm_at == at
    assert f"alarm at answer {at:,}" in repr(monitor)


@pytest.mark.simulation
@pytest.mark.parametrize("rate", [0.05, 0.02])
def test_false_alarms_are_rare(rate):
    rng = np.random.default_rng(2)
    alarms = [RiskMonitor(0.05).update(rng.random(3000) > rate).alarm for _ in range(200)]
    assert np.mean(alarms) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.slow
def test_false_alarms_and_delays_over_long_streams():
    rng = np.random.default_rng(3)
    alarms = [RiskMonitor(0.05).update(rng.random(100_000) > 0.05).alarm for _ in range(1000)]
    assert np.mean(alarms) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)
    delays = [RiskMonitor(0.05).update(rng.random(20_000) > 0.075).alarm_at for _ in range(500)]
    assert np.mean(delays) <= 650
    late = [
        RiskMonitor(0.05).update(rng.random(10_000) > 0.03).update(rng.random(30_000) > 0.075).alarm_at - 10_000
        for _ in range(500)
    ]
    assert np.mean(late) <= 2000


@pytest.mark.parametrize("bad", [2, [0, 1, 0.5], [np.nan], ["a"], [[1, 0]], [None], pd.array([True, None], "boolean")])
def test_answers_that_are_neither_right_nor_wrong_are_refused(bad):
    monitor = RiskMonitor(0.05)
    with pytest.raises(ValueError, match="correct"):
        monitor.update(bad)
    assert monitor.n_answers == 0


@pytest.mark.parametrize(("target", "level"), [(0, 0.95), (1, 0.95), (0.1, 0), (0.1, 1), (-1, 0.5)])
def test_parameters_out_of_range_are_refused(target, level):
    with pytest.raises(ValueError, match=r"target|confidence_level"):
        RiskMonitor(target, level)


def test_two_streams_are_not_merged():
    with pytest.raises(TypeError, match="cannot be merged"):
        RiskMonitor(0.05) + RiskMonitor(0.05)


def test_nothing_changes_nothing():
    assert RiskMonitor(0.05).update([]).state_dict() == RiskMonitor(0.05).state_dict()
