"""Synthetic confidence profiles: with known calibration, and from five kinds of selective models."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from skconf._core.checks import check_whole
from skconf._core.messages import suggest
from skconf._core.probabilities import Floats
from skconf.profile import ConfidenceProfile

Draw = Callable[[Any, int], Floats]


def _truncated_normal(rng: Any, n: int) -> Floats:
    """Draw from N(0.7, 0.1²) truncated to [0, 1). About one draw in a thousand lies outside and is drawn again."""
    sure = rng.normal(0.7, 0.1, n)
    while (outside := np.flatnonzero((sure < 0) | (sure >= 1))).size:
        sure[outside] = rng.normal(0.7, 0.1, outside.size)
    return sure


def _bimodal(rng: Any, n: int) -> Floats:
    low = rng.random_sample(n) < 0.5
    return np.where(low, rng.beta(0.5, 3.0, n), rng.beta(3.0, 0.5, n))


#: Distributions of confidence, by the names of the paper's Table 4.
DISTRIBUTIONS: dict[str, Draw] = {
    "Uniform": lambda rng, n: rng.uniform(0, 1, n),
    "Skew High": lambda rng, n: rng.beta(3.0, 0.5, n),
    "Skew Low": lambda rng, n: rng.beta(0.5, 3.0, n),
    "Bimodal": _bimodal,
    "Tight Hi": lambda rng, n: rng.uniform(0.8, 1.0, n),
    "Tight Lo": lambda rng, n: rng.uniform(0.0, 0.2, n),
    "Normal": _truncated_normal,
    "Log-Uniform Low": lambda rng, n: np.exp(rng.uniform(np.log(1e-4), np.log1p(-1e-6), n)),
    "Log-Uniform High": lambda rng, n: 1 - np.exp(rng.uniform(np.log(1e-6), np.log(0.9), n)),
    "Bell": lambda rng, n: rng.beta(5.0, 5.0, n),
}

#: Probability of being right at each confidence, in the order of the paper's Table 4.
MODES: dict[str, Callable[[Floats, Any], Floats]] = {
    "random_0.5": lambda c, rng: np.full_like(c, 0.5),  # noqa: ARG005
    "perfect": lambda c, rng: c,  # noqa: ARG005
    "underconf_linear": lambda c, rng: 0.2 + 0.8 * c,  # noqa: ARG005
    "underconf_sqrt": lambda c, rng: np.sqrt(c),  # noqa: ARG005
    "random_over_c": lambda c, rng: c + (1 - c) * rng.random_sample(len(c)),
    "overconf_sqrt": lambda c, rng: 1 - np.sqrt(1 - c),  # noqa: ARG005
    "overconf_half": lambda c, rng: 0.5 * c,  # noqa: ARG005
    "random_under_c": lambda c, rng: c * rng.random_sample(len(c)),
}


class _SelectiveModel(NamedTuple):
    """How often a simulated model knows the answer, and the ranges of its confidence if it does and if it does not."""

    known: float
    sure: tuple[float, float]
    unsure: tuple[float, float]


_SELECTIVE_MODELS = {
    "calibrated": _SelectiveModel(0.9, (0.8, 1.0), (0.5, 0.7)),
    "overconfident": _SelectiveModel(0.9, (0.9, 1.0), (0.9, 1.0)),
    # The paper gives no range. This one leads to the calibration error, CWSA and CWSA+ of Section 5.5 of the paper.
    "underconfident": _SelectiveModel(0.9, (0.3, 0.6), (0.3, 0.6)),
    "perfect": _SelectiveModel(1.0, (1.0, 1.0), (1.0, 1.0)),
    "random": _SelectiveModel(0.0, (0.3, 1.0), (0.3, 1.0)),
}
#: The kinds of `make_selective_model`, as the paper's Section 4.2 names them.
SELECTIVE_MODELS = tuple(_SELECTIVE_MODELS)


def make_confidence_profile(
    distribution: str = "Uniform",
    mode: str = "perfect",
    n_samples: int = 1000,
    random_state: Any = None,
) -> ConfidenceProfile:
    """Draw a binary confidence profile whose calibration is known.

    The confidence has the distribution `distribution`. The predicted class is 0 or 1 with equal probability. `mode`
    gives the probability that the prediction is right, for each confidence. The same seed gives the same confidences
    for every mode.

    Parameters
    ----------
    distribution : str, default="Uniform"
        "Uniform", "Skew High", "Skew Low", "Bimodal", "Tight Hi", "Tight Lo", "Normal", "Log-Uniform Low",
        "Log-Uniform High" or "Bell"; also in lower case, with underscores.
    mode : str, default="perfect"
        Probability that a prediction with confidence c is right: "random_0.5" (0.5), "perfect" (c), "underconf_linear"
        (0.2 + 0.8 c), "underconf_sqrt" (√c), "random_over_c" (uniform above c), "overconf_sqrt" (1 − √(1 − c)),
        "overconf_half" (c/2) or "random_under_c" (uniform below c).
    n_samples : int, default=1000
        Number of samples.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    ConfidenceProfile
        A profile with classes 0 and 1. The confidence of a prediction may be below 1/2.

    Raises
    ------
    ValueError
        If there is no such distribution or mode. The message names similar ones.

    References
    ----------
    .. [1] F. Martin-Maroto, N. Abderrahaman-Elena and G. G. de Polavieja, Beyond ECE: Calibrated Size Ratio, Risk
       Assessment, and Confidence-Weighted Metrics, arXiv:2605.01796, 2026, Table 4.

    Examples
    --------
    >>> from skconf.datasets import make_confidence_profile
    >>> from skconf.metrics import calibrated_size_ratio
    >>> profile = make_confidence_profile("Bell", "overconf_half", n_samples=10_000, random_state=0)
    >>> round(calibrated_size_ratio(profile), 2)
    1.61
    """
    check_whole(n_samples, "n_samples")
    draw, right_at = _look_up(distribution, DISTRIBUTIONS, "distribution"), _look_up(mode, MODES, "mode")
    rng = check_random_state(random_state)
    sure = draw(rng, n_samples)
    predicted = rng.randint(0, 2, n_samples)
    right = rng.random_sample(n_samples) < right_at(sure, rng)
    return ConfidenceProfile.from_predictions(
        np.where(right, predicted, 1 - predicted),
        np.where(predicted == 1, sure, 1 - sure),
        y_pred=predicted,
        labels=[0, 1],
    )


def make_selective_model(
    kind: str = "calibrated", n_samples: int = 1000, *, n_classes: int = 3, random_state: Any = None
) -> ConfidenceProfile:
    """Draw the answers of a model whose confidence behaves in a known way.

    The model knows the answer with a fixed probability. Otherwise it guesses among all classes, so some guesses are
    right. Its confidence is uniform in a range. The range depends on whether the model knows the answer, and not on
    whether it is right. The five kinds of models are those of [1]_. Even the "calibrated" model is underconfident
    in the answers that it knows, because they are always right.

    Parameters
    ----------
    kind : {"calibrated", "overconfident", "underconfident", "perfect", "random"}, default="calibrated"
        A "calibrated" model knows 90% of the answers, with a confidence in [0.8, 1]; if it guesses, the confidence is
        in [0.5, 0.7]. An "overconfident" model also knows 90%; all its confidences are in [0.9, 1]. An "underconfident"
        model also knows 90%; all its confidences are in [0.3, 0.6]. A "perfect" model knows all answers, with a
        confidence of 1. A "random" model knows no answer, with a confidence in [0.3, 1].
    n_samples : int, default=1000
        Number of samples.
    n_classes : int, default=3
        Number of classes among which the model guesses.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    ConfidenceProfile
        A profile of correctness and confidence, without classes.

    Raises
    ------
    ValueError
        If there is no such kind; the message names similar ones. If a number is too small.

    References
    ----------
    .. [1] K. Shahnazari, S. M. Ayyoubzadeh, M. Keshtparvar and P. Ghaffari, Trust, or Don't Predict: Introducing the
       CWSA Family for Confidence-Aware Model Evaluation, arXiv:2505.18622, 2025, Section 4.2.

    Examples
    --------
    >>> from skconf.datasets import make_selective_model
    >>> from skconf.metrics import cwsa_score
    >>> for kind in ["calibrated", "overconfident", "random"]:
    ...     print(kind, round(cwsa_score(make_selective_model(kind, 10_000, random_state=0), threshold=0.9), 2))
    calibrated 0.5
    overconfident 0.43
    random -0.18
    """
    check_whole(n_samples, "n_samples")
    check_whole(n_classes, "n_classes", 2)
    model = _look_up(kind, _SELECTIVE_MODELS, "kind")
    rng = check_random_state(random_state)
    known = rng.random_sample(n_samples) < model.known
    confidence = np.where(known, rng.uniform(*model.sure, n_samples), rng.uniform(*model.unsure, n_samples))
    return ConfidenceProfile.from_correctness(known | (rng.randint(n_classes, size=n_samples) == 0), confidence)


def _look_up(name: str, known: dict[str, Any], what: str) -> Any:
    plain = {_plain(key): value for key, value in known.items()}
    if _plain(name) not in plain:
        raise ValueError(f"There is no {what} {name!r}.{suggest(name, known)} Known: {', '.join(known)}.")
    return plain[_plain(name)]


def _plain(name: str) -> str:
    return name.lower().replace(" ", "_").replace("-", "_")
