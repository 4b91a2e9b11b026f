"""The commands of the command line, one group a module."""
