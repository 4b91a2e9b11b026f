"""What the page of speed measures: every metric and job, what peers offer, and the floor that none can be below."""

import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import speed_peers
from joblib import parallel_config

TEN = [
    "cw_accuracy",
    "cw_f1_macro",
    "cwsa",
    "cwsa_plus",
    "cf1_macro",
    "coverage",
    "selective_accuracy",
    "neg_csr_excess",
    "neg_ecuas",
    "neg_ece",
]
#: Most rows of a table that is written at once, and numbers of groups in a file.
AT_ONCE, GROUPS = 20_000_000, 10_000
#: What is measured of files that are not as large as the page's.
MAIN = {"read", "three sums", "one metric", "ten metrics", "ten metrics with intervals"}


class Job(NamedTuple):
    """Something to time.

    Attributes
    ----------
    name, kind : str
        What it is called; "floor", "metric", "job", "whole" for a metric that begins with labels and probabilities as
        a peer's does, or what the peer is called.
    call : callable
        It takes no arguments.
    like : str
        The metric that a peer's is like; or what a file has: "weights", "10,000 groups", "CSV".
    """

    name: str
    kind: str
    call: Callable[[], object]
    like: str = ""

    @property
    def key(self):
        """What tells it from other jobs of its size."""
        return self.kind, self.name, self.like


def predictions(n_rows, n_classes):
    """Return labels, and probabilities that are calibrated."""
    rng = np.random.default_rng(0)
    if n_classes == 2:
        positive = rng.beta(2, 0.5, n_rows)
        return (rng.random(n_rows) < positive).astype(np.int64), np.stack([1 - positive, positive], axis=1)
    proba = rng.standard_gamma(0.3, (n_rows, n_classes)) + 1e-9
    proba /= proba.sum(axis=1, keepdims=True)
    y = (proba.cumsum(axis=1) > rng.random((n_rows, 1))).argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)[:n_rows]
    return y, proba


def jobs_in_memory(n_rows, n_classes):
    """Return the jobs on predictions in memory."""
    from skconf import ConfidenceProfile, confidence_report, metrics

    y, proba = predictions(n_rows, n_classes)
    labels = np.arange(n_classes)
    profile = ConfidenceProfile.from_predictions(y, proba, labels=labels)
    sure = profile.confidence
    found = [
        Job("one pass", "floor", lambda: sure.sum()),
        Job("one sort", "floor", lambda: np.sort(sure)),
        Job("one read", "floor", lambda: proba.sum()),
        Job("profile", "job", lambda: ConfidenceProfile.from_predictions(y, proba, labels=labels)),
        Job("confidence_report", "job", lambda: confidence_report(y, proba, labels=labels)),
    ]
    for name in metrics.__all__:
        function = getattr(metrics, name)
        if name == "confidence_weighted":
            continue
        few = partial(_fresh, function, profile[:200])
        given = next((given for given in ({"average": "macro"}, {}) if _works(few, given)), None)
        if given is not None:
            found.append(Job(name, "metric", partial(_fresh, function, profile, **given)))
    peers = list(speed_peers.peers_in_memory(y, proba))
    found += [Job(peer.name, peer.package, peer.call, peer.ours) for peer in peers]
    beside = dict.fromkeys(peer.ours for peer in peers)
    return found + [Job(name, "whole", speed_peers.ours(name, y, proba)) for name in beside]


def _fresh(function, profile, **given):
    """Call a metric on a profile that holds nothing from calls before."""
    return function(profile[:], **given)


