"""The readings of a table that fit its data: what each of its columns may hold.

The names of columns suggest a reading (see `skconf._core.usual_names`). The first rows must agree with it: for example,
the probabilities of a row sum to 1, and there is one for each true label.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from skconf._core.columns import Spellings, plain
from skconf._core.grades import has_grades, number_of
from skconf._core.usual_names import (
    AROUND_LABELS,
    CONFIDENCES,
    CONFIDENCES_OR_POSITIVES,
    CORRECTNESS,
    IDS,
    INDICES,
    MAYBE_TARGETS,
    POSITIVES,
    PREDICTED,
    PREDICTIONS,
    TARGETS,
    spelled,
)
from skconf.tables._columns import Columns
from skconf.tables._entries import as_numbers, as_series, holds_lists
from skconf.tables._reading import Reading

#: If the numbers fall in each of this many lists, this is not by chance.
_MANY_LISTS = 10
#: Words in the names of columns that may hold lists of probabilities. Other columns are not read to find such lists.
_LISTS = re.compile("prob|score|softmax|conf|pred|output|logit", re.IGNORECASE)
#: For each column, the sum of probabilities with two decimals may differ from 1 by this much.
ROUNDING, _MOST_ROUNDING = 0.005, 0.1
#: The number of cells that are used to check whether probabilities sum to 1.
_MOST_CELLS = 1_000_000


class Readings:
    """Finds the readings of a table that fit its names and its first rows."""

    def __init__(self, columns: Columns, names: list[Any], read: Callable[[list[Any]], Any]) -> None:
        self.given, self.names, self.read = columns, names, read
        self.columns: dict[Any, pd.Series[Any]] = {}
        self.texts = cache(lambda name: _texts(self.loaded([name])[0]))
        self.numbers = cache(lambda name: self._as_numbers(self.loaded([name])[0]))

    def loaded(self, names: Sequence[Any]) -> list[Any]:
        """Return the first rows of columns. Columns that were not read before are read together, and kept."""
        lacking = [name for name in dict.fromkeys(names) if name not in self.columns]
        if lacking:
            table = self.read(lacking)
            self.columns |= {name: as_series(table[name]) for name in lacking}
        return [self.columns[name] for name in names]

    def matrix(self, names: Sequence[Any]) -> NDArray[Any]:
        rows = max(_MOST_CELLS // len(names), 1)
        columns = zip(names, self.loaded(names), strict=True)
        numbers = [self.numbers(name) if len(each) <= rows else self._as_numbers(each[:rows]) for name, each in columns]
        return np.stack(numbers, axis=1)

    def _is_graded(self, column: "pd.Series[Any]") -> bool:
        return self.given.grades is not None and has_grades(column, self.given.grades)

    def _as_numbers(self, column: "pd.Series[Any]") -> NDArray[Any]:
        """Return entries as numbers, or as the numbers of their grades; NaN for other entries."""
        grades = self.given.grades
        if grades is not None and self._is_graded(column):
            numbers = {value: number_of(value, grades) for value in column.dropna().unique()}
            return column.map(numbers).to_numpy(dtype=np.float64)
        return as_numbers(column)

    def fitting(self) -> Iterator[Reading]:
        """Return the readings that fit; if some have the probabilities of all classes, only these."""
        targets = self.targets()
        readings = [reading for target in targets for reading in self.of_classes(target)]
        readings = readings or [reading for target in targets for reading in self.of_one_number(target)]
        if not any(
            reading.confidence is not None or (reading.labels and not reading.of_single) for reading in readings
        ):
            readings += self._of_correctness()
        return iter(dict.fromkeys(readings))

    def targets(self) -> list[Any]:
        """Return the columns with a usual name of true labels; if the entries of some may be labels, only these.

        Columns with an ambiguous name, such as "class", are returned only if there are no others.
        """
        named = [self.called("target", aliases) for aliases in (TARGETS, MAYBE_TARGETS)]
        likely = ([name for name in names if self.may_be_labels(name)] for names in named)
        return next(filter(None, (*likely, *named)), [])

    def may_be_labels(self, name: Any) -> bool:
        """Return whether the entries of a column may be labels: they are not lists, and few are distinct fractions."""
        texts = self.texts(name)
        n_fractions = int(np.count_nonzero(self.numbers(name) % 1 > 0))
        return len(texts) > 0 and (name == self.given.target or 2 * min(n_fractions, len(set(texts))) <= len(texts))

    def called(self, role: str, aliases: Iterable[str], without: Iterable[Any] = ()) -> list[Any]:
        """Return the columns that may have a role: the column that the user names, or all columns with a usual name."""
        given = getattr(self.given, role)
        if given is not None:
            return [given]
        taken = {*self.given.named, *without}
        return [name for name in self.names if spelled(name) in aliases and name not in taken]

    def of_classes(self, target: Any) -> Iterator[Reading]:
        """Go through the readings with a column of probabilities for each class."""
        if self.given.correct is not None or self.given.confidence is not None:
            return
        if self.given.proba:
            yield Reading(target, self._prediction(target, self.given.proba), proba=tuple(self.given.proba))
            return
        truth = self.truth(target)
        families = list(self._families(target, truth))
        for family in families:
            proba, labels = tuple(family.values()), tuple(family)
            if self.given.labels is not None:
                asked = Spellings(family)
                labels = tuple(str(asked.label(label)) for label in self.given.labels)
                if set(labels) != set(family):
                    continue
                proba = tuple(family[label] for label in labels)
            if len(proba) > 1:
                yield Reading(target, self._prediction(target, proba), proba=proba, labels=labels)
        if not families:
            yield from self._of_lists(target, truth)

    def _of_lists(self, target: Any, truth: list[str]) -> Iterator[Reading]:
        """Go through the readings with a column of lists of probabilities, if the label of each position is known."""
        for name in self.may_be_lists():
            values = None if name == target or name in self.given.named else self.lists(name)
            if values is not None and not is_by_size(values):
                beside = self.labels_beside(name, values.shape[1])
                given = self.given.labels
                if given is None:
                    given = range(values.shape[1]) if beside is None else beside
                labels = tuple(map(plain, given))
                if len(labels) == values.shape[1] and set(truth) <= set(labels):
                    yield Reading(target, self._prediction(target, [name]), proba=(name,), labels=labels)

    def may_be_lists(self) -> list[Any]:
        return [name for name in self.names if _LISTS.search(str(name))]

    def lists(self, name: Any, *, whole: bool = True) -> NDArray[np.float64] | None:
        """Return the lists in a column as an array; None if they are not numbers or, with `whole`, do not sum to 1."""
        (column,) = self.loaded([name])
        if not holds_lists(column):
            return None
        try:
            values = np.stack([np.asarray(each, dtype=np.float64) for each in column.dropna()])
        except (TypeError, ValueError):  # of unequal lengths, or with something else than numbers
            return None
        if values.ndim != 2 or values.shape[1] < 2:
            return None
        is_whole = values.min() >= 0 and _off(values.sum(axis=1), 1) <= ROUNDING * 2
        return values if is_whole or not whole else None

    def labels_beside(self, name: Any, n_labels: int) -> list[Any] | None:
        """Return labels that stand in lists beside the lists of a column, such as "classes" beside "scores".

        [] means that their order differs from row to row, None that there are no such lists.
        """
        outer = str(name).rpartition(".")[0]
        others = [each for each in self.names if each != name and str(each).rpartition(".")[0] == outer]
        for column in self.loaded(others):
            if holds_lists(column) and _are_labels(first := column.iloc[0], n_labels):
                alike = all(np.array_equal(each, first) for each in column)
                return [*first] if alike else []
        return None

    def in_order_of_labels(self, target: Any) -> list[Any]:
        """Return neighbouring columns that sum to 1 in each row, one for each true label; [] if there are none.

        Their order is that of the sorted true labels, matched by their values.
        """
        truth, texts = self.truth(target), self.texts(target)
        others = [name for name in self.names if name != target and spelled(name) not in IDS | INDICES]
        self.loaded(others)
        others = [name for name in others if self._is_unit(name)]
        for start in range(len(others) - len(truth) + 1):
            run = others[start : start + len(truth)]
            if len(run) > 1 and self._are_probabilities(run, likely=False):
                values = self.matrix(run)[: len(texts)]
                sums = np.stack([np.nansum(values[texts[: len(values)] == label], axis=0) for label in truth])
                return [run[place] for place in linear_sum_assignment(sums, maximize=True)[1]]
        return []

    def positive(self, target: Any) -> tuple[Any, str] | None:
        """Return the only column that may be the probability of one of two labels, and this label.

        It is the label in whose rows the column has the larger mean.
        """
        truth, texts = self.truth(target), self.texts(target)
        others = [name for name in self.names if name != target]
        self.loaded(others)
        units = [name for name in others if self._is_unit(name) and np.nanmax(self.numbers(name) % 1) > 0]
        units = [name for name in units if np.nanmax(self.numbers(name)) <= 1]
        if len(truth) != 2 or len(units) != 1 or len(texts) != len(values := self.numbers(units[0])):
            return None
        return units[0], max(truth, key=lambda label: np.nanmean(values[texts == label]))

    def _families(self, target: Any, truth: list[str]) -> Iterator[dict[str, Any]]:
        """Go through families of columns of probabilities, by label.

        The names of a family differ only in the true label that each contains: p_cat and p_dog.
        """
        others = [name for name in self.names if name != target and name not in self.given.named]
        ways: dict[tuple[str, str], dict[str, Any]] = {}
        if len(truth) > len(others):
            return
        for name in others:
            for label in truth:
                for around in _around(name, label):
                    ways.setdefault(around, {})[label] = name
        for (before, after), family in ways.items():
            if len(family) == len(truth):
                yield from self._fitting_family(before, after, family, others)

    def _fitting_family(
        self, before: str, after: str, family: dict[str, Any], others: list[Any]
    ) -> Iterator[dict[str, Any]]:
        """Yield a family, alone or with columns of further classes, if one of these sets holds probabilities."""
        whole = family | self._of_other_classes(before, after, others, list(family))
        in_order = [
            {label: each[label] for label in sorted(each, key=lambda label: self.names.index(each[label]))}
            for each in (whole, family)
        ]
        fitting = [each for each in in_order if self._are_probabilities(list(each.values()), likely=False)]
        if not before and not after:
            fitting += self._runs_around(list(family.values()), others)
            fitting.sort(key=self._rounding)
        if not fitting and _are_of_probabilities(before, after):
            fitting = [each for each in in_order if self._are_probabilities(list(each.values()), likely=True)]
        yield from fitting[:1]

    def _runs_around(self, family: list[Any], others: list[Any]) -> Iterator[dict[str, Any]]:
        """Go through runs of neighbouring columns that contain a family and sum to 1 or 100.

        Their other columns may belong to classes that never occur as a true label. In each direction, only the run with
        the best sums is taken, and the shortest one if several are equally good.
        """
        self.loaded(others)
        places = [others.index(name) for name in family]
        after, before = others[max(places) + 1 :], others[: min(places)][::-1]
        for whole, beside in product((1, 100), (after, before, [*after, *before])):
            run = others[min(places) : max(places) + 1]
            total = np.sum([self.numbers(name) for name in run], axis=0)
            best, off = run, _off(total, whole)
            for name in beside:
                more = self.numbers(name)
                if more.min() >= 0 and (now := _off(total + more, whole)) <= off:
                    run, total = [*run, name], total + more
                    best, off = (run, now) if now < off else (best, off)
            if off <= _MOST_ROUNDING and self._are_probabilities(best, likely=False):
                yield {str(each): each for each in sorted(best, key=others.index)}

    def _rounding(self, family: dict[str, Any]) -> float:
        """Return by how much the sums of a family differ from 1 or 100."""
        sums = np.nansum(self.matrix(list(family.values())), axis=1)
        return min(_off(sums, whole) for whole in (1, 100))

    def _of_other_classes(self, before: str, after: str, others: list[Any], truth: list[str]) -> dict[str, Any]:
        """Return columns of classes that are never a true label, whose names are like those of the family."""
        others_named = {}
        places = [place for place, name in enumerate(others) if str(name) in truth]
        for place, name in enumerate(others):
            label = str(name).removeprefix(before).removesuffix(after)
            says_what_it_is = bool(before or after) or (label.isdigit() and all(each.isdigit() for each in truth))
            stands_among_them = len(places) > 1 and places[0] < place < places[-1]
            is_called_so = label and f"{before}{label}{after}" == str(name) and label not in truth
            if is_called_so and (says_what_it_is or stands_among_them):
                others_named[label] = name
        self.loaded(list(others_named.values()))
        return {label: name for label, name in others_named.items() if np.isnan(self.numbers(name)).mean() < 0.5}

    def _are_probabilities(self, proba: list[Any], likely: bool) -> bool:
        """Return whether columns sum to 1 or 100 in each row. If `likely`, values outside [0, 1] are accepted, too."""
        values = self.matrix(proba)
        whole = values[~np.isnan(values).any(axis=1)]
        if len(whole) < max(1, len(values) / 2):
            return likely
        sums = whole.sum(axis=1)
        out_of_range = whole.min() < 0 or whole.max() > 1
        fits = any(
            np.abs(sums - of).max() <= of * min(ROUNDING * max(len(proba), 2), _MOST_ROUNDING) for of in (1, 100)
        )
        return bool((fits and whole.min() >= 0) or (likely and out_of_range))

    def of_one_number(self, target: Any) -> Iterator[Reading]:
        """Go through the readings with the probability of one of two classes, or with a confidence."""
        truth, predictions = self.truth(target), self.predictions(target)
        for prediction in predictions or [None]:
            if self.given.correct is None and self.given.confidence is None:
                yield from self._of_probability(target, prediction, truth)
            if prediction is not None and not self.given.proba and self.given.correct is None:
                yield from self._of_confidence(target, prediction, predictions, truth)

    def _of_probability(self, target: Any, prediction: Any, truth: list[str]) -> Iterator[Reading]:
        """Go through the readings with the probability of one of two classes."""
        is_binary = set(truth) <= {"0", "1"}
        if len(truth) > 2 or (len(truth) < 2 and not is_binary):
            return
        of_answers = prediction is None and self.given.pos_label is None
        of_answers = of_answers and any(len(set(self.texts(each))) <= 2 for each in self.strange(target))
        for name, label in self._positives((target, prediction), truth):
            if of_answers and spelled(name) in CONFIDENCES_OR_POSITIVES and np.nanmin(self.numbers(name)) >= 0.5:
                continue  # it may be the confidence in these answers
            if prediction is None or self._is_sure_of(label, name, prediction):
                labels = ("0", "1") if is_binary else tuple(truth)
                yield Reading(target, prediction, proba=(name,), labels=labels, of_single=label)

    def _of_confidence(
        self, target: Any, prediction: Any, predictions: list[Any], truth: list[str]
    ) -> Iterator[Reading]:
        """Go through the readings with a confidence in a predicted label.

        A column with values below 0.5 may be the probability of one of two classes. It is then read only if its role is
        clear: the user names it, there are more than two classes, or it holds grades.
        """
        own = spelled(prediction), re.sub("_(label|class)$", "", spelled(prediction))
        aliases = CONFIDENCES | CONFIDENCES_OR_POSITIVES
        aliases |= {f"{name}_{word}" for name in own for word in aliases} | PREDICTIONS
        for name in self.called("confidence", aliases, [target, *predictions]):
            told = self.given.confidence is not None or len(truth) > 2 or self._is_graded(*self.loaded([name]))
            if self._is_unit(name) and (told or np.nanmin(self.numbers(name)) >= 0.5):
                yield Reading(target, prediction, confidence=name)

    def _positives(self, without: tuple[Any, ...], truth: list[str]) -> Iterator[tuple[Any, str]]:
        """Go through the columns that may be the probability of one of two classes, each with its class."""
        others = [each for each in self.names if each not in {*self.given.named, *without}]
        named = [each for each in others if any(self.is_named_by(each, label) for label in truth)]
        for name in self.given.proba or others:
            labels = [label for label in truth if self.is_named_by(name, label)]
            plainly = spelled(name) in POSITIVES | CONFIDENCES_OR_POSITIVES | PREDICTIONS
            if plainly or not len(labels) == len(named) == 1:
                labels = self._usual_positives(truth) if plainly or self.given.proba else []
            if labels and self._is_unit(name):
                yield from ((name, label) for label in labels)

    def _usual_positives(self, truth: list[str]) -> list[str]:
        """Return the classes whose probability a column may hold, if its name does not tell the class."""
        if self.given.pos_label is not None:
            return [plain(self.given.pos_label)]
        if self.given.labels is not None:
            return [plain(self.given.labels[-1])]
        return ["1"] if set(truth) <= {"0", "1"} else truth

    def is_named_by(self, name: Any, label: str) -> bool:
        return any(any(around) and _are_of_probabilities(*around) for around in _around(name, label))

    def _of_correctness(self) -> list[Reading]:
        if self.given.target is not None or self.given.proba:
            return []
        corrects = [name for name in self.called("correct", CORRECTNESS) if self._is_correctness(name)]
        aliases = CONFIDENCES | CONFIDENCES_OR_POSITIVES
        return [
            Reading(correct=correct, confidence=name)
            for correct in corrects
            for name in self.called("confidence", aliases, [correct])
            if self._is_unit(name)
        ]

    def predictions(self, target: Any) -> list[Any]:
        """Return the columns that may hold predicted labels: at least half of their entries occur as true labels."""
        if self.given.prediction is not None:
            return [self.given.prediction]
        known = set(self.truth(target))
        predictions = []
        for name in self.called_predictions(target):
            texts = self.texts(name)
            if len(texts) and np.isin(texts, list(known)).mean() >= 0.5:
                predictions.append(name)
        return predictions

    def strange(self, target: Any) -> list[Any]:
        """Return the columns that are called like predicted labels, but hold words of which none is a true label."""
        called, truth = self.called_predictions(target), self.truth(target)
        strange = [name for name in called if not np.isin(self.texts(name), truth).any()]
        return [name for name in strange if len(self.texts(name)) and np.isnan(self.numbers(name)).any()]

    def called_predictions(self, target: Any) -> list[Any]:
        """Return the columns whose name is usual for predicted labels.

        A column OUTER.label counts, too, if there is a column of its score, such as OUTER.score.
        """
        true = spelled(target)
        aliases = PREDICTIONS | {each for word in PREDICTED for each in (f"{word}_{true}", f"{true}_{word}")}
        aliases |= MAYBE_TARGETS if true in TARGETS else frozenset()
        scores = CONFIDENCES | CONFIDENCES_OR_POSITIVES
        scored = {place[0] for name in self.names if (place := str(name).rpartition("."))[2] in scores}
        aliases |= {spelled(f"{outer}.label") for outer in scored if f"{outer}.label" in self.names}
        return self.called("prediction", aliases, [target])

    def _prediction(self, target: Any, proba: Iterable[Any]) -> Any:
        """Return the column of predicted labels, if there is exactly one."""
        predictions = [name for name in self.predictions(target) if name not in proba]
        return predictions[0] if len(predictions) == 1 else None

    def truth(self, target: Any) -> list[str]:
        """Return the distinct labels of a column, sorted, as plain texts."""
        return sorted(set(self.texts(target)))

    def _is_unit(self, name: Any) -> bool:
        """Return whether a column holds numbers from 0 to 1, or to 100, or is named by the user."""
        if name in self.given.named:  # the error then says what it holds
            return True
        values = self.numbers(name)
        values = values[~np.isnan(values)]
        return len(values) > 0 and values.min() >= 0 and values.max() <= 100

    def _is_correctness(self, name: Any) -> bool:
        """Return whether a column says which answers are right.

        It holds 0 and 1. If the user names it, or its name begins with "correct", it may also hold grades.
        """
        if set(self.texts(name)) <= {"0", "1"}:
            return True
        values = self.numbers(name)
        called = self.given.correct is not None or spelled(name).startswith("correct")
        return called and len(values) > 0 and bool(((values >= 0) & (values <= 1)).all())

    def _is_sure_of(self, label: str, name: Any, prediction: Any) -> bool:
        """Return whether a class is predicted in exactly those rows whose probability is above some limit."""
        chosen, values = self.texts(prediction) == label, self.numbers(name)
        if len(chosen) != len(values) or chosen.all() or not chosen.any():
            return True
        return bool(np.nanmax(values[~chosen]) <= np.nanmin(values[chosen]))


def _off(sums: Any, whole: int) -> float:
    """Return the largest relative difference between sums and `whole`, rounded to three decimals."""
    return round(float(np.abs(sums / whole - 1).max()), 3)


def is_by_size(lists: NDArray[np.float64]) -> bool:
    """Return whether every list is sorted from large to small, as scores of the most probable labels are."""
    return lists.shape[1] > 2 and len(lists) >= _MANY_LISTS and bool((np.diff(lists) <= 0).all())


def _are_labels(entry: Any, number: int) -> bool:
    """Return whether an entry of a column is a list of `number` different texts."""
    return isinstance(entry, list | np.ndarray) and [*map(type, entry)] == [str] * number and len({*entry}) == number


def _around(name: Any, label: str) -> Iterator[tuple[str, str]]:
    """Go through the places of a label in the name of a column: the text before it, and the text after it."""
    text = plain(name)
    if text.isupper() and label not in text:  # as databases write names of columns
        label = label.upper()
    place = text.find(label)
    while place >= 0:
        yield text[:place], text[place + len(label) :]
        place = text.find(label, place + 1)


def _are_of_probabilities(before: str, after: str) -> bool:
    """Return whether the text around a label is empty or says that the column holds probabilities."""
    return "".join(filter(str.isalpha, (before + after).lower())) in AROUND_LABELS


def _texts(values: "pd.Series[Any]") -> NDArray[Any]:
    """Return the entries of a column as plain texts, without missing entries."""
    values = values.dropna()
    if holds_lists(values):
        return np.array([], dtype=object)
    codes, distinct = pd.factorize(values)
    texts = np.array([plain(label) for label in distinct], dtype=object)[codes]
    return texts[texts != ""]
