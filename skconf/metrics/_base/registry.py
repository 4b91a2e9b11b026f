"""The registry of metrics: a definition registers its facts, its public function and its scorers."""

import inspect
from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, Literal, dataclass_transform, get_args

from skconf._core.checks import INSTEAD, takes_no_estimator
from skconf._core.docstrings import LABELS, PREDICTED, PREDICTIONS, filled
from skconf._core.messages import suggest
from skconf.profile import as_profile


@dataclass(frozen=True)
class Preset:
    """What a named scorer means: parameters of the metric, and the function that turns its value into a score."""

    params: Mapping[str, Any] = field(default_factory=dict)
    transform: Any = None


@dataclass(frozen=True)
class Info:
    """The facts about a metric.

    Attributes
    ----------
    name : str
        Name of the public function.
    greater_is_better : bool or None
        Direction. None if neither higher nor lower is better, as for a ratio that should be 1.
    bounds : tuple of float
        Smallest and largest value.
    best : float or None
        The best possible value. None if there is none.
    reference : str
        Paper and equation.
    scorers : mapping of str to Preset
        Its named scorers.
    aliases : tuple of str
        Other names of the metric. If a user gives one of them, the error message gives the right name.
    """

    name: str
    greater_is_better: bool | None
    bounds: tuple[float, float]
    best: float | None
    reference: str
    scorers: Mapping[str, Preset] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()


#: Definitions by the name of their function, and by the names of their scorers.
_METRICS: dict[str, type["Registered"]] = {}
_SCORERS: dict[str, tuple[type["Registered"], Preset]] = {}
#: The definition and the preset behind each name of a scorer.
SCORERS: Mapping[str, tuple[type[Any], Preset]] = MappingProxyType(_SCORERS)
_AVERAGES = ("macro", "micro", "weighted")


class WeightMeaning(Enum):
    """The meaning of a sample weight, as in the documentation of `sample_weight`."""

    COUNTS = "Non-negative weights w. A sample of weight 2 counts as two samples."
    #: Between whole weights the value is interpolated.
    WHOLE_COUNTS = (
        "Non-negative weights w. A sample of weight 2 counts as two samples. For weights between whole numbers, the "
        "value is interpolated with the digamma function."
    )
    IMPORTANCES = (
        "Non-negative weights w. Only their ratios matter: if all weights are doubled, nothing changes. A sample of "
        "weight 2 is not the same as two samples, because the value also depends on the number of samples."
    )
    REFUSED = "It must be None, because this metric does not support weights."


