"""Sequences of tokens: how right each is, and how right it is expected to be."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.inputs import check_unit_column
from skconf._core.probabilities import Floats


def graded_sequences(
    correct: Sequence[ArrayLike], confidence: Sequence[ArrayLike], *, of_all: bool
) -> tuple[NDArray[Any], Floats]:
    """Return correctness and confidence of each sequence: of all tokens together, or in the mean."""
    if len(correct) != len(confidence) or len(correct) == 0:
        raise ValueError(
            f"correct holds {len(correct)} sequences, and confidence {len(confidence)}; pass an array of tokens for "
            "each of one sequence or more."
        )
    right, sure = np.empty(len(correct)), np.empty(len(correct))
    for i, (tokens, chances) in enumerate(zip(correct, confidence, strict=True)):
        chance = check_unit_column(chances, None, f"confidence[{i}]")
        token = check_unit_column(tokens, len(chance), f"correct[{i}]")
        if ((token != 0) & (token != 1)).any():
            raise ValueError(f"correct[{i}] must hold 0 and 1 (or booleans), a number for each token.")
        right[i] = token.all() if of_all else token.mean()
        sure[i] = chance.prod() if of_all else chance.mean()
    return right, sure
