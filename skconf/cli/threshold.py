"""``threshold``: thresholds that keep promises on new cases, for a configuration file."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import inf, isnan
from typing import TYPE_CHECKING, Any

from skconf._core.command_options import share, whole_number
from skconf._core.terminal import CommandError, say
from skconf.cli.columns import add_column_options, columns_of
from skconf.cli.standard_input import written_out

if TYPE_CHECKING:
    from skconf.selective import TunedThreshold

_DESCRIPTION = """\
Choose the lowest confidence that a classifier may accept so that promises hold on new cases.

examples:
  %(prog)s predictions.csv
  %(prog)s predictions.csv --target risk=0.02 --slices region --format toml
  %(prog)s predictions.csv --target risk=0.05 false_negative_rate:fraud=0.1 --confidence-level 0.9
  %(prog)s answers.jsonl --score judge

The file has a row for each prediction. Its cases must not be part of the training data of the model or of its
calibrator. The file has the same columns as for evaluate: probabilities, or a confidence in each predicted label, or
the correctness of each answer. But --label names the true labels, and there must be no weights, because a guarantee
counts every row once. Logs of language models are read, too.

These promises are possible. They hold for new cases like the cases in the file:

  risk=R                        at most the share R of the accepted predictions is wrong
  coverage=R                    at least the share R of all cases is accepted
  false_negative_rate:CLASS=R   at most the share R of the cases of CLASS is accepted as another class
  false_positive_rate:CLASS=R   at most the share R of all other cases is accepted as CLASS
  recall:CLASS=R                at least the share R of the cases of CLASS is accepted as CLASS
  cwsa=R, cwsa_plus=R           the accepted predictions have a CWSA, or CWSA+, of at least R
  ecuas_1=R                     the accepted predictions have a mean ECUAS loss with n = 1 of at most R

With a probability of --confidence-level, all promises hold in all slices. With --score, this is the probability that
they hold for the thresholds of both: the confidence and the score. The command then prints the thresholds that accept
more, or, with --objective coverage, the thresholds with the lower risk.

