"""Code that all packages share: labels, probabilities, checks, ranking, messages and warnings."""
