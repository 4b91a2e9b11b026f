"""Code that all packages share.

- Input: `arrays`, `labels`, `probabilities`, `groups`, `grades` (confidences in words), `prevalence` and `costs` read
  what users pass. `columns` finds columns of probabilities by their names. `inputs` checks columns of predictions, and
  `checks` single arguments.
- Answers: `response` calls a classifier once, `rejection` has the scores that are compared with a threshold, and
  `ranking` sorts by them.
- Errors: `messages` has texts that errors share, and `problems` has the errors about data. `warn` issues all warnings.
- Numbers: `numbers` writes numbers as text, `proportions` computes intervals. `bins` and `pictures` serve diagrams.
- Commands: `command_options` parses options, `terminal` writes output, and `progress` shows progress.
- Texts: `usual_names` has names of columns, `sklearn_names` has private names of scikit-learn, `docstrings` has shared
  parts of docstrings, and `version` has the version.
"""
