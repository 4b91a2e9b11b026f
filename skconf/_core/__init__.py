"""What every room stands on: labels, probabilities, checks, ranking, messages and warnings."""
