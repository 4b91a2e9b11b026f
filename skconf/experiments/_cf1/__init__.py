"""The cF1 paper's experiments."""
