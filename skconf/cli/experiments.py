"""``experiment``: the papers' experiments."""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from skconf import experiments
from skconf._page.document import page
from skconf._page.parts import FigurePart, Prose
from skconf._page.tables import TablePart, as_texts
from skconf.cli import csr
from skconf.cli.options import add_data_home, add_output_files, one_of, whole_number
from skconf.cli.output import CommandError, csv_text, line_width, say, write_file
from skconf.datasets import list_uci
from skconf.experiments._layout import agreement, lay_out, wide

#: The options for files: every figure, and the page.
Report = tuple[pd.DataFrame, list[TablePart | FigurePart]]

_COMPARED = """\
Our figures, the paper's figures, and their difference in standard errors (s.e.) if they can be compared.
"""
_NO_AREA = (
    "Over the coverages that thresholds reach: a model whose answers are all accepted at every threshold has no area."
)
_STATUS = """\
Exit status: 0; 2 for a mistake in the command or its files; 130 after Ctrl-C.
"""
#: Explanations of the columns that have no figure of the paper beside them.
_VARIANCE = (
    "lower: share of models and classes where the probabilistic metric has less variance; ratio: the median ratio.",
    "undefined: share of resamples that are 0/0; apart: share of pairs of models more than 1.96 s.e. apart.",
    "c_: the same by the probabilistic metric.",
)
_SAME_MODEL = (
    "significant: share of pairs that differ by both metrics, at the level .01.",
    "agree: share of these where both metrics prefer the same model.",
    "_resamples: the same by the paper's t-test, which treats resamples as samples; paper_: its Table 1, on SNLI.",
)

_EXAMPLES = """\
examples:
  %(prog)s csr
  %(prog)s cwsa --html cwsa.html

Run %(prog)s NAME --help for details.
"""
_OPTIONS: dict[str, dict[str, Any]] = {
    "folder": {"type": Path, "help": "folder with NAME.scores.npy and NAME.targets.npy"},
    "--predictions": {
        "type": Path,
        "metavar": "DIR",
        "help": "folder with NAME_predictions.csv, to sweep instead of the simulated models",
    },
    "--samples": {
        "type": whole_number(1),
        "nargs": "+",
        "default": [1000],
        "metavar": "N",
        "help": "samples of each profile (default: 1000)",
    },
    "--repetitions": {"type": whole_number(2), "default": 100, "metavar": "N", "help": "repetitions (default: 100)"},
    "--dataset": {
        "type": one_of(list_uci(), "data set"),
        "default": "digits",
        "metavar": "NAME",
        "help": "data set (default: digits, which needs no files)",
    },
    "--models": {"type": whole_number(2), "default": 100, "metavar": "N", "help": "models to compare (default: 100)"},
    "--seed": {"type": whole_number(0), "default": 0, "metavar": "S", "help": "seed (default: 0)"},
    "--jobs": {
        "type": whole_number(1),
        "default": -1,
        "metavar": "N",
        "help": "processes (default: one for each core)",
    },
}


def _csr_synthetic(options: argparse.Namespace) -> Report:
    shared = {
        "n_repetitions": options.repetitions,
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "progress": True,
    }
    cells = experiments.csr_synthetic_experiment(options.samples, **shared)
    areas = experiments.csr_synthetic_auc_experiment(**shared)
    key = ["n_samples", "distribution", "mode"]
    return cells, [
        _beside("Tables 5, 8 and 9", cells, key),
        _plain("Table 3", experiments.csr_risk_extremes(cells)),
        _beside("Table 10", areas.counts, ["mode"]),
        _beside("Table 11, and other modes", areas.areas, key[1:]),
        agreement("Tables 5, 8 and 9", cells),
        agreement("Table 11", areas.areas),
    ]


def _cwsa(options: argparse.Namespace) -> Report:
    key = ["source", "model", "threshold", "swept"]
    if options.predictions is not None:
        cells = experiments.cwsa_predictions_experiment(options.predictions)
        compared = "Section 5.2, and the authors' sweep"
        return cells, [_beside(compared, cells, key[:3]), agreement(compared, cells)]
    cells = experiments.cwsa_experiment(n_repetitions=options.repetitions, random_state=options.seed)
    sweep = experiments.cwsa_sweep(random_state=options.seed)
    return cells, [
        _beside("Tables 1 to 3, and Section 5", cells, key),
        agreement("Tables 1 to 3, and Section 5", cells),
        _plain("Areas over coverage", sweep.summary.reset_index(), _NO_AREA),
        *_figure(options, "Figures 1 to 6", lambda: experiments.plot_cwsa_sweep(sweep.curves)),
    ]


