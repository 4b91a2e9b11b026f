"""The sums and tables of each part, from which scores are computed later."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.groups import Groups
from skconf._core.inputs import refuse_scaled
from skconf._core.labels import Codes
from skconf._core.warn import warn, warn_each
from skconf.accumulation._levels import LevelTable
from skconf.accumulation._scores import MOST_SUMS, Score, ScoreOfClasses, ScoreOfSums, as_score
from skconf.accumulation._state import CONFIDENCE, SCORE, State, SumVector, Task, Totals, table_of_class
from skconf.metrics._base.columns import lost
from skconf.metrics._base.kinds import Additive, Sums, Term, merge
from skconf.metrics._base.sums import BlockSums
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic

#: Smallest limit of the levels of a table, and the default limit.
FEWEST_LEVELS, MAX_LEVELS = 1 << 10, 1 << 16
#: Probabilities that are added to tables at once, and the fewest samples of a batch.
_AT_ONCE, _FEWEST_ROWS = 1 << 18, 1 << 14
#: Probabilities of which terms are computed at once, and the fewest samples: enough that overhead is small.
_MOST_NUMBERS, _FEWEST = 1 << 18, 1 << 8


class Plan:
    """Computes the sums and tables of parts, from which several scores are computed.

    Parameters
    ----------
    statistics : mapping of str to Statistic
        The scores. Each key is also the key of the result.
    intervals : bool
        Whether second moments are kept.
    max_levels : int
        Largest number of levels of a table.
    labels : ndarray of shape (n_classes,) or None
        The labels that all predictions must have. None allows any labels.
    pos_label : label or None
        The positive class that all predictions must have. None allows any.
    """

    def __init__(
        self,
        statistics: Mapping[str, Statistic],
        *,
        intervals: bool,
        max_levels: int = MAX_LEVELS,
        labels: NDArray[Any] | None = None,
        pos_label: Any = None,
    ) -> None:
        self.statistics, self.intervals, self.max_levels = statistics, intervals, max_levels
        self.labels, self.pos_label = labels, pos_label
        self.scores: dict[str, Score] = {}
        #: One score for each list of terms.
        self.summed: dict[str, ScoreOfSums] = {}
        #: Scores that use the probabilities of classes, by the name of the weights.
        self.of_classes: dict[str, list[ScoreOfClasses]] = {}
        self.of_confidences = False
        for name, statistic in statistics.items():
            score = self.scores[name] = as_score(name, statistic)
            if isinstance(score, ScoreOfSums):
                self.summed[score.terms] = score
            elif isinstance(score, ScoreOfClasses):
                self.of_classes.setdefault(score.weighted_by, []).append(score)
            else:
                self.of_confidences = True
        #: Whether any score is computed from tables.
        self.has_tables = self.of_confidences or bool(self.of_classes)

    def __reduce__(self) -> Any:
        # Made anew, once for all accumulators that are pickled together.
        options = {name: getattr(self, name) for name in ("intervals", "max_levels", "labels", "pos_label")}
        return partial(Plan, **options), (self.statistics,)

    def read(self, profile: ConfidenceProfile, groups: Groups | None = None, onto: State | None = None) -> Totals:
        """Return the sums and tables of some predictions, by group. Tables that are rounded in `onto` are rounded, too.

        Raise if a score is not defined for these predictions, or if they cannot be added to the earlier ones in `onto`.
        """
        if profile.abstained is not None:
            gone, n_rows = profile.n_rows - len(profile), profile.n_rows
            raise ValueError(
                f"The model abstains in {gone:,} of {n_rows:,} rows, but accumulators only accept rows with an "
                "answer. Leave the other rows out of every part. All metrics of the answers are then exact. For the "
                "coverage of all rows, multiply the coverage of the answers by the share of rows with an answer. Or "
                "evaluate all rows together, in memory."
            )
        if profile.prevalence is not None:
            raise ValueError(
                "at_prevalence computes weights from the shares of the classes in a part, but these shares differ from "
                "the shares in all rows. Evaluate all rows together, in memory. Or pass sample_weight: for each row, "
                "the share of its class where the model is used, divided by the share of this class in all rows."
            )
        task = Task.of(profile)
        self.check(task, onto)
        self._check_metrics(profile)
        weight, labels = profile.sample_weight, [None] if groups is None else groups.labels.tolist()
        if groups is None:
            n_samples = len(profile)
            counts = np.array([[n_samples, n_samples if weight is None else np.count_nonzero(weight)]])
            sums, parts = self.sums(profile), [profile]
        else:
            rows = groups.codes, groups.codes if weight is None else groups.codes[weight > 0]
            counts = np.stack([np.bincount(of, minlength=len(labels)) for of in rows], axis=1)
            sums = self.sums(profile, groups.codes, len(labels))
            parts = [profile[of] for of in groups.members()] if self.has_tables else []
        tables: list[Mapping[str, LevelTable]] = [{}] * len(labels)
        if self.has_tables:
            rounded = set() if onto is None else {name for name, table in onto.tables.items() if not table.exact}
            tables = [self.tables(part, rounded) for part in parts]
        return Totals(dict(zip(labels, range(len(labels)), strict=True)), counts, task, sums, tables)

    def check(self, task: Task, onto: State | None = None) -> None:
        """Raise if predictions cannot be added to earlier ones."""
        if self.labels is not None:
            task.check_same(replace(task, classes=self.labels))
        if self.pos_label is not None and task.positive_label != self.pos_label:
            raise ValueError(
                f"pos_label is {self.pos_label!r}, but the pos_label of these predictions is {task.positive_label!r}. "
                "Use the same for both."
            )
        if onto is not None:
            task.check_same(onto.task)

    def check_exact(self, states: Iterable[State]) -> None:
        """Raise if there are too many distinct confidences for a metric."""
        for state in states if self.has_tables else ():
            for name, score in self.scores.items():
                if not score.takes_rounded and not score.is_exact(state):
                    raise ValueError(
                        f"{name} cannot be computed from more than {self.max_levels:,} distinct confidences. They "
                        "would have to be rounded, and the error that this causes in the metric is unknown. Leave "
                        "the metric out, raise max_levels, or round the confidences yourself, for instance to four "
                        "decimals."
                    )

    def merged(self, onto: State | None, part: State) -> State:
        """Return the merged state; raise if states do not match, or have too many distinct confidences for a metric."""
        self.check(part.task, onto)
        state = part if onto is None else onto.merged(part)
        self.check_exact([state])
        return state

    def values(self, state: State) -> dict[str, float]:
        """Return the scores. An undefined score is NaN, with a warning."""
        return {name: self.value(name, state) for name in self.scores}

    def value(self, name: str, state: State) -> float:
        """Return a score. If it cannot be computed, it is NaN, with a warning, so that other scores are not lost."""
        try:
            value, notices = self.scores[name].evaluate(state)
        except (ValueError, ArithmeticError) as error:
            warn(f"{name} is undefined here and is NaN: {error}", UndefinedMetricWarning)
            return float("nan")
        warn_each(notices)
        return value

    def error_bounds(self, state: State) -> dict[str, float]:
        """Return, for each score, a bound on the error that comes from rounding the confidences."""
        return {name: score.error_bound(state) for name, score in self.scores.items()}

    def _check_metrics(self, profile: ConfidenceProfile) -> None:
        """Raise if a score is not defined for these predictions."""
        for statistic in self.statistics.values():
            statistic.check_positive(profile.classes, profile.positive_class)
            statistic.metric.check_kind(profile)
        if self.of_confidences and profile.kind == "costs":
            raise ValueError(
                "Areas under curves of costs cannot be accumulated, because at each confidence, accumulators keep the "
                "weights of right and wrong answers, but no costs. Leave these areas out, or compute them from "
                "predictions in memory."
            )
        refuse_scaled("A metric of parts", profile.weight_scale)

    def sums(self, profile: ConfidenceProfile, groups: Codes | None = None, n_groups: int | None = None) -> SumVector:
        """Return the sums of all terms; with groups, of each group."""
        total: dict[str, Sums] = {}
        for rows, block in profile.blocks(max(_MOST_NUMBERS // (profile.n_classes or 1), _FEWEST)):
            part = self._sums(block, None if groups is None else groups[rows], n_groups or 1)
            total = {key: merge(total[key], of) for key, of in part.items()} if total else part
        return SumVector.of(total, n_groups)

    def tables(self, profile: ConfidenceProfile, rounded: Container[str]) -> dict[str, LevelTable]:
        """Return the tables. Those whose names are in `rounded` are rounded to the grid from the start."""
        tables: dict[str, LevelTable] = {}
        step = max(_AT_ONCE // (profile.n_classes or 1 if self.of_classes else 1), _FEWEST_ROWS)
        for start in range(0, len(profile), step):
            for name, limit, samples in self._samples(profile[start : start + step]):
                table = tables.get(name, LevelTable.empty(limit, exact=name not in rounded))
                tables[name] = table.extended(*samples)
        return tables

    def _sums(self, block: ConfidenceProfile, groups: Codes | None, n_groups: int) -> dict[str, Sums]:
        """Return the sums of all terms; for intervals, also sums of products, and sums expected under calibration."""
        sums = BlockSums(block, groups, n_groups)
        blocks, by_name = {None: block}, dict[str, Sums]()
        for key, score in self.summed.items():
            metric, label = score.statistic.metric, score.statistic.pos_label
            if label not in blocks:
                blocks[label] = block.with_positive(label)
            terms = metric.terms(blocks[label])
            values = by_name[f"values/{key}"] = tuple(map(sums.of, terms))
            if self.intervals and sum(map(np.size, values)) <= MOST_SUMS * n_groups:
                by_name[f"products/{key}"] = sums.products(terms)
                by_name[f"errors/{key}"] = sums_of_errors(metric.counted(block), block, sums)
                if metric.zero_if_calibrated:
                    expected, deviations = calibrated_terms(metric, block)
                    by_name[f"expected/{key}"] = tuple(map(sums.of, expected))
                    by_name[f"variances/{key}"] = sums.products(deviations)
        return by_name

    def _samples(self, profile: ConfidenceProfile) -> Iterator[tuple[str, int, tuple[Any, ...]]]:
        """Yield what each table is made of: its name, its limit, and its samples as score, kind and weight."""
        weight = profile.sample_weight
        if self.of_confidences:
            yield CONFIDENCE, self.max_levels, (profile.confidence, profile.correctness, weight)
            if not profile.ranks_by_confidence:
                yield SCORE, self.max_levels, (profile.score, profile.correctness, weight)
        if self.of_classes:
            true_class, task = profile.require("true_class"), Task.of(profile)
        for name, scores in self.of_classes.items():
            weight = scores[0].statistic.metric.weight(profile)
            codes = sorted({code for score in scores for code in score.codes(task)})
            limit = max(self.max_levels // len(codes), FEWEST_LEVELS)
            for code in codes:
                yield table_of_class(name, code), limit, (profile.proba[:, code], true_class == code, weight)


def calibrated_terms(metric: Additive, profile: ConfidenceProfile) -> tuple[list[Term], list[Term]]:
    """Return the means and standard deviations of the terms if the confidences are calibrated.

    An answer with confidence c is then right with probability c. A term is x₁ for a right answer and x₀ for a
    wrong one. Its mean is c x₁ + (1 − c) x₀, and its standard deviation is sqrt(c (1 − c)) (x₁ − x₀). For a graded
    correctness z, the root is replaced by z − c, because only this is known.
    """
    sure = profile.confidence
    apart = np.sqrt(sure * (1 - sure)) if profile.kind == "right or wrong" else profile.correctness - sure
    both = (metric.terms(profile.with_correctness(np.full(len(sure), right))) for right in (True, False))
    expected, deviations = [], []
    for right, wrong in zip(*both, strict=True):
        if np.ndim(right.values) == 0 and right.values == wrong.values:  # the term does not depend on correctness
            expected.append(wrong)
            deviations.append(replace(wrong, values=0.0))
            continue
        gain = np.asarray(right.values, dtype=np.float64) - np.asarray(wrong.values)
        expected.append(replace(right, values=wrong.values + sure * gain))
        deviations.append(replace(right, values=apart * gain))
    return expected, deviations


def sums_of_errors(counted: NDArray[np.bool_] | None, profile: ConfidenceProfile, sums: BlockSums) -> Sums:
    """Return Σ w of the errors (or other losses), Σ w of all that a metric counts, and Σ w²."""
    of = () if counted is None else (counted,)
    return sums.total(lost(profile), *of), sums.total(*of), sums.total(*of, power=2)