def _works(call, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(**given)
        except (TypeError, ValueError):
            return False
    return True


def write_files(folder, n_rows, n_classes):
    """Write predictions as a file of Parquet, and those of two classes as CSV, once; many rows are some, repeated."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    path = Path(folder) / f"{n_rows}x{n_classes}.parquet"
    if path.exists():
        return path
    n_written = min(n_rows, AT_ONCE)
    y, proba = predictions(n_written, n_classes)
    rng = np.random.default_rng(1)
    columns = range(n_classes) if n_classes > 2 else [1]
    table = pa.table({"y_true": y} | {f"proba_{label}": proba[:, label] for label in columns})
    if n_classes == 2 and n_rows <= AT_ONCE:
        csv.write_csv(table, path.with_suffix(".csv"))
    table = table.append_column("weight", pa.array(rng.uniform(0.5, 1.5, n_written)))
    table = table.append_column("group", pa.array(rng.integers(0, GROUPS, n_written)))
    with parquet.ParquetWriter(path, table.schema) as file:
        for _ in range(n_rows // n_written):
            file.write_table(table, row_group_size=1_000_000)
    return path


def jobs_of_files(path, n_classes, threads=-1, kind=None):
    """Return the jobs on a file: ours on some threads, those of peers on as many as they take.

    Only peers of a kind are imported, if one is given: the memory of a process is that of its job.
    """
    from pyarrow.parquet import ParquetFile

    labels = list(range(n_classes))
    names = ["y_true", *(f"proba_{label}" for label in (labels if n_classes > 2 else [1]))]

    def score(file, metrics, intervals, labels=labels, **columns):
        from skconf import MetricAccumulator, accumulate

        def call():
            with parallel_config(n_jobs=threads):  # which older versions do not read
                found = accumulate(file, MetricAccumulator(metrics, intervals=intervals), labels=labels, **columns)
                return [each.result() for each in found.values()] if "groups" in columns else found.result()

        return call

    found = [Job("read", "floor", lambda: sum(map(len, ParquetFile(path).iter_batches(columns=names))))]
    text = path.with_suffix(".csv")
    for like, file, given in [
        ("", path, {}),
        ("weights", path, {"weight": "weight"}),
        (f"{GROUPS:,} groups", path, {"groups": "group"}),
        ("CSV", text, {"labels": ["0", "1"]}),
    ]:
        if file.exists():
            found.append(Job("one metric", "job", score(file, TEN[:1], True, **given), like))
            found.append(Job("ten metrics", "job", score(file, TEN, False, **given), like))
            if "groups" not in given:  # 10,000 results with all their intervals take most of a minute
                found.append(Job("ten metrics with intervals", "job", score(file, TEN, True, **given), like))
    if kind in (None, "polars") and find_spec("polars"):
        found += _polars(path, text, names)
    if kind in (None, "DuckDB") and find_spec("duckdb"):
        import duckdb

        query = f"select sum(y_true), sum({names[1]}), sum(y_true * {names[1]}) from '{path}'"
        found.append(Job("three sums", "DuckDB", lambda: duckdb.sql(query).fetchall()))
    return found


def _polars(path, text, names):
    """Go through what polars computes: three bare sums, and confidence-weighted accuracy."""
    import polars as pl

    y, columns = pl.col("y_true"), [pl.col(name) for name in names[1:]]
    sums = [y.sum(), columns[0].sum(), (y * columns[0]).sum().alias("both")]
    sure = pl.max_horizontal(*columns, *([1 - columns[0]] if len(columns) == 1 else []))
    guess = (columns[0] > 0.5).cast(pl.Int64) if len(columns) == 1 else pl.concat_list(columns).list.arg_max()
    right = guess == y

    def accuracy(weight=1):
        return ((weight * sure * right).sum() / (weight * sure).sum()).alias("cw_accuracy")

    table = pl.scan_parquet(path)
    groups, weight = f"{GROUPS:,} groups", pl.col("weight")
    yield Job("three sums", "polars", lambda: table.select(sums).collect())
    yield Job("one metric", "polars", lambda: table.select(accuracy()).collect())
    yield Job("one metric", "polars", lambda: table.select(accuracy(weight)).collect(), "weights")
    yield Job("one metric", "polars", lambda: table.group_by("group").agg(accuracy()).collect(), groups)
    if text.exists():
        csv = pl.scan_csv(text)
        yield Job("three sums", "polars", lambda: csv.select(sums).collect(), "CSV")
        yield Job("one metric", "polars", lambda: csv.select(accuracy()).collect(), "CSV")
