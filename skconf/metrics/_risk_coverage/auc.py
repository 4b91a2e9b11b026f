"""The area under the ROC curve of the confidence."""

from typing import Any

import numpy as np

from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf.metrics._base.kinds import Ranked, divide
from skconf.metrics._base.references import FAILURE_AUROC
from skconf.metrics._risk_coverage.curve import discordant_slopes


class ConfidenceROCAUC(
    Ranked,
    name="confidence_roc_auc_score",
    rests_on="order",
    aliases=("auroc", "failure_auroc"),
    reference=FAILURE_AUROC,
    scorers="confidence_roc_auc",
):
    """Area under the ROC curve of the confidence: how well it ranks right answers above wrong ones.

    It is the probability that a random right prediction has a higher confidence than a random wrong one. Predictions
    are drawn in proportion to their weights, and ties count one half. The metric always uses the confidence, even if a
    selective classifier ranks by another score.

    {predictions}

    Returns
    -------
    float
        {facts} NaN, with a warning, if all predictions are right, or all are wrong.

    {raises}

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import confidence_roc_auc_score
    >>> confidence_roc_auc_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.85])
    0.666...
    """

    undefined = "all predictions are right, or all are wrong"
    why_resampled = ""
    reads_score = False

    def of_ranking(self, ranking: Ranking) -> Any:
        wrong = ranking.total_errors
        right = ranking.total_right
        return 1 - divide(ranking.discordant_weight(), right * wrong, np.nan)

    def slopes(self, ranking: Ranking) -> tuple[Floats, Floats]:
        wrong = ranking.total_errors
        right = ranking.total_right
        by_right, by_wrong = discordant_slopes(ranking)
        share = divide(ranking.discordant_weight(), right * wrong, np.nan)
        return (share - by_right / wrong) / right, (share - by_wrong / right) / wrong


confidence_roc_auc_score = ConfidenceROCAUC.function