#: What the value of a metric rests on, by which its confidence interval is chosen.
#:
#: - "errors": the errors that it counts, or the right answers if these are fewer. Examples: accuracy, Brier score.
#: - "order": the errors and their ranks by confidence, for which a single error is not enough. Examples: an area under
#:   a curve of right and wrong answers; with `class_shares`, an area for the samples of each class against the rest.
#: - "classes": the samples of each class, by its `class_shares`. Example: a mean over classes.
#: - "tail": errors that are so rare by their confidences that a sample often has none. Example: the size ratio.
#: - "samples": all samples alike, whichever answers are right. Examples: mean confidence, coverage.
RestsOn = Literal["errors", "order", "classes", "tail", "samples"]


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Registered(ABC):
    """Base of metrics: subclasses are frozen dataclasses, and one with a `name` also gets a function and scorers.

    Class keywords
    --------------
    name : str
        Name of the public function. Its ending gives the direction: with `_score`, higher is better; with `_loss` and
        `_error`, lower is better. For other names, `greater_is_better` gives the direction, if there is one.
    bounds, best, reference
        See `Info`.
    scorers : str or mapping of str to Preset
        A mapping from the name of each scorer to its preset, or the stem of the names, such as "ece". From a stem,
        names are made by scikit-learn's rules: the prefix is `neg_` if lower is better, and the suffixes are averages.
    aliases : tuple of str
        See `Info`.
    rests_on : {"errors", "order", "classes", "tail", "samples"}
        What the value depends on, as `RestsOn` explains. It is required for a metric that is one number. A base class
        may give it for its family.
    """

    info: ClassVar[Info]
    #: What the value rests on; it has no default, since a wrong one gives wrong intervals.
    rests_on: ClassVar[RestsOn]
    #: What a value is: a float, an array, or a named tuple.
    result: ClassVar[Any] = float
    #: What a sample weight means.
    weight_meaning: ClassVar[WeightMeaning] = WeightMeaning.COUNTS
    #: Text for places in the docstrings of subclasses, such as {averages}: what parameters of a family mean.
    shared_text: ClassVar[Mapping[str, str]] = MappingProxyType({})
    #: The public function; `skconf/metrics/__init__.pyi` declares its parameters for type checkers.
    function: ClassVar[Callable[..., Any]]

    def __init_subclass__(
        cls,
        *,
        name: str | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        best: float | None = 1.0,
        reference: str = "",
        greater_is_better: bool | None = None,
        scorers: str | Mapping[str, Preset] = MappingProxyType({}),
        aliases: tuple[str, ...] = (),
        rests_on: RestsOn | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init_subclass__(**kwargs)
        dataclass(frozen=True, kw_only=True, repr=False)(cls)
        if rests_on is not None:
            cls.rests_on = rests_on
        if name is not None or "info" in vars(cls):
            _check_rests_on(cls)
        if name is None:
            return
        if name.endswith(("_score", "_loss", "_error")):
            greater_is_better = name.endswith("_score")
        if isinstance(scorers, str):
            scorers = _presets(scorers, cls, greater_is_better)
        _refuse_taken(cls, name, scorers)
        cls.info = Info(name, greater_is_better, bounds, best, reference, scorers, aliases)
        cls.__doc__ = _documentation(cls)
        cls.function = staticmethod(_function(cls))
        _METRICS[name] = cls
        _SCORERS.update((scorer, (cls, preset)) for scorer, preset in scorers.items())

    @classmethod
    def with_params(cls, params: Mapping[str, Any]) -> Any:
        """Return what computes the metric with these parameters; raise if a parameter is unknown."""
        known = [f.name for f in fields(cls)]  # type: ignore[arg-type]
        for given in params:
            if given not in known:
                raise TypeError(
                    f"{cls.info.name}() has no parameter {given!r}."
                    f"{suggest(given, known)} Its own parameters are: {', '.join(known) or 'none'}."
                )
        return cls(**params).computed_by()

    def computed_by(self) -> Any:
        """Return what computes this metric: itself, or a `Substitute` if its parameters need another kind of metric."""
        return self

    def __repr__(self) -> str:
        given = [(f.name, getattr(self, f.name), f.default) for f in fields(self)]  # type: ignore[arg-type]
        params = ", ".join(f"{name}={value!r}" for name, value, default in given if repr(value) != repr(default))
        return f"{type(self).__name__}({params})"


def get_metric(metric: Any, /, **params: Any) -> Any:
    """Return the metric object of a public function, which is passed itself or by its name.

    Parameters
    ----------
    metric : callable or str
        A function of :mod:`skconf.metrics`, or its name.
    **params
        Parameters of the metric, such as `threshold` or `average`.

    Returns
    -------
    metric
        An object; ``metric(profile)`` is the value for a profile. An additive metric also has the methods `sums`,
        `combine`, `by_group`, `contributions` and `influence`.

    Raises
    ------
    ValueError
        If there is no such metric. The message names similar metrics.

    Examples
    --------
    >>> from skconf import ConfidenceProfile
    >>> from skconf.metrics import get_metric
    >>> accuracy = get_metric("cw_accuracy_score")
    >>> first = ConfidenceProfile.from_correctness([1, 1], [0.9, 0.8])
    >>> second = ConfidenceProfile.from_correctness([0, 1], [0.7, 0.6])
    >>> parts = zip(accuracy.sums(first), accuracy.sums(second))
    >>> float(accuracy.combine(*(a + b for a, b in parts)))
    0.766...
    """
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))
    found = _METRICS.get(name)
    if found is None or (not isinstance(metric, str) and metric is not found.function):
        meant = [cls.info.name for cls in meant_by(name)]
        raise ValueError(f"There is no metric {name!r}.{suggest(name, _METRICS, meant)} See skconf.metrics.__all__.")
    return found.with_params(params)


def metric_classes() -> Mapping[str, type[Any]]:
    """Return the definitions by the name of their function."""
    return MappingProxyType(_METRICS)


def forget(cls: type[Any]) -> None:
    """Remove a definition, such as one from a test."""
    del _METRICS[cls.info.name]
    for scorer in cls.info.scorers:
        del _SCORERS[scorer]


def meant_by(name: str) -> list[type[Any]]:
    """Return the definitions of the metrics that other libraries call by this name."""
    return [cls for cls in _METRICS.values() if name.lower() in cls.info.aliases]


def _refuse_taken(cls: type[Any], name: str, scorers: Mapping[str, Preset]) -> None:
    """Raise if another class already uses the name of the metric or of a scorer.

    The same class may be defined again.
    """
    own = scorers.get(name)
    if own is not None and (own.params or own.transform is not None):
        raise TypeError(f"The scorer {name!r} differs from the function of this name. Rename the scorer.")
    taken = [(f"metric's name {name!r}", _METRICS.get(name))]
    taken += [(f"scorer's name {scorer!r}", _SCORERS[scorer][0]) for scorer in sorted(scorers.keys() & _SCORERS.keys())]
    for what, other in taken:
        if other is not None and _place(other) != _place(cls):
            raise TypeError(f"The {what} is already used by {_place(other)}.")


