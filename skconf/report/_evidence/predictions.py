"""The data of a report on predictions in memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.checks import check_confidence_level, check_number, check_option, check_prices
from skconf._core.messages import listed, option, suggest
from skconf._core.problems import noted
from skconf._core.warn import Notice, warn, warn_each
from skconf.metrics._base.registry import get_metric
from skconf.profile import ConfidenceProfile, as_profile
from skconf.report._evidence.evidence import LEVEL, Evidence
from skconf.report._evidence.intervals import interval_ends
from skconf.report._evidence.own_costs import own_parameters
from skconf.report._evidence.rows import Row, is_chosen, rows_of
from skconf.report._evidence.slices import Slices, read_slices
from skconf.report._evidence.tables import TableAlone, table_of_classes

#: Columns that describe a metric; every other column is a model.
OF_THE_METRIC = ("best", "better", "range", "best_model", "verdict")
#: The options of a report, besides predictions.
_OPTIONS = ("metrics", "threshold", "confidence_level", "baseline", "slices", "random_state", "errors", "prices")


def source_of(
    y_true: Any,
    y_proba: Any = None,
    *,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    prevalence: Mapping[Any, float] | None = None,
    by: str | None = None,
    zero_division: Any = "warn",
    **options: Any,
) -> Evidence | TableAlone:
    """Check and evaluate predictions. The parameters are those of :func:`skconf.confidence_report`."""
    given = {
        "y_pred": y_pred,
        "labels": labels,
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "groups": groups,
    }
    check_option(by, "by", (None, "class"))
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(f"a report has no option {name!r}.{suggest(name, [*_OPTIONS, 'prevalence'])}")
    if by is None:
        several = isinstance(y_true, Mapping) or isinstance(y_proba, Mapping)
        models = read_models(y_true, y_proba, beside={"slices": options.get("slices")}, **given)
        return evidence_of(models, several=several, prevalence=prevalence, **options)
    unused = [name for name, value in options.items() if value is not None]
    if unused:
        raise ValueError(f"by={by!r} reports fixed metrics of one model. Leave {listed(unused)} out.")
    profile = as_profile("A report", y_true, y_proba, **given)
    return table_of_classes(profile if prevalence is None else profile.at_prevalence(prevalence), zero_division)


def evidence_of(
    profiles: Mapping[Any, ConfidenceProfile],
    *,
    several: bool,
    metrics: Any = None,
    threshold: float | None = None,
    confidence_level: float | None = None,
    baseline: Any = None,
    slices: Any = None,
    random_state: Any = None,
    errors: float | Sequence[float] | None = None,
    prices: Sequence[float] | None = None,
    prevalence: Mapping[Any, float] | None = None,
) -> Evidence:
    """Evaluate predictions, and return the data of a report on them.

    `several` says whether models were given by name. The other parameters are as in :func:`skconf.confidence_report`.
    """
    if baseline is not None and not several:
        raise ValueError(f"baseline={baseline!r} needs several models, passed as mappings. Leave it out.")
    if baseline is not None and baseline not in profiles:
        raise ValueError(f"baseline={baseline!r} is not among the models {list(profiles)}.")
    if several:
        check_names(profiles, with_ends=confidence_level is not None)
    if prevalence is not None:
        profiles = _at_prevalence(profiles, prevalence, several=several)
    of_models = {} if slices is None else _slices(slices, profiles)
    if threshold is not None:
        get_metric("coverage_score", threshold=threshold)  # raises if it is out of range
        profiles = {model: replace(profile, threshold=threshold) for model, profile in profiles.items()}
    if confidence_level is not None:
        check_confidence_level(confidence_level)
    rows = rows_of(
        metrics,
        has_threshold=all(profile.threshold is not None for profile in profiles.values()),
        own_costs=own_parameters(profiles.values()),
    )
    rows, of_rows = _evaluate(rows, profiles, keep_all=is_chosen(metrics))
    values = dict(zip(profiles, map(list, zip(*of_rows, strict=True)), strict=True))
    ends = {}
    if confidence_level is not None:
        for model, profile in profiles.items():
            ends[model], notices = interval_ends(
                rows, values[model], profile, confidence_level, random_state=random_state
            )
            warn_each(notice._replace(place=str(model)) if several else notice for notice in notices)
    evidence = Evidence(
        rows=rows,
        values=values,
        profiles=profiles,
        chosen=is_chosen(metrics),
        several=several,
        baseline=next(iter(profiles)) if baseline is None else baseline,
        level=LEVEL if confidence_level is None else confidence_level,
        ends=ends,
        slices=of_models,
        errors=allowed_errors(errors, of_costs=any(profile.kind == "costs" for profile in profiles.values())),
        prices=None if prices is None else check_prices(prices),
    )
    for model, found in evidence.at_prevalence.items():
        if implied := found.implies():
            of_model = f" of the model {model!r}" if several else ""
            warn(
                f"{implied}: calibrate the probabilities{of_model} on rows on which the model was not trained, then "
                "correct them with skconf.calibration.correct_prevalence."
            )
    return evidence


def _at_prevalence(
    profiles: Mapping[Any, ConfidenceProfile], prevalence: Mapping[Any, float], *, several: bool
) -> dict[Any, ConfidenceProfile]:
    """Return the predictions of each model, weighted so that the classes have the stated shares."""
    weighed = {}
    for model, profile in profiles.items():
        with noted(model, several=several):
            weighed[model] = profile.at_prevalence(prevalence)
    return weighed


def allowed_errors(errors: Any, *, of_costs: bool) -> Sequence[float]:
    """Return the allowed errors that the user requested; an empty sequence for None."""
    if errors is None:
        return ()
    allowed = [errors] if isinstance(errors, Real) else list(errors)
    for each in allowed:
        check_number(each, option("errors"), 0.0, np.inf if of_costs else 1.0)
        if each == 0:
            raise ValueError("No threshold can guarantee errors=0. Allow a share of errors above 0, such as 0.01.")
    return [float(each) for each in allowed]


def read_models(y_true: Any, y_proba: Any, **given: Any) -> dict[Any, ConfidenceProfile]:
    """Check the predictions of every model; a single model is called "value", like its column."""
    if isinstance(y_true, Mapping):
        predictions = {model: (held, y_proba) for model, held in y_true.items()}
    elif isinstance(y_proba, Mapping):
        predictions = {model: (y_true, proba) for model, proba in y_proba.items()}
    else:
        return {"value": as_profile("A report", y_true, y_proba, **given)}
    if not predictions:
        raise ValueError("There is no model to report on: the mapping is empty.")
    profiles = {}
    for model, (truth, proba) in predictions.items():
        with noted(model):
            profiles[model] = as_profile("A report", truth, proba, **given)
    return profiles


def _slices(given: Any, profiles: Mapping[Any, ConfidenceProfile]) -> dict[Any, dict[Any, Slices]]:
    """Return the slices of all models, which must have the same rows."""
    counts = {model: profile.n_rows for model, profile in profiles.items()}
    if len(set(counts.values())) > 1:
        raise ValueError(f"slices need rows that all models share, but the models have {counts} rows.")
    read = read_slices(given, next(iter(counts.values())))
    answers = {
        model: None if each.abstained is None else np.flatnonzero(~each.abstained.rows)
        for model, each in profiles.items()
    }
    return {
        model: read if rows is None else {column: each.of_answers(rows) for column, each in read.items()}
        for model, rows in answers.items()
    }


def check_names(models: Iterable[Any], *, with_ends: bool) -> None:
    """Raise if a model is named like another column of the table, or, if `with_ends`, like the end of an interval."""
    models = list(models)
    taken = {*OF_THE_METRIC, *(end for model in models if with_ends for end in ends_of(model))}
    for model in models:
        if model in taken:
            raise ValueError(f"A model is named {model!r}, which is also a column of the report. Rename it.")


def ends_of(model: Any) -> tuple[str, str]:
    """Return the names of the columns with the ends of a model's intervals."""
    return f"{model} low", f"{model} high"


def _evaluate(
    rows: list[Row], profiles: Mapping[Any, ConfidenceProfile], keep_all: bool
) -> tuple[list[Row], list[list[float]]]:
    """Evaluate all metrics, with NaN for a model whose predictions do not allow a metric.

    Without `keep_all`, metrics that no model allows are left out. An error of the user's own function is raised.
    """
    kept, values = [], []
    for row in rows:
        of_models: list[float] = []
        reasons: list[str] = []
        notices: list[Notice] = []
        for profile in profiles.values():
            try:
                value, said = row.evaluate(profile)
                of_models.append(value)
                notices += said
            except ValueError as error:
                if getattr(row.metric, "of_user", False):
                    raise
                of_models.append(np.nan)
                reasons.append(str(error))
        if keep_all or len(reasons) < len(profiles):
            texts = (f"{row.name} is undefined here and is NaN: {reason}" for reason in reasons)
            warn_each([*notices, *(Notice(text, UndefinedMetricWarning) for text in texts)])
            kept.append(row)
            values.append(of_models)
    return kept, values
