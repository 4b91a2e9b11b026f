"""Code that the experiments of several papers share.

- `commands` has options and output; `report` writes all results, with `tables`, `charts` and the `agreement` with
  `printed` values.
- Data and models: `own_data`, `own_file`, `data_split`, `estimators` of the user and `random_models`.
- `kept` results stay on disk.
"""
