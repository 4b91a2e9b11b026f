"""Guesses of what the columns of a file hold.

A guess is made only if exactly one reading fits the data, and it is always reported. Readings are tried if the usual
names are not enough. If none fits, the error says why, and what to do.
"""

import re
from collections.abc import Callable, Sequence
from shlex import quote
from typing import Any

import numpy as np

from skconf._core.columns import PREFIX
from skconf._core.grades import example_of, words_in
from skconf._core.messages import option, shorten
from skconf._core.usual_names import (
    CONFIDENCES,
    CONFIDENCES_OR_POSITIVES,
    CORRECTNESS,
    IDS,
    INDICES,
    POSITIVES,
    PREDICTIONS,
    spelled,
)
from skconf.tables._arrow_columns import ONE_LABEL
from skconf.tables._columns import Columns, NoPredictionsError
from skconf.tables._csv import first_line_is_data
from skconf.tables._entries import PERCENTAGES, holds_lists, is_percentage
from skconf.tables._fitting import ROUNDING, Readings, is_by_size
from skconf.tables._reading import names_in_words, several_readings

#: The number of rows that decide on a reading.
HEAD_ROWS = 10_000
#: If no column has a usual name, this many columns are tried as true labels, for an error that names them.
_MOST_TARGETS = 50
#: Advice names at most this many classes.
_MOST_CLASSES = 20
#: A list of numbers as text, as tools write it in CSV: "[0.1, 0.9]", "[0.1 0.9]".
_LIST_AS_TEXT = re.compile(r"\[\s*[-+.\d]+([eE][-+]\d+)?([,\s]+[-+.\d]+([eE][-+]\d+)?)+\s*\]")


def guess(columns: Columns, names: Sequence[Any], read: Callable[[list[Any]], Any]) -> tuple[Columns, str]:
    """Return the columns of a file, guessed if necessary, and a text on what was guessed.

    A guess never contradicts the columns that the user names. If several readings fit, the error lists two of them, and
    names the option that chooses. If none fits, it says why. `read` returns the first rows of some columns as a table.
    """
    possible = Readings(columns, list(names), read)
    readings = list(possible.fitting())
    if len(readings) == 1:
        return readings[0].completed(columns), f"read {readings[0]}{_left_out(names)}"
    raise several_readings(readings) if readings else _no_predictions(possible)


def _left_out(names: Sequence[Any]) -> str:
    """Return a clause on ignored columns that hold row numbers."""
    columns = [repr(name) if name else "the column without a name" for name in names if spelled(name) in INDICES]
    hold = "holds" if len(columns) == 1 else "hold"
    return f"; ignored {names_in_words(columns, str)}, which {hold} row numbers" if columns else ""


def _no_predictions(possible: Readings) -> NoPredictionsError:
    """Return the error that says why no reading fits, and the options that resolve it."""
    text = f"cannot tell which of the columns {shorten(possible.names)} hold the predictions"
    if unnamed := first_line_is_data(possible.names):
        return NoPredictionsError(f"{text}{unnamed}", kind="no predictions")
    targets = list(filter(possible.may_be_labels, possible.targets()))
    if not targets:
        return NoPredictionsError(f"{text}.", kind="no predictions", advice=_advice_without_truth(possible))
    truth = possible.truth(targets[0])
    named = [
        name for name in possible.names if str(name) in truth or any(possible.is_named_by(name, each) for each in truth)
    ]
    sure = [name for name in possible.names if spelled(name) in CONFIDENCES | CONFIDENCES_OR_POSITIVES | POSITIVES]
    for name in [*named, *sure]:
        if len(texts := possible.texts(name)) and is_percentage(texts[0]):
            text = f"column {name!r} has {texts[0]!r} in "
            return NoPredictionsError(text, 0, f". {PERCENTAGES}", kind="not a number", column=name)
    row, rest = None, "."
    text = f"{text}: {targets[0]!r} may be the true label, with the values {names_in_words(truth)}"
    if len(named) > 1 and not np.isnan(values := possible.matrix(named)).any():
        off = np.abs(values.sum(axis=1) - 1)
        if off.max() > ROUNDING:
            row = int(np.argmax(off))
            text, rest = f"{text}, but {names_in_words(named)} sum to {values[row].sum():.4g} in ", ", not to 1."
    return NoPredictionsError(text, row, rest, kind="no predictions", advice=_advice(possible, targets[0], sure))


