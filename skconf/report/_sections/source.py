"""The section "Where does this come from?": versions, command, files with their hashes, and settings."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.numbers import DASH, percent
from skconf.metrics._base.registry import get_metric
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.evidence import LEVEL, Evidence
from skconf.report._evidence.labels import Labels
from skconf.report._evidence.origin import Origin
from skconf.report._evidence.prevalence import AtPrevalence, in_percent
from skconf.report._page.document import how_made
from skconf.report._page.parts import Folded, Part, Prose, Section
from skconf.report._page.tables import TablePart
from skconf.report._sections.words import LISTED, SHOWN, fits_on_paper

#: Letters of a hash that are shown: enough to distinguish files.
_SHORT = 12


def source(evidence: Evidence) -> Section:
    """Return the section."""
    facts = _facts(evidence)
    parts: list[Part] = [TablePart("", pd.DataFrame({"what": list(facts), "value": list(facts.values())}))]
    parts += [Prose(sentence) for sentence in evidence.origin.read_as]
    parts += _files(evidence)
    parts += _classes(evidence.profiles, evidence)
    return Section("Where does this come from?", "Source", parts)


def files_read(origin: Origin) -> list[str]:
    """Say for each model which file was read."""
    return [
        f"{f'{file.model}: ' if file.model else ''}{file.n_rows:,} predictions from {file.path}."
        for file in origin.files
    ]


def _facts(evidence: Evidence) -> dict[str, str]:
    """Return the versions and the settings of the report."""
    facts = how_made(evidence.origin.command)
    rows, thresholds = {}, {}
    for model, profile in evidence.profiles.items():
        weighted = "" if profile.sample_weight is None else ", weighted"
        grouped = "" if profile.groups is None else f", in {len(np.unique(profile.groups)):,} clusters"
        rows[model] = f"{len(profile):,}{grouped}{weighted}"
        thresholds[model] = _threshold(profile)
    facts |= {**_of_models("predictions", rows, evidence), **_of_models("threshold", thresholds, evidence)}
    if evidence.several and evidence.baseline is not None:
        facts["compared with"] = str(evidence.baseline)
    facts["level of intervals"] = f"{100 * evidence.level:g}%"
    if evidence.level != LEVEL:
        others = "in verdicts, in the table of expected errors, and for differences of metrics"
        facts["level of intervals"] += f", but {100 * LEVEL:g}% {others}"
    return facts


def _of_models(what: str, values: Mapping[Any, str], evidence: Evidence) -> dict[str, str]:
    """Return a fact for each model, or only once if it is the same for all models."""
    if not evidence.several:
        return dict.fromkeys([what], next(iter(values.values()))) if values else {}
    if len(values) > 1 and len(set(values.values())) == 1:
        return {f"{what} of each model": next(iter(values.values()))}
    return {f"{what} of {model}": value for model, value in values.items()}


def _threshold(profile: ConfidenceProfile) -> str:
    """Write the threshold, or the default if none was given."""
    if profile.threshold is not None:
        return "∞: nothing is accepted" if np.isinf(profile.threshold) else f"{profile.threshold:g}"
    default = get_metric("coverage_score").threshold_for(profile)
    return f"none given; metrics that need one use {default:g}"


def _files(evidence: Evidence) -> list[Part]:
    """Return the files with short hashes, and a folded table with the full hashes."""
    files = evidence.origin.files
    if not files:
        return []
    columns = {
        "file": [file.name for file in files],
        "predictions": [f"{file.n_rows:,}" for file in files],
        "SHA-256": [file.digest[:_SHORT] or DASH for file in files],
    }
    if evidence.several:
        columns = {"model": [str(file.model) for file in files], **columns}
    parts: list[Part] = [TablePart("Files", pd.DataFrame(columns))]
    if any(file.digest for file in files):
        full = pd.DataFrame({"file": columns["file"], "SHA-256": [file.digest or DASH for file in files]})
        parts.append(Folded("Hashes in full", [TablePart("", full)], on_paper=fits_on_paper(evidence)))
    return parts


def _classes(profiles: Mapping[Any, ConfidenceProfile], evidence: Evidence) -> list[Part]:
    """Return how many rows each class has. Models with the same numbers share a table."""
    counted: dict[str, Any] = {}
    for model in profiles:
        labels = evidence.labels_of(model)
        if labels is not None:
            table = _counts(labels, evidence.at_prevalence.get(model))
            same = next((name for name, each in counted.items() if each.equals(table)), None)
            title = str(model) if evidence.several else ""
            if same is None:
                counted[title] = table
            else:
                counted[f"{same}, {title}"] = counted.pop(same)
    parts: list[Part] = []
    for title, table in counted.items():
        heading = f"Classes of {title}" if title and len(counted) > 1 else "Classes"
        left = len(table) - LISTED
        notes = (f"{left:,} rarer classes are left out.",) if left > 0 else ()
        parts.append(TablePart(heading, table[:SHOWN]))
        if len(table) > SHOWN:
            more = TablePart("", table[SHOWN:LISTED], notes)
            parts.append(Folded(f"{len(table) - SHOWN:,} more classes", [more]))
    return parts


def _counts(labels: Labels, stated: AtPrevalence | None) -> pd.DataFrame:
    """Return the number and share of rows of each class, most frequent first, without weights."""
    counts = np.bincount(labels.true, minlength=len(labels))
    order = np.argsort(-counts, kind="stable")
    columns = {
        "class": [labels.name(code) for code in order],
        "rows": [f"{counts[code]:,}" for code in order],
        "of all": [percent(float(counts[code] / counts.sum())) for code in order],
    }
    if stated is not None:
        columns["counted as"] = [in_percent(stated.share[code]) for code in order]
    return pd.DataFrame(columns)
