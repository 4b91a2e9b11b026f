"""The ECUAS paper's experiments on graded answers of generative systems."""