def _advice_without_truth(possible: Readings) -> str:
    """Say how to name the true labels, or the columns that replace them."""
    if (named := possible.targets()) and holds_lists(possible.loaded(named)[0]):
        return f"{named[0]!r} holds lists. {ONE_LABEL}"
    if correct := possible.called("correct", CORRECTNESS):
        return (
            f"{correct[0]!r} alone is not enough: use {option('confidence')} to name the column of the confidence in "
            "the answers."
        )
    likely = [name for name in possible.names if spelled(name) not in PREDICTIONS and "pred" not in spelled(name)]
    likely = likely[:_MOST_TARGETS]
    meant = [name for name in likely if _reads(possible, name)]
    if not meant:
        of_two = [name for name in likely if len(possible.truth(name)) == 2]
        meant = of_two if len(of_two) == 1 and "correct" not in spelled(of_two[0]) else []
    such = f", such as {' or '.join(option('target', name) for name in meant)}" if meant else ""
    if any(spelled(name) in CONFIDENCES for name in possible.names):
        return (
            f"Use {option('correct')} to name the column that says whether answers are right. If there is none, use "
            f"{option('target')} to name the column of true labels{such}."
        )
    advice = (
        f"Use {option('target')} to name the column of true labels{such}. If there is none, use {option('correct')} to "
        f"name the column of correctness, and {option('confidence')} to name the column of confidence."
    )
    ids = [name for name in possible.names if spelled(name) in IDS]
    if ids and not meant:
        match = f"skconf evaluate FILE --truth OTHER --id {quote(str(ids[0]))}"
        advice += f" If the true labels are in another file, match the rows: {match}."
    return advice


def _advice(possible: Readings, target: Any, sure: list[Any]) -> str:
    """Say how to name the predictions; `sure` are the columns with the name of a confidence or probability."""
    truth = possible.truth(target)
    if len(truth) <= _MOST_CLASSES and (classes := possible.in_order_of_labels(target)):
        return (
            f"{names_in_words(classes)} may be the probabilities of {names_in_words(truth, str)}: this order fits "
            f"best. If so, pass {option('proba', classes)} and {option('labels', truth)}."
        )
    if advice := _advice_on_probabilities(possible, truth):
        return advice
    for name in possible.strange(target):
        text = possible.texts(name)[0]
        return (
            f"{name!r} has {text!r}, which is not one of the true labels. Write predicted and true labels in the same "
            "way."
        )
    if sure and possible.predictions(target):
        if words := words_in(possible.loaded(sure[:1])[0]):
            return (
                f"If {shorten(words)} in {sure[0]!r} are confidences, use {option('grades')} to give each a number: "
                f"{example_of(words, of_truth=False)}."
            )
        return (
            f"If {sure[0]!r} is the confidence in the predicted label, pass {option('confidence', sure[0])}. If it "
            f"is the probability of one class, pass {option('proba', sure[0])} and {option('pos_label')}."
        )
    if found := possible.positive(target):
        name, label = found
        return (
            f"If {name!r} is the probability of {label}, pass {option('proba', name)} and {option('pos_label', label)}."
        )
    if advice := _advice_on_other_lists(possible):
        return advice
    return (
        f"Use {option('proba')} to name the columns of probabilities, and {option('labels')} to give their labels. Or "
        f"use {option('prediction')} to name the column of predicted labels, and {option('confidence')} to name the "
        "column of confidence."
    )


def _advice_on_probabilities(possible: Readings, truth: list[str]) -> str:
    """Say what to do with lists of probabilities, which may be written as texts; "" if no column has them."""
    for name in possible.may_be_lists():
        if _LIST_AS_TEXT.fullmatch("".join(possible.texts(name)[:1])):
            return (
                f"The lists in {name!r} are texts. Write a column for each number: "
                f"pd.read_csv(FILE).pipe(lambda table: table.join(table[{name!r}].str.strip('[] ').str.split("
                f"r'[,\\s]+', expand=True).add_prefix({PREFIX!r}))).to_csv(NAMED, index=False)"
            )
        values = possible.lists(name)
        if values is None:
            continue
        differ = possible.labels_beside(name, values.shape[1]) == []
        if differ or is_by_size(values):
            why = f"The lists in {name!r} are sorted by size, so the labels may be"
            why = f"The labels of the lists in {name!r} are" if differ else why
            return f"{why} in another order in each row. Write a column for each class instead, named {PREFIX}LABEL."
        order = option("labels", truth) if len(truth) == values.shape[1] else option("labels")
        return (
            f"If the lists in {name!r} are probabilities, pass {option('proba', name)} and {order}, with the labels in "
            "the order of the numbers in a list."
        )
    return ""


def _advice_on_other_lists(possible: Readings) -> str:
    """Say what to do with lists of numbers that are no probabilities, or with lists of anything else."""
    for name in possible.may_be_lists():
        values = possible.lists(name, whole=False)
        if values is not None:
            off = values[np.argmax(np.abs(values.sum(axis=1) - 1))]
            return (
                f"The lists in {name!r} are no probabilities: {shorten(off.tolist(), 3)} does not sum to 1. Convert "
                "scores or logits to probabilities with the softmax."
            )
        if holds_lists(possible.loaded([name])[0]) or "".join(possible.texts(name)[:1]).startswith(("[", "{")):
            return f"If {name!r} holds probabilities, write a column for each class instead, named {PREFIX}LABEL."
    return ""


def _reads(possible: Readings, target: Any) -> bool:
    """Return whether there is a reading with this column as the true labels."""
    texts = possible.texts(target)
    readings = (*possible.of_classes(target), *possible.of_one_number(target))
    return 1 < len(set(texts)) <= len(texts) / 2 and len(readings) > 0
