"""Parts of a Dask collection: one task for each part, and a tree of tasks that merge results."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from skconf.accumulation._read import Job, merged
from skconf.accumulation._state import State

#: Parts that one task merges.
_FAN_IN = 8


def read_dask(data: Any, job: Job) -> dict[Any, State]:
    """Return the states of a Dask data frame, or of a mapping of Dask arrays."""
    from dask.delayed import delayed

    is_frame = not isinstance(data, Mapping)
    job = job.on_parts(data.columns if is_frame else data)
    parts = data[job.columns.needed].to_delayed() if is_frame else _blocks(data, job.columns.needed)
    sent = delayed(job, pure=True)
    results = [sent.read_part(part, number) for number, part in enumerate(parts)]
    merge = delayed(merged)
    while len(results) > 1:
        results = [merge(results[start : start + _FAN_IN]) for start in range(0, len(results), _FAN_IN)]
    return job.states(results[0].compute())


def _blocks(arrays: Mapping[str, Any], needed: list[str]) -> list[Any]:
    """Return arrays in blocks of rows. All arrays are split like the first one."""
    rows = arrays[needed[0]].chunks[0]
    columns = []
    for name in needed:
        array = arrays[name]
        chunks = {0: rows} if not np.isnan(rows).any() and sum(rows) == array.shape[0] else {}
        array = array.rechunk(chunks | ({1: -1} if array.ndim == 2 else {}))
        if array.numblocks[0] != len(rows):
            raise ValueError(
                f"{name} and {needed[0]} differ in rows or chunks: {array.chunks[0]} and {rows}. Rechunk them alike."
            )
        columns.append(array.to_delayed().ravel())
    return [dict(zip(needed, blocks, strict=True)) for blocks in zip(*columns, strict=True)]
