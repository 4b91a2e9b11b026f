"""Print the documentation's page of the names of columns that are recognised, from the code that recognises them."""

import sys
from collections.abc import Iterable

from skconf._core import usual_names
from skconf._core.columns import PREFIX

PAGE = """\
# Column names

**In short.** If the true label is called `y_true` or `label`, and each column of probabilities has the name of its
class, you need no option. Many other names are recognised. If yours are not, pass options:

```console
$ skconf evaluate wide.csv --target species --proba p1 p2 --labels setosa virginica
```

`skconf evaluate` prints which columns it read, and as what. The option `--target`, also called `--label`, names the
column of true labels. In `skconf threshold`, this column is named only by `--label`, because `--target` gives the limit
to guarantee, such as `risk=0.05`.

<!-- Generated from the names that the code knows by `python tools/generate.py`. -->

## Which columns a file needs

A file has a row for each prediction. Find the row of this table that describes your data. Its second cell names the
columns that your file needs:

| you have | columns | for example |
|---|---|---|
| a probability for each class | the true label, and each class | `label,cat,dog` or `y_true,{prefix}cat,{prefix}dog` |
| the same, in lists (JSON lines, Parquet) | the label 0, 1, …, the lists | `{{"label": 0, "probs": [0.2, 0.8]}}` |
| the same, and lists of labels | the label, the lists | `{{"y": "a", "classes": ["a", "b"], "probs": [0.8, 0.2]}}` |
| lists of transformers (JSON lines) | label, lists | `{{"y": 1, "scores": [{{"label": 1, "score": 0.8}}, …]}}` |
| two classes, one number | the true label, the probability of the positive class | `y_true,y_score` |
| answers and their confidences | the true label, the predicted label, the confidence | `label,prediction,confidence` |
| graded answers | whether each is right (1 or 0, or between), the confidence | `correct,confidence` |

The positive class is 1 if the labels are 0 and 1; for other labels, pass `--pos-label`. Probabilities are numbers from
0 to 1. Percentages, logits and missing values are errors. Only the confidence in an answer may be written as
"95%", or as 95.

## Names that are recognised

Case, spaces and punctuation do not matter: `True Label`, `trueLabel` and `true_label` are the same name. A column with
the preferred name is read, with one exception: if probabilities are read, `confidence` and `correct` are ignored, with
a note, unless you name them by an option. A column with another name is read if it can mean only one thing in these
data. For example, `p` can mean the confidence or the probability of the positive class. If only one of these two
meanings fits the data, `p` is read. If both fit, an error names the option that decides.

| what it is | option | preferred name | also recognised |
|---|---|---|---|
{rows}
If the true label is called `species`, a column `predicted_species` or `species_pred` is recognised as the predicted
label. A column with this name and `_score` at the end, such as `predicted_species_score`, is recognised as the
confidence.

## Names of the columns of probabilities

The name of a column of probabilities is the name of its class, alone or with one of these words before or after it,
such as `prob_cat`, `cat_score` or `P(cat)`:

{words}.

If the true label is called `y_true` and there are columns that begin with `{prefix}`, only these are read as
probabilities. For other names, pass `--proba COLUMN ...` and `--labels LABEL ...`, in the same order.

Columns with row numbers are never read as a class: {indices}. Any other column that is not recognised is ignored,
unless an option names it, such as `--slices region`.

## Rows that depend on each other

Several rows of one patient, user or document depend on each other: they are a cluster. Without `--cluster COLUMN`,
clusters are read from a column with one of these names, if its values repeat: {ids}. If no such column has repeated
values, clusters are read in the same way from a column with one of these names: {units}. A line of the output names the
column.

With `--cluster none`, and in files that are read in batches, all rows are treated as independent.

## Read on

- [Every option of the command](command_line.md#skconf-evaluate).
- [Start in five minutes](start.md): write an example file, and get a first report.
- [Files of any size](guide/large_data.md), in parts and folders.
"""


def page() -> str:
    """Return the page."""
    either = usual_names.CONFIDENCES_OR_POSITIVES
    named: dict[str, tuple[str, frozenset[str]]] = {
        "true label": ("target", usual_names.TARGETS | usual_names.MAYBE_TARGETS),
        "predicted label": ("prediction", usual_names.PREDICTIONS),
        "confidence in the predicted label": ("confidence", usual_names.CONFIDENCES | either),
        "probability of the positive class, if there are two classes": ("proba", usual_names.POSITIVES | either),
        "whether the answer is right": ("correct", usual_names.CORRECTNESS),
        "weight of the row": ("weight", frozenset()),
        "whether the model abstains in the row (1 or 0)": ("abstained", frozenset()),
    }
    rows = ""
    for what, (option, others) in named.items():
        first = usual_names.USUAL.get(option)
        rows += f"| {what} | `--{option}` | {f'`{first}`' if first else ''} | {in_code(others - {first})} |\n"
    words, indices = (in_code(names - {""}) for names in (usual_names.AROUND_LABELS, usual_names.INDICES))
    ids, units = in_code(usual_names.IDS), in_code(usual_names.UNITS)
    return PAGE.format(rows=rows, words=words, indices=indices, ids=ids, units=units, prefix=PREFIX)


def in_code(names: Iterable[str]) -> str:
    """Return names as code, from A to Z."""
    return ", ".join(f"`{name}`" for name in sorted(names))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(page())
