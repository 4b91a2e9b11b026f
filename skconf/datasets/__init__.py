"""Data sets: synthetic confidence profiles, and the CSR paper's data sets from their raw files."""

from skconf.datasets._synthetic import make_confidence_profile
from skconf.datasets._uci import fetch_uci, list_uci

__all__ = ["fetch_uci", "list_uci", "make_confidence_profile"]
