"""``experiment cf1``: the variance of the cF1 paper's metrics, and agreement of pairs of models."""

import argparse
from typing import Any

from skconf._core.command_options import one_of, share
from skconf._core.terminal import CommandError
from skconf.experiments._cf1.agreement import cf1_agreement_experiment
from skconf.experiments._cf1.page import cf1_report
from skconf.experiments._cf1.variance import cf1_variance_experiment
from skconf.experiments._shared.commands import DATASET, add_experiment, own_data
from skconf.experiments._shared.estimators import find_estimator, seeded
from skconf.experiments._shared.random_models import DEFAULT_KINDS, KINDS, random_models
from skconf.experiments._shared.report import ExperimentReport


def add_cf1(names: Any) -> None:
    """Add the command."""
    kinds = {
        "type": one_of(KINDS, "kind of model"),
        "nargs": "+",
        "default": DEFAULT_KINDS,
        "metavar": "KIND",
        "help": f"kinds of models, about equally many of each: {', '.join(map(repr, KINDS))} (default: all except "
        "'network'). In the paper, all models are networks",
    }
    add_experiment(
        names,
        "cf1",
        "variance of cPrecision, cRecall and cF1, and agreement of pairs of models (cF1 paper, Section 6)",
        _run,
        (
            "--dataset",
            _shares("--ratios", "1 0.5 0.2 0.1 0.05 0.02 0.01", "sizes of the test sets, as shares of the test data"),
            _shares(
                "--training-shares",
                "1 0.667 0.333",
                "for each model, the share of the training data on which it is trained; the best model first",
            ),
            _shares("--label-noise", "0 0.1 0.2", "for each model, the share of its training labels that are changed"),
            "--models",
            ("--kinds", kinds),
            "--seed",
            "--jobs",
        ),
        (
            "--html cf1.html",
            "--dataset wine --models 200 --kinds network --ratios 1 0.1 0.01",
            "--data loans.csv --target default --estimator mymodel:MyClassifier",
        ),
        estimator="classifier for the variances (instead of logistic regression) and for the comparison of models",
    )


def _shares(flag: str, default: str, about: str) -> tuple[str, dict[str, Any]]:
    """Return an option that takes several shares; `default` is written as on the command line."""
    shares, about = list(map(share, default.split())), f"{about} (default: {default})"
    return flag, {"type": share, "nargs": "+", "default": shares, "metavar": "R", "help": about}


def _run(options: argparse.Namespace) -> ExperimentReport:
    if options.data is not None and options.dataset is not None:
        raise CommandError("pass --data or --dataset, not both.")
    own, known = own_data(options), options.dataset or DATASET
    dataset, data_name = (known, known) if own is None else (own, own.name)
    models = random_models(options.models, options.seed, options.kinds)
    name, classifier = ("logistic regression", None) if options.estimator is None else find_estimator(options.estimator)
    if classifier is not None:
        models.append(seeded(classifier, options.seed))
    shared = {"data_home": options.data_home, "random_state": options.seed}
    variance = cf1_variance_experiment(
        dataset,
        ratios=options.ratios,
        training_shares=options.training_shares,
        label_noise=options.label_noise,
        classifier=classifier,
        **shared,
    )
    by_class = cf1_agreement_experiment(dataset, models=models, n_jobs=options.jobs, progress=True, **shared)
    last = f"; the last is {name}"
    trained = zip(options.training_shares, options.label_noise, strict=True)
    source = {
        "data set": data_name,
        "models of the variance": f"{name}; "
        + ", ".join(f"{share:.1%} of the training data with {noise:.0%} noise" for share, noise in trained),
        "models to compare": f"{len(models)}, of {', '.join(options.kinds)}{'' if classifier is None else last}",
        "seed": str(options.seed),
    }
    return cf1_report(variance, by_class, source)
