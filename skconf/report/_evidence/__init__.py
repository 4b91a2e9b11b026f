"""The numbers of a report, computed from predictions; the wording is elsewhere.

The modules are:

- `evidence` has all numbers. `predictions` makes it from arrays. `files` makes it from files, with the help of `logs`,
  `pairs` of rows, `batches` (with `cells`, intervals of confidence) and `origin`. `tables` has reports that are only a
  table.
- Metrics: `rows`, `intervals`, `comparison` of models, and `flips` of answers.
- Trust: `reliability`, the `tops` of confidence, expected `costs`, and the errors at a `prevalence`.
- Thresholds: `stops` has all thresholds, `thresholds` the observed and the guaranteed ones, and `places` those of the
  slider. `draws` compares models at thresholds. `own_costs` computes with the costs by which a model decides.
- Failures: `labels`, `slices`, `shares` of right answers, `by_slice` with `slice_tests`, `slice_guarantees`, and the
  `worst` answers.
"""
