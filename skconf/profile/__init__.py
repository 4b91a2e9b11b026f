"""ConfidenceProfile: whether each answer is right, and its confidence. Predictions are checked once, here."""

from skconf.profile._answers import KNOWN, Kind
from skconf.profile._profile import ConfidenceProfile, as_profile
from skconf.profile._similarity import tree_similarity

__all__ = ["KNOWN", "ConfidenceProfile", "Kind", "as_profile", "tree_similarity"]
