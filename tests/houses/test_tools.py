"""Tools that people evaluate, search, log and deploy with."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from skconf import SelectiveClassifier, TunedSelectiveClassifierCV, confidence_report, get_scorer
from skconf.calibration import CALIBRATORS
from skconf.metrics import aurc_loss, expected_calibration_error

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :6]
MODEL = LogisticRegression(max_iter=5000).fit(X, Y)


def test_fairlearn_computes_metrics_by_group():
    metrics = pytest.importorskip("fairlearn.metrics")
    proba, large = MODEL.predict_proba(X)[:, 1], X[:, 0] > 14
    functions = {"ece": expected_calibration_error, "aurc": aurc_loss}
    frame = metrics.MetricFrame(metrics=functions, y_true=Y, y_pred=proba, sensitive_features=large)
    for group in (False, True):
        of = large == group
        for name, function in functions.items():
            assert frame.by_group.loc[group, name] == function(Y[of], proba[of])


def test_optuna_searches_by_a_confidence_metric():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def objective(trial):
        model = LogisticRegression(C=trial.suggest_float("C", 0.01, 10, log=True), max_iter=5000)
        return cross_val_score(model, X, Y, scoring=get_scorer("neg_aurc"), cv=3).mean()

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=3)
    assert study.best_value == max(trial.value for trial in study.trials) < 0


@pytest.mark.parametrize("calibration", [None, *sorted(CALIBRATORS)])
def test_skops_keeps_a_classifier_with_each_calibrator(calibration):
    io = pytest.importorskip("skops.io")
    model = SelectiveClassifier(LogisticRegression(max_iter=5000), threshold=0.8, calibration=calibration).fit(X, Y)
    data = io.dumps(model)
    foreign = [name for name in io.get_untrusted_types(data=data) if not name.startswith("skconf.")]
    assert not foreign  # trust what is ours, and nothing else is asked for
    loaded = io.loads(data, trusted=io.get_untrusted_types(data=data))
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize("level", [None, 0.9])
def test_skops_keeps_a_tuned_classifier(level):
    io = pytest.importorskip("skops.io")
    model = TunedSelectiveClassifierCV(
        LogisticRegression(max_iter=5000), target=0.1, confidence_level=level, random_state=0
    ).fit(X, Y)
    data = io.dumps(model)
    trusted = [name for name in io.get_untrusted_types(data=data) if name.startswith("skconf.")]
    assert np.array_equal(io.loads(data, trusted=trusted).predict(X), model.predict(X))


@pytest.mark.filterwarnings("ignore")
def test_mlflow_logs_a_report_and_its_metrics(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)  # artifacts go below the working folder
    try:
        mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
        mlflow.set_experiment("trust")
    except Exception as error:  # noqa: BLE001 – mlflow-skinny has no database
        pytest.skip(f"no store of runs: {error}")
    report = confidence_report(Y, MODEL.predict_proba(X))
    with mlflow.start_run() as run:
        mlflow.log_metrics(report.frame["value"].rename(lambda name: name.split("(")[0]).to_dict())
        report.save(tmp_path / "report.html")
        mlflow.log_artifact(str(tmp_path / "report.html"))
    logged = mlflow.get_run(run.info.run_id).data.metrics
    assert logged["aurc_loss"] == aurc_loss(Y, MODEL.predict_proba(X))
    assert [each.path for each in mlflow.MlflowClient().list_artifacts(run.info.run_id)] == ["report.html"]
