"""``evaluate``: a report on predictions in files."""

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skconf._core.command_options import output_file, share_of_class, shares_of
from skconf._core.terminal import CommandError, csv_text, line_width, say, write_file
from skconf.cli.columns import add_column_options, columns_of
from skconf.cli.standard_input import DASH, written_out

if TYPE_CHECKING:
    from skconf.report._evidence.evidence import Evidence
    from skconf.report._evidence.tables import TableAlone

#: What separates the words in the name of a file, and a word.
_BETWEEN = "-_. "
_WORD = re.compile(r"[-_. ]*[^-_. ]+[-_. ]*$|[-_. ]*[^-_. ]+|^[-_. ]+$")
_DESCRIPTION = """\
Report on predictions in files: can I trust the confidences, when should the model abstain, which model is better?

examples:
  %(prog)s predictions.csv
  %(prog)s raw.csv calibrated.csv --html report.html
  %(prog)s predictions.csv --slices region age --errors 0.03 --prices 10 1

Files have a row for each prediction, and

- the true label and a probability for each class. Add the predicted label if it is not always the most probable class;
- or the true label, the predicted label and the confidence in the predicted label;
- or the true label, 0 or 1, and the probability of 1;
- or, for a generative system, the correctness of the answer (1, 0, or a grade such as 0.75) and the confidence in it.

Columns with other names than the defaults below are guessed, if only one reading fits the data. For example, the true
label may be called label, target or truth, and the names of probabilities may contain the labels. The report says which
columns it used. If several readings fit, an error names the option that chooses.

Files are CSV (cells separated by commas, semicolons, tabs or bars), JSON lines (.jsonl, .ndjson, one object for each
line), or Parquet. CSV and JSON lines may be compressed (.csv.gz).

Logs of language models are read directly: samples_TASK_TIME.jsonl of lm-evaluation-harness, .json and .eval of Inspect.
For a log, --correct names what grades the answers: METRIC,FILTER or SCORER. --confidence, --abstained and --cluster
name columns such as doc.NAME or metadata.NAME. Blank answers, and answers such as "I don't know", are abstentions.

Each file that you name holds the predictions of a model. Models are shown side by side, under the shortest names that
differ. The files of a folder are read together as the predictions of one model, and so are the files that match a
pattern in quotes. With --pool, all files are read as the predictions of one model. If all models have the same samples,
the report compares the other models with the first one. Rows are matched with --id, or by their position if the true
labels agree row by row.

If each model has one file, and all files together have at most 100 MB after decompression, they are held in memory.
Other files, and groups, are read in batches, with memory that does not grow with their size. In batches, sums are
exact, and areas under curves with more than 65,536 distinct confidences are approximate: a warning gives the bound of
the error. There are then no plots, differences or slices.

Exit status: 0 on success; 2 for a mistake in the command or a file (see standard error); 130 after Ctrl-C.
"""
_EXAMPLES = """\
more examples:
  %(prog)s raw.csv shuffled.csv --id id
  %(prog)s submission.csv --truth truth.csv --id id
  gzip --decompress --stdout old.csv.gz | %(prog)s - raw.csv
  %(prog)s 'day=*/*.csv'
  %(prog)s monday.csv tuesday.csv --pool --threshold 0.8
  %(prog)s wide.csv --target species --proba p1 p2 p3 --labels setosa versicolor virginica
  %(prog)s answers.csv --correct is_right --confidence score --csv report.csv
  %(prog)s samples_gsm8k.jsonl --correct exact_match,strict-match
  %(prog)s log.eval --correct choice --confidence metadata.confidence --cluster metadata.doc
  %(prog)s year=2026/ --group month shop --csv shops.csv
"""
#: More files than this are probably the predictions of one model.
_MOST_MODELS = 8


