"""Code that the experiments of several papers share.

- `commands` has options and output. `report` writes all results, with the help of `tables`, `charts`, `printed` (the
  papers' values) and `agreement` (how many of them agree with ours).
- `own_data` and `own_file` read the user's data, and `estimators` the user's classifiers. `data_split` halves a data
  set, and `random_models` makes classifiers to compare.
- `kept` keeps results on disk.
"""
