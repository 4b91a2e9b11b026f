"""The numbers of a report, computed from predictions; the wording is elsewhere.

- `evidence` has all numbers. `predictions` makes it from arrays, and `files` from files, with their `logs`, `pairs` of
  rows, `batches` (with `cells` of confidence) and `origin`. `tables` has reports that are only a table.
- Metrics: `rows`, `intervals`, `comparison` of models, and `flips` of answers.
- Trust: `reliability`, the `tops` of confidence, expected `costs`, and the errors at a `prevalence`.
- Thresholds: `stops` are all of them, `thresholds` the observed and guaranteed ones, `places` those of the slider.
  `draws` compares models at them, and `own_costs` charges the costs by which a model decides.
- Failures: `labels`, `slices`, `shares` of right answers, `by_slice` with `slice_tests`, `slice_guarantees`, and the
  `worst` answers.
"""
