"""The metric of a scorer, by its name."""

from collections.abc import Mapping
from typing import Any

import sklearn.metrics

from skconf._core.messages import suggest
from skconf.metrics._base.registry import SCORERS, Preset, meant_by, metric_classes


def scorer_names() -> list[str]:
    """Return the names of all scorers, sorted."""
    return sorted(SCORERS)


def find_metric(name: str) -> tuple[type[Any], Preset]:
    """Return the definition and the preset of a scorer, by its name."""
    known = SCORERS.get(name)
    if known is not None:
        return known
    theirs = sklearn.metrics.get_scorer_names()
    if name in theirs:
        hint = " It is a scorer of scikit-learn: use sklearn.metrics.get_scorer, or confidence_scoring."
    else:
        stem = name.lower().removeprefix("neg_")
        named = [cls for function, cls in metric_classes().items() if function == stem] or meant_by(stem)
        own = {scorer: preset for cls in named for scorer, preset in cls.info.scorers.items()}
        meant = [scorer for scorer, preset in own.items() if not preset.params] or list(own)
        hint = (
            f"{suggest(name.lower(), [*scorer_names(), *theirs], meant)} skconf.get_scorer_names() lists all scorers."
        )
    raise ValueError(f"There is no scorer {name!r}.{hint}")


def metric_of_scorer(name: str, params: Mapping[str, Any]) -> tuple[Any, Preset]:
    """Return the metric and the preset of a scorer, by its name and parameters, which may include `pos_label`.

    ValueError: there is no such scorer, or a parameter is out of range or contradicts the name. TypeError: a parameter
    is unknown.
    """
    metric_class, preset = find_metric(name)
    own = {key: value for key, value in params.items() if key != "pos_label"}
    if "average" in own and own["average"] is None:
        raise ValueError("average=None gives a value for each class, but a score is one number. Choose an average.")
    metric = metric_class.with_params({**preset.params, **own})
    for key in preset.params.keys() & own.keys():
        if own[key] != preset.params[key]:
            plain = [scorer for scorer, other in metric_class.info.scorers.items() if not other.params]
            remedy = f"Use get_scorer({plain[0]!r}, {key}={own[key]!r})." if plain else f"Leave {key} out."
            raise ValueError(
                f"{name!r} means {key}={preset.params[key]!r}, which {key}={own[key]!r} contradicts. {remedy}"
            )
    return metric, preset