def add_options(evaluate: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    evaluate.description, evaluate.epilog = _DESCRIPTION, _EXAMPLES
    evaluate.usage = "%(prog)s [options] file [file ...]"
    evaluate.set_defaults(run=_run)
    evaluate.add_argument(
        "files",
        nargs="+",
        metavar="file",
        help="predictions of a model: a file; a pattern in quotes; a folder, to read all its tables (.csv, .tsv, "
        ".jsonl, .parquet); or - for standard input",
    )
    evaluate.add_argument("--pool", action="store_true", help="read all files together as the predictions of one model")
    add_column_options(evaluate)
    evaluate.add_argument(
        "--id",
        metavar="COLUMN",
        help="column of ids. Rows of the models, and of --truth, are matched by id, so they may be in any order",
    )
    evaluate.add_argument(
        "--truth",
        metavar="FILE",
        help="file of the true labels, if the files of predictions do not contain them. Rows are matched with --id; "
        "--target names the column of labels",
    )
    evaluate.add_argument(
        "--group",
        nargs="+",
        metavar="COLUMN",
        help="columns that divide the rows into groups. The report has a row of metrics for each group. Files may have "
        "any size. COLUMN may also be a NAME in the paths, as in NAME=VALUE/. To find where the model fails, use "
        "--slices",
    )
    evaluate.add_argument(
        "--slices",
        nargs="+",
        metavar="COLUMN",
        help="columns that divide the rows into slices, such as region or age. A column of many different numbers is "
        "split at its quartiles. The report lists the slices, worst first, and names the overconfident ones. For "
        "metrics of each group, use --group",
    )
    evaluate.add_argument("--batches", action="store_true", help="read in batches, even a single small file")
    evaluate.add_argument(
        "--jobs",
        type=int,
        default=-1,
        metavar="N",
        help="number of threads that read batches; it does not change the values (default: one for each core)",
    )
    evaluate.add_argument(
        "--threshold",
        type=float,
        metavar="T",
        help="lowest confidence of an accepted prediction (default: all predictions are accepted)",
    )
    evaluate.add_argument(
        "--errors",
        nargs="+",
        type=float,
        metavar="SHARE",
        help="error rates that you allow among the accepted answers, such as 0.03. The summary gives the threshold for "
        "the first SHARE. The report also has the rates 0.01, 0.02, 0.05 and 0.1",
    )
    evaluate.add_argument(
        "--prices",
        nargs=2,
        type=float,
        metavar=("ERROR", "PERSON"),
        help="cost of an error, and cost of a case that is sent to a person, such as 10 1. The report says at which "
        "threshold each model costs least",
    )
    evaluate.add_argument(
        "--prevalence",
        nargs="+",
        action="extend",
        type=share_of_class,
        metavar="LABEL=SHARE",
        help="shares of the classes where the predictions are used, such as fraud=0.003. With two classes, one share "
        "is enough. All numbers are then for these shares, and the summary says how many of 100,000 cases would "
        "be wrong",
    )
    evaluate.add_argument("--short", action="store_true", help="print only the summary")
    evaluate.add_argument(
        "--metrics",
        nargs="+",
        metavar="NAME",
        help="metrics to report, or 'all' (default: the metrics that most users need)",
    )
    evaluate.add_argument(
        "--confidence-level",
        type=float,
        metavar="P",
        help="level of intervals and guarantees (default: 0.95). Verdicts, the table of expected errors, and "
        "differences of metrics always use 0.95. The table of metrics has intervals only if you pass a level",
    )
    evaluate.add_argument("--csv", type=output_file, metavar="FILE", help="also write the table of metrics to a file")
    evaluate.add_argument("--html", type=output_file, metavar="FILE", help="write the report as an HTML page")
    evaluate.add_argument(
        "--anonymous",
        action="store_true",
        help="leave out rows, slices, labels, and the names of models, groups and files, in the text, the page and the "
        "CSV file",
    )


def _run(options: argparse.Namespace) -> int:
    from skconf._core.progress import Steps

    with Steps(len(options.files) + 3 + bool(options.html)) as steps:
        text, bold = _evaluated(options, steps.begin)
    say(text, headings=bold)
    return 0


def _evaluated(options: argparse.Namespace, begin: Callable[[str], None]) -> tuple[str, list[str]]:
    """Write the requested files, and return the text for the terminal and its headings."""
    from skconf.report._report import check_page_name

    try:
        if options.html:
            check_page_name(options.html)
        given = list(dict.fromkeys(options.files))
        names = _names(given, pool=options.pool)
        with written_out(given) as files:
            evidence = _read(options, files if names is None else dict(zip(names, files, strict=True)), begin)
            return _reported(options, evidence, begin)
    except (ValueError, TypeError, OSError) as error:
        raise CommandError(str(error)) from None
    except MemoryError:
        instead = "" if options.batches else "read in batches (--batches), "
        raise CommandError(
            f"there is not enough memory. To need less memory, {instead}use one thread (--jobs 1), name fewer columns "
            "of probabilities (--proba), or leave out --group and --slices."
        ) from None


def _read(options: argparse.Namespace, files: Any, begin: Callable[[str], None]) -> "Evidence | TableAlone":
    """Read the files, and compute what the report is about."""
    from skconf.report._evidence.files import evidence_of_files

    return evidence_of_files(
        files,
        columns_of(options) | {"groups": options.group, "threshold": options.threshold},
        "all" if options.metrics == ["all"] else options.metrics,
        in_batches=True if options.batches else None,
        progress=True,
        ids=options.id,
        truth=options.truth,
        slices=options.slices,
        errors=options.errors,
        prices=options.prices,
        prevalence=shares_of(options.prevalence),
        command=options.command,
        confidence_level=options.confidence_level,
        n_jobs=options.jobs,
        doing=begin,
    )


def _reported(
    options: argparse.Namespace, evidence: "Evidence | TableAlone", begin: Callable[[str], None]
) -> tuple[str, list[str]]:
    """Write the table and the page, and return the text for the terminal and its headings."""
    from skconf.report import ConfidenceReport
    from skconf.report._evidence.evidence import Evidence
    from skconf.report._evidence.files import untold
    from skconf.report._page.tables import WIDTH
    from skconf.report._sections.document import headings
    from skconf.report._sections.source import files_read
    from skconf.report._sections.table import as_written

    source = evidence.anonymous() if options.anonymous else evidence
    if not isinstance(evidence, Evidence) or not evidence.profiles:  # the long computation is done
        begin = untold
    begin("comparing models" if source.several else "judging confidences")
    report = ConfidenceReport(source)
    if options.short or report.evidence is None or report.evidence.chosen:  # else the text has it
        for line in source.origin.read_as:
            say(f"skconf: {line}", file=sys.stderr)
    write_file(options.csv, lambda: csv_text(as_written(report.frame), index=True))
    if options.html:
        begin("making the page")
        write_file(options.html, report.page)
    begin("making the text")
    bold = [] if report.evidence is None else headings(report.evidence, short=options.short)
    width = line_width() or WIDTH
    if options.short:
        return report.summary(width=width), bold
    return "\n\n".join(filter(None, ["\n".join(files_read(source.origin)), report.text(width=width)])), bold


def _names(files: list[str], *, pool: bool) -> list[str] | None:
    """Return the names of the models; None if all files are of one model."""
    if pool or len(files) == 1:
        return None
    if len(files) > _MOST_MODELS:
        raise ValueError(
            f"{len(files)} files were given, and each would be a separate model. If they are the predictions of one "
            f"model, pass --pool, their folder, or a pattern in quotes, such as '*{Path(files[0]).suffix}'. Otherwise, "
            f"name at most {_MOST_MODELS} files."
        )
    return _short_names(["standard input" if file == DASH else file for file in files])


def _short_names(files: list[str]) -> list[str]:
    """Return the shortest names that distinguish the files: "raw" and "isotonic", or "monday/p" and "tuesday/p"."""
    from skconf.tables._paths import stem

    parts = [Path(file).parts or (file,) for file in files]
    names = list(files)
    for depth in range(max(map(len, parts)), 0, -1):
        ends = ["/".join(each[-depth:]) for each in parts]
        names = [end if ends.count(end) == 1 else name for end, name in zip(ends, names, strict=True)]
    stems = [stem(name) for name in names]
    return _where_free(_without_common_words(stems), _where_free(stems, names))


def _without_common_words(names: list[str]) -> list[str]:
    """Leave out the words with which all names begin or end.

    Enough of the first words are kept that each name begins with a word instead of a number.
    """
    words = [_WORD.findall(name) for name in names]
    fewest = min(map(len, words))
    common = [len({each[at] for each in words}) == 1 for at in range(-fewest, fewest)]
    n_last = next((n for n in range(fewest) if not common[fewest - 1 - n]), 0)
    n_first = next((n for n in range(fewest - n_last) if not common[fewest + n]), 0)
    for n in range(n_first, 0, -1):
        left = ["".join(each[n : len(each) - n_last]).lstrip(_BETWEEN) for each in words]
        if all(re.match(r"[^\W\d_]{2}", name) for name in left):
            return left
    return ["".join(each[: len(each) - n_last]) for each in words]


def _where_free(shorter: list[str], names: list[str]) -> list[str]:
    """Return the shorter names if they differ from each other and from the columns of the report."""
    from skconf.report._evidence.predictions import OF_THE_METRIC

    are_free = all(shorter) and len({*shorter, *OF_THE_METRIC}) == len(names) + len(OF_THE_METRIC)
    return shorter if are_free else names
