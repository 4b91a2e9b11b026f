"""``evaluate``: a report on predictions in files."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from skconf._core.command_options import output_file, share_of_class, shares_of
from skconf._core.terminal import CommandError, csv_text, line_width, say, write_file
from skconf.cli.columns import add_column_options, columns_of
from skconf.cli.standard_input import DASH, written_out

_DESCRIPTION = """\
Report on predictions in files: may their confidences be trusted, when to abstain, which model is better.

examples:
  %(prog)s predictions.csv
  %(prog)s raw.csv calibrated.csv --html report.html
  %(prog)s predictions.csv --slices region age --errors 0.03 --prices 10 1

Files have a row for each prediction, and

- the true label and a probability for each class, and perhaps the predicted label, if it is not the most probable one;
- or the true label, the predicted label and the confidence in it;
- or the true label, 0 or 1, and the probability of 1;
- or, for a generative system, whether the prediction is right (1 or 0), or how nearly (such as 0.75), and the
  confidence in it.

Columns under other names than those below are found where one reading alone fits the data, as in the files of many
tools: the true label is called label, target or truth, and probabilities are named by the labels. The report says what
was found; where several readings fit, an error names the option that decides.

Files are CSV (cells separated by commas, semicolons, tabs or bars), JSON lines (an object in each: .jsonl, .ndjson),
both also compressed (.csv.gz), or Parquet.

Logs of language models are read as they are: samples_TASK_TIME.jsonl of lm-evaluation-harness, .json and .eval of
Inspect. Of these --correct names what grades the answers, METRIC,FILTER or SCORER, and --confidence, --abstained and
--cluster name columns such as doc.NAME or metadata.NAME. Answers such as "I don't know", and blank ones, abstain.

Each file that is named is a model. Models are shown side by side, under the shortest names that differ. The files of a
folder are parts of one model; so are those that match a pattern in quotes, and all files with --pool. The differences
from the first model follow if the rows are about the same samples. Rows are matched by --id, or by their place if the
true labels agree row by row.

Files of up to 100 MB together (decompressed), one for each model, are held in memory. Others, and groups, are read in
batches, in memory that does not grow with their size: sums are exact, areas under curves of more than 65,536 distinct
confidences are within a bound that a warning names, and there are no plots, differences or slices.

Exit status: 0 on success; 2 for a mistake in the command or a file, which standard error names; 130 after Ctrl-C.
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
#: More files than this are probably parts of one model.
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
    evaluate.add_argument("--pool", action="store_true", help="treat all files as parts of one model")
    add_column_options(evaluate)
    evaluate.add_argument(
        "--id",
        metavar="COLUMN",
        help="column of ids, by which the rows of models, and those of --truth, are matched in any order",
    )
    evaluate.add_argument(
        "--truth",
        metavar="FILE",
        help="file of the true labels, if they are not with the predictions: matched by --id, in any order; --target "
        "names its column",
    )
    evaluate.add_argument(
        "--group",
        nargs="+",
        metavar="COLUMN",
        help="columns of groups, or parts NAME=VALUE of a path: report a row of metrics for each group, at any size of "
        "the files; to find where the model fails, use --slices",
    )
    evaluate.add_argument(
        "--slices",
        nargs="+",
        metavar="COLUMN",
        help="columns by which to look where the model fails, such as a region or an age: the report lists their "
        "values, or quarters of many numbers, worst first, and names those that are overconfident; for "
        "the metrics of each group, use --group",
    )
    evaluate.add_argument("--batches", action="store_true", help="read in batches, even a single small file")
    evaluate.add_argument(
        "--jobs",
        type=int,
        default=-1,
        metavar="N",
        help="number of threads that read in batches; any number gives the same values (default: one on each core)",
    )
    evaluate.add_argument(
        "--threshold",
        type=float,
        metavar="T",
        help="lowest confidence of an accepted prediction (default: none)",
    )
    evaluate.add_argument(
        "--errors",
        nargs="+",
        type=float,
        metavar="SHARE",
        help="shares of errors that you allow among the answers, such as 0.03, beside 0.01, 0.02, 0.05 and 0.1; the "
        "summary tells the threshold for the first",
    )
    evaluate.add_argument(
        "--prices",
        nargs=2,
        type=float,
        metavar=("ERROR", "PERSON"),
        help="what an error costs, and a case that is sent to a person, such as 10 1: the report says where each model "
        "costs least",
    )
    evaluate.add_argument(
        "--prevalence",
        nargs="+",
        action="extend",
        type=share_of_class,
        metavar="LABEL=SHARE",
        help="shares of the classes where the predictions are used, such as fraud=0.003; of two classes one is enough: "
        "all numbers are then at these shares, and the summary says how many of 100,000 cases would be wrong",
    )
    evaluate.add_argument("--short", action="store_true", help="print the summary alone")
    evaluate.add_argument(
        "--metrics", nargs="+", metavar="NAME", help="metrics to report, or 'all' (default: those that most users need)"
    )
    evaluate.add_argument(
        "--confidence-level",
        type=float,
        metavar="P",
        help="show intervals of this level beside each metric, and guarantee thresholds at it (default: 0.95 on the "
        "page, and no intervals in the table)",
    )
    evaluate.add_argument("--csv", type=output_file, metavar="FILE", help="write the report to this file, too")
    evaluate.add_argument("--html", type=output_file, metavar="FILE", help="write it as a page")
    evaluate.add_argument(
        "--anonymous",
        action="store_true",
        help="leave rows, slices, labels, and names of models, groups and files out of the text, "
        "the page and the CSV file",
    )