def _ecuas(options: argparse.Namespace) -> Report:
    shared = {"random_state": options.seed, "n_jobs": options.jobs, "progress": True}
    cells = experiments.ecuas_experiment(options.folder, **shared)
    sampled = experiments.ecuas_sampling_experiment(options.folder, **shared)
    return cells, [
        _beside("Table 3", cells, ["system", "scores"]),
        agreement("Table 3", cells),
        _plain("Sampled answers (appendix B.1)", sampled),
        *_figure(options, "Cost of sampled answers", lambda: experiments.plot_ecuas_sampling(sampled)),
    ]


def _cf1(options: argparse.Namespace) -> Report:
    shared = {"data_home": options.data_home, "random_state": options.seed}
    variance = experiments.cf1_variance_experiment(options.dataset, **shared)
    by_class = experiments.cf1_agreement_experiment(
        options.dataset, n_models=options.models, n_jobs=options.jobs, progress=True, **shared
    )
    means = by_class.drop(columns="class").groupby("metric", sort=False).mean().reset_index()
    return variance.variances, [
        _plain("Variance, and pairs of models that differ (Section 6.1)", variance.summary, *_VARIANCE),
        _plain("Agreement of pairs of models, mean over classes (Section 6.2, Table 1)", means, *_SAME_MODEL),
        _plain("Agreement by class", by_class),
        *_figure(options, "Variance", lambda: experiments.plot_cf1_variance(variance.variances)),
    ]


class _Experiment(NamedTuple):
    """An experiment: its function, description, options and example commands."""

    make: Callable[[argparse.Namespace], Report]
    about: str
    options: tuple[str, ...]
    examples: tuple[str, ...]


#: All experiments except the one on real data.
_OTHERS = {
    "csr-synthetic": _Experiment(
        _csr_synthetic,
        "ten distributions of confidence in eight calibration modes (CSR paper, Tables 3, 5, 8 to 11)",
        ("--samples", "--repetitions", "--seed", "--jobs"),
        ("", "--samples 100 10000 100000 --html synthetic.html"),
    ),
    "cwsa": _Experiment(
        _cwsa,
        "five simulated models, or predictions, over thresholds (CWSA paper, Tables 1 to 3, Section 5)",
        ("--predictions", "--repetitions", "--seed"),
        ("--html cwsa.html", "--predictions authors/"),
    ),
    "ecuas": _Experiment(
        _ecuas,
        "classification systems, raw and calibrated, and sampled answers (ECUAS paper, Table 3, appendix B.1)",
        ("folder", "--seed", "--jobs"),
        ("scores/", "scores/ --html ecuas.html"),
    ),
    "cf1": _Experiment(
        _cf1,
        "variance of cPrecision, cRecall and cF1, and agreement of pairs of models (cF1 paper, Section 6)",
        ("--dataset", "--models", "--seed", "--jobs"),
        ("", "--dataset wine --models 200 --html cf1.html"),
    ),
}


def add_options(experiment: argparse.ArgumentParser) -> None:
    """Add the command's subcommands."""
    experiment.description = f"Rerun an experiment of the papers, and print their figures beside ours.\n\n{_STATUS}"
    experiment.epilog = _EXAMPLES
    names = experiment.add_subparsers(title="experiments", required=True, metavar="NAME")
    csr.add_command(names)
    for name, (make, about, options, examples) in _OTHERS.items():
        commands_to_learn = "\n".join(f"  %(prog)s {example}".rstrip() for example in examples)
        parser = names.add_parser(
            name,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.\n\n{_COMPARED}\n{_STATUS}",
            epilog=f"examples:\n{commands_to_learn}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.set_defaults(run=partial(_run, name, make))
        for option in options:
            parser.add_argument(option, **_OPTIONS[option])
        if "--dataset" in options:
            add_data_home(parser)
        add_output_files(
            parser, "every figure, a row for each", "a page with the tables, and the plots if there are any"
        )


def _run(name: str, make: Callable[[argparse.Namespace], Report], options: argparse.Namespace) -> int:
    try:
        figures, parts = make(options)
    except (OSError, ValueError) as error:
        raise CommandError(str(error)) from None
    tables = [part for part in parts if isinstance(part, TablePart)]
    write_file(options.csv, lambda: csv_text(figures, index=False))
    write_file(options.markdown, lambda: "\n".join(part.markdown() for part in tables))
    write_file(options.html, lambda: page(f"Experiment {name}", [Prose(_COMPARED), *parts], []))
    say("\n\n".join(f"{part.title}\n{part.text(line_width())}" for part in tables))
    return 0


def _beside(title: str, cells: pd.DataFrame, key: list[str]) -> TablePart:
    return lay_out(title, wide(cells, key), key)


def _plain(title: str, table: pd.DataFrame, *notes: str) -> TablePart:
    return TablePart(title, as_texts(table), notes)


def _figure(options: argparse.Namespace, title: str, draw: Callable[[], Any]) -> list[FigurePart]:
    """Return a part with a figure, if a page is written."""
    return [FigurePart(title, draw())] if options.html else []
