"""Code that all packages share.

- Input: `arrays`, `labels`, `probabilities`, their `columns` by names, `groups`, `grades` in words, `prevalence` and
  `costs`. `inputs` checks columns of predictions, and `checks` single arguments.
- Answers: `response` calls a classifier once, `rejection` has the scores that are compared with a threshold, and
  `ranking` sorts by them.
- Errors: `messages` has words that they share, `problems` the errors about data. `warn` issues all warnings.
- Numbers: `numbers` writes them, `proportions` has their intervals, `bins` and `pictures` serve diagrams.
- Commands: `command_options`, `terminal` and `progress`.
- Names: `usual_names` of columns, `sklearn_names` that are private, texts of `docstrings`, and the `version`.
"""
