"""The CSR paper's synthetic experiments: ten distributions of confidence, and eight calibration modes."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import delayed
from numpy.random import MT19937, RandomState, SeedSequence

from skconf._core.checks import check_option, check_whole
from skconf._core.labels import Codes
from skconf._core.messages import short_repr
from skconf._core.progress import run_parallel
from skconf.datasets import make_confidence_profile
from skconf.datasets._synthetic import DISTRIBUTIONS, MODES
from skconf.experiments._shared.printed import HALF_DIGIT, compare_with_paper, figures_of, printed_table
from skconf.metrics import get_metric
from skconf.metrics._base.areas import area
from skconf.metrics._base.kinds import divide
from skconf.profile import ConfidenceProfile

#: The paper does not clip these confidences. Ours are at most the largest float64 below 1.
_EPS = float(np.finfo(np.float64).epsneg)
_ACCURACY = {
    "accuracy": get_metric("selective_accuracy_score", threshold=0.0),
    "cw_accuracy": get_metric("cw_accuracy_score"),
    "gain": get_metric("confidence_gain"),
}
_SIZE_RATIO = {
    "csr": get_metric("calibrated_size_ratio", eps=_EPS),
    "csr_std": get_metric("calibrated_size_ratio_std", eps=_EPS),
    "risk_probability": get_metric("overconfidence_risk", eps=_EPS),
}
_ZSCORE = get_metric("calibrated_size_ratio_zscore", eps=_EPS)
#: Quantities that are shares of repetitions whose size ratio is more than this many standard deviations above 1.
_SHARES = {"over_1_sigma": 1, "over_3_sigma": 3}

PAPER_REPETITIONS = 100
#: The number of samples that are simulated together: few enough for the cache of the processor.
_SAMPLES_TOGETHER = 1 << 16

#: Distributions whose density is not 0 at a confidence of 1.
_HEAVY = ("Uniform", "Skew High", "Bimodal", "Tight Hi", "Normal")
_HEAVY_NOTE = "E[c/(1 - c)] is infinite, so this value is from random draws and has no standard error"
_EQUAL_NOTE = "each sample has the same score for both classes, so the mean of the two areas is 1/2 with any weights"
_RANDOM_NOTE = (
    "correctness does not depend on confidence, so chance decides whether confidence weights make the area larger; "
    "they do so for about 5 of 10 distributions"
)

Measure = Callable[[ConfidenceProfile, Codes, int], pd.DataFrame]


def csr_synthetic_experiment(
    n_samples: int | Sequence[int] = 1000,
    *,
    distributions: Sequence[str] = tuple(DISTRIBUTIONS),
    modes: Sequence[str] = tuple(MODES),
    n_repetitions: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Rerun the CSR paper's synthetic experiments, and compare with its Tables 5, 8 and 9.

    Each repetition draws a profile with :func:`skconf.datasets.make_confidence_profile`. Its confidences are the same
    in all modes. Tables 8 and 9 use `n_samples` = 1,000 in all modes. Table 5 uses 100, 10,000 and 100,000 in the mode
    "perfect".

    Parameters
    ----------
    n_samples : int or sequence of int, default=1000
        Samples in each repetition.
    distributions : sequence of str, default=all ten
        Distributions of the confidence, as :func:`skconf.datasets.make_confidence_profile` names them.
    modes : sequence of str, default=all eight
        Calibration modes.
    n_repetitions : int, default=100
        Number of repetitions, 2 or more. The paper has 100.
    random_state : int, default=0
        Seed. The result does not depend on `n_jobs`.
    n_jobs : int, default=None
        Processes; -1 uses all cores.
    progress : bool, default=False
        Show progress and the remaining time on stderr.

    Returns
    -------
    pandas.DataFrame of shape (n_cells, 9)
        A row for each `n_samples`, `distribution`, `mode` and `quantity`. `ours` is the mean over repetitions. `paper`
        is the printed value, or NaN if there is none. `standard_error` is the standard error of the difference between
        `ours` and `paper`. `deviation` is the part of the difference that rounding does not explain, divided by
        `standard_error`. A `note` says why a printed value cannot be compared. Each `quantity` is a column of the
        paper's Table 6 or one of two shares. `over_1_sigma` is the share of repetitions whose size ratio is more than
        one standard deviation above 1. `over_3_sigma` is the same share for three standard deviations.

    Raises
    ------
    ValueError
        If there is no such distribution or mode, or a number is too small.

    See Also
    --------
    count_agreement : How many cells agree within sampling error.
    csr_risk_extremes : Table 3, from this result.
    csr_table1 : Table 1, from this result.

    Notes
    -----
    The standard error comes from the standard deviation of our repetitions. For size ratios, this standard deviation is
    too small if no repetition has one of the rare errors with high confidence. If confidences are calibrated, the size
    ratio has the standard deviation σ, which does not depend on the errors that occur. So for size ratios, the standard
    error comes from the larger of the two standard deviations.

    References
    ----------
    .. [1] F. Martin-Maroto, N. Abderrahaman-Elena and G. G. de Polavieja, Beyond ECE: Calibrated Size Ratio, Risk
       Assessment, and Confidence-Weighted Metrics, arXiv:2605.01796, 2026, Sections 3.1 and 3.3.

    Examples
    --------
    >>> from skconf.experiments import csr_synthetic_experiment
    >>> cells = csr_synthetic_experiment(distributions=["Bell"], modes=["overconf_half"])
    >>> cells[["quantity", "ours", "paper"]].round(2)
               quantity  ours  paper
    0          accuracy  0.25   0.25
    1       cw_accuracy  0.27   0.27
    2              gain  0.03   0.03
    3               csr  1.62   1.63
    4           csr_std  0.04   0.04
    5  risk_probability  1.00   1.00
    6      over_1_sigma  1.00   1.00
    7      over_3_sigma  1.00   1.00
    """
    sizes = np.atleast_1d(n_samples).tolist()
    _check(sizes, distributions, modes, n_repetitions)
    ours = pd.concat(
        _summary(
            _simulate(_size_ratios, size, distributions, modes, n_repetitions, random_state, n_jobs, progress), size
        )
        for size in sizes
    )
    share = ours["quantity"].isin(_SHARES)
    step = (1 / PAPER_REPETITIONS + 1 / n_repetitions) / 2
    # If an event occurs in none or in all of n repetitions, the next repetition still differs with a probability of
    # about 1 in n + 2.
    rare = 1 / (n_repetitions + 2)
    least = np.where(share | (ours["quantity"] == "risk_probability"), np.sqrt(rare * (1 - rare)), 0.0)
    heavy = ours["distribution"].isin(_HEAVY) & ours["quantity"].isin(["csr", "csr_std"])
    ours = ours.assign(
        spread=np.maximum(ours["spread"], least),
        resolution=np.where(share, step, HALF_DIGIT),
        note=np.where(heavy, _HEAVY_NOTE, ""),
    )
    printed = figures_of(printed_table("csr_tables5_8_9"), ["n_samples", "distribution", "mode"])
    return compare_with_paper(ours.merge(printed, how="left"), n_repetitions, PAPER_REPETITIONS)


