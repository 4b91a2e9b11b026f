"""The ECUAS paper's experiments on classification systems."""
