"""What users hand in beside metrics and predictions: how to resample."""

from numbers import Integral
from typing import Any

import numpy as np

from skconf._core.checks import check_whole


def read_resampling(n_resamples: Any, random_state: Any, n_jobs: Any, progress: bool = False) -> dict[str, Any]:
    """Return how to resample, checked."""
    check_whole(n_resamples, "n_resamples", 2)
    if not (random_state is None or isinstance(random_state, Integral | np.random.Generator)):
        raise TypeError(
            "random_state must be None, a whole number or a numpy.random.Generator, but is "
            f"{type(random_state).__name__}."
        )
    return {"n_resamples": n_resamples, "random_state": random_state, "n_jobs": n_jobs, "progress": progress}
