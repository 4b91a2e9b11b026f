"""The text of a report: a section for each question of a reader, and all wording.

- `document` puts the sections together: `trust`, `abstain`, `which`, `where`, `all_metrics` and `source`.
- `summary`, `model_card` and the `table` of metrics are shorter forms.
- Sections share `words`, `verdicts`, and texts on the rows `answered`, on `slices`, on thresholds that are `guaranteed`
  in each slice, and on a `prevalence`.
"""