Exit status: 0 on success; 1 if a promise is not guaranteed in at least one slice (all cases of this slice are then
rejected); 2 for a mistake in the command or the file (see standard error).
"""
_BY_CLASS = "predicted_class"
#: The text names at most this many slices in which everything is rejected.
_NAMED = 3


def add_options(threshold: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    threshold.description = _DESCRIPTION
    threshold.usage = "%(prog)s [options] file"
    threshold.set_defaults(run=_run)
    threshold.add_argument("file", help="predictions: a file, or - for standard input")
    threshold.add_argument(
        "--target",
        nargs="+",
        type=_promise,
        default=[("risk", None, 0.05)],
        metavar="PROMISE",
        help="promises to keep: NAME=SHARE or NAME:CLASS=SHARE (default: risk=0.05)",
    )
    threshold.add_argument(
        "--confidence-level",
        type=share,
        default=0.95,
        metavar="P",
        help="probability that all promises hold (default: 0.95)",
    )
    threshold.add_argument(
        "--slices",
        nargs="+",
        metavar="COLUMN",
        help="columns such as region. Each combination of their values gets a threshold, and the promises hold in "
        f"each combination. {_BY_CLASS} alone gives each predicted class a threshold",
    )
    threshold.add_argument(
        "--objective",
        choices=("risk", "coverage"),
        default="risk",
        help="'risk' accepts as many cases as the promises allow; 'coverage' accepts as few cases as the promised "
        "coverage allows (default: 'risk')",
    )
    threshold.add_argument(
        "--candidates",
        type=whole_number(1),
        default=1,
        metavar="N",
        help="number of models or scores that you compare on the same rows, to choose one. With more candidates, "
        "each promise needs more evidence (default: 1)",
    )
    threshold.add_argument(
        "--spend",
        choices=("evenly", "first"),
        default="evenly",
        help="how the probability that a promise may be false (1 minus the confidence level) is divided among the "
        "tested thresholds. Let n be the number of rows that a guarantee needs. With fewer than 2n rows, 'first' "
        "accepts more cases than 'evenly'. With many more rows, it accepts fewer (default: 'evenly')",
    )
    threshold.add_argument(
        "--seed",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="seed of the random draw of one row from each cluster (default: 0)",
    )
    threshold.add_argument(
        "--format", choices=("text", "json", "toml"), default="text", help="format of the output (default: 'text')"
    )
    add_column_options(threshold, target="label", weighted=False)


def _promise(text: str) -> tuple[str, str | None, float]:
    """Parse a promise: NAME=SHARE or NAME:CLASS=SHARE."""
    left, _, number = text.rpartition("=")
    risk, _, label = left.partition(":")
    try:
        if risk and not isnan(value := float(number)):
            return risk, label or None, value
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(
        f"must be NAME=SHARE or NAME:CLASS=SHARE, such as risk=0.05, but is {text!r}. (--label names the true labels)"
    )


def _run(options: argparse.Namespace) -> int:
    from skconf._core.messages import on_command_line

    try:
        with written_out([options.file]) as (file,), on_command_line(target="label"):
            found = _found(options, file)
    except (ValueError, TypeError, OSError) as error:
        raise CommandError(str(error)) from None
    written = {"text": _text, "json": _json, "toml": _toml}[options.format]
    say(written(found))
    return 0 if found["shown"] else 1


def _found(options: argparse.Namespace, file: Any) -> dict[str, Any]:
    """Read the file, choose thresholds, and return them with what they promise."""
    import numpy as np

    from skconf._core.version import __version__
    from skconf._core.warn import collected
    from skconf.report._evidence.files import read_file
    from skconf.selective import tune_threshold

    columns = columns_of(options, target="label")
    read = read_file(file, columns, slices=_columns(options.slices))
    if read.table is None and options.slices and read.profile.classes is None:  # labels and their confidences
        read = read_file(file, columns, slices=_column_of_predictions(file, columns))
    for line in read.read_as:
        say(f"skconf: {line}", file=sys.stderr)
    profile = read.profile
    if profile.sample_weight is not None:
        raise ValueError(
            "The rows have weights, but a guarantee counts every row once. Leave the column of weights out."
        )
    if profile.kind == "graded":
        raise ValueError(
            "A guarantee counts errors, but these answers are graded between 0 and 1. Name a column of 1 and 0 with "
            "--correct."
        )
    ranked: dict[str | None, Any] = {None: profile}
    if read.score is not None:
        ranked[options.score] = replace(profile, score=read.score)
    found = {}
    with collected():  # the result says what is rejected
        for name, each in ranked.items():
            found[name] = tune_threshold(
                each,
                objective=options.objective,
                target=_target(options.target, () if profile.classes is None else profile.classes.tolist()),
                confidence_level=options.confidence_level,
                n_candidates=options.candidates * len(ranked),
                spend=options.spend,
                slices=_BY_CLASS if read.table is None and options.slices else read.table,
                random_state=options.seed,
            )
    better = max(found, key=lambda name: _worth(found[name], options.objective))  # the first of equal ones
    tuned = found[better]
    assert tuned.guarantees is not None  # there is a target that is a mapping
    return {
        "skconf": __version__,
        "rows": profile.n_rows,
        **({} if profile.abstained is None else {"answers": len(profile)}),
        **({} if profile.groups is None else {"clusters": len(np.unique(profile.groups))}),
        **({"confidences": "percentages, divided by 100"} if read.of_hundred and better is None else {}),
        "confidence_level": options.confidence_level,
        "shown": bool(tuned.guarantees["shown"].all()),
        **({} if options.score is None else _compared(found, better)),
        "thresholds": _entries(tuned, by_score=better is not None),
    }


def _worth(tuned: "TunedThreshold", objective: str) -> tuple[bool, float]:
    """Return a key for sorting thresholds: whether all promises are kept, and how many cases they accept.

    If the objective is coverage, the key has the risk instead: a lower risk is better.
    """
    assert tuned.guarantees is not None
    amount = tuned.coverage if objective == "risk" else -tuned.risk
    return bool(tuned.guarantees["shown"].all()), -inf if isnan(amount) else amount


def _compared(found: "Mapping[str | None, TunedThreshold]", better: str | None) -> dict[str, Any]:
    """Return which score the thresholds belong to, and the coverage that each score reaches."""
    names = {name: "confidence" if name is None else name for name in found}
    return {"score": names[better], "coverages": {names[name]: float(each.coverage) for name, each in found.items()}}


def _column_of_predictions(file: Any, columns: Mapping[str, Any]) -> list[Any]:
    """Return the column of predicted labels, if there is one."""
    from skconf.tables._columns import Columns
    from skconf.tables._files import open_table
    from skconf.tables._paths import list_files
    from skconf.tables._rows import guess_columns

    found, _ = guess_columns(map(open_table, list_files(file)), Columns(**columns))
    return [] if found.prediction is None else [found.prediction]


def _columns(slices: list[str] | None) -> list[str]:
    return [] if slices in (None, [_BY_CLASS]) else slices


def _target(given: list[tuple[str, str | None, float]], classes: Iterable[Any]) -> dict[str, Any]:
    """Return promises as :func:`tune_threshold` takes them; a class is found by its text."""
    from skconf._core.columns import Spellings

    known = Spellings(classes)
    target: dict[str, Any] = {}
    for risk, label, number in given:
        name = risk if label is None else f"{risk}:{label}"
        if risk == "cost":
            raise ValueError("--target cost needs a matrix of costs: use tune_threshold in Python.")
        there = target.setdefault(risk, number if label is None else {})
        if isinstance(there, dict) is (label is None) or (label is None and there != number):
            raise ValueError(f"--target has {risk} twice, once as {name}={number:g}. Pass it once, or by class.")
        if label is not None:
            there[known.label(label)] = number
    return target


def _entries(tuned: "TunedThreshold", *, by_score: bool) -> list[dict[str, Any]]:
    """Return an entry for each slice: its name, the threshold unless all or nothing is accepted, and the promises."""
    names = None if tuned.thresholds is None else list(tuned.thresholds.index.names)
    entries = []
    for at, (name, table) in enumerate(tuned.guarantees.groupby("slice", sort=False)):  # type: ignore[union-attr]
        threshold = tuned.threshold if tuned.thresholds is None else tuned.thresholds.iloc[at]
        threshold = threshold if by_score else max(threshold, 0.0)  # confidences are at least 0
        values = name if isinstance(name, tuple) else (name,)
        entry: dict[str, Any] = {"accepts": bool(threshold < inf)}
        if names is not None:
            entry["slice"] = {str(column): _plain(value) for column, value in zip(names, values, strict=True)}
        if entry["accepts"] and threshold > -inf:  # else everything is accepted, whatever its score
            entry["threshold"] = float(threshold)
        entry["coverage"] = float(table["coverage"].iloc[0])
        entry["promises"] = [
            {key: _plain(value) for key, value in row.items() if value not in (None, "") and value == value}  # not NaN
            for row in table.drop(columns=["slice", "threshold", "coverage"]).to_dict("records")
        ]
        entries.append(entry)
    return entries


def _plain(value: Any) -> Any:
    """Return a value of a type that JSON and TOML have."""
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, bool | int | float) else str(value)


def _json(found: Mapping[str, Any]) -> str:
    return _escaped(json.dumps(found, indent=2, ensure_ascii=False), lambda letter: json.dumps(letter)[1:-1])


def _toml(found: Mapping[str, Any]) -> str:
    """Write TOML; its texts are escaped as in JSON."""
    lines = [f"{key} = {_toml_value(value)}" for key, value in found.items() if key != "thresholds"]
    for entry in found["thresholds"]:
        lines += ["", "[[thresholds]]"]
        lines += [f"{key} = {_toml_value(value)}" for key, value in entry.items() if key != "promises"]
        for promise in entry["promises"]:
            lines += ["[[thresholds.promises]]", *(f"{key} = {_toml_value(value)}" for key, value in promise.items())]
    return "\n".join(lines)


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_toml_value(key)} = {_toml_value(each)}' for key, each in value.items())} }}"
    return _escaped(json.dumps(value, ensure_ascii=False), lambda letter: f"\\U{ord(letter):08x}")


def _escaped(text: str, escape: Callable[[str], str]) -> str:
    """Escape control characters as the format does; `say` would escape them as Python does."""
    from skconf._core.messages import visible

    return "".join(letter if visible(letter, keep="\n") == letter else escape(letter) for letter in text)


def _text(found: Mapping[str, Any]) -> str:
    """Say what is accepted and what is guaranteed. Slices in which everything is rejected come last."""
    accepting = [entry for entry in found["thresholds"] if entry["accepts"]]
    rejecting = [entry for entry in found["thresholds"] if not entry["accepts"]]
    answers = f": {found['answers']:,} are answers; in the others, the model abstains" if "answers" in found else ""
    level = _percent(found["confidence_level"])
    together = f" With a probability of {level}, all guarantees hold." if accepting else ""
    lines = [f"{found['rows']:,} rows{answers}.{together}"]
    if "clusters" in found:
        row = "answer" if answers else "row"
        cell = "cluster and slice" if "slice" in found["thresholds"][0] else "cluster"
        lines.append(f"All numbers below are from one random {row} of each {cell} ({found['clusters']:,} clusters).")
    if "score" in found:
        better = sorted(found["coverages"].items(), key=lambda each: each[0] != found["score"])
        amounts = " and ".join(f"{1000 * coverage:.0f} by {name}" for name, coverage in better)
        both = " The guarantees hold for both." if all(coverage for _, coverage in better) else ""
        lines.append(f"Rank by {found['score']}. Accepted cases of every 1,000: {amounts}.{both}")
    for entry in [*accepting, *rejecting[:_NAMED]]:
        lines += ["", _decision(entry, found.get("score"))]
        lines += [f"  {_of_promise(promise)}" for promise in entry["promises"]]
    if more := rejecting[_NAMED:]:
        lines += ["", f"Reject everything in {len(more):,} more slices, for similar reasons: see --format json."]
    return "\n".join(lines)


def _decision(entry: Mapping[str, Any], score: str | None) -> str:
    """Say what is accepted; also by which score and in which slice, if there are several."""
    from skconf._core.messages import capitalized

    where = ", ".join(f"{column} {value}" for column, value in entry.get("slice", {}).items())
    cases = "reject everything."
    if entry["accepts"]:
        by, there = "" if score is None else f" by {score}", " there" if where else ""
        start = f"accept{by} from {entry['threshold']!r} up" if "threshold" in entry else "accept everything"
        cases = f"{start}, {1000 * entry['coverage']:.0f} of every 1,000 cases{there}."
    return f"{where}: {cases}" if where else capitalized(cases)


def _of_promise(promise: Mapping[str, Any]) -> str:
    from skconf.selective._promises import KINDS

    name = promise["risk"].replace("_", " ") + (f" of {promise['class']}" if "class" in promise else "")
    bound = "least" if KINDS[promise["risk"]].is_floor else "most"
    told = f"{name}: at {bound} {_amount(promise, 'target')}"
    if not promise["shown"]:
        return f"{told} cannot be shown ({promise.get('reason', 'another promise is not kept')})."
    limit = f", exact limit {_amount(promise, 'limit')}" if "limit" in promise else ""
    return f"{told}, guaranteed. Observed {_amount(promise, 'observed')}{limit}."


def _amount(promise: Mapping[str, Any], key: str) -> str:
    from skconf.selective._promises import KINDS

    return _percent(promise[key]) if KINDS[promise["risk"]].is_share else f"{promise[key]:.3g}"


def _percent(rate: float) -> str:
    return f"{100 * rate:.3g}%"
