"""The report that the landing page shows: made by the command that the page tells its readers to type."""

import os
import subprocess
import sys

import pandas as pd
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split

MODELS = {
    "forest": RandomForestClassifier(random_state=0),
    "boosting": HistGradientBoostingClassifier(random_state=0),
}


def write_predictions(folder):
    """Write a file of predictions for each model, for the same 1,200 digits."""
    X_train, X_test, y_train, y_test = train_test_split(*load_digits(return_X_y=True), test_size=1200, random_state=0)
    for name, model in MODELS.items():
        model.fit(X_train, y_train)
        table = pd.DataFrame(model.predict_proba(X_test), columns=[f"proba_{label}" for label in model.classes_])
        table.assign(label=y_test).to_csv(folder / f"{name}.csv", index=False)


def make(app, _config):
    """Make the page once; it stays until docs/generated is removed."""
    page = app.srcdir / "generated" / "pages" / "report.html"
    if page.exists():
        return
    page.parent.mkdir(parents=True, exist_ok=True)
    predictions = page.parent.parent / "predictions"
    predictions.mkdir(exist_ok=True)
    write_predictions(predictions)
    options = ["--target", "label", "--html", str(page)]
    command = [sys.executable, "-m", "skconf", "evaluate", *(f"{name}.csv" for name in MODELS), *options]
    environment = {**os.environ, "PYTHONPATH": str(app.srcdir.parent)}
    subprocess.run(command, cwd=predictions, env=environment, check=True, capture_output=True)


def setup(app):
    """Make the report before the pages are read."""
    app.connect("config-inited", make)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
