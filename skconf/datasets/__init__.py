"""Data sets: synthetic confidence profiles, and the data sets of the CSR paper from their raw files."""

from skconf.datasets._synthetic import make_confidence_profile, make_selective_model
from skconf.datasets._uci import describe_uci, fetch_uci, list_uci

__all__ = ["describe_uci", "fetch_uci", "list_uci", "make_confidence_profile", "make_selective_model"]
