"""Logs of lm-evaluation-harness: ``samples_TASK_TIME.jsonl``, a line for each document and filter."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from skconf._core.probabilities import Floats
from skconf._core.problems import DataError
from skconf._core.warn import warn
from skconf.tables._log_samples import Choices, Log, Sample, is_scalar, no_grade, parsed, repetitions

#: The names that every line has.
_NEEDED = {"doc_id", "filtered_resps", "metrics"}
#: How the metrics that grade a choice compare likelihoods.
_WEIGHED_BY = {"acc": "", "acc_norm": "characters", "acc_bytes": "bytes", "acc_mutual_info": "unconditional"}
#: Metrics that are never grades, with the reason.
_NEVER = {"brier_score": "is an array written as text"}


def is_sample(row: Any) -> bool:
    """Return whether an object is a line of such a log."""
    return (
        isinstance(row, dict)
        and row.keys() >= _NEEDED
        and isinstance(row["doc_id"], str | int | float)
        and isinstance(row["filtered_resps"], list)
        and isinstance(row["metrics"], list)
        and all(isinstance(metric, str) for metric in row["metrics"])
    )


class LmEvalLog(Log):
    """A log of lm-evaluation-harness.

    Parameters
    ----------
    lines : iterable of bytes
        Its lines.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self.rows: dict[str, list[Mapping[str, Any]]] = {}
        broken: list[str] = []
        for number, line in enumerate(lines, 1):
            if line.strip():
                row = parsed(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
                if is_sample(row):
                    self.rows.setdefault(str(row.get("filter") or "none"), []).append(row)
                else:
                    broken.append(f"line {number}")
        if not self.rows:
            raise DataError(
                "it has no line that is a sample of lm-evaluation-harness with doc_id, filtered_resps and metrics.",
                kind="no log",
                advice="Give a file samples_TASK_TIME.jsonl, which --log_samples writes.",
            )
        why = {
            f"{metric},{called}": _NEVER.get(metric) or no_grade(row.get(metric) for row in rows)
            for called, rows in self.rows.items()
            for metric in dict.fromkeys(metric for row in rows for metric in row["metrics"])
        }
        super().__init__(why, broken)

    def samples(self, grade: str) -> list[Sample]:
        """Return the samples for a grade "METRIC,FILTER": the lines with this filter, graded by this metric."""
        metric, _, called = grade.partition(",")
        rows = self.rows[called]
        epochs = repetitions([row["doc_id"] for row in rows])
        return [_sample(row, metric, epoch) for row, epoch in zip(rows, epochs, strict=True)]

    def choices(self, grade: str) -> Choices | None:
        """Return the choices that a metric grades; None if answers are texts, or if the choices cannot be found.

        Raises
        ------
        DataError
            If the metric does not say whether an answer is right, but how likely a given text is.
        """
        metric, _, called = grade.partition(",")
        rows = self.rows[called]
        pairs = [row["filtered_resps"] for row in rows]
        likelihoods = list(map(_are_likelihoods, pairs))
        if not any(likelihoods):
            return None
        if all(likelihoods) and all(len(each) == 1 for each in pairs):
            raise DataError(
                f"{metric} does not say whether an answer is right. It says how likely a given text is, because the "
                "output type of this task is loglikelihood.",
                kind="output type",
                column=grade,
                advice="Log a multiple-choice task, or a task that generates answers.",
            )
        found = _Likelihoods(rows, pairs).graded_by(metric) if all(likelihoods) else None
        if found is None:
            warn(
                f"the choices that {metric} graded cannot be found from the log-likelihoods, so there are no "
                "confidences.",
                kind="not rebuilt",
            )
        return found


def _are_likelihoods(responses: list[Any]) -> bool:
    """Return whether responses are pairs of texts: a log-likelihood, and whether the model would write this choice."""
    return bool(responses) and all(
        isinstance(pair, list) and len(pair) == 2 and str(pair[1]) in ("True", "False") and _is_number(pair[0])
        for pair in responses
    )


def _is_number(text: Any) -> bool:
    try:
        float(text)
    except (TypeError, ValueError):
        return False
    return True


def _sample(row: Mapping[str, Any], metric: str, epoch: int) -> Sample:
    """Return a line as a sample; the generated text is the answer."""
    value, responses, doc = row.get(metric), row["filtered_resps"], row.get("doc")
    answer = responses[0] if responses else None
    while isinstance(answer, list) and len(answer) == 1:
        (answer,) = answer
    text = answer.strip() if isinstance(answer, str) else None
    columns = {f"doc.{name}": each for name, each in doc.items() if is_scalar(each)} if isinstance(doc, dict) else {}
    return Sample(
        id=row["doc_id"],
        epoch=epoch,
        grade=np.nan if value is None else float(value),
        answer=None if text is None else answer,
        texts=() if text is None else (text,),
        columns=columns,
        blank=text == "",
    )


class _Likelihoods:
    """The log-likelihoods of the choices of a multiple-choice task.

    Parameters
    ----------
    rows : sequence of mapping
        The samples.
    pairs : sequence of list of pair
        For each sample, a pair of texts for each choice: its log-likelihood, and whether the model would write it.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]], pairs: Sequence[Any]) -> None:
        self.rows = rows
        # With acc_mutual_info, as many requests without the question follow those with the question.
        halved = [
            "acc_mutual_info" in row["metrics"] and len(each) % 2 == 0 for row, each in zip(rows, pairs, strict=True)
        ]
        self.counts = [len(each) // (1 + half) for each, half in zip(pairs, halved, strict=True)]
        self.logs = self._padded([[float(pair[0]) for pair in each] for each in pairs])
        without = [each[n:] for each, n in zip(pairs, self.counts, strict=True)]
        self.unconditional = (
            self._padded([[float(pair[0]) for pair in each] for each in without]) if all(halved) else None
        )
        self.texts = [_texts(row, n) for row, n in zip(rows, self.counts, strict=True)]

    def _padded(self, values: Sequence[Sequence[float]]) -> Floats:
        padded = np.full((len(values), max(self.counts)), -np.inf)
        for i, (each, n) in enumerate(zip(values, self.counts, strict=True)):
            padded[i, :n] = each[:n]
        return padded

    def graded_by(self, metric: str) -> Choices | None:
        """Return the choice that `metric` graded in each row; None if it cannot be found.

        A way of choosing is accepted if its choices are right exactly where the logged metric is 1. Rows without the
        metric do not count.
        """
        grades = np.array([row.get(metric) for row in self.rows], dtype=np.float64)
        # The text between question and choice, a space by default, is not a part of the choice.
        for n_before in (1, 0) if all(text[:1].isspace() for each in self.texts for text in each) else (0,):
            choice = self._choice(_WEIGHED_BY.get(metric), n_before)
            if choice is None:
                return None
            for targets in self._targets(n_before):
                right = np.array([each in target for each, target in zip(choice, targets, strict=True)])
                if ((right == grades) | np.isnan(grades)).all():
                    return self._of(choice)
        return None

    def _choice(self, weighed_by: str | None, n_before: int) -> NDArray[np.intp] | None:
        weighed = self.logs
        if weighed_by is None or (weighed_by in ("characters", "bytes") and not all(self.texts)):
            return None
        if weighed_by == "unconditional":
            if self.unconditional is None:
                return None
            weighed = np.where(np.isneginf(self.logs), -np.inf, self.logs - self.unconditional)
        elif weighed_by:
            lengths = np.ones(self.logs.shape)
            for i, each in enumerate(self.texts):
                lengths[i, : len(each)] = [
                    len(text[n_before:].encode() if weighed_by == "bytes" else text[n_before:]) for text in each
                ]
            with np.errstate(divide="ignore", invalid="ignore"):
                weighed = self.logs / lengths
        return np.argmax(weighed, axis=1)

    def _targets(self, n_before: int) -> Iterator[list[Any]]:
        """Go through the possible meanings of a target: the number of a choice, its text, or a list of such numbers."""
        targets = [str(row.get("target", "")) for row in self.rows]
        if all(target.isdecimal() for target in targets):
            yield [(int(target),) for target in targets]
        known = [[text[n_before:] for text in each] for each in self.texts]
        yield [(of.index(target),) if target in of else () for target, of in zip(targets, known, strict=True)]
        if all(target.startswith("[") for target in targets):
            try:
                yield [ast.literal_eval(target) for target in targets]
            except (ValueError, SyntaxError):
                return

    def _of(self, choice: NDArray[np.intp]) -> Choices | None:
        with np.errstate(invalid="ignore"):
            proba = softmax(self.logs, axis=1)
        confidence = proba[np.arange(len(choice)), choice]
        if np.isnan(confidence).any():  # no choice had a positive likelihood
            return None
        proba[np.arange(proba.shape[1]) >= np.array(self.counts)[:, np.newaxis]] = np.nan
        return Choices(choice, confidence, proba)


def _texts(row: Mapping[str, Any], n: int) -> list[str]:
    """Return the text of each choice of a row, with the delimiter before it, such as a space; [] if one is unknown."""
    arguments = row.get("arguments")
    given = [arguments.get(f"gen_args_{i}") for i in range(n)] if isinstance(arguments, dict) else []
    texts = [each.get("arg_1") if isinstance(each, dict) else None for each in given]
    return [text for text in texts if isinstance(text, str)] if all(isinstance(text, str) for text in texts) else []
