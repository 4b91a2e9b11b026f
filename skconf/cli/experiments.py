"""``experiment``: the papers' experiments."""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from skconf import experiments
from skconf.cli import arena, csr
from skconf.cli.options import add_data_home, add_output_files, add_own, one_of, own_data, share, whole_number
from skconf.cli.output import CommandError, say, write_report
from skconf.datasets import list_uci
from skconf.experiments._answers_page import answers_report
from skconf.experiments._cf1_agreement import DEFAULT_KINDS, KINDS, random_models
from skconf.experiments._cf1_page import cf1_report
from skconf.experiments._cwsa_files import Predictions, predictions_cells, read_predictions
from skconf.experiments._cwsa_page import cwsa_report, predictions_report
from skconf.experiments._cwsa_ranking_page import ranking_report
from skconf.experiments._cwsa_stress import answers_of, models_at_hand, stressed
from skconf.experiments._cwsa_stress_page import stress_report
from skconf.experiments._document import ExperimentReport
from skconf.experiments._ecuas_files import read_arrays
from skconf.experiments._ecuas_page import ecuas_report
from skconf.experiments._estimators import find_estimator, seeded
from skconf.experiments._synthetic_page import synthetic_report

#: Every figure, for a file, and what a person reads.
Result = tuple[pd.DataFrame, ExperimentReport]

