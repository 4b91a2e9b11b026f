"""The papers' experiments, and their printed numbers for comparison."""

# Each paper has a folder. In it, `commands` adds its commands, `files` reads data of users, and `page` reports on what
# the other files compute. `_arena` compares calibrators. `_shared` has what several papers need.

from skconf.experiments._answers.experiment import AnswersResult, answers_experiment
from skconf.experiments._arena.experiment import arena_experiment
from skconf.experiments._cf1.agreement import cf1_agreement_experiment
from skconf.experiments._cf1.variance import cf1_variance_experiment
from skconf.experiments._csr.experiment import csr_experiment
from skconf.experiments._csr.page import csr_html, csr_markdown, csr_text
from skconf.experiments._csr.synthetic import csr_synthetic_auc_experiment, csr_synthetic_experiment
from skconf.experiments._csr.synthetic_tables import csr_risk_extremes, csr_table1
from skconf.experiments._csr.tables import csr_cells, csr_table, csr_table2
from skconf.experiments._cwsa.experiment import cwsa_experiment, cwsa_sweep
from skconf.experiments._cwsa.files import cwsa_predictions_experiment
from skconf.experiments._cwsa.ranking import cwsa_ranking_experiment
from skconf.experiments._cwsa.stress import cwsa_stress_experiment
from skconf.experiments._ecuas.experiment import ecuas_experiment, ecuas_sampling_experiment
from skconf.experiments._shared.printed import count_agreement

__all__ = [
    "AnswersResult",
    "answers_experiment",
    "arena_experiment",
    "cf1_agreement_experiment",
    "cf1_variance_experiment",
    "count_agreement",
    "csr_cells",
    "csr_experiment",
    "csr_html",
    "csr_markdown",
    "csr_risk_extremes",
    "csr_synthetic_auc_experiment",
    "csr_synthetic_experiment",
    "csr_table",
    "csr_table1",
    "csr_table2",
    "csr_text",
    "cwsa_experiment",
    "cwsa_predictions_experiment",
    "cwsa_ranking_experiment",
    "cwsa_stress_experiment",
    "cwsa_sweep",
    "ecuas_experiment",
    "ecuas_sampling_experiment",
]
