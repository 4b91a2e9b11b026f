"""RiskMonitor: watch the error rate of accepted answers, and look as often as you like."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from skconf._core.checks import check_confidence_level, check_number, check_whole
from skconf._core.probabilities import Floats

#: The error rates that the bets are on, in multiples of the target.
_BETS = np.array([1.25, 1.5, 2.0, 3.0, 5.0])
#: The part of each stake that is bet on each of these rates, and how slowly stakes fall after the first. Both were
#: chosen on simulated streams.
_SHARES, _FALL = np.array([0.25, 0.4, 0.2, 0.1, 0.05]), 0.15
#: Answers that are worked on at once.
_AT_ONCE = 100_000


class RiskMonitor:
    """An alarm for the error rate of accepted answers. You may look at it after each answer.

    Feed it the labelled answers as they come. It raises an alarm when there is enough evidence that the error rate is
    above `target`, even if the rate rose only recently. Suppose that each answer is wrong with a probability of at most
    `target`, whatever the answers before it were. Then the probability of a false alarm is at most 1 −
    `confidence_level`. This holds for the whole stream, at any length, and however often you look.

    Parameters
    ----------
    target : float
        Largest tolerable error rate, in (0, 1).
    confidence_level : float, default=0.95
        Probability that there is no false alarm in the whole stream, in [0.5, 1).

    Attributes
    ----------
    alarm : bool
        Whether an alarm was raised. Once raised, it stays True.
    alarm_at : int or None
        Number of the answer at which the alarm was raised; the first answer has number 1. None if there was no alarm.
    n_answers, n_errors : int
        Number of answers so far, and number of wrong answers.
    evidence : float
        The strongest evidence so far that the error rate is above `target`. The alarm is raised when the evidence
        reaches 1 / (1 − `confidence_level`), which is 20 for a `confidence_level` of 0.95. Evidence that is too large
        for a float is infinite.

    See Also
    --------
    tune_threshold : Finds a threshold with a guaranteed risk.
    skconf.inference.shift_test : Tests whether two samples differ.

    Notes
    -----
    Imagine a bettor who has a capital of 1, and bets that the error rate is above `target` [1]_. The capital is divided
    among five error rates p, from 1.25 to 5 times the target, but at most (1 + target) / 2. At the first answer, the
    bettor stakes half of the capital of each p. At each later answer, the bettor adds a stake from the other half;
    these stakes become smaller and smaller. Each wrong answer multiplies all stakes made so far by p / target, and each
    right answer by (1 − p) / (1 − target). Then the stakes are added up. The evidence is the largest sum so far.

    Suppose that each answer is wrong with a probability of at most `target`. Then the sum of the stakes, plus the
    capital that is not yet staked, is a supermartingale that begins at 1. It reaches 1 / (1 − `confidence_level`) with
    a probability of at most 1 − `confidence_level` (Ville's inequality). The sum of the stakes is smaller than the
    supermartingale, so a false alarm is no more probable than this. Right answers do not change later stakes, so the
    alarm need not wait until the errors outweigh all earlier right answers.

    The alarm is about the answers that you label. Label all accepted answers, or a random part of them. Do not label
    only answers that users complain about, because these are wrong more often than other answers.

    References
    ----------
    .. [1] A. Ramdas, P. Grünwald, V. Vovk and G. Shafer, Game-theoretic statistics and safe anytime-valid inference,
       Statistical Science 38, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from skconf import RiskMonitor
    >>> rng = np.random.default_rng(0)
    >>> monitor = RiskMonitor(target=0.05)
    >>> monitor.update(rng.random(5000) > 0.04).alarm  # 4% of these are wrong
    False
    >>> monitor.update(rng.random(5000) > 0.10).alarm  # and 10% of these
    True
    >>> monitor.alarm_at
    5664
    """

    def __init__(self, target: float, confidence_level: float = 0.95) -> None:
        check_number(target, "target", 0.0, 1.0, open_high=True, positive=True)
        check_confidence_level(confidence_level)
        self.target, self.confidence_level = float(target), float(confidence_level)
        self.n_answers = self.n_errors = 0
        self.alarm_at: int | None = None
        self._log_evidence = -np.inf
        self._log_bets = np.full(len(_BETS), -np.inf)

    @property
    def alarm(self) -> bool:
        """Whether an alarm was raised."""
        return self.alarm_at is not None

    @property
    def evidence(self) -> float:
        """The strongest evidence so far that the error rate is above the target."""
        with np.errstate(over="ignore"):
            return float(np.exp(self._log_evidence))

    def update(self, correct: ArrayLike) -> Self:
        """Add the next answers, in the order in which they came.

        Parameters
        ----------
        correct : bool or array-like of shape (n_answers,)
            True or 1 for each right answer, False or 0 for each wrong one.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an entry is neither 1 nor 0. In this case, none of the answers is added.
        """
        right = _read(correct)
        for start in range(0, len(right), _AT_ONCE):
            self._take(right[start : start + _AT_ONCE])
        return self

    def _take(self, right: NDArray[np.bool_]) -> None:
        # With a large target, multiples of it would exceed 1.
        rates = np.minimum(_BETS * self.target, (1 + self.target) / 2)
        wins, losses = np.log(rates / self.target), np.log((1 - rates) / (1 - self.target))
        growth = np.cumsum(np.where(right[:, np.newaxis], losses, wins), axis=0)
        before = np.vstack([np.zeros(len(rates)), growth[:-1]])
        numbers = np.arange(self.n_answers + 1, self.n_answers + 1 + len(right))
        stakes = _log_stakes(numbers)[:, np.newaxis] - before
        stakes[0] = np.logaddexp(stakes[0], self._log_bets)
        bets = np.logaddexp.accumulate(stakes, axis=0) + growth
        total = np.logaddexp.reduce(bets + np.log(_SHARES), axis=1)
        found = np.flatnonzero(total >= -np.log(1 - self.confidence_level))
        if len(found) and self.alarm_at is None:
            self.alarm_at = int(numbers[found[0]])
        self._log_evidence = max(self._log_evidence, float(total.max()))
        self._log_bets = bets[-1]
        self.n_answers += len(right)
        self.n_errors += int((~right).sum())

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the monitor, for a JSON file: about ten numbers, however many answers there were.

        Returns
        -------
        dict of str to float, int, list or None

        Examples
        --------
        Save the state, and continue later:

        >>> import json
        >>> from skconf import RiskMonitor
        >>> text = json.dumps(RiskMonitor(target=0.05).update([1, 1, 0, 1]).state_dict())
        >>> RiskMonitor.from_state_dict(json.loads(text)).update([1, 1]).n_answers
        6
        """
        return {
            "target": self.target,
            "confidence_level": self.confidence_level,
            "n_answers": self.n_answers,
            "n_errors": self.n_errors,
            "alarm_at": self.alarm_at,
            "log_evidence": self._log_evidence if self.n_answers else None,
            "log_bets": self._log_bets.tolist() if self.n_answers else None,
        }

    @classmethod
    def from_state_dict(cls, state: dict[str, Any]) -> Self:
        """Return a monitor in the state that :meth:`state_dict` returned.

        Parameters
        ----------
        state : dict
            What :meth:`state_dict` returned.

        Returns
        -------
        RiskMonitor

        Raises
        ------
        ValueError
            If a part of the state is missing, or has a value that no monitor can have.
        """
        try:
            monitor = cls(state["target"], state["confidence_level"])
            monitor._restore(state)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            found = f"{error} is missing" if isinstance(error, KeyError) else str(error).rstrip(".")
            raise ValueError(f"state is not what state_dict() of a RiskMonitor returned: {found}.") from None
        return monitor

    def _restore(self, state: dict[str, Any]) -> None:
        n_answers, n_errors, alarm_at = (_whole(state[name]) for name in ("n_answers", "n_errors", "alarm_at"))
        check_whole(n_answers, "n_answers", 0)
        check_whole(n_errors, "n_errors", 0, n_answers)
        if alarm_at is not None:
            check_whole(alarm_at, "alarm_at", 1, n_answers)
        self.n_answers, self.n_errors = int(n_answers), int(n_errors)
        self.alarm_at = None if alarm_at is None else int(alarm_at)
        if self.n_answers:
            self._log_evidence = float(state["log_evidence"])
            self._log_bets = np.asarray(state["log_bets"], dtype=np.float64)
            if self._log_bets.shape != _BETS.shape or not np.isfinite([self._log_evidence, *self._log_bets]).all():
                raise ValueError(f"log_evidence must be a number, and log_bets a list of {len(_BETS)} numbers")

    def __add__(self, other: Any) -> Self:
        raise TypeError(
            "Two monitors cannot be merged, because their evidence depends on the order of the answers. Feed the "
            "answers of both streams to one monitor as they come. Or use a monitor for each of n streams, with "
            "confidence_level = 1 - (1 - level) / n. The probability that none of them gives a false alarm is then at "
            "least level."
        )

    def __repr__(self) -> str:
        state = f"alarm at answer {self.alarm_at:,}" if self.alarm_at is not None else "no alarm"
        return (
            f"RiskMonitor(target={self.target:g}, confidence_level={self.confidence_level:g}): {state}, "
            f"{self.n_errors:,} of {self.n_answers:,} answers wrong"
        )


def _whole(number: Any) -> Any:
    """Return 53 for 53.0, as tools other than Python may write it; else the number as it is."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _log_stakes(number: NDArray[np.intp]) -> Floats:
    """Return the logarithm of the stake before each answer: half at the first; all stakes sum to 1."""
    # The later stakes are (n - 1)^-a - n^-a. They sum to 1 from n = 2 on, and fall so slowly that late stakes still
    # count.
    before = np.maximum(number - 1, 1).astype(np.float64)
    later = np.log(before) * -_FALL + np.log(-np.expm1(-_FALL * np.log1p(1 / before)))
    return np.log(0.5) + np.where(number == 1, 0.0, later)


def _read(correct: Any) -> NDArray[np.bool_]:
    """Return, for each answer, whether it is right."""
    given = np.atleast_1d(np.asarray(correct))
    if given.ndim != 1:
        raise ValueError(
            f"correct has shape {given.shape}. Pass a list with True or 1 for each right answer and False or 0 for "
            "each wrong one."
        )
    if given.dtype == np.bool_:
        return given
    is_number = np.issubdtype(given.dtype, np.number) or given.dtype == object
    bad = pd.isna(given) if is_number else np.ones(len(given), dtype=np.bool_)
    if not bad.any():  # a missing entry of pandas equals nothing, and cannot be compared
        bad = ~np.isin(given, [0, 1])
    if bad.any():
        at = int(np.argmax(bad))
        raise ValueError(
            f"correct holds {given[at : at + 1].tolist()[0]!r} at position {at}. Pass True or 1 for a right answer, "
            "False or 0 for a wrong one."
        )
    return np.asarray(given == 1, dtype=np.bool_)
