"""Read logs of language models among the files of a report, and count the samples of logs without confidences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skconf._core.messages import option
from skconf._core.problems import DataError
from skconf.inference._verdict import accuracy_ends
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.evidence import LEVEL
from skconf.report._evidence.origin import Origin, SourceFile, digest
from skconf.report._evidence.tables import TableAlone
from skconf.tables._columns import Columns
from skconf.tables._files import FrameFile
from skconf.tables._logs import NOT_GRADED, is_log, read_log
from skconf.tables._paths import shown


class Logs(NamedTuple):
    """The logs among the files of models, read as tables.

    Attributes
    ----------
    tables : dict of model to FrameFile
        The samples of each model whose file is a log.
    columns : dict of model to Columns
        The columns of each file. For a log, the columns of the table into which it was read.
    said : list of str
        Sentences on how logs were read.
    """

    tables: dict[str, FrameFile]
    columns: dict[str, Columns]
    said: list[str]


@dataclass(frozen=True)
class CountsAlone(TableAlone):
    """Counts for logs without confidences: how many samples are answers, and how many answers are right.

    Attributes
    ----------
    states : mapping of str to mapping of str to int
        How many samples of each log are answers, abstain (for each reason), or do not count. The keys are the names of
        the logs in the index of the table.
    level : float
        Level of the intervals.
    right_or_wrong : bool
        Whether all grades are 0 or 1.
    """

    states: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    level: float = LEVEL
    right_or_wrong: bool = True

    def anonymous(self) -> "CountsAlone":
        """Return the same counts with numbers instead of the names of models, and without files."""
        names = {
            str(model): f"model {number}" if self.several else model for number, model in enumerate(self.frame.index, 1)
        }
        frame = self.frame.set_axis(self.frame.index.map(names))
        states = {names[model]: found for model, found in self.states.items()}
        return replace(self, frame=frame, origin=Origin(), states=states)


def read_logs(models: Mapping[str, Sequence[Path]], columns: Columns, *, in_batches: bool) -> Logs:
    """Read the logs among the files of models; raise if a log cannot be read, or would be read in batches."""
    found = Logs({}, dict.fromkeys(models, columns), [])
    for model, files in models.items():
        log = next((file for file in files if is_log(file)), None)
        if log is None:
            continue
        if in_batches:
            text = "a log must be the only file of its model, and is not read in batches. Name one log for each model, "
            out = f"and leave {option('groups')} and {option('in_batches')} out."
            raise DataError(text + out, kind="log").at(shown(log))
        named = {name: getattr(columns, name) for name in ("correct", "confidence", "abstained")}
        frame = read_log(log, **named)
        found.said.extend(frame.attrs["read_as"])
        cluster = columns.cluster
        if cluster is None and _graded(frame)["id"].duplicated().any():
            cluster = "id"
            own = option("cluster", False)
            found.said.append(
                f"treated rows that share an id as a cluster of dependent rows; {own} treats all rows as independent"
            )
        found.tables[model] = FrameFile(log, frame)
        found.columns[model] = replace(
            columns, correct="correct", confidence="confidence", abstained="abstained", cluster=cluster
        )
    return found


def counts_alone(
    models: Mapping[str, Sequence[Path]], logs: Logs, *, several: bool, level: float | None
) -> CountsAlone | None:
    """Return the counts of all logs if a log has no confidences; else None.

    Raise if a log has no confidences, but the file of another model is not a log.
    """
    frames = {model: file.frame for model, file in logs.tables.items()}
    graded = {model: _graded(frame) for model, frame in frames.items()}
    if not any(_has_no_confidence(frame) for frame in graded.values()):
        return None
    if len(frames) < len(models):
        model = next(model for model, frame in graded.items() if _has_no_confidence(frame))
        text = f"{model} has no confidences, but other models have confidences. "
        text += f"Report on {model} alone, or name a column of confidences with "
        raise DataError(f"{text}{option('confidence')}.", kind="no confidence")
    level = LEVEL if level is None else level
    states = {model: each["state"].value_counts().to_dict() for model, each in frames.items()}
    rows = [_counts(states[model], graded[model], logs.columns[model], level) for model in frames]
    frame = pd.DataFrame(rows, index=pd.Index(list(frames) if several else ["value"], name="model"))
    alone = "are no confidences" if any(row["answered"] for row in rows) else "is no answer"
    said = [*logs.said, f"there {alone}, so rows are only counted"]
    sources = [
        SourceFile(model if several else "", shown(file), sum(states[model].values()), digest(file))
        for model, (file,) in models.items()
    ]
    right_or_wrong = all(table["correct"].dropna().isin([0, 1]).all() for table in graded.values())
    return CountsAlone(
        frame,
        Origin(sources, read_as=said),
        several=several,
        states=states,
        level=level,
        right_or_wrong=right_or_wrong,
    )


def _graded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are answers or abstain."""
    return frame[~frame["state"].isin(NOT_GRADED)]


def _has_no_confidence(frame: pd.DataFrame) -> bool:
    return bool(frame.loc[~frame["abstained"], "confidence"].isna().all())


def _counts(states: Mapping[str, int], frame: pd.DataFrame, columns: Columns, level: float) -> dict[str, Any]:
    """Return the counts of the samples, and the accuracy of the answers with its interval."""
    groups = None if columns.cluster_column is None else frame[columns.cluster_column]
    row: dict[str, Any] = {"samples": sum(states.values()), "answered": int((~frame["abstained"]).sum())}
    row |= {"abstained": int(frame["abstained"].sum()), **{name: states.get(name, 0) for name in NOT_GRADED}}
    right, low, high = np.nan, np.nan, np.nan
    if row["answered"]:
        profile = ConfidenceProfile.from_correctness(
            frame["correct"], np.ones(len(frame)), abstained=frame["abstained"], groups=groups
        )
        right, (low, high) = float(profile.correctness.mean()), accuracy_ends(profile, level)
    return {**row, "accuracy": right, "low": low, "high": high, "right of all": float(frame["correct"].mean())}