_COMPARED = """\
Our figures, the paper's figures, and their difference in standard errors (s.e.) if they can be compared.
"""
_STATUS = """\
Exit status: 0; 1 where a part failed, and the rest ran; 2 for a mistake in the command or its files; 130 after Ctrl-C.
"""
_EXAMPLES = """\
examples:
  %(prog)s csr
  %(prog)s cwsa --html cwsa.html

Run %(prog)s NAME --help for details.
"""
_DATASET = "digits"
_OPTIONS: dict[str, dict[str, Any]] = {
    "folder": {
        "type": Path,
        "help": "folder with NAME.scores.npy and NAME.targets.npy, or NAME/scores.npy and NAME/targets.npy",
    },
    "answers": {
        "type": Path,
        "metavar": "DIR",
        "help": "folder with TASK/SYSTEM.METHOD.csv, or with the files of one task: a row for each question, with "
        "columns confidence (any number), correct (1 or 0) or grade (a word; of several graders correct_NAME or "
        "grade_NAME), and perhaps id or question, by which files are matched",
    },
    "--right": {
        "metavar": "WORD",
        "help": "the grade of a right answer; all others are wrong (default: a usual one, such as correct)",
    },
    "--predictions": {
        "type": Path,
        "metavar": "DIR",
        "help": "folder with files NAME_predictions.csv, or a file, of any model: instead of those at hand; a "
        "NAME_metrics.csv has a sweep to compare with",
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
        "metavar": "NAME",
        "help": f"data set (default: {_DATASET}, which needs no files)",
    },
    "--ratios": {
        "type": share,
        "nargs": "+",
        "default": [1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01],
        "metavar": "R",
        "help": "shares of the test data to evaluate on (default: 1 .5 .2 .1 .05 .02 .01)",
    },
    "--training-shares": {
        "type": share,
        "nargs": "+",
        "default": [1.0, 0.667, 0.333],
        "metavar": "R",
        "help": "share of the training data of each model, the best model first (default: 1 .667 .333)",
    },
    "--label-noise": {
        "type": share,
        "nargs": "+",
        "default": [0.0, 0.1, 0.2],
        "metavar": "R",
        "help": "share of altered labels in them, for each model (default: 0 .1 .2)",
    },
    "--kinds": {
        "type": one_of(KINDS, "kind of model"),
        "nargs": "+",
        "default": DEFAULT_KINDS,
        "metavar": "KIND",
        "help": f"their kinds, in turn, of {', '.join(KINDS)} (default: all but network; the paper's are of one kind)",
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


def _csr_synthetic(options: argparse.Namespace) -> Result:
    shared = {
        "n_repetitions": options.repetitions,
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "progress": True,
    }
    cells = experiments.csr_synthetic_experiment(options.samples, **shared)
    areas = experiments.csr_synthetic_auc_experiment(**shared)
    sizes = " and ".join(f"{n:,}" for n in options.samples)
    data = f"simulated, {sizes} samples; for areas, 1,000"
    return cells, synthetic_report(cells, areas, {"data": data, **_repeated(options)})


def _cwsa(options: argparse.Namespace) -> Result:
    if options.predictions is not None:
        read = read_predictions(options.predictions)
        sweep = experiments.cwsa_sweep(read.profiles)
        cells = predictions_cells(read, sweep)
        return cells, predictions_report(cells, sweep, _of_files(read), read.failed)
    cells = experiments.cwsa_experiment(n_repetitions=options.repetitions, random_state=options.seed)
    sweep = experiments.cwsa_sweep(random_state=options.seed)
    return cells, cwsa_report(cells, sweep, {"data": "five simulated models, 1,000 samples", **_repeated(options)})


def _cwsa_stress(options: argparse.Namespace) -> Result:
    if options.predictions is None:
        dataset, name = _dataset(options)
        models, failed = models_at_hand(dataset, options.data_home, options.seed, _own_classifier(options)), []
        source = {"data": f"simulated answers, and classifiers on {name}"}
    else:
        read = read_predictions(options.predictions)
        models, failed, source = answers_of(read), read.failed, _of_files(read)
    cells = stressed(models, options.repetitions, options.seed)
    return cells, stress_report(cells, {**source, **_repeated(options)}, failed)


def _cwsa_ranking(options: argparse.Namespace) -> Result:
    if options.predictions is not None:
        read = read_predictions(options.predictions)
        ranking = experiments.cwsa_ranking_experiment(read.profiles)
        return ranking.agreement, ranking_report(ranking, _of_files(read), read.failed)
    dataset, name = _dataset(options)
    models = [*random_models(options.models, options.seed), *_own_classifier(options).values()]
    ranking = experiments.cwsa_ranking_experiment(
        dataset=dataset,
        models=models,
        data_home=options.data_home,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=True,
    )
    source = {"data": f"known distributions, and {len(models)} classifiers on {name}", "seed": str(options.seed)}
    return ranking.agreement, ranking_report(ranking, source)


def _of_files(read: Predictions) -> dict[str, str]:
    """Return what was read, for the page; say how, where columns were guessed."""
    for line in read.read_as:
        say(f"skconf: {line}", file=sys.stderr)
    sizes = ", ".join(f"{name} ({len(profile):,})" for name, profile in read.profiles.items())
    return {"data": f"predictions from files: {sizes}"} | ({"read as": "; ".join(read.read_as)} if read.read_as else {})


def _ecuas(options: argparse.Namespace) -> Result:
    shared = {"random_state": options.seed, "n_jobs": options.jobs, "progress": True}
    arrays, failed = read_arrays(options.folder)
    cells = experiments.ecuas_experiment(arrays, **shared)
    sampled = experiments.ecuas_sampling_experiment(arrays, **shared)
    return cells, ecuas_report(cells, sampled, {"seed": str(options.seed)}, failed)


def _answers(options: argparse.Namespace) -> Result:
    result = experiments.answers_experiment(
        options.answers, right=options.right, random_state=options.seed, n_jobs=options.jobs, progress=True
    )
    source = {"files": f"{len(result.files)}", "intervals": "95 %", "seed": str(options.seed)}
    return result.figures, answers_report(result, source)


def _cf1(options: argparse.Namespace) -> Result:
    dataset, data_name = _dataset(options)
    models = random_models(options.models, options.seed, options.kinds)
    name, classifier = ("logistic regression", None) if options.estimator is None else find_estimator(options.estimator)
    if classifier is not None:
        models.append(seeded(classifier, options.seed))
    shared = {"data_home": options.data_home, "random_state": options.seed}
    variance = experiments.cf1_variance_experiment(
        dataset,
        ratios=options.ratios,
        training_shares=options.training_shares,
        label_noise=options.label_noise,
        classifier=classifier,
        **shared,
    )
    by_class = experiments.cf1_agreement_experiment(
        dataset, models=models, n_jobs=options.jobs, progress=True, **shared
    )
    last = f"; the last is {name}"
    trained = zip(options.training_shares, options.label_noise, strict=True)
    source = {
        "data set": data_name,
        "models of the variance": f"{name}; "
        + ", ".join(f"{share:.1%} of the training data with {noise:.0%} noise" for share, noise in trained),
        "models to compare": f"{len(models)}, of {', '.join(options.kinds)}{'' if classifier is None else last}",
        "seed": str(options.seed),
    }
    return variance.variances, cf1_report(variance, by_class, source)


def _dataset(options: argparse.Namespace) -> tuple[Any, str]:
    """Return the data set that the options name, and what it is called."""
    if options.data is not None and options.dataset is not None:
        raise CommandError("give --data or --dataset, not both")
    own = own_data(options)
    return (options.dataset or _DATASET,) * 2 if own is None else (own, own.name)


def _own_classifier(options: argparse.Namespace) -> dict[str, Any]:
    if options.estimator is None:
        return {}
    name, classifier = find_estimator(options.estimator)
    return {name: seeded(classifier, options.seed)}


def _repeated(options: argparse.Namespace) -> dict[str, str]:
    return {"repetitions": f"{options.repetitions:,}", "seed": str(options.seed)}


class _Experiment(NamedTuple):
    """An experiment: its function, description, options and example commands."""

    make: Callable[[argparse.Namespace], Result]
    about: str
    options: tuple[str, ...]
    examples: tuple[str, ...]


#: What a classifier of the user's own stands for.
_OWN_CLASSIFIER = {
    "cf1": "the classifier of the variances, instead of logistic regression, and one more model to compare"
}
#: All experiments except the one on real data.
_OTHERS = {
    "csr-synthetic": _Experiment(
        _csr_synthetic,
        "ten distributions of confidence in eight calibration modes (CSR paper, Tables 1, 3, 5, 8 to 11)",
        ("--samples", "--repetitions", "--seed", "--jobs"),
        ("", "--samples 100 10000 100000 --html synthetic.html"),
    ),
    "cwsa": _Experiment(
        _cwsa,
        "five simulated models, or predictions, over thresholds (CWSA paper, Tables 1 to 3, Section 5)",
        ("--predictions", "--repetitions", "--seed"),
        ("--html cwsa.html", "--predictions authors/"),
    ),
    "cwsa-ranking": _Experiment(
        _cwsa_ranking,
        "whether the area under CWSA ranks models as accuracy and AURC do (a claim of the CWSA paper, Section 4.3)",
        ("--predictions", "--dataset", "--models", "--seed", "--jobs"),
        ("--html ranking.html", "--predictions mine/"),
    ),
    "cwsa-stress": _Experiment(
        _cwsa_stress,
        "wrong labels, rare classes, confidences and inputs that drift (the CWSA paper's authors' stress tests)",
        ("--predictions", "--dataset", "--repetitions", "--seed"),
        ("", "--dataset breast_cancer --html stress.html", "--predictions mine/"),
    ),
    "ecuas": _Experiment(
        _ecuas,
        "classification systems, raw and calibrated, and sampled answers (ECUAS paper, Table 3, appendix B.1)",
        ("folder", "--seed", "--jobs"),
        ("scores/", "scores/ --html ecuas.html"),
    ),
    "answers": _Experiment(
        _answers,
        "graded answers of generative systems and their confidences (ECUAS paper, Tables 2, 4, 5 and 6)",
        ("answers", "--right", "--seed", "--jobs"),
        ("answers/ --html answers.html", "answers/ --right Yes"),
    ),
    "cf1": _Experiment(
        _cf1,
        "variance of cPrecision, cRecall and cF1, and agreement of pairs of models (cF1 paper, Section 6)",
        ("--dataset", "--ratios", "--training-shares", "--label-noise", "--models", "--kinds", "--seed", "--jobs"),
        (
            "--html cf1.html",
            "--dataset wine --models 200 --kinds network --ratios 1 .1 .01",
            "--data loans.csv --target default --estimator mymodel:MyClassifier",
        ),
    ),
}


def add_options(experiment: argparse.ArgumentParser) -> None:
    """Add the command's subcommands."""
    experiment.description = f"Rerun an experiment of the papers, and print their figures beside ours.\n\n{_STATUS}"
    experiment.epilog = _EXAMPLES
    names = experiment.add_subparsers(title="experiments", required=True, metavar="NAME")
    csr.add_command(names)
    arena.add_command(names)
    for name, (make, about, options, examples) in _OTHERS.items():
        commands_to_learn = "\n".join(f"  %(prog)s {example}".rstrip() for example in examples)
        parser = names.add_parser(
            name,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.\n\n{_COMPARED}\n{_STATUS}",
            epilog=f"examples:\n{commands_to_learn}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.set_defaults(run=partial(_run, make))
        for option in options:
            parser.add_argument(option, **_OPTIONS[option])
        if "--dataset" in options:
            add_data_home(parser)
            add_own(parser, _OWN_CLASSIFIER.get(name, "one more model"), several=False)
        add_output_files(parser, "every figure, a row for each", "a page with the result, pictures and tables")


def _run(make: Callable[[argparse.Namespace], Result], options: argparse.Namespace) -> int:
    try:
        figures, report = make(options)
    except (OSError, ValueError) as error:
        raise CommandError(str(error)) from None
    write_report(options, figures, report)
    for reason in report.failed:
        say(f"skconf: {reason}", file=sys.stderr)
    return int(bool(report.failed))
