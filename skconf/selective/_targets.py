"""Read what is promised from the target that a user gave."""

from collections.abc import Mapping, Sequence
from typing import Any

from skconf._core.messages import from_probabilities, option, suggest
from skconf.selective._cells import BY_CLASS
from skconf.selective._promises import KINDS, ErrorRate, Promise
from skconf.selective._samples import Charge

#: Names of promises in other libraries.
_OTHER_NAMES = {
    "error_rate": "risk",
    "fnr": "false_negative_rate",
    "fpr": "false_positive_rate",
    "sensitivity": "recall",
    "tpr": "recall",
}


def names_of(kind: type, target: Any) -> list[str]:
    """Return the names in a target that stand for promises of the class `kind`."""
    if not isinstance(target, Mapping):
        return []
    return [risk for risk, each in KINDS.items() if issubclass(each, kind) and risk in target]


def read_promises(
    target: Any, labels: Sequence[Any] | None, slices: Any, charges: Mapping[str, Charge]
) -> list[Promise]:
    """Read the promises from a target: the largest risk, or a mapping. Without classes, `labels` is None.

    `charges` says what each prediction costs, for each promise of a mean cost.
    """
    if not isinstance(target, Mapping):
        return [ErrorRate("risk", ErrorRate.read(target, "target"))]
    if not target:
        raise ValueError(f"target is empty. Give at least one of: {', '.join(KINDS)}.")
    promises: list[Promise] = []
    for risk, value in target.items():
        if risk not in KINDS:
            raise ValueError(f"target has {risk!r}, but can only have {', '.join(KINDS)}.{_instead(risk, value)}")
        kind, name = KINDS[risk], f"target[{risk!r}]"
        if kind.of_class:
            promises += _of_classes(risk, value, labels, slices)
            continue
        allowed: Any
        if not isinstance(value, Mapping):
            allowed = kind.read(value, name)
        elif slices is None:
            raise ValueError(
                f"{name} has a target for each slice, but there are no slices. Pass one number, or "
                f"{option('slices', BY_CLASS)} for a target in each predicted class."
            )
        else:
            allowed = {key: kind.read(each, f"{name}[{key!r}]") for key, each in value.items()}
        promises.append(kind(risk, allowed, largest=charges[risk].largest if risk in charges else 1.0))
    return promises


def _instead(risk: Any, value: Any) -> str:
    """Return what to promise instead of an unknown name: a sentence after a space, or "" if nothing is close."""
    if risk in ("accuracy", "precision"):
        limit = f" of at most {1 - value:.6g}" if isinstance(value, int | float) and 0 < value < 1 else ""
        where = "" if risk == "accuracy" else f" in each predicted class ({option('slices', BY_CLASS)})"
        return f" Promise a risk{limit}{where} instead: the risk is 1 minus the {risk}."
    return suggest(str(risk), KINDS, [_OTHER_NAMES[risk]] if risk in _OTHER_NAMES else ())


def _of_classes(risk: str, given: Any, labels: Sequence[Any] | None, slices: Any) -> list[Promise]:
    """Read the promises of a rate from a mapping of class to target."""
    kind, name = KINDS[risk], f"target[{risk!r}]"
    if labels is None:
        raise ValueError(
            f"{name} is defined for a class, but only the correctness of each answer is known. "
            f"{from_probabilities()} Or use a target for the risk."
        )
    if isinstance(slices, str) and slices == BY_CLASS:
        raise ValueError(
            f"{name} is a rate among the samples of a true class. If slices are predicted classes, these samples are "
            "in several slices. Use a target for the risk, or leave slices out."
        )
    if not isinstance(given, Mapping) or not given:
        raise ValueError(f"{name} is defined for a class. Name the class, as in {{{labels[0]!r}: 0.1}}; got {given!r}.")
    promises, known = [], list(labels)
    for label, value in given.items():
        if label not in known:
            close = suggest(str(label), [str(one) for one in known])
            raise ValueError(f"{name} names the class {label!r}, but the classes are {known}.{close}")
        promises.append(kind(risk, kind.read(value, f"{name}[{label!r}]"), label, known.index(label)))
    return promises
