"""Data, models, tables, reports and commands that the experiments of several papers share."""
