"""The CWSA paper's simulated models, and the sweep over thresholds of any models."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import MT19937, RandomState, SeedSequence

from skconf._core.checks import check_whole
from skconf._core.messages import short_repr
from skconf.datasets._synthetic import SELECTIVE_MODELS, make_selective_model
from skconf.experiments._shared.printed import HALF_DIGIT, compare_with_paper, figures_of, printed_table
from skconf.metrics import cwsa_curve, get_metric, metric_coverage_auc
from skconf.profile import ConfidenceProfile

#: The quantities of the paper's tables. CWSA is a sum divided by the number of all samples, and CWSA+ a sum divided by
#: the number of accepted samples.
AT_THRESHOLD: dict[str, tuple[str, dict[str, Any]]] = {
    "coverage": ("coverage_score", {}),
    "selective_accuracy": ("selective_accuracy_score", {}),
    "cwsa": ("cwsa_score", {"normalize": "all"}),
    "cwsa_plus": ("cwsa_plus_score", {}),
}
OVERALL: dict[str, tuple[str, dict[str, Any]]] = {
    "ece": ("expected_calibration_error", {"n_bins": 10}),
    "aurc": ("aurc_loss", {}),
}
_PAPER_SAMPLES = 1000
_IMPOSSIBLE_NOTE = "CWSA exceeds coverage x CWSA+, which is impossible at a single threshold"


def cwsa_experiment(*, n_repetitions: int = 100, random_state: int = 0) -> pd.DataFrame:
    """Rerun the CWSA paper's simulated models, and compare with its Tables 1 to 3 and the values of Section 5.

    Parameters
    ----------
    n_repetitions : int, default=100
        Number of repetitions of each model, 2 or more. Each has 1,000 samples, as in the paper, which has one
        repetition.
    random_state : int, default=0
        Seed.

    Returns
    -------
    pandas.DataFrame of shape (n_cells, 10)
        A row for each value that the paper prints. `source`, `model`, `threshold`, `swept` (see Notes) and `quantity`
        identify the value. `ours`, `paper`, `standard_error`, `deviation` and `note` are as in
        :func:`csr_synthetic_experiment`.

    Raises
    ------
    ValueError
        If `n_repetitions` is too small.

    See Also
    --------
    cwsa_sweep : The curves of the paper's figures.
    count_agreement : How many cells agree within sampling error.

    Notes
    -----
    The rows of Tables 2 and 3 come from the authors' sweep over 20 equally spaced thresholds from 0.5 to 0.99. The
    paper labels these rows with round numbers: the row "0.80" of Table 3 has the values at the threshold 0.7837.
    `threshold` is the label in the paper, and `swept` is the threshold of the sweep.

    References
    ----------
    .. [1] K. Shahnazari, S. M. Ayyoubzadeh, M. Keshtparvar and P. Ghaffari, Trust, or Don't Predict: Introducing the
       CWSA Family for Confidence-Aware Model Evaluation, arXiv:2505.18622, 2025, Sections 4.2 and 5.

    Examples
    --------
    >>> from skconf.experiments import cwsa_experiment
    >>> cells = cwsa_experiment(n_repetitions=50).query("model == 'random' and quantity == 'cwsa'")
    >>> cells.set_index("threshold")[["ours", "paper"]].round(2).head(3)
               ours  paper
    threshold
    0.5       -0.12  -0.11
    0.6       -0.10  -0.08
    0.7       -0.08  -0.07
    """
    check_whole(n_repetitions, "n_repetitions", 2)
    printed = printed_figures()
    groups = np.repeat(np.arange(n_repetitions), _PAPER_SAMPLES)
    compared = []
    for number, model in enumerate(SELECTIVE_MODELS):
        stream = RandomState(MT19937(SeedSequence(random_state, spawn_key=(number,))))
        profile = make_selective_model(model, len(groups), random_state=stream)
        cells = printed[printed["model"] == model]
        values = [
            metric_at(cell.quantity, cell.swept).by_group(profile, groups, n_repetitions) for cell in cells.itertuples()
        ]
        compared.append(cells.assign(ours=np.nanmean(values, axis=1), spread=np.nanstd(values, axis=1, ddof=1)))
    return compare_with_paper(pd.concat(compared, ignore_index=True), n_repetitions)


class CWSASweep(NamedTuple):
    """Selective metrics at each threshold, and their summary.

    Attributes
    ----------
    curves : pandas.DataFrame
        A row for each `model` and `threshold`: `coverage`, `selective_accuracy` (NaN if nothing is accepted), `cwsa`
        (a sum divided by the number of all samples) and `cwsa_plus` (a sum divided by the number of accepted samples).
    summary : pandas.DataFrame
        A row for each model: `accuracy`, `ece` (10 bins), `aurc`, and the areas under the curves of three metrics over
        coverage: `selective_accuracy_area`, `cwsa_area` and `cwsa_plus_area`.
    """

    curves: pd.DataFrame
    summary: pd.DataFrame

    def __repr__(self) -> str:
        return short_repr(self)


def cwsa_sweep(profiles: Mapping[str, ConfidenceProfile] | None = None, *, random_state: int = 0) -> CWSASweep:
    """Compute metrics at thresholds from 0.50 to 0.99, as in the CWSA paper's figures.

    Parameters
    ----------
    profiles : mapping of str to ConfidenceProfile, default=None
        The models. None means the paper's five models, with 1,000 samples each.
    random_state : int, default=0
        Seed of the five models.

    Returns
    -------
    CWSASweep
        DataFrames `curves`, with a row for each model and threshold, and `summary`, with a row for each model.

    Examples
    --------
    >>> from skconf.experiments import cwsa_sweep
    >>> sweep = cwsa_sweep()
    >>> len(sweep.curves)
    250
    >>> sweep.summary["ece"].round(2).to_dict()
    {'calibrated': 0.12, 'overconfident': 0.03, 'underconfident': 0.47, 'perfect': 0.0, 'random': 0.33}
    """
    if profiles is None:
        profiles = {
            model: make_selective_model(model, _PAPER_SAMPLES, random_state=random_state) for model in SELECTIVE_MODELS
        }
    curves, summary = [], {}
    for model, profile in profiles.items():
        of_all, of_accepted = (cwsa_curve(profile, normalize=by) for by in ("all", "accepted"))
        columns = of_accepted._asdict() | {"cwsa": of_all.cwsa}
        columns["threshold"] = columns.pop("thresholds")
        curves.append(pd.DataFrame(columns).assign(model=model))
        areas = {
            f"{name}_area": metric_coverage_auc(profile, metric=name, normalize=by)
            for name, by in (("selective_accuracy", "accepted"), ("cwsa", "all"), ("cwsa_plus", "accepted"))
        }
        accuracy = metric_at("selective_accuracy", 0.0)(profile)
        summary[model] = {"accuracy": accuracy} | {name: metric_at(name)(profile) for name in OVERALL} | areas
    return CWSASweep(
        pd.concat(curves, ignore_index=True)[["model", "threshold", *AT_THRESHOLD]],
        pd.DataFrame(summary).T.rename_axis("model"),
    )


def metric_at(quantity: str, threshold: float = np.nan) -> Any:
    """Return the metric that computes a quantity; if it depends on a threshold, at this threshold."""
    if quantity in OVERALL:
        name, params = OVERALL[quantity]
        return get_metric(name, **params)
    name, params = AT_THRESHOLD[quantity]
    return get_metric(name, **params, threshold=threshold)


def printed_figures() -> pd.DataFrame:
    """Return every printed value with its threshold in the sweep, and a note if it cannot be compared."""
    table = printed_table("cwsa_tables1_2_3")
    impossible = table["cwsa"] > table["coverage"] * table["cwsa_plus"] + HALF_DIGIT
    table["note"] = np.where(impossible, _IMPOSSIBLE_NOTE, "")
    tables = figures_of(table, ["source", "model", "threshold", "swept", "note"]).assign(resolution=HALF_DIGIT)
    text = printed_table("cwsa_section5").fillna({"note": ""})
    return pd.concat([tables, text.assign(swept=text["threshold"])], ignore_index=True)
