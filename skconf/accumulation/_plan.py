"""The sums and tables that are computed from the predictions of a part, and that determine the scores."""

from collections.abc import Container, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from skconf._core.arrays import keep_freed_pages
from skconf._core.inputs import refuse_scaled
from skconf._core.labels import Codes
from skconf.accumulation._levels import LevelTable
from skconf.accumulation._scores import MOST_SUMS, ScoreOfClasses, ScoreOfConfidences, ScoreOfSums, as_score
from skconf.accumulation._state import CONFIDENCE, SCORE, State, Task, table_of_class
from skconf.accumulation._sums import SumVector, calibrated_terms, sums_of_errors
from skconf.metrics._base.kinds import Sums, merge
from skconf.metrics._base.sums import BlockSums
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic

#: Fewest levels of a table.
FEWEST_LEVELS = 1024
#: Probabilities that are added to tables at once, and the fewest samples of a batch.
_AT_ONCE, _FEWEST_ROWS = 1 << 18, 1 << 14
#: Probabilities of which terms are computed at once, and the fewest samples: enough that overhead is small.
_MOST_NUMBERS, _FEWEST = 1 << 18, 1 << 8


class Plan:
    """Computes the sums and tables of parts for a number of scores.

    Parameters
    ----------
    statistics : mapping of str to Statistic
        The scores by the key of their result.
    intervals : bool
        Whether second moments are kept.
    max_levels : int
        Largest number of levels of a table.
    """

    def __init__(self, statistics: Mapping[str, Statistic], *, intervals: bool, max_levels: int) -> None:
        keep_freed_pages()
        self.statistics, self.intervals, self.max_levels = statistics, intervals, max_levels
        self.scores = {name: as_score(name, statistic) for name, statistic in statistics.items()}
        #: One score for each list of terms.
        self.summed = {score.terms: score for score in self.scores.values() if isinstance(score, ScoreOfSums)}
        self.of_confidences = any(isinstance(score, ScoreOfConfidences) for score in self.scores.values())
        #: Scores that use the probabilities of classes, by the name of the weights.
        self.of_classes: dict[str, list[ScoreOfClasses]] = {}
        for score in self.scores.values():
            if isinstance(score, ScoreOfClasses):
                self.of_classes.setdefault(score.weighted_by, []).append(score)

    def __reduce__(self) -> Any:
        # Made anew, once for all accumulators that are pickled together.
        return partial(Plan, intervals=self.intervals, max_levels=self.max_levels), (self.statistics,)

    @property
    def has_tables(self) -> bool:
        """Whether there are scores of tables."""
        return self.of_confidences or bool(self.of_classes)

    def read(self, profile: ConfidenceProfile, onto: State | None) -> State:
        """Return the state of some predictions; tables that are on the grid in `onto` are put on the grid at once."""
        self.check(profile)
        weight = profile.sample_weight
        n_units = len(profile) if weight is None else int(np.count_nonzero(weight))
        rounded = set() if onto is None else {name for name, table in onto.tables.items() if not table.exact}
        return State(len(profile), n_units, Task.of(profile), self.sums(profile), self.tables(profile, rounded))

    def check(self, profile: ConfidenceProfile) -> None:
        """Raise if a score is not defined for these predictions."""
        for statistic in self.statistics.values():
            statistic.check_positive(profile.classes, profile.positive_class)
            statistic.metric.check_kind(profile)
        if self.of_confidences and profile.kind == "costs":
            raise ValueError(
                "Areas under curves of costs cannot be accumulated: tables count right and wrong answers. Leave them "
                "out, or compute them from predictions in memory."
            )
        refuse_scaled("A metric of parts", profile.weight_scale)

    def sums(self, profile: ConfidenceProfile, groups: Codes | None = None, n_groups: int | None = None) -> SumVector:
        """Return the sums of all terms, of each group where there are groups."""
        found: dict[str, Sums] = {}
        for rows, block in profile.blocks(max(_MOST_NUMBERS // (profile.n_classes or 1), _FEWEST)):
            part = self._sums(block, None if groups is None else groups[rows], n_groups or 1)
            found = {key: merge(found[key], of) for key, of in part.items()} if found else part
        return SumVector.of(found, n_groups)

    def tables(self, profile: ConfidenceProfile, rounded: Container[str]) -> dict[str, LevelTable]:
        """Return the tables; those named `rounded` are put on the grid at once."""
        found: dict[str, LevelTable] = {}
        step = max(_AT_ONCE // (profile.n_classes or 1 if self.of_classes else 1), _FEWEST_ROWS)
        for start in range(0, len(profile), step):
            for name, limit, samples in self._samples(profile[start : start + step]):
                table = found.get(name, LevelTable.empty(limit, exact=name not in rounded))
                found[name] = table.extended(*samples)
        return found

    def _sums(self, block: ConfidenceProfile, groups: Codes | None, n_groups: int) -> dict[str, Sums]:
        """Return the sums of all terms; for intervals also those of products, and those expected under calibration."""
        sums = BlockSums(block.sample_weight, len(block), groups, n_groups)
        labels = {score.statistic.pos_label for score in self.summed.values()}
        blocks = {label: block if label is None else block.with_positive(label) for label in labels}
        found: dict[str, Sums] = {}
        for key, score in self.summed.items():
            metric = score.statistic.metric
            terms = metric.terms(blocks[score.statistic.pos_label])
            values = found[f"values/{key}"] = tuple(map(sums.of, terms))
            if self.intervals and sum(map(np.size, values)) <= MOST_SUMS * n_groups:
                found[f"products/{key}"] = sums.products(terms)
                found[f"errors/{key}"] = sums_of_errors(metric.counted(block), block, sums)
                if metric.zero_if_calibrated:
                    expected, deviations = calibrated_terms(metric, block)
                    found[f"expected/{key}"] = tuple(map(sums.of, expected))
                    found[f"variances/{key}"] = sums.products(deviations)
        return found

    def _samples(self, profile: ConfidenceProfile) -> Iterator[tuple[str, int, tuple[Any, ...]]]:
        """Yield the tables: name, limit, and the samples as score, kind and weight."""
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