def _run(options: argparse.Namespace) -> int:
    from skconf._core.progress import Steps

    with Steps(len(options.files) + 3 + bool(options.html)) as steps:
        text, bold = _evaluated(options, steps.begin)
    say(text, headings=bold)
    return 0


def _evaluated(options: argparse.Namespace, begin: Callable[[str], None]) -> tuple[str, list[str]]:
    """Write the files that were asked for, and return the text for the terminal and its headings."""
    from skconf.report import ConfidenceReport
    from skconf.report._evidence.evidence import Evidence
    from skconf.report._evidence.files import evidence_of_files, untold
    from skconf.report._page.tables import WIDTH
    from skconf.report._sections.document import headings
    from skconf.report._sections.source import files_read
    from skconf.report._sections.table import as_written

    metrics = "all" if options.metrics == ["all"] else options.metrics
    try:
        columns = columns_of(options) | {"groups": options.group, "threshold": options.threshold}
        in_batches = True if options.batches else None
        names = _names(list(dict.fromkeys(options.files)), pool=options.pool)
        with written_out(list(dict.fromkeys(options.files))) as files:
            evidence = evidence_of_files(
                files if names is None else dict(zip(names, files, strict=True)),
                columns,
                metrics,
                in_batches=in_batches,
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
            source = evidence.anonymous() if options.anonymous else evidence
            if not isinstance(evidence, Evidence) or not evidence.profiles:  # what takes long is done
                begin = untold
            begin("comparing models" if names else "judging confidences")
            report = ConfidenceReport(source)
            if options.short or report.evidence is None or report.evidence.chosen:  # else the text says it
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
    except (ValueError, TypeError, OSError) as error:
        raise CommandError(str(error)) from None
    except MemoryError:
        instead = "" if options.batches else "read in batches (--batches), "
        raise CommandError(
            f"there is not enough memory. To need less, {instead}with one thread (--jobs 1), with fewer columns of "
            "probabilities (--proba), or without --group and --slices."
        ) from None


def _names(files: list[str], *, pool: bool) -> list[str] | None:
    """Return the names of the models; None for the parts of a single one."""
    if pool or len(files) == 1:
        return None
    if len(files) > _MOST_MODELS:
        raise ValueError(
            f"{len(files)} files were given, and each would be a separate model. If they are parts of one model, give "
            f"--pool, their folder, or a pattern in quotes, such as '*{Path(files[0]).suffix}'. Else name up to "
            f"{_MOST_MODELS}."
        )
    return _short_names(["standard input" if file == DASH else file for file in files])


def _short_names(files: list[str]) -> list[str]:
    """Return the shortest texts by which files differ: "raw" beside "isotonic", or "monday/p" beside "tuesday/p"."""
    from skconf.tables._paths import stem

    parts = [Path(file).parts or (file,) for file in files]
    names = list(files)
    for depth in range(max(map(len, parts)), 0, -1):
        ends = ["/".join(each[-depth:]) for each in parts]
        names = [end if ends.count(end) == 1 else name for end, name in zip(ends, names, strict=True)]
    names = _where_free([stem(name) for name in names], names)
    while len({name.rpartition(".")[2] for name in names}) == 1:  # what all end in tells nothing
        shorter = _where_free([name.rpartition(".")[0] for name in names], names)
        if shorter == names:
            break
        names = shorter
    return names


def _where_free(shorter: list[str], names: list[str]) -> list[str]:
    """Return shorter names if they still differ, from each other and from columns of the report."""
    from skconf.report._evidence.predictions import OF_THE_METRIC

    are_free = all(shorter) and len({*shorter, *OF_THE_METRIC}) == len(names) + len(OF_THE_METRIC)
    return shorter if are_free else names
