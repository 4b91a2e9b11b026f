"""Confidences of the distributions of the CSR paper, as the public generator draws them."""

from skconf.datasets import make_confidence_profile

DISTRIBUTIONS = (
    "Uniform",
    "Skew High",
    "Skew Low",
    "Bimodal",
    "Tight Hi",
    "Tight Lo",
    "Normal",
    "Log-Uniform Low",
    "Log-Uniform High",
    "Bell",
)


def draw_confidences(distribution, n_samples, random_state):
    """Return confidences; a RandomState goes on where it was."""
    return make_confidence_profile(distribution, "perfect", n_samples, random_state).confidence
