"""What the experiments of several papers share."""
