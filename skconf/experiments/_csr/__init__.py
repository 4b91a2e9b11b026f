"""The CSR paper's experiments, on real data and on known distributions."""
