"""``experiment cwsa``, ``cwsa-ranking`` and ``cwsa-stress``: simulated models, classifiers, or predictions in files."""

import argparse
import sys
from typing import Any

from skconf._core.terminal import say
from skconf.experiments._cwsa.experiment import cwsa_experiment, cwsa_sweep
from skconf.experiments._cwsa.files import Predictions, predictions_cells, read_predictions
from skconf.experiments._cwsa.page import cwsa_report, predictions_report
from skconf.experiments._cwsa.ranking import cwsa_ranking_experiment
from skconf.experiments._cwsa.ranking_page import ranking_report
from skconf.experiments._cwsa.stress import answers_of, models_at_hand, stressed
from skconf.experiments._cwsa.stress_page import stress_report
from skconf.experiments._shared.commands import DATASET, add_experiment, repeated
from skconf.experiments._shared.report import ExperimentReport


def add_cwsa(names: Any) -> None:
    """Add the command of the paper's own experiment."""
    add_experiment(
        names,
        "cwsa",
        "CWSA of five simulated models, or of your predictions, by threshold (CWSA paper, Tables 1 to 3, Section 5)",
        _cwsa,
        ("--predictions", "--repetitions", "--seed"),
        ("--html cwsa.html", "--predictions authors/"),
    )


def add_ranking(names: Any) -> None:
    """Add the command that ranks models."""
    add_experiment(
        names,
        "cwsa-ranking",
        "whether the area under CWSA ranks models like accuracy and AURC (a claim of the CWSA paper, Section 4.3)",
        _ranking,
        ("--predictions", "--dataset", "--models", "--seed", "--jobs"),
        ("--html ranking.html", "--predictions mine/"),
    )


def add_stress(names: Any) -> None:
    """Add the command of the stress tests."""
    add_experiment(
        names,
        "cwsa-stress",
        "stress tests of the CWSA paper's authors: wrong labels, rare classes, shuffled confidences, shifted inputs",
        _stress,
        ("--predictions", "--dataset", "--repetitions", "--seed"),
        ("", "--dataset breast_cancer --html stress.html", "--predictions mine/"),
    )


def _cwsa(options: argparse.Namespace) -> ExperimentReport:
    if options.predictions is not None:
        read = read_predictions(options.predictions)
        sweep = cwsa_sweep(read.profiles)
        cells = predictions_cells(read, sweep)
        return predictions_report(cells, sweep, _of_files(read), read.failed)
    cells = cwsa_experiment(n_repetitions=options.repetitions, random_state=options.seed)
    sweep = cwsa_sweep(random_state=options.seed)
    return cwsa_report(cells, sweep, {"data": "five simulated models, 1,000 samples", **repeated(options)})


def _stress(options: argparse.Namespace) -> ExperimentReport:
    if options.predictions is None:
        name = options.dataset or DATASET
        models, failed = models_at_hand(name, options.data_home, options.seed), []
        source = {"data": f"simulated answers, and classifiers on {name}"}
    else:
        read = read_predictions(options.predictions)
        models, failed, source = answers_of(read), read.failed, _of_files(read)
    cells = stressed(models, options.repetitions, options.seed)
    return stress_report(cells, {**source, **repeated(options)}, failed)


def _ranking(options: argparse.Namespace) -> ExperimentReport:
    if options.predictions is not None:
        read = read_predictions(options.predictions)
        ranking = cwsa_ranking_experiment(read.profiles)
        return ranking_report(ranking, _of_files(read), read.failed)
    name = options.dataset or DATASET
    ranking = cwsa_ranking_experiment(
        dataset=name,
        n_models=options.models,
        data_home=options.data_home,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=True,
    )
    source = {"data": f"known distributions, and {options.models} classifiers on {name}", "seed": str(options.seed)}
    return ranking_report(ranking, source)


def _of_files(read: Predictions) -> dict[str, str]:
    """Return the facts about the files for the page, and say on stderr how guessed columns were read."""
    for line in read.read_as:
        say(f"skconf: {line}", file=sys.stderr)
    sizes = ", ".join(f"{name} ({len(profile):,})" for name, profile in read.profiles.items())
    return {"data": f"predictions from files: {sizes}"} | ({"read as": "; ".join(read.read_as)} if read.read_as else {})