def _place(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _check_rests_on(cls: type[Registered]) -> None:
    """Raise if `rests_on` is not a known word. Only a metric that is not one number may leave it out."""
    known, word = get_args(RestsOn), getattr(cls, "rests_on", None)
    if word in known or (word is None and cls.result is not float):
        return
    said = "does not say" if word is None else f"says {word!r} for"
    raise TypeError(
        f"{_place(cls)} {said} what its value depends on. The confidence interval depends on this. Add the class "
        f"keyword rests_on, with one of {', '.join(map(repr, known))}. RestsOn in skconf/metrics/_base/registry.py "
        "explains them."
    )


def _presets(stem: str, cls: type[Any], greater_is_better: bool | None) -> dict[str, Preset]:
    if greater_is_better is None:
        raise TypeError(
            f"{cls.__name__} does not say whether higher or lower is better, so its scorers cannot be named "
            "automatically. Define them as presets."
        )
    sign = None if greater_is_better else _negative
    name = stem if greater_is_better else f"neg_{stem}"
    if "average" not in {f.name for f in fields(cls)}:
        return {name: Preset(transform=sign)}
    return {
        name: Preset(transform=sign),  # of the positive class, as the metric itself
        **{f"{name}_{average}": Preset({"average": average}, sign) for average in _AVERAGES},
    }


def _negative(value: Any) -> Any:
    return -value


@dataclass(frozen=True)
class Nearness:
    """The score of a metric whose best value lies inside its range: minus the distance from the best value.

    Attributes
    ----------
    best : float
        The best value.
    """

    best: float

    def __call__(self, value: Any) -> Any:
        """Return the score of a value, or of several."""
        return -abs(value - self.best)


def _function(cls: type[Any]) -> Any:
    """Return the public function of a definition, with its parameters in the signature."""
    advice = INSTEAD
    if cls.info.scorers:
        advice += f" For scoring=, use skconf.get_scorer({next(iter(cls.info.scorers))!r})."

    @takes_no_estimator(advice)
    def function(
        y_true: Any,
        y_proba: Any = None,
        *,
        y_pred: Any = None,
        labels: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        **params: Any,
    ) -> Any:
        _refuse_misspelled(cls, params)
        metric = cls.with_params(params)
        given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
        return metric(as_profile(f"{cls.info.name}()", y_true, y_proba, **given))

    signature = inspect.signature(function)
    common = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    own = [inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default) for f in fields(cls)]
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=common[:-1] + common[-1:] + own
    )
    for each in (function, inspect.unwrap(function)):  # Python's own errors name the inner one
        each.__name__ = each.__qualname__ = cls.info.name
    function.__module__ = "skconf.metrics"  # where it is found by name, so that it pickles
    function.__doc__ = cls.__doc__
    function.__annotations__ = {}
    return function


def _refuse_misspelled(cls: type[Any], params: Mapping[str, Any]) -> None:
    """Raise if an unknown parameter is one of all metrics, misspelled or with its name in another library."""
    own = {f.name for f in fields(cls)}
    for given in [name for name in params if name not in own]:
        elsewhere = [name for name, others in _ELSEWHERE.items() if given in others]
        if meant := suggest(given, [*_OF_ALL, *own], elsewhere):
            raise TypeError(f"{cls.info.name}() has no parameter {given!r}.{meant}")


#: Parameters of all metrics, and what other libraries call them.
_OF_ALL = ("y_true", "y_proba", "y_pred", "labels", "pos_label", "sample_weight")
_ELSEWHERE = {
    "y_proba": ("y_score", "y_scores", "probas", "probabilities", "probs", "confidences"),
    "sample_weight": ("weights", "weight", "w"),
    "labels": ("classes", "class_names"),
}


_PREDICTIONS = f"""\
Parameters
----------
{PREDICTIONS}
{PREDICTED}
{LABELS}
sample_weight : array-like of shape (n_samples,), default=None
    {{weight}}"""

_RAISES = """\
Raises
------
TypeError
    If predictions are missing, or passed together with a profile that holds them.
ValueError
    If probabilities are missing or outside [0, 1]. If a label is missing or unknown. If lengths differ. If `labels` is
    needed but not given."""

_DIRECTION = {
    True: "higher is better",
    False: "lower is better",
    None: "neither higher nor lower is better",
}


def _documentation(cls: type[Any]) -> str:
    """Return the docstring of a definition, filled with the texts that all metrics share, or all of its family."""
    low, high = (_number(bound) for bound in cls.info.bounds)
    best = "" if cls.info.best is None else f", {_number(cls.info.best)} is best"
    places = {
        "{predictions}": _PREDICTIONS.replace("{weight}", cls.weight_meaning.value),
        "{raises}": _RAISES,
        "{facts}": f"In [{low}, {high}]; {_DIRECTION[cls.info.greater_is_better]}{best}.",
        "{reference}": cls.info.reference,
    }
    for base in reversed(cls.__mro__):
        places |= vars(base).get("shared_text", {})
    return filled(cls, places)


def _number(value: float) -> str:
    return {float("inf"): "∞", float("-inf"): "−∞"}.get(value, f"{value:g}")
