"""The CWSA paper's experiments."""
