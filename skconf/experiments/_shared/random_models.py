"""Classifiers of several kinds with random parameters, which experiments compare."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from skconf._core.checks import check_option


def _whole(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def _forest(rng: np.random.Generator) -> Any:
    return RandomForestClassifier(
        _whole(rng, 10, 100), max_depth=_whole(rng, 2, 12), random_state=_whole(rng, 0, 2**31 - 1)
    )


def _network(rng: np.random.Generator) -> Any:
    """Return a perceptron with one or two layers, trained like the paper's convolutional networks (appendix A.2)."""
    return MLPClassifier(
        (int(rng.choice([32, 64, 128, 256])),) * _whole(rng, 1, 2),
        alpha=10 ** rng.uniform(-4, 1),
        batch_size=128,
        learning_rate_init=1e-3,
        max_iter=150,
        early_stopping=True,
        validation_fraction=0.1,
        n_iter_no_change=8,
        random_state=_whole(rng, 0, 2**31 - 1),
    )


#: Kinds of random models, by name.
KINDS: dict[str, Callable[[np.random.Generator], Any]] = {
    "logistic": lambda rng: LogisticRegression(C=10 ** rng.uniform(-4, 1), max_iter=1000),
    "forest": _forest,
    "tree": lambda rng: DecisionTreeClassifier(
        max_depth=_whole(rng, 3, 15), min_samples_leaf=_whole(rng, 1, 20), random_state=0
    ),
    "neighbors": lambda rng: KNeighborsClassifier(_whole(rng, 2, 50)),
    "bayes": lambda rng: GaussianNB(var_smoothing=10 ** rng.uniform(-9, 0)),
    "network": _network,
}
#: The kinds that are used by default.
DEFAULT_KINDS = ("logistic", "forest", "tree", "neighbors", "bayes")


def random_models(n_models: int, seed: int, kinds: Sequence[str] = DEFAULT_KINDS) -> list[Any]:
    """Return classifiers with random parameters, of each kind in turn."""
    for kind in kinds:
        check_option(kind, "kind", KINDS)
    if not kinds:
        raise ValueError(f"kinds is empty. Choose from {', '.join(KINDS)}.")
    rng = np.random.default_rng(seed)
    return [KINDS[kinds[number % len(kinds)]](rng) for number in range(n_models)]
