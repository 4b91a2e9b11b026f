"""Logs of Inspect: one JSON object, or an archive with a file for each sample."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from math import inf, nan
from pathlib import Path
from typing import Any, Self
from zipfile import ZipFile, ZipInfo

from skconf._core.messages import brief
from skconf._core.problems import DataError
from skconf.tables._log_samples import Log, Sample, is_scalar, parsed

#: The numbers of the words of scorers.
_WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
#: Files of an archive that list the questions; the first existing one is read.
_HEADS = ("header.json", "_journal/start.json")
_SAMPLES = "samples/"


class InspectLog(Log):
    """A log of Inspect.

    Parameters
    ----------
    samples : iterable of mapping
        The samples of the log.
    head : mapping
        The header of the log. It may list the ids of the questions, in the order of the data set.
    broken : list of str
        The parts of the log that could not be read.
    """

    def __init__(self, samples: Iterable[Mapping[str, Any]], head: Mapping[str, Any], broken: list[str]) -> None:
        place = {each: at for at, each in enumerate(_ids_of(head))}
        # The parts of an archive are in the order in which the samples ended.
        self.rows = sorted(samples, key=lambda row: (row.get("epoch", 1), place.get(row["id"], inf)))
        if not self.rows:
            if broken:
                text = f"it has no sample that can be read ({len(broken):,} broken)."
                advice = "Write the file again."
            else:
                text, advice = "it has no samples.", "To log samples, call inspect eval without --no-log-samples."
            raise DataError(text, kind="no log", advice=advice)
        values: dict[str, list[Any]] = {}
        for row in self.rows:
            for scorer, score in (row.get("scores") or {}).items():
                value = score.get("value")
                parts = {f"{scorer},{name}": each for name, each in value.items()} if isinstance(value, dict) else None
                for name, each in ({scorer: value} if parts is None else parts).items():
                    values.setdefault(name, []).append(each)
        if not values:
            failed = sum(map(_has_failed, self.rows))
            raise DataError(
                f"it has no sample with a score; {failed:,} of {len(self.rows):,} failed.",
                kind="no grade",
                advice="Run the samples again: inspect eval-retry." if failed else "Score the log: inspect score.",
            )
        why = {name: next((reason for each in of if (reason := _no_grade(each))), "") for name, of in values.items()}
        super().__init__(why, broken)

    @classmethod
    def of_text(cls, text: bytes) -> Self:
        """Read a log that is one object."""
        try:
            log = json.loads(text)
        except (ValueError, RecursionError):
            raise DataError(
                "it is not JSON, or it ends too early.", kind="damaged", advice="Write the log again."
            ) from None
        if not isinstance(log, dict) or "eval" not in log:
            raise DataError(
                "it is not a log of Inspect: a log is an object with eval and samples.",
                kind="no log",
                advice="Give a log of Inspect, samples_TASK_TIME.jsonl of lm-evaluation-harness, or a table: CSV, "
                "Parquet or JSON lines (written by pd.read_json(...).to_json('FILE.jsonl', orient='records', "
                "lines=True)).",
            )
        rows = log.get("samples") or []
        whole = [row for row in rows if _is_sample(row)]
        return cls(whole, log, [f"sample {at}" for at, row in enumerate(rows, 1) if not _is_sample(row)])

    @classmethod
    def of_archive(cls, path: Path) -> Self:
        """Read a log that is an archive."""
        samples, broken, head = list[Any](), list[str](), dict[str, Any]()
        with ZipFile(path) as archive:
            parts = {part.filename: part for part in archive.infolist()}
            for name, part in parts.items():
                if name.startswith(_SAMPLES):
                    row = parsed(_content(archive, part, path))
                    if _is_sample(row):
                        samples.append(row)
                    else:
                        broken.append(name)
            first = next((parts[name] for name in _HEADS if name in parts), None)
            if first is not None:
                found = parsed(_content(archive, first, path))
                head = found if isinstance(found, dict) else {}
        return cls(samples, head, broken)

    def samples(self, grade: str) -> list[Sample]:
        """Return all samples, with the grade of a scorer."""
        scorer, _, part = grade.partition(",")
        return [_sample(row, scorer, part) for row in self.rows]


def _ids_of(head: Any) -> list[Any]:
    """Return the ids of the questions in the order of the data set; [] if they are unknown."""
    for name in ("eval", "dataset", "sample_ids"):
        head = head.get(name) if isinstance(head, dict) else None
    return [each for each in head if is_scalar(each)] if isinstance(head, list) else []


def _is_sample(row: Any) -> bool:
    """Return whether an object is a sample. Only the parts that are read are checked."""
    if not isinstance(row, dict) or row.get("id") is None or not is_scalar(row["id"]):
        return False
    scores, output = (row.get(name) or {} for name in ("scores", "output"))
    if type(row.get("epoch", 1)) is not int or not isinstance(scores, dict) or not isinstance(output, dict):
        return False
    choices = output.get("choices") or []
    metadata = [row.get("metadata"), *(each.get("metadata") for each in scores.values() if isinstance(each, dict))]
    return (
        isinstance(choices, list)
        and all(isinstance(each, dict) for each in (*scores.values(), *choices))
        and all(each is None or isinstance(each, dict) for each in metadata)
        and isinstance(output.get("completion") or "", str)
    )


def _content(archive: ZipFile, part: ZipInfo, path: Path) -> bytes:
    """Return the content of a part of an archive; nothing if it is damaged.

    Parts are compressed by Zstandard. zipfile cannot read this before Python 3.14, so they are decompressed here.
    """
    try:
        return archive.read(part)
    except NotImplementedError:
        pass
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # each method of compression has errors of its own
        return b""
    with path.open("rb") as file:
        file.seek(part.header_offset)
        head = file.read(30)
        file.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
        return _decompressed(file.read(part.compress_size), path)


def _decompressed(data: bytes, path: Path) -> bytes:
    """Return the content of a part; nothing if it is damaged."""
    if find_spec("zstandard") is not None:
        from zstandard import ZstdDecompressor, ZstdError

        with suppress(ZstdError):
            return ZstdDecompressor().decompressobj().decompress(data)
        return b""
    if find_spec("pyarrow") is not None:
        from pyarrow import BufferReader, CompressedInputStream

        with suppress(OSError):
            return CompressedInputStream(BufferReader(data), "zstd").read()
        return b""
    raise ImportError(
        f"Reading {path} needs zstandard: pip install zstandard. Or convert the log: inspect log convert "
        f"--to json --output-dir converted {path}"
    )


def _has_failed(row: Mapping[str, Any]) -> bool:
    """Return whether a sample ended with an error, or at a limit."""
    return bool(row.get("error") or row.get("limit"))


def _no_grade(value: Any) -> str:
    """Return why a value is not a grade from 0 to 1; "" if it is a grade."""
    number = _number(value)
    if number is None:
        return f"has {brief(value)}, which is neither a number nor a grade"
    return f"is not in [0, 1]: {number:g}" if number < 0 or number > 1 else ""  # NaN is neither


def _number(value: Any) -> float | None:
    """Return a value of a score as the number that Inspect uses: NaN if there is no value, None if it is no number."""
    if value is None:
        return nan
    if isinstance(value, str):
        if value in _WORDS or value.lower() in _WORDS:
            return _WORDS[value if value in _WORDS else value.lower()]
        try:
            return float(value)
        except ValueError:
            return None
    return float(value) if isinstance(value, int | float) else None


def _sample(row: Mapping[str, Any], scorer: str, part: str) -> Sample:
    score = (row.get("scores") or {}).get(scorer)
    value = None if score is None else score.get("value")
    if part:
        value = value.get(part) if isinstance(value, dict) else None
    answer = None if score is None else score.get("answer")
    output = row.get("output") or {}
    choices = output.get("choices") or [{}]
    text = output.get("completion") or ""
    number = _number(value)
    return Sample(
        id=row["id"],
        epoch=row.get("epoch", 1),
        grade=nan if number is None else number,
        answer=answer,
        texts=tuple(each.strip() for each in (answer, text) if isinstance(each, str)),
        columns=_scalars("metadata", row.get("metadata")) | _scalars("score", score and score.get("metadata")),
        blank=not (text if answer is None else str(answer)).strip(),
        said_none=value == "N",
        stopped=choices[0].get("stop_reason") == "content_filter",
        failed=bool(row.get("error")) or (score is None and _has_failed(row)),
    )


def _scalars(prefix: str, values: Any) -> dict[str, Any]:
    return {f"{prefix}.{name}": value for name, value in (values or {}).items() if is_scalar(value)}
