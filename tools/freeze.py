"""Write what users see of skconf into a folder of text files, so that ``diff -r`` compares two commits.

Run it as ``python tools/freeze.py FOLDER``, before and after a change that must change nothing. It freezes the package
in the same checkout, or the package on ``PYTHONPATH``, if this is set. It uses only the command line and public names,
so it still runs after any change inside the package. Floats are written to the last bit, except in pages and tables,
which are written as users get them. Real data are read from ``SKCONF_TEST_DATA``, if that is set; freeze both commits
with the same setting.
"""

import contextlib
import gzip
import inspect
import io
import os
import re
import shutil
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

# Set the same day, width and threads each time, before numpy is imported. Nothing is read from the user's own folders.
os.environ |= {"SOURCE_DATE_EPOCH": "1767225600", "COLUMNS": "120", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
DATA = os.environ.get("SKCONF_TEST_DATA")
if DATA:
    os.environ["SKCONF_DATA"] = f"{DATA}/uci"
if not os.environ.get("PYTHONPATH"):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from sklearn.datasets import make_classification  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402

# The command line draws resamples anew each time; here it draws the same ones.
_drawn = np.random.default_rng
np.random.default_rng = lambda seed=None: _drawn(0 if seed is None else seed)

import skconf  # noqa: E402
from skconf import calibration, inference, inspection, metrics  # noqa: E402
from skconf.cli import main  # noqa: E402

ROOMS = ("", "accumulation", "calibration", "cli", "datasets", "experiments", "inference", "inspection", "metrics")
ROOMS += ("profile", "report", "scoring", "selective")
COMMANDS = ["", "evaluate", "experiment", "datasets", "datasets list", "datasets fetch", "datasets check"]
EXPERIMENTS = ("csr", "arena", "csr-synthetic", "cwsa", "cwsa-ranking", "cwsa-stress", "ecuas", "answers", "cf1")
COMMANDS += [f"experiment {name}" for name in EXPERIMENTS]

_INDENTED: Any = {"initial_indent": "    ", "subsequent_indent": "    ", "break_on_hyphens": False}

# Values as text -----------------------------------------------------------------------------------------------------


def exact(value: Any) -> str:
    """Return a value as text, floats to the last bit."""
    value = getattr(value, "frame", value)
    if isinstance(value, pd.Series | pd.DataFrame):
        table = value.to_frame("") if isinstance(value, pd.Series) else value
        columns = ", ".join(map(str, table.columns))
        rows = [
            f"{index!r}: {exact(list(row))}" for index, row in zip(table.index, table.to_numpy(object), strict=True)
        ]
        return "\n  ".join([f"table of {columns}", *rows])
    if isinstance(value, np.ndarray):
        numbers = [exact(each) for each in value.ravel().tolist()]
        return f"array{value.shape} {value.dtype}\n" + textwrap.fill(" ".join(numbers), 110, **_INDENTED)
    if isinstance(value, float | np.floating):
        return float(value).hex()
    if isinstance(value, np.generic):
        return exact(value.item())
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{exact(key)}: {exact(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return f"[{', '.join(map(exact, value))}]"
    if type(value).__module__.startswith("skconf"):
        fields = {name: getattr(value, name) for name in inspect.signature(type(value)).parameters}
        return (
            f"{type(value).__name__}(" + "".join(f"\n  {name} = {exact(each)}" for name, each in fields.items()) + ")"
        )
    return plain(value if isinstance(value, Text) else repr(value))


def plain(text: str) -> str:
    """Return a text without addresses in memory, the user's home folder and the private modules of names."""
    text = re.sub(r" at 0x[0-9a-f]+", "", text).replace(str(Path.home()), "~")
    return re.sub(r"\bskconf\.(?:\w+\.)*_(?!_)\w+\.(?:\w+\.)*(\w+)", r"\1", text)


class Text(str):
    """A text of several lines, which is written as it is."""

    __slots__ = ()


def shown(report: Any) -> Text:
    """Return a report as users see it: printed, as CSV, to the last bit, and as a model card."""
    table = report.frame
    for name in {"best_model", "verdict"} & {*table.columns}:  # several models in a cell, as the command writes them
        table = table.assign(**{name: table[name].map(joined)})
    return Text(
        "\n".join([str(report), table.to_csv(), exact(table), plain(outcome(lambda: Text(report.model_card())))])
    )


def joined(cell: Any) -> str:
    """Return a cell of several models as text."""
    if isinstance(cell, tuple | dict):
        cell = " | ".join(
            [f"{model}: {text}" for model, text in cell.items()] if isinstance(cell, dict) else map(str, cell)
        )
    return str(cell)


def outcome(function: Callable[..., Any], *given: Any, **options: Any) -> str:
    """Return the result or the error of a call, and its warnings, sorted because threads may give them in any order."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            text = exact(function(*given, **options))
        except Exception as error:  # noqa: BLE001 – what users see of an error is frozen
            text = f"{type(error).__name__}: {error}"
            text += "".join(f"\n  note: {note}" for note in getattr(error, "__notes__", []))
    return "".join([f"{text}\n", *sorted(f"  {each.category.__name__}: {each.message}\n" for each in told)])


def typed(line: str, *, errors: bool = True) -> str:
    """Return the status of a command, its standard output and, unless it has times, its standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status: Any = main(line.split())
        except SystemExit as stop:
            status = stop.code
        except Exception as error:  # noqa: BLE001 – a traceback, which users would see
            status = f"{type(error).__name__}: {error}"
    said = "".join(sorted(err.getvalue().splitlines(keepends=True))) if errors else "not kept\n"
    return plain(f"$ skconf {line}\nstatus {status}\n{out.getvalue()}--- standard error, sorted\n{said}")


# Predictions --------------------------------------------------------------------------------------------------------


def predictions(n_classes: int, seed: int, n: int = 400) -> dict[str, Any]:
    """Return true labels, overconfident probabilities with ties, and weights."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, 0.7), n).round(3)
    proba[:, 0] = 1 - proba[:, 1:].sum(axis=1)
    proba = np.clip(proba, 0, 1)
    y_true = (rng.random(n)[:, None] > (0.8 * proba + 0.2 / n_classes).cumsum(axis=1)[:, :-1]).sum(axis=1)
    return {"y_true": y_true, "y_proba": proba, "sample_weight": rng.integers(1, 4, n).astype(float)}


def unweighted(n_classes: int, seed: int) -> dict[str, Any]:
    """Return such predictions without weights."""
    return {name: value for name, value in predictions(n_classes, seed).items() if name != "sample_weight"}


def as_table(n_classes: int, seed: int, n: int = 400) -> pd.DataFrame:
    """Return such predictions as a table, with ids, days and regions."""
    given = predictions(n_classes, seed, n)
    names = ["bird", "cat", "dog", "eel"][:n_classes] if n_classes > 2 else ["0", "1"]
    table = pd.DataFrame(given["y_proba"], columns=[f"proba_{name}" for name in names])
    table.insert(0, "y_true", np.array(names)[given["y_true"]])
    return table.assign(
        id=[f"q{i}" for i in range(n)], day=np.arange(n) % 3, region=np.where(table.index % 2, "n", "s")
    )


def write(table: pd.DataFrame, name: str, **options: Any) -> None:
    """Write a table to a file in the format that its name says."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    if name.endswith("parquet"):
        table.to_parquet(name, index=False, **options)
    else:
        table.to_csv(name, index=False, **options)


def write_files() -> None:
    """Write the files that commands read, into the current folder."""
    binary, several = as_table(2, 0), as_table(4, 1)
    write(binary, "binary.csv")
    write(several, "several.csv")
    write(several, "several.parquet", row_group_size=90)
    write(several.assign(sample_weight=predictions(4, 1)["sample_weight"]), "weights.csv")
    write(as_table(4, 2).assign(y_true=several["y_true"]).sample(frac=1, random_state=0), "other.csv")
    write(as_table(4, 3).assign(y_true=several["y_true"]), "third.parquet")
    for day, part in several.groupby("day"):
        write(part.drop(columns="day"), f"days/day={day}/part.csv")
    proba, y_true = (predictions(2, 4)[key] for key in ("y_proba", "y_true"))
    right = pd.DataFrame({"correct": (proba.argmax(axis=1) == y_true) * 1, "confidence": proba.max(axis=1)})
    write(right, "right.csv")
    write(right.assign(correct=right["correct"] * 0.75, id=binary["id"]), "graded.csv")
    words = right.replace({"correct": {1: "yes", 0: "no"}}).assign(
        confidence=np.where(proba[:, 0] > 0.5, "high", "low")
    )
    write(words, "words.csv", sep=";")
    foreign = binary.rename(columns={"y_true": "label", "proba_0": "0", "proba_1": "1"})
    write(foreign, "foreign.tsv", sep="\t")
    Path("packed.csv.gz").write_bytes(gzip.compress(Path("binary.csv").read_bytes(), mtime=0))


def write_bad_files() -> dict[str, str]:
    """Write files with mistakes, in late rows where possible; return further options of the command for each file."""
    table, right = as_table(4, 5, 3000), pd.read_csv("graded.csv")
    files = {}
    mistakes: dict[str, tuple[str, Any]] = {
        "label": ("y_true", "wolf"),
        "no_label": ("y_true", None),
        "above_1": ("proba_cat", 1.5),
        "negative": ("proba_cat", -0.25),
        "missing": ("proba_cat", None),
        "word": ("proba_cat", "high"),
        "sum": ("proba_dog", 0.999),
    }
    for name, (column, value) in mistakes.items():
        bad = table.copy()
        bad[column] = bad[column].astype(object) if name == "word" else bad[column]
        bad.loc[2711, column] = value
        for suffix in ("csv", "parquet")[: 1 if name == "word" else 2]:
            write(bad, f"bad_{name}.{suffix}", **({"row_group_size": 500} if suffix == "parquet" else {}))
            files[f"bad_{name}.{suffix}"] = "--id id" if name in ("above_1", "label") else ""
    for name, column, value in (("correct", "correct", 1.5), ("confidence", "confidence", np.inf)):
        bad = pd.concat([right] * 9, ignore_index=True)
        bad.loc[2900, column] = value
        for suffix in ("csv", "parquet"):
            write(bad, f"bad_{name}.{suffix}")
            files[f"bad_{name}.{suffix}"] = ""
    weighted = table.assign(sample_weight=1.0)
    weighted.loc[2999, "sample_weight"] = -1
    write(weighted, "bad_weight.csv")
    long = pd.concat([right[["correct", "confidence"]]] * 400, ignore_index=True)  # of several batches
    long.loc[155_555, "confidence"] = 2
    write(long, "bad_long.csv")
    lines = Path("several.csv").read_text().splitlines(keepends=True)
    Path("bad_cells.csv").write_text("".join([*lines[:300], "cat,.1,.2\n", *lines[300:]]))
    Path("bad_empty.csv").write_text("")
    Path("bad_header.csv").write_text(lines[0])
    Path("bad_picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n")
    Path("bad_form.parquet").write_bytes(b"PAR1 and then nothing")
    Path("bad_columns.csv").write_text("a,b\n1,2\n3,4\n")
    names = ("weight.csv", "long.csv", "cells.csv", "empty.csv", "header.csv", "picture.csv", "form.parquet")
    return files | {f"bad_{name}": "" for name in (*names, "columns.csv")}


# One function for each kind of output -------------------------------------------------------------------------------


def names_and_signatures() -> Iterable[tuple[str, str]]:
    """Go through the public names of each subpackage: their signatures, and their docstrings."""
    for room in ROOMS:
        home = f"skconf.{room}".rstrip(".")
        file = home.replace(".", "_")
        try:
            module = __import__(home, fromlist=["_"])
        except ImportError as error:
            yield f"names/{file}", f"{type(error).__name__}\n"
            continue
        found = {name: getattr(module, name) for name in sorted(getattr(module, "__all__", ()))}
        yield f"names/{file}", "".join(f"{name}{signature(each)}\n" for name, each in found.items())
        documents = {name: inspect.getdoc(each) for name, each in found.items() if callable(each)}
        yield (
            f"docstrings/{file}",
            "\n".join(f"{name}\n{'=' * len(name)}\n{text}\n" for name, text in documents.items()),
        )


def signature(named: Any) -> str:
    """Return the parameters of a function, without types; for a class also its public methods."""
    if not callable(named):
        return f" = {plain(repr(named))}" if isinstance(named, str) else f": {type(named).__name__}"
    try:
        of = inspect.signature(named)
    except (TypeError, ValueError):
        return "(…)"
    bare = [each.replace(annotation=each.empty) for each in of.parameters.values()]
    text = plain(str(of.replace(parameters=bare, return_annotation=of.empty)))
    text = re.sub(r"\bskconf(?:\.\w+)+\.(\w+)", r"\1", text)
    if not inspect.isclass(named):
        return text
    # Methods that are inherited from pandas, or from tuples and mappings of Python, are left out.
    ours = [each for each in named.__mro__ if each.__module__.startswith(("skconf", "sklearn"))]
    methods = sorted({name for each in ours for name in vars(each) if not name.startswith("_")})
    shown = {name: getattr(named, name, None) for name in methods}
    return text + "".join(f"\n    .{name}{signature(each) if callable(each) else ''}" for name, each in shown.items())


def helps() -> Iterable[tuple[str, str]]:
    """Go through the help of all commands."""
    for command in COMMANDS:
        yield f"help/skconf {command}".rstrip().replace(" ", "_"), typed(f"{command} --help".strip())


def evaluations() -> Iterable[tuple[str, str]]:
    """Go through reports of files: printed, as CSV and as a page."""
    lines = {
        "binary": "binary.csv --metrics all --confidence-level .9",
        "several": "several.csv --confidence-level .95 --threshold .7",
        "several_all": "several.csv --metrics all --jobs 1",
        "parquet": "several.parquet --slices region day",
        "weights": "weights.csv --threshold .6",
        "models": "several.csv other.csv third.parquet --id id --confidence-level .9",
        "models_by_place": "several.csv third.parquet --threshold .8",
        "models_apart": "several.csv other.csv",
        "anonymous": "several.csv third.parquet --anonymous --slices region",
        "graded": "graded.csv --confidence-level .95",
        "right": "right.csv --threshold .75 --metrics all",
        "words": "words.csv --grades high=.9 low=.3 yes=1 no=0",
        "foreign": "foreign.tsv",
        "one_column": "binary.csv --proba proba_1 --pos-label 1",
        "packed": "packed.csv.gz",
        "pooled": "days/day=0/part.csv days/day=1/part.csv --pool",
        "folder": "days --group day --threshold .7",
        "groups": "several.csv --group region day --batches --jobs 1",
        "groups_of_models": "several.parquet third.parquet --group region --metrics accuracy_score ecuas_loss",
        "batches": "weights.csv --batches --metrics all --jobs 2",
        "batches_intervals": "several.parquet --batches --confidence-level .95 --jobs 1",
        "batches_graded": "graded.csv --batches --metrics all",
    }
    for name, line in lines.items():
        yield f"evaluate/{name}", typed(f"evaluate {line} --csv out.csv --html out.html")
        yield from written(f"evaluate/{name}")


def written(name: str) -> Iterable[tuple[str, str]]:
    """Go through the files that a command has left, and remove them."""
    for path in sorted(Path().glob("out.*")):
        yield f"{name}{path.suffix}", path.read_text(encoding="utf-8")
        path.unlink()


def experiment_tables() -> Iterable[tuple[str, str]]:
    """Go through small runs of the experiments: what they print, and the files that they write."""
    write_answers()
    lines = {
        "csr": "csr --datasets breast_cancer --calibration none isotonic platt pooled --tables 2 6 7 12 --jobs 1",
        "csr-synthetic": "csr-synthetic --repetitions 3 --jobs 1",
        "cwsa": "cwsa --repetitions 3",
        "cwsa_files": "cwsa --predictions cwsa_files",
        "cwsa-ranking": "cwsa-ranking --models 4 --jobs 1",
        "cwsa-stress": "cwsa-stress --repetitions 3 --dataset breast_cancer",
        "ecuas": "ecuas scores --jobs 1",
        "answers": "answers answers --jobs 1",
        "cf1": "cf1 --models 4 --ratios 1 .5 --jobs 1",
    }
    lines["csr"] += " --no-results --no-download"
    if DATA:
        lines["csr_files"] = lines["csr"].replace("breast_cancer", "diabetes wine")
        lines["cwsa_paper"] = f"cwsa --predictions {DATA}/cwsa"
        lines["answers_paper"] = f"answers {DATA}/answers --jobs 1"
    for name, line in lines.items():
        # Standard error has progress, with times, and is not kept.
        ended = typed(f"experiment {line} --csv out.csv --markdown out.md --html out.html", errors=False)
        yield f"experiments/{name}", ended.replace(str(DATA), "DATA")
        yield from written(f"experiments/{name}")


def arena() -> Iterable[tuple[str, str]]:
    """Go through the losses of our calibrators in a small arena; its pages and tables have times, and are left out."""
    line = "arena --datasets breast_cancer --models logistic --sizes 100 --calibrators pooled platt isotonic"
    status = typed(f"experiment {line} --no-results --jobs 1 --csv out.csv", errors=False).split("\n")[1]
    table = pd.read_csv("out.csv", dtype=str) if Path("out.csv").exists() else pd.DataFrame()
    yield "experiments/arena.csv", f"{status}\n{table.drop(columns=table.filter(like='_seconds').columns).to_csv()}"
    Path("out.csv").unlink(missing_ok=True)


def write_answers() -> None:
    """Write what three experiments read: graded answers, scores of systems, and predictions."""
    for seed, system in enumerate(("small", "large")):
        given = predictions(2, 20 + seed, 200)
        grade = np.where(given["y_proba"].argmax(axis=1) == given["y_true"], "Correct", "Wrong")
        answers = pd.DataFrame({"question": range(200), "grade": grade, "confidence": given["y_proba"].max(axis=1)})
        write(answers, f"answers/quiz/{system}.max_softmax.csv")
        write(as_table(4, 30 + seed), f"cwsa_files/{system}_predictions.csv")
        Path("scores").mkdir(exist_ok=True)
        wide = predictions(4, 40 + seed, 600)
        np.save(f"scores/{system}.scores.npy", np.log(np.maximum(wide["y_proba"], 1e-4)))
        np.save(f"scores/{system}.targets.npy", wide["y_true"])


def metric_values() -> Iterable[tuple[str, str]]:
    """Go through all metrics on three data sets, with weights and without, and with their usual parameters."""
    for number, given in enumerate((predictions(2, 6), predictions(4, 7), unweighted(3, 8))):
        lines = []
        for name in sorted(set(metrics.__all__) - {"get_metric", "confidence_weighted"}):
            metric = getattr(metrics, name)
            known = inspect.signature(metric).parameters
            options: list[dict[str, Any]] = [{}]
            options += [{"average": each} for each in ("macro", "micro", "weighted", None) if "average" in known]
            options += [{"threshold": each} for each in (0.0, 0.75, np.inf) if "threshold" in known]
            options += [{"normalize": each} for each in (True, "pred", "all") if "normalize" in known]
            options += [{"pos_label": 1}] if "pos_label" in known else []
            options += [{"multi_class": each} for each in ("ovr", "ovo") if "multi_class" in known]
            options += [{"n_bins": 7, "strategy": "quantile"}] if {"n_bins", "strategy"} <= set(known) else []
            lines += [f"{name} {each}: {outcome(metric, **given, **each)}" for each in options]
        yield f"metrics/data_{number}", "".join(lines)


def accumulated_values() -> Iterable[tuple[str, str]]:
    """Go through the accumulated values of all scorers and metrics: one by one, together, and by group."""
    scorers = skconf.get_scorer_names()
    for file in ("binary.csv", "weights.csv", "several.parquet", "graded.csv"):
        output = f"accumulated/{file.replace('.', '_')}"
        proba = None if file == "graded.csv" else [name for name in columns_of(file) if name.startswith("proba_")]
        options = {"proba": proba, "threshold": 0.7, "n_jobs": 1}
        values = {name: outcome(accumulate, file, name, **options) for name in [*scorers, *metrics.__all__]}
        yield f"{output}_alone", "".join(f"{name}: {value}" for name, value in values.items())
        together = [name for name in scorers if "Error: " not in values[name]]
        yield output, outcome(accumulate, file, together, **options)
        if "id" in columns_of(file) and proba:
            groups = outcome(accumulate, file, together[::3], groups=["region", "day"], **options)
            yield f"{output}_groups", groups
    model, X, y = fitted()
    values = {name: outcome(lambda scorer: skconf.get_scorer(scorer)(model, X, y), name) for name in scorers}
    yield "accumulated/scorers_of_a_model", "".join(f"{name}: {value}" for name, value in values.items())


def accumulate(files: Any, names: Any, **options: Any) -> Any:
    """Return accumulated values and the bounds of their errors, for each group if there are groups."""
    found = skconf.accumulate(files, names, **options)
    groups = found if isinstance(found, Mapping) else {"all": found}
    return {group: [each.n_samples, each.result(), each.error_bounds()] for group, each in groups.items()}


def columns_of(file: str) -> list[str]:
    """Return the names of a file's columns."""
    return list((pd.read_parquet if file.endswith("parquet") else pd.read_csv)(file).columns)


def fitted() -> tuple[Any, Any, Any]:
    """Return a fitted classifier that rejects, and data."""
    X, y = make_classification(300, 5, random_state=0)
    return skconf.SelectiveClassifier(LogisticRegression(), threshold=0.7).fit(X[:100], y[:100]), X[100:], y[100:]


def inferences() -> Iterable[tuple[str, str]]:
    """Go through intervals, comparisons, groups, contributions and verdicts."""
    named = ("accuracy_score", "confidence_gap", "aurc_loss", "cw_accuracy_score", "cf1_macro", "calibrated_size_ratio")
    named += ("ecuas_loss", "neg_ece", "cwsa")
    shared: dict[str, Any] = {"random_state": 0, "n_resamples": 200}
    for number, given in enumerate((predictions(2, 9), predictions(4, 10))):
        rest = {"y_true": given["y_true"], "sample_weight": given["sample_weight"]}
        two = {"a": given["y_proba"], "b": np.roll(given["y_proba"], 1, axis=0)}
        groups = np.arange(len(given["y_true"])) % 4
        lines = [f"assess_confidence: {outcome(inference.assess_confidence, n_resamples=299, **given)}"]
        equal = {"y_true": given["y_true"], "y_proba": given["y_proba"], "groups": groups, "random_state": 0}
        lines += [f"overconfidence_by_group: {outcome(inference.overconfidence_by_group, **equal)}"]
        for name in named:
            threshold = {"threshold": 0.6} if name == "cwsa" else {}
            lines += [
                f"interval of {name}: {outcome(inference.confidence_interval, name, **given, **shared, **threshold)}"
            ]
            lines += [f"in groups: {outcome(inference.confidence_interval, name, groups=groups, **given, **shared)}"]
            lines += [
                f"compare {name}: {outcome(inference.compare, name, y_proba=two, baseline='a', **rest, **shared)}"
            ]
            lines += [f"by_group {name}: {outcome(inference.by_group, name, groups=groups, **given, **shared)}"]
            lines += [f"contributions to {name}: {outcome(inference.contributions, name, **given)}"]
        yield f"inference/data_{number}", "".join(lines)
    first, second = (skconf.ConfidenceProfile.from_predictions(**unweighted(4, seed)) for seed in (11, 12))
    yield "inference/shift", outcome(inference.shift_test, first, second)


def calibrated() -> Iterable[tuple[str, str]]:
    """Go through the probabilities that all calibrators give."""
    for n_classes in (2, 3):
        given, new = predictions(n_classes, 13, 120), predictions(n_classes, 14, 12)["y_proba"]
        for name in calibration.CALIBRATORS:
            calibrator = calibration.make_calibrator(name)
            for weight in (None, given["sample_weight"]):
                value = outcome(fit_and_predict, calibrator, given["y_proba"], given["y_true"], weight, new)
                yield f"calibration/{name}_{n_classes}{'' if weight is None else '_weights'}", value


def fit_and_predict(calibrator: Any, proba: Any, y_true: Any, weight: Any, new: Any) -> Any:
    """Return the calibrated probabilities of new predictions."""
    return calibrator.fit(proba, y_true, sample_weight=weight).predict_proba(new)


def thresholds() -> Iterable[tuple[str, str]]:
    """Go through tuned thresholds, and the classifiers that reject by them."""
    lines = []
    for given in (predictions(2, 15), predictions(4, 16)):
        cost = {"objective": "cost", "reject_cost": 0.2}
        for objective in ({}, {"objective": "cwsa"}, cost, {"objective": "coverage", "target": 0.5}, {"target": 0.2}):
            lines += [f"{objective}: {outcome(skconf.tune_threshold, **given, **objective, random_state=0)}"]
        assured = {"target": 0.3, "confidence_level": 0.9, "random_state": 0}
        given.pop("sample_weight")
        lines += [f"assured: {outcome(skconf.tune_threshold, **given, **assured)}"]
    yield "selective/tune_threshold", "".join(lines)
    X, y = make_classification(400, 6, flip_y=0.2, n_informative=4, n_classes=3, random_state=1)
    for name, make in (
        ("selective", lambda: skconf.SelectiveClassifier(LogisticRegression(), threshold=0.6)),
        ("calibrated", lambda: skconf.SelectiveClassifier(LogisticRegression(), calibration="platt", cv=3)),
        ("tuned", lambda: skconf.TunedSelectiveClassifierCV(LogisticRegression(), target=0.1, cv=3, random_state=0)),
    ):
        model = make().fit(X[:300], y[:300])
        named = [each for each in sorted(vars(model)) if each.endswith("_")]
        kept = {each: getattr(model, each) for each in named if isinstance(getattr(model, each), float | np.ndarray)}
        report = skconf.ConfidenceReport.from_estimator(model, X[300:], y[300:])
        text = f"{model!r}\n{exact(kept)}\n" + outcome(model.predict, X[300:]) + outcome(model.predict_proba, X[300:])
        yield f"selective/{name}", text + outcome(skconf.predict_selective, model, X[300:])
        yield f"selective/{name}_report", shown(report)


def other_predictions() -> Iterable[tuple[str, str]]:
    """Go through reports of predictions that are not single labels, reports by class, and reports of several models."""
    rng, kind = np.random.default_rng(20), skconf.ConfidenceProfile
    given, right = unweighted(2, 21), rng.random(400) < 0.7
    number, noise, sure, cost = rng.normal(size=400), rng.normal(size=400), rng.random(400), rng.random(400)
    answers = rng.choice(list("abc"), (100, 4))
    groups, several = np.arange(400) // 4, rng.integers(0, 2, (200, 3))
    profiles = {
        "multilabel": lambda: kind.from_multilabel(several, sure[:200, None] * [[1.0, 0.5, 0.2]]),
        "regression": lambda: kind.from_regression(number, number + noise, tolerance=1, std=np.ones(400)),
        "samples": lambda: kind.from_samples(right.reshape(100, 4), answers),
        "sequences": lambda: kind.from_sequences(right.reshape(80, 5), sure.reshape(80, 5)),
        "costs": lambda: kind.from_costs(cost, sure),
        "correctness": lambda: kind.from_correctness(right * 0.8, sure, groups=groups),
        "predictions": lambda: kind.from_predictions(**given, threshold=0.7),
    }
    for name, make in profiles.items():
        for metric in (None, "all"):
            text = outcome(lambda make=make, metric=metric: shown(skconf.confidence_report(make(), metrics=metric)))
            yield f"reports/{name}{'_all' if metric else ''}", text
    both = {"a": kind.from_predictions(**given), "b": kind.from_predictions(**unweighted(2, 22))}
    yield "reports/two", outcome(lambda: shown(skconf.confidence_report(both, confidence_level=0.9, random_state=0)))
    yield "reports/by_class", outcome(lambda: shown(skconf.confidence_report(**predictions(4, 23), by="class")))
    files = {"a": "several.csv", "b": "third.parquet"}
    yield "reports/files", outcome(lambda: shown(skconf.ConfidenceReport.from_files(files, metrics="all")))


def displays() -> Iterable[tuple[str, str]]:
    """Go through the numbers of all displays."""
    for number, given in enumerate((predictions(2, 17), predictions(4, 18))):
        profile = skconf.ConfidenceProfile.from_predictions(**given, threshold=0.6)
        lines = [f"{name}: {outcome(getattr(inspection, name).from_profile, profile)}" for name in inspection.__all__]
        yield f"inspection/data_{number}", "".join(lines)


def mistakes() -> Iterable[tuple[str, str]]:
    """Go through the messages about wrong files, wrong commands and wrong arguments."""
    for file, options in write_bad_files().items():
        # Batches do not match rows by ids, but their messages name the id of a wrong row.
        text = "\n".join(typed(f"evaluate {file} {how}".strip()) for how in (options, "--batches --jobs 1"))
        accumulated = outcome(accumulate, file, "accuracy_score", n_jobs=1)
        yield f"errors/{file.replace('.', '_')}", f"{text}\naccumulate: {accumulated}"
    lines = ("evaluate none.csv", "evaluate several.csv --metrics cwa", "evaluate several.csv --threshold 2", "evaluat")
    lines += ("evaluate several.csv --target tru", "evaluate several.csv --group regoin", "evaluate", "experiment cwas")
    lines += ("evaluate several.csv --slices dey", "evaluate words.csv", "evaluate words.csv --grades high=2", "")
    lines += (
        "evaluate several.csv other.csv --id region",
        "evaluate several.csv --confidence-level 2",
        "datasets chek",
    )
    lines += ("evaluate several.csv graded.csv", "evaluate several.csv --labels a b", "experiment answers nowhere")
    lines += (
        "evaluate several.csv --html nowhere/x.html",
        "experiment csr --datasets adult",
        "experiment cf1 --kinds x",
    )
    lines += ("evaluate several.csv --group region --slices day", "experiment csr --data binary.csv --target y_tru")
    yield "errors/commands", "\n".join(map(typed, lines))
    given = predictions(3, 19)
    wrong: dict[str, Any] = {
        "sums": {"y_proba": given["y_proba"] * 2},
        "length": {"y_true": given["y_true"][:-1]},
        "nan": {"y_proba": np.where(given["y_proba"] > 0.9, np.nan, given["y_proba"])},
        "labels": {"labels": ["a", "b", "c"]},
        "too few labels": {"labels": [0, 1]},
        "pos_label": {"pos_label": 7},
        "weights": {"sample_weight": -given["sample_weight"]},
        "y_pred": {"y_pred": given["y_true"] + 5},
        "empty": {"y_true": [], "y_proba": [], "sample_weight": None},
        "texts": {"y_proba": "high"},
    }
    functions: dict[str, Callable[..., Any]] = {
        "metric": metrics.cwsa_score,
        "report": skconf.confidence_report,
        "profile": skconf.ConfidenceProfile.from_predictions,
        "tune_threshold": skconf.tune_threshold,
    }
    for name, function in functions.items():
        yield f"errors/{name}", "".join(f"{key}: {outcome(function, **given | bad)}" for key, bad in wrong.items())
    others: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (skconf.get_scorer, {"name": "cwas"}),
        (calibration.make_calibrator, {"calibration": "plat"}),
        (skconf.confidence_report, {**given, "metrics": ["ece"]}),
        (skconf.confidence_report, {**given, "baseline": "a"}),
        (inference.confidence_interval, {"metric": "aurc", **given}),
        (inference.confidence_interval, {"metric": "aurc_loss", "method": "magic", **given}),
        (skconf.tune_threshold, {**given, "objective": "risky"}),
        (skconf.accumulate, {"data": {"a": [1]}, "names": "accuracy_score"}),
        (skconf.accumulate, {"data": "none*.csv", "names": "accuracy_score"}),
    ]
    yield "errors/others", "".join(f"{function.__name__}: {outcome(function, **bad)}" for function, bad in others)


KINDS = (
    names_and_signatures,
    helps,
    evaluations,
    metric_values,
    accumulated_values,
    inferences,
    calibrated,
    thresholds,
)
KINDS += (displays, other_predictions, mistakes, experiment_tables, arena)


#: The folders that are written. They are removed first.
FOLDERS = ("names", "docstrings", "help", "evaluate", "metrics", "accumulated", "inference", "calibration", "selective")
FOLDERS += ("inspection", "reports", "errors", "experiments")


def freeze(folder: Path) -> int:
    """Write all files into a folder, after the files of an earlier run are removed; return their number."""
    sys.argv = ["skconf"]  # what the command line says that the user typed
    for old in FOLDERS:
        shutil.rmtree(folder / old, ignore_errors=True)
    count = 0
    with tempfile.TemporaryDirectory() as work, contextlib.chdir(work):
        write_files()
        for kind in KINDS:
            for name, text in kind():
                path = folder / (name if Path(name).suffix else f"{name}.txt")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.replace(work, "WORK"), encoding="utf-8")
                count += 1
    return count


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(f"{__doc__}")
    target = Path(sys.argv[1]).resolve()
    print(f"{freeze(target)} files of {Path(skconf.__file__).parent} in {target}")
