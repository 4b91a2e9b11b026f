"""XGBoost with fixed parameters, and as many rounds as early stopping finds."""

from typing import Any

from joblib import cpu_count
from numpy.typing import ArrayLike
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder

MOST_ROUNDS = 2000
PATIENCE = 30
PARAMETERS = {
    "tree_method": "hist",
    "enable_categorical": True,
    "learning_rate": 0.1,
    "max_depth": 6,
    "subsample": 0.8,
    "colsample_bytree": 0.8,
    # With a thread on every core, XGBoost's threads wait for each other in busy loops as soon as anything else runs:
    # minutes for what takes seconds.
    "n_jobs": max(1, cpu_count() // 2),
}


def early_stopped_xgboost(X: Any, y: ArrayLike, seed: int) -> Any:
    """Return an unfitted XGBoost classifier, its number of rounds found by early stopping on a fifth of the samples.

    Parameters
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Training samples.
    y : array-like of shape (n_samples,)
        Their labels.
    seed : int
        Seed of the split and of XGBoost.

    Returns
    -------
    xgboost.XGBClassifier

    Raises
    ------
    ImportError
        If xgboost is not installed.
    """
    try:
        from xgboost import XGBClassifier
    except ImportError:
        raise ImportError("This experiment needs xgboost: pip install 'skconf[experiments]'") from None
    numbers = LabelEncoder().fit_transform(y)
    X_train, X_stop, y_train, y_stop = train_test_split(X, numbers, test_size=0.2, stratify=numbers, random_state=seed)
    trial = XGBClassifier(n_estimators=MOST_ROUNDS, early_stopping_rounds=PATIENCE, random_state=seed, **PARAMETERS)
    trial.fit(X_train, y_train, eval_set=[(X_stop, y_stop)], verbose=False)
    return XGBClassifier(n_estimators=trial.best_iteration + 1, random_state=seed, **PARAMETERS)
