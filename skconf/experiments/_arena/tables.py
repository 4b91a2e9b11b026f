"""The arena's results in tables: wins, differences, tails, times."""

import numpy as np
import pandas as pd

from skconf._core.numbers import DASH
from skconf.inference._p_values import student

RUN = ["data", "model", "n"]
LOSSES = {"brier": "Brier score", "log_loss": "log loss"}
OTHERS = {"smooth_ece": "smooth ECE", "cw_error": "1 − cwA", "aurc": "AURC", "ecuas": "ECUAS"}
#: Losses are compared as ratios of loss + floor, so that losses near 0 do not differ.
FLOOR = 1e-3
#: Losses with at most this relative difference count as equal.
_LEVEL = 1e-9


def compare(runs: pd.DataFrame, champion: str, losses: dict[str, str] = LOSSES) -> pd.DataFrame:
    """Compare each calibrator with the champion.

    There is a row for each calibrator, with the strongest rival first. `runs` is the number of runs that the calibrator
    and the champion finished, and `failed` the number of failed runs of the calibrator. For each loss X, `X_wins` is
    the share of runs in which the loss of the champion is lower (a draw counts half). `X` says by what fraction the
    loss of the calibrator is higher than the loss of the champion: the geometric mean over runs of the ratio of the two
    losses, minus 1. `X_low` and `X_high` are its 95% interval, which treats the runs of a data set as one group.
    """
    done = runs[runs["failure"] == ""]
    tables = {loss: done.pivot(index=RUN, columns="calibrator", values=loss) for loss in losses}
    failed = runs[runs["failure"] != ""].groupby("calibrator").size()
    rows = {}
    for name in runs["calibrator"].unique():
        if name == champion:
            continue
        row: dict[str, float] = {"failed": int(failed.get(name, 0))}
        for loss, table in tables.items():
            both = table.reindex(columns=[name, champion]).dropna()
            row["runs"] = len(both)
            row |= {f"{loss}{end}": number for end, number in _against(both[name], both[champion]).items()}
        rows[name] = row
    compared = pd.DataFrame.from_dict(rows, orient="index")
    return compared.sort_values(next(iter(losses))) if len(compared) else compared


def _against(other: pd.Series, own: pd.Series) -> dict[str, float]:
    """Return the share of runs in which `own` is lower, and by what fraction `other` is higher, with its interval."""
    if own.empty:
        return dict.fromkeys(["_wins", "", "_low", "_high"], np.nan)
    level = np.abs(other - own) <= _LEVEL * np.maximum(np.abs(own), 1e-300)
    wins = float(np.where(level, 0.5, own < other).mean())
    ratio = np.log((other + FLOOR) / (own + FLOOR))
    mean, half = float(ratio.mean()), np.nan
    apart = (ratio - mean).groupby(level="data").sum()  # runs of a data set vary together
    if (n_data := len(apart)) > 1:
        error = np.sqrt(n_data / (n_data - 1) * float(apart @ apart)) / len(ratio)
        half = student(0.95, n_data - 1) * error
    ends = {"": mean, "_low": mean - half, "_high": mean + half}
    return {"_wins": wins, **{end: float(np.expm1(value)) for end, value in ends.items()}}


def tails(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of runs whose size ratio is far above 1.

    The ratio uses at most as many test samples as the run has calibration samples.
    """
    done = runs[runs["failure"] == ""]
    each = pd.DataFrame({"csr_3": done["csr"] > 3, "z_1": done["zscore"] > 1, "z_3": done["zscore"] > 3})
    return each.groupby(done["calibrator"], sort=False).mean()


def times(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the median processor seconds to fit and to predict, by number of calibration samples."""
    spent = runs["fit_seconds"] + runs["predict_seconds"]
    return spent.groupby([runs["calibrator"], runs["n"]], sort=False).median().unstack("n")


def share(value: float) -> str:
    """Return a share in percent; a share below 10% has one decimal."""
    if np.isnan(value):
        return DASH
    return f"{100 * value:.0f}%" if value >= 0.0995 or value == 0 else f"{100 * value:.1f}%"


def change(value: float, low: float = np.nan, high: float = np.nan) -> str:
    """Return a relative difference in percent, with its interval."""
    if np.isnan(value):
        return DASH
    written = _signed(value)
    return written if np.isnan(low) else f"{written} [{_signed(low, '')}, {_signed(high, '')}]"


def _signed(value: float, unit: str = "%") -> str:
    percent = 100 * value
    if percent > 999:
        return f"> +999{unit}"
    text = f"{percent:+.0f}" if abs(percent) >= 99.5 else f"{percent:+.1f}"
    return text.replace("-", "−") + unit