class CSRAreas(NamedTuple):
    """Areas under the ROC curve of synthetic profiles, with and without confidence weights.

    Attributes
    ----------
    areas : pandas.DataFrame
        Table 11: accuracies and areas, and how confidence weights change them.
    counts : pandas.DataFrame
        Table 10: for each mode, the number of distributions whose area with confidence weights is larger than their
        area without weights. A distribution with equal areas counts half. Our number is a mean over repetitions, so it
        need not be whole.
    """

    areas: pd.DataFrame
    counts: pd.DataFrame

    def __repr__(self) -> str:
        return short_repr(self)


def csr_synthetic_auc_experiment(
    n_samples: int = 1000,
    *,
    distributions: Sequence[str] = tuple(DISTRIBUTIONS),
    modes: Sequence[str] = tuple(MODES),
    n_repetitions: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> CSRAreas:
    """Rerun the CSR paper's Tables 10 and 11: areas under the ROC curve with and without confidence weights.

    Each value of the paper comes from one data set, so its standard error is estimated by the standard deviation of our
    repetitions. Each area is the mean of two areas: one with each class as the positive class. The score of the class
    that is not predicted is min(c, 1 − c), with c the confidence of the predicted class. The paper does not give this
    score, but with it our areas agree with the paper's.

    Parameters
    ----------
    n_samples : int, default=1000
        Samples in each repetition. The paper has 1,000.
    distributions : sequence of str, default=all ten
        Distributions of the confidence.
    modes : sequence of str, default=all eight
        Calibration modes. The paper prints areas only for the mode "perfect".
    n_repetitions : int, default=100
        Number of repetitions, 2 or more.
    random_state : int, default=0
        Seed. The result does not depend on `n_jobs`.
    n_jobs : int, default=None
        Processes; -1 uses all cores.
    progress : bool, default=False
        Show progress and the remaining time on stderr.

    Returns
    -------
    CSRAreas
        DataFrames `areas` and `counts`, with columns as in :func:`csr_synthetic_experiment`. `counts` has
        `n_distributions` instead of `distribution`. Counts are compared with the paper only if all distributions are
        simulated.

    Raises
    ------
    ValueError
        If there is no such distribution or mode, or a number is too small.

    References
    ----------
    .. [1] F. Martin-Maroto, N. Abderrahaman-Elena and G. G. de Polavieja, Beyond ECE: Calibrated Size Ratio, Risk
       Assessment, and Confidence-Weighted Metrics, arXiv:2605.01796, 2026, Section 3.4.

    Examples
    --------
    >>> from skconf.experiments import csr_synthetic_auc_experiment
    >>> tables = csr_synthetic_auc_experiment(distributions=["Bell"], modes=["perfect"])
    >>> tables.areas.set_index("quantity")[["ours", "paper"]].round(2).loc[["auc", "cw_auc"]]
              ours  paper
    quantity
    auc       0.58   0.57
    cw_auc    0.62   0.60
    """
    _check([n_samples], distributions, modes, n_repetitions)
    drawn = _simulate(_areas, n_samples, distributions, modes, n_repetitions, random_state, n_jobs, progress)
    areas = _summary(drawn, n_samples)
    equal = (areas["distribution"] == "Tight Lo") & areas["quantity"].isin(["cw_auc", "delta_auc", "auc_gain"])
    areas = areas.assign(resolution=HALF_DIGIT, note=np.where(equal, _EQUAL_NOTE, ""))
    printed = figures_of(printed_table("csr_table11"), ["distribution"]).assign(n_samples=1000, mode="perfect")

    # Equal areas, such as for Tight Lo, count half.
    sign = pd.DataFrame({key: np.sign(values["delta_auc"].round(12)) for key, values in drawn.items()})
    above = (1 + sign.mean()) / 2
    above.index.names = ["distribution", "mode"]
    of_mode = above.groupby("mode", sort=False)
    counts = pd.DataFrame(
        {
            "n_samples": n_samples,
            "n_distributions": of_mode.size(),
            "quantity": "cw_auc_above_auc",
            "ours": of_mode.sum(),
            "spread": np.sqrt((above * (1 - above)).groupby("mode", sort=False).sum()),
            "resolution": 0.5,  # our count is a mean, and need not be whole
        }
    ).reset_index()
    counts["note"] = np.where(counts["mode"] == "random_0.5", _RANDOM_NOTE, "")
    printed_counts = figures_of(printed_table("csr_table10"), ["mode"])
    printed_counts = printed_counts.assign(n_samples=1000, n_distributions=len(DISTRIBUTIONS))
    return CSRAreas(
        compare_with_paper(areas.merge(printed, how="left"), n_repetitions),
        compare_with_paper(counts.merge(printed_counts, how="left"), n_repetitions),
    )


def _check(sizes: Sequence[int], distributions: Sequence[str], modes: Sequence[str], n_repetitions: int) -> None:
    for size in sizes:
        check_whole(size, "n_samples")
    for distribution in distributions:
        check_option(distribution, "distributions", DISTRIBUTIONS)
    for mode in modes:
        check_option(mode, "modes", MODES)
    check_whole(n_repetitions, "n_repetitions", 2)


def _simulate(
    measure: Measure,
    n_samples: int,
    distributions: Sequence[str],
    modes: Sequence[str],
    n_repetitions: int,
    seed: int,
    n_jobs: int | None,
    progress: bool,
) -> dict[tuple[str, str], pd.DataFrame]:
    """Return, for each distribution and mode, a table of the measurements with a row for each repetition."""
    together = max(1, _SAMPLES_TOGETHER // n_samples)
    blocks = [min(together, n_repetitions - start) for start in range(0, n_repetitions, together)]
    keys = [(distribution, number) for distribution in distributions for number in range(len(blocks))]
    tasks = [
        delayed(_measure_block)(
            measure,
            distribution,
            modes,
            n_samples,
            blocks[number],
            # Each block has its own random stream, so other simulations do not change it.
            SeedSequence(seed, spawn_key=(n_samples, list(DISTRIBUTIONS).index(distribution), number)),
        )
        for distribution, number in keys
    ]
    measured = run_parallel(tasks, f"{n_samples:,} samples", n_jobs=n_jobs, quiet=not progress)
    by_block = dict(zip(keys, measured, strict=True))
    return {
        (distribution, mode): pd.concat([by_block[distribution, number][mode] for number in range(len(blocks))])
        for distribution in distributions
        for mode in modes
    }


def _measure_block(
    measure: Measure, distribution: str, modes: Sequence[str], n_samples: int, n_repetitions: int, seed: SeedSequence
) -> dict[str, pd.DataFrame]:
    """Measure several repetitions at once: in each mode, they are the groups of one long profile."""
    groups = np.repeat(np.arange(n_repetitions), n_samples)
    by_mode = {}
    for mode in modes:
        stream = RandomState(MT19937(seed))  # the same in all modes, so confidences are equal
        profile = make_confidence_profile(distribution, mode, len(groups), stream)
        by_mode[mode] = measure(profile, groups, n_repetitions)
    return by_mode


def _size_ratios(profile: ConfidenceProfile, groups: Codes, n_groups: int) -> pd.DataFrame:
    zscore = _ZSCORE.by_group(profile, groups, n_groups)
    return pd.DataFrame(
        {name: metric.by_group(profile, groups, n_groups) for name, metric in (_ACCURACY | _SIZE_RATIO).items()}
        | {name: (zscore > least).astype(np.float64) for name, least in _SHARES.items()}
    )


def _areas(profile: ConfidenceProfile, groups: Codes, n_groups: int) -> pd.DataFrame:
    figures = pd.DataFrame({name: metric.by_group(profile, groups, n_groups) for name, metric in _ACCURACY.items()})
    other = np.minimum(profile.confidence, 1 - profile.confidence)
    predicted, true_class = profile.require("predicted_class"), profile.require("true_class")
    starts = np.searchsorted(groups, np.arange(n_groups + 1))
    weights = {"auc": np.ones(len(profile)), "cw_auc": profile.confidence}
    for name, weight in weights.items():
        by_class = []
        for k in (0, 1):
            score, present = np.where(predicted == k, profile.confidence, other), true_class == k
            rows = (slice(*bounds) for bounds in pairwise(starts))
            by_class.append([area(score[part], present[part], weight[part])[0] for part in rows])
        figures[name] = np.mean(by_class, axis=0)
    figures["delta_cw_accuracy"] = figures["cw_accuracy"] - figures["accuracy"]
    figures["delta_auc"] = figures["cw_auc"] - figures["auc"]
    figures["auc_gain"] = divide(figures["delta_auc"], 1 - figures[["auc", "cw_auc"]].min(axis=1), 0.0)
    return figures


def _summary(drawn: dict[tuple[str, str], pd.DataFrame], n_samples: int) -> pd.DataFrame:
    """Return mean and spread of every quantity."""
    rows = []
    for (distribution, mode), values in drawn.items():
        spread = values.std()
        if "csr" in values:
            spread["csr"] = max(spread["csr"], np.sqrt((values["csr_std"] ** 2).mean()))
        figures = pd.DataFrame({"ours": values.mean(), "spread": spread}).rename_axis("quantity").reset_index()
        rows.append(figures.assign(n_samples=n_samples, distribution=distribution, mode=mode))
    columns = ["n_samples", "distribution", "mode", "quantity", "ours", "spread"]
    return pd.concat(rows, ignore_index=True)[columns]
