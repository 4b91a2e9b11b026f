"""The papers' experiments, rerun beside the printed numbers."""

from skconf.experiments._csr import csr_experiment, format_csr_table

__all__ = ["csr_experiment", "format_csr_table"]
