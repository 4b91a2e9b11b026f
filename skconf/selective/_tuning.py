"""Find the threshold that is best for an objective, given predictions. The tuned classifier calls this, too."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skconf._core.checks import check_confidence_level, check_number, check_option, check_whole
from skconf._core.docstrings import documented
from skconf._core.labels import Codes
from skconf._core.messages import option
from skconf._core.warn import warn
from skconf.metrics import get_metric
from skconf.profile import KNOWN, ConfidenceProfile, as_profile
from skconf.selective._cells import Slices
from skconf.selective._mix import Mix, draw_to_mix
from skconf.selective._objective import OBJECTIVES, Objective
from skconf.selective._prevalence import by_class, choose_at, weighed
from skconf.selective._promises import KINDS, MeanCharge, RateFloor
from skconf.selective._risk_control import SPEND
from skconf.selective._samples import Charge, Samples
from skconf.selective._sliced import keep_in_slices
from skconf.selective._targets import names_of, read_promises
from skconf.selective._thresholds import TunedThreshold
from skconf.selective._training import ONE_COUNTS, one_of_each, read_clusters, separate_stream


@documented()
def tune_threshold(
    y_true: Any,
    y_proba: ArrayLike | None = None,
    *,
    objective: Any = "risk",
    target: float | Mapping[str, Any] = 0.05,
    confidence_level: float | None = None,
    n_candidates: int = 1,
    spend: str = "evenly",
    reject_cost: float | None = None,
    cost_matrix: ArrayLike | None = None,
    thresholds: ArrayLike | None = None,
    prevalence: Mapping[Any, Any] | None = None,
    slices: Any = None,
    groups: ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    score: ArrayLike | None = None,
    random_state: Any = None,
) -> TunedThreshold:
    """Find the threshold that is best for an objective; predictions with a lower score are rejected.

    Use this function if you already have predictions for samples on which neither the classifier nor its calibrator was
    trained. If you set a `confidence_level`, the true risk of the accepted predictions is at most `target` with at
    least this probability. :class:`TunedSelectiveClassifierCV` chooses its threshold in the same way.

    Parameters
    ----------
    {predictions}
    objective : {"risk", "coverage", "cost", "cwsa", "cwsa_plus"} or callable, default="risk"
        What the threshold optimizes, as in :class:`TunedSelectiveClassifierCV`.
    target : float or mapping of str to float or mapping, default=0.05
        For the objective "risk", the largest risk (1 − accuracy) that is allowed; for "coverage", the smallest
        coverage; in [0, 1]. With a `confidence_level`, you can pass a mapping, which makes several promises at once,
        such as ``{"risk": 0.05, "false_negative_rate": {"fraud": 0.1}}``. Its keys are:

        - "risk": upper limit of the error rate of accepted predictions;
        - "cost": upper limit of the mean cost of accepted predictions, from the `cost_matrix`;
        - "ecuas_1": upper limit of the mean ECUAS loss (with n = 1) of accepted predictions. Costs come from the
          `cost_matrix`; without one, an error costs 1;
        - "cwsa", "cwsa_plus": lower limit of CWSA or CWSA+ of accepted predictions. These metrics are computed with the
          chosen threshold. If there are slices, each slice uses its own threshold;
        - "coverage": lower limit of the share of samples that are accepted;
        - "false_negative_rate", for a class: upper limit of the share of its samples that are accepted with a wrong
          prediction. A rejected sample is sent to a person, so it does not count as missed;
        - "false_positive_rate", for a class: upper limit of the share of the samples of other classes that are accepted
          with this class as prediction;
        - "recall", for a class: lower limit of the share of its samples that are accepted with a right prediction.
    confidence_level : float, default=None
        Probability with which the true risk is at most `target`, in [0.5, 1). It is only for the objective "risk" and,
        if `target` is a mapping, for "coverage". If None, only the observed error rate is at most `target`, and nothing
        is guaranteed about the true risk.
    n_candidates : int, default=1
        Number of models, scores or targets that you compare on the same samples before you choose one. The probability
        1 − `confidence_level` is divided equally among them, so the promise holds for the one that you choose.
    spend : {"evenly", "first"}, default="evenly"
        How the probability 1 − `confidence_level` is divided among the tests, which go from strict to loose thresholds.
        "evenly" gives an equal part to each doubling of the number of accepted samples, for example to the tests from
        100 to 200 accepted samples and to the tests from 200 to 400. "first" offers the whole probability to the
        strictest test; what this test does not use goes to the next tests. Let n be the number that
        :func:`required_samples` returns. With fewer than 2 n samples, "first" accepts more than "evenly"; with many
        samples, it accepts less. The guarantee is the same for both. Choose `spend` before you look at the labels.
    reject_cost : float, default=None
        Cost of a rejection; the objective "cost" needs it.
    cost_matrix : array-like of shape (n_classes, n_classes), default=None
        Cost of each predicted class (column) under each true class (row), for the objective "cost" and for promises of
        a mean cost. The costs do not change the predictions: without `y_pred`, these are the most probable classes. If
        you want decisions of least expected cost, as in :class:`TunedSelectiveClassifierCV`, pass these decisions as
        `y_pred`, and 1 − u/u_M as `score`, where u is the expected cost of a decision and u_M the largest possible u.
    thresholds : array-like of shape (n_thresholds,), default=None
        The thresholds to choose from, in the range of the scores. None takes all distinct scores. With a
        `confidence_level`, None takes only the scores at which a test is planned (see the notes of
        :class:`TunedSelectiveClassifierCV`).
    prevalence : mapping of label to float or pair of float, default=None
        Share of each class in the population where the predictions are used, as in
        :meth:`skconf.ConfidenceProfile.at_prevalence`. The threshold is then chosen for these shares, not for the
        shares in the rows. With a `confidence_level`, rows are drawn at random from each class to make a sample with
        these shares, and the threshold is chosen on this sample. With a `confidence_level` and two classes, you can
        also pass a range, such as ``{"fraud": (0.005, 0.02)}``: the promise then holds for every share in the range. If
        `target` is a mapping, or if there are slices, a range is not possible. With slices, give the shares among all
        samples, not within a slice. None uses the prevalence of the profile, if it has one.
    slices : "predicted_class", or DataFrame, mapping or array-like of shape (n_samples,), default=None
        The promises must hold in each slice; this needs a `confidence_level`. "predicted_class" makes a slice of each
        predicted class; columns make a slice of each combination of their values. Each slice gets its own threshold.
        The `confidence_level` is the probability that all promises hold at once. Everything is rejected in a slice with
        too few samples, and a warning says how many would be enough.
    groups : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient. Pass it if samples of one cluster depend on each other.
        `groups` need a `confidence_level`. Only a single random sample of each cluster is then used, and the promise
        holds for a random sample of a random new cluster. None uses the clusters of the profile, if it has any.
    {predicted}
    {labels}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights. Weights cannot be used with a `confidence_level`, because the guarantee counts every
        sample once.
    score : array-like of shape (n_samples,), default=None
        The scores that are compared with the threshold. If None, these are the confidences.
    random_state : int, RandomState instance or None, default=None
        Seed for drawing one sample from each cluster, and for drawing rows if there is a `prevalence`.

    Returns
    -------
    TunedThreshold
        Its fields are `threshold`, `coverage`, `risk`, `risk_upper_bound`, `feasible` and more.

    Raises
    ------
    ValueError
        If a parameter is out of its range or contradicts another, or the predictions are not valid.

    Warns
    -----
    UserWarning
        If no threshold qualifies. The threshold is then infinite, and accepts nothing.

    See Also
    --------
    TunedSelectiveClassifierCV : Holds out samples, and predicts with the threshold. Its notes explain the tests.
    required_samples : The number of samples that a target needs.

    Examples
    --------
    >>> import numpy as np
    >>> from skconf import tune_threshold
    >>> rng = np.random.default_rng(0)
    >>> proba = rng.beta(3, 1, 1000)
    >>> y_true = (rng.random(1000) < proba).astype(int)
    >>> tune_threshold(y_true, proba, target=0.1, confidence_level=0.9)
    TunedThreshold(threshold=0.8678, coverage=0.344, risk=0.06395, risk_upper_bound=0.08432, n_samples=1000)
    >>> tune_threshold(y_true, proba, objective="coverage", target=0.8).threshold
    0.63...
    """
    several = slices is not None or isinstance(target, Mapping)
    _check(objective, 0.05 if several else target, confidence_level, n_candidates, reject_cost)
    check_option(spend, "spend", SPEND)
    profile = as_profile(
        "tune_threshold",
        y_true,
        y_proba,
        beside={"groups": groups, "slices": slices},
        y_pred=y_pred,
        labels=labels,
        pos_label=pos_label,
        sample_weight=sample_weight,
        score=score,
    )
    if cost_matrix is not None:
        profile.require("true_class")
    number: Any = 0.05 if several else target
    aim = Objective(objective, number, confidence_level, n_candidates, reject_cost, cost_matrix, thresholds, spend)
    scores = dict.fromkeys(("ranks_by_confidence", "scores_are_shares"), profile.ranks_by_confidence)
    check_aim(aim, target, slices, profile.n_classes, **scores)
    mix = None
    if prevalence is not None:
        mix = Mix.read(prevalence, profile.require("classes"))
    elif profile.prevalence is not None:
        mix = Mix((np.array(profile.prevalence),))
    if confidence_level is not None and profile.prevalence is not None:
        profile = without_class_weights(profile)
    clusters = _read_clusters(profile, groups, confidence_level)
    if several:
        charges = charges_of(profile, target, cost_matrix)
        return keep_promises(profile, aim, target, slices, charges, clusters, random_state, mix)
    return choose_threshold(profile, aim, clusters, random_state, mix, see="to_frame()")


def _read_clusters(profile: ConfidenceProfile, groups: Any, confidence_level: float | None) -> Codes | None:
    """Return the cluster of each answer; None without clusters or without a guarantee.

    Raise if groups are given without a guarantee, or if the answers or their weights exclude a guarantee.
    """
    if confidence_level is None:
        if groups is not None:
            raise ValueError(
                "groups have no effect without a confidence_level. Set a confidence_level, or leave groups out."
            )
        return None
    if profile.kind != "right or wrong":
        raise ValueError(
            f"A confidence_level needs answers that are right or wrong, but {KNOWN[profile.kind]}. Leave "
            "confidence_level out."
        )
    if profile.sample_weight is not None:
        raise ValueError(
            "sample_weight cannot be used with a confidence_level: the guarantee counts every sample once. Leave "
            "sample_weight out (with_weight(None) removes it from a profile)."
        )
    if groups is None:
        return None if profile.groups is None else read_clusters(profile.groups, len(profile))
    return read_clusters(groups, profile.n_rows)[profile.answer_rows]


def charges_of(profile: ConfidenceProfile, target: Any, cost_matrix: Any) -> dict[str, Charge]:
    """Return what each prediction costs, for each promise of a mean cost or of ECUAS."""
    promised = names_of(MeanCharge, target)
    if not promised and cost_matrix is not None:
        raise ValueError(
            "cost_matrix has no effect, because target has none of the keys "
            f"{', '.join(names_of(MeanCharge, KINDS))}. Add one of them to target, or leave cost_matrix out."
        )
    charges = {}
    if "cost" in promised:
        if cost_matrix is None:
            raise ValueError("target['cost'] needs a cost_matrix. Pass one, or use a target for the risk.")
        matrix = np.asarray(cost_matrix, dtype=np.float64)
        charges["cost"] = Charge(
            matrix[profile.require("true_class"), profile.require("predicted_class")], float(matrix.max()) or 1.0
        )
    if "ecuas_1" in promised:
        metric = get_metric("ecuas_loss", n=1, cost_matrix=cost_matrix)
        uncertainty, cost, largest = metric.answers(profile)
        dearest = 1.0 if cost_matrix is None else float(np.max(np.asarray(cost_matrix, dtype=np.float64)))
        charges["ecuas_1"] = Charge.of_ecuas(uncertainty / largest, cost / largest, dearest / largest)
    return charges


def keep_promises(
    profile: ConfidenceProfile,
    aim: Objective,
    target: Any,
    slices: Any,
    charges: Mapping[str, Charge],
    clusters: Codes | None,
    random_state: Any,
    mix: Mix | None,
) -> TunedThreshold:
    """Return the thresholds for several promises, or for promises in slices.

    `aim` has the confidence level, the number of candidates and the given thresholds. If there are clusters, the
    threshold of a slice is chosen on one random sample of each cluster. `charges` says what each prediction costs, for
    each promise of a mean cost or of ECUAS. `mix` has the shares of the classes where predictions are used; None means
    the shares in the samples.
    """
    if mix is not None and len(mix.ends) > 1:
        raise ValueError(
            "prevalence is a range, but it must be a single share if target is a mapping or there are slices. Give one "
            "number."
        )
    labels = None if profile.classes is None or profile.true_class is None else profile.classes.tolist()
    promises = read_promises(target, labels, slices, charges)
    for promise in promises:
        promise.check(profile)
    if profile.abstained is not None and mix is not None:
        weighed(profile, mix.ends[0])  # refused there, too
    costs = {risk: charge.each for risk, charge in charges.items()}
    rows = Samples(profile.score, profile.correct, profile.true_class, profile.predicted_class, costs)
    placed = Slices.of(slices, profile)
    if mix is not None and not mix.is_of(profile, clusters):
        # First one row of each cluster, so that rows are independent; then a draw from the mix. What holds for such
        # draws holds in each of their slices.
        chosen = np.arange(len(rows)) if clusters is None else one_of_each(clusters, separate_stream(random_state))
        drawn = chosen[draw_to_mix(profile.require("true_class")[chosen], mix.ends[0], random_state)]
        rows, placed, clusters = rows[drawn], placed._replace(codes=placed.codes[drawn]), None
    tuned = keep_in_slices(rows, promises, aim, placed, clusters, random_state)
    if aim.name == "risk" and not isinstance(target, Mapping):
        _warn_of_accuracy(target, tuned, profile.share_answered)
    if mix is not None and slices is None:
        tuned = replace(tuned, by_class=by_class(profile, tuned.threshold))
    return tuned


def check_aim(aim: Objective, target: Any, slices: Any, n_classes: int | None, **about_scores: bool) -> None:
    """Refuse parameters that contradict each other or the task: see `Objective.check`."""
    if slices is not None or isinstance(target, Mapping):
        _check_several(aim.name, target, aim.confidence_level, aim.reject_cost)
        # The promises say what is allowed: only the cost matrix and the thresholds are left to check.
        aim = replace(aim, name="cost", target=0.05, confidence_level=None, reject_cost=0.0, spend="evenly")
    aim.check(n_classes, **about_scores)


def _check_several(objective: Any, target: Any, confidence_level: float | None, reject_cost: float | None) -> None:
    """Refuse parameters that contradict several promises or promises in slices."""
    what = "A mapping as target" if isinstance(target, Mapping) else "slices"
    if confidence_level is None:
        raise ValueError(
            f"{what} needs a confidence_level: the probability that all promises hold. Set one, such as 0.95."
        )
    if objective not in ("risk", "coverage"):
        raise ValueError(
            f"{what} needs objective='risk', which chooses the largest coverage that keeps all promises, or "
            "objective='coverage', which chooses the smallest coverage that keeps all promises. The objective is "
            f"{objective!r}."
        )
    if objective == "coverage" and not names_of(RateFloor, target):
        raise ValueError(
            "objective='coverage' chooses the smallest coverage that keeps all promises. Promise at least a certain "
            "coverage or recall, such as target={'coverage': 0.8}. Without such a promise, the smallest coverage is 0."
        )
    if reject_cost is not None:
        raise ValueError(
            "reject_cost has no effect: a promise of a mean cost is about accepted samples only. Leave reject_cost out."
        )


def choose_threshold(
    profile: ConfidenceProfile,
    objective: Objective,
    clusters: Codes | None,
    random_state: Any,
    mix: Mix | None = None,
    *,
    see: str,
) -> TunedThreshold:
    """Return the best threshold for an objective; warn if none qualifies.

    If there are clusters, the threshold is chosen on one random sample of each cluster. `mix` has the shares of the
    classes where predictions are used; None means the shares in the samples. `see` names the attribute that shows the
    user what each threshold achieves.
    """
    share_answered = profile.share_answered
    if clusters is not None:
        profile = profile[one_of_each(clusters, separate_stream(random_state))]
    if mix is None or mix.is_of(profile, clusters):
        tuned = objective.choose(profile, share_answered)
    else:
        tuned = choose_at(profile, objective, mix, random_state)
    if mix is not None:
        tuned = replace(tuned, by_class=by_class(profile, tuned.threshold))
    if objective.name == "risk":
        _warn_of_accuracy(objective.target, tuned, share_answered)
    if not tuned.feasible:
        tuned = replace(tuned, reason=f"{tuned.reason}{'' if clusters is None else ONE_COUNTS}")
        warn(f"Everything is rejected: {tuned.reason}. For the coverage and risk at each threshold, see {see}.")
    return tuned


def _warn_of_accuracy(target: float, tuned: TunedThreshold, share_answered: float) -> None:
    """Warn if a target accepts everything, and was probably meant as an accuracy."""
    if 0.5 < target < 1 and math.isclose(tuned.coverage, share_answered) and tuned.risk > 1 - target:
        warn(
            f"{option('target', float(target))} allows an error rate of {target:g}, so everything is accepted. "
            f"For an accuracy of at least {target:g}, pass {option('target', float(f'{1 - target:.6g}'))}."
        )


def without_class_weights(profile: ConfidenceProfile) -> ConfidenceProfile:
    """Return a profile without weights, if they only weight classes; else the profile as it is."""
    codes, weight = profile.require("true_class"), profile.sample_weight
    if weight is not None:
        _, first, place = np.unique(codes, return_index=True, return_inverse=True)
        if not np.allclose(weight, weight[first][place], rtol=1e-9, atol=0):
            return profile
    return profile.with_weight(None)


def _check(objective: Any, target: Any, confidence_level: Any, n_candidates: Any, reject_cost: Any) -> None:
    """Refuse parameters that are out of range. scikit-learn checks the parameters of the tuned classifier."""
    if not callable(objective):
        check_option(objective, "objective", OBJECTIVES)
    check_number(target, "target", 0.0, 1.0)
    if confidence_level is not None:
        check_confidence_level(confidence_level)
    check_whole(n_candidates, "n_candidates")
    if reject_cost is not None:
        check_number(reject_cost, "reject_cost", 0.0, open_high=True)
