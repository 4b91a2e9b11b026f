"""Read the shares of classes that users give."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.columns import Spellings
from skconf._core.messages import brief, option, shorten, suggest
from skconf._core.probabilities import Floats

#: How far the sum of the shares of all classes may be from 1, because shares such as 0.333 are rounded.
_OFF_ONE = 1e-6


def read_shares(given: Any, classes: NDArray[Any], name: str = "prevalence") -> Floats:
    """Return the share of every class, from a mapping of labels to shares, which the user calls `name`.

    Shares lie above 0 and below 1, and their sum is 1. With two classes one share is enough; with more classes, all are
    needed. Raise a TypeError if no mapping is given or a share is not a number, and a ValueError for other mistakes.
    """
    if not isinstance(given, Mapping):
        share = given if isinstance(given, int | float) and 0 < given < 1 else 0.03
        example = {next(reversed(classes.tolist()), 1): share}
        raise TypeError(f"{name} must map labels to shares, such as {example!r}, but is {brief(given)}.")
    labels, known = classes.tolist(), Spellings(classes.tolist())
    where = {label: position for position, label in enumerate(labels)}
    shares = np.full(len(labels), np.nan)
    for each, share in given.items():
        label = each if each in where or not isinstance(each, str) else known.label(each)
        if label not in where:
            close = suggest(str(each), map(str, labels))
            raise ValueError(
                f"{name} gives a share for {each!r}, which is not among the labels {shorten(labels)}.{close}"
            )
        shares[where[label]] = check_share(share, f"{name} of {each!r}")
    lacking = np.isnan(shares)
    if len(labels) == 2 and lacking.sum() == 1:
        shares[lacking] = 1 - shares[~lacking]
    elif lacking.any():
        raise ValueError(
            f"{name} lacks the shares of {shorten(classes[lacking].tolist())}. With {len(labels)} classes, "
            f"{'one share is' if len(labels) == 2 else 'all shares are'} needed."
        )
    if abs(shares.sum() - 1) > _OFF_ONE:
        raise ValueError(
            f"{name} has shares with sum {shares.sum():.6g}, but the sum must be 1. Give the share of every class."
        )
    return np.asarray(shares / shares.sum())


def check_share(share: Any, name: str) -> float:
    """Return a share above 0 and below 1. If it is a percentage, the error says what to pass instead."""
    if isinstance(share, bool) or not isinstance(share, Real):
        raise TypeError(f"{name} must be a number above 0 and below 1, but is {share!r}.")
    number = float(share)
    if not 0 < number < 1:
        percent = f": for {number:g}% pass {number / 100:g}" if 1 <= number < 100 else ""
        raise ValueError(f"{name} must be above 0 and below 1, but is {number:g}{percent}.")
    return number


def weights_to_shares(
    codes: NDArray[np.intp], classes: NDArray[Any], shares: Floats, sample_weight: Floats | None
) -> Floats:
    """Return weights with mean 1 for which the classes have these shares; raise if a class has no row.

    Within each class, the ratios of given weights stay the same.
    """
    weight = np.ones(len(codes)) if sample_weight is None else sample_weight
    held = np.bincount(codes, weight, len(classes))
    if (held == 0).any():
        raise ValueError(
            f"{option('prevalence')} gives a share for {shorten(classes[held == 0].tolist())}, but no row with a "
            "positive weight has this class. Pass rows of every class."
        )
    return np.asarray(weight * (len(codes) * shares / held)[codes])
