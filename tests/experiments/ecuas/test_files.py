"""Arrays of scores and true classes, in either layout, and what is wrong with others."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

from skconf.cli import main
from skconf.experiments import ecuas_experiment, ecuas_sampling_experiment
from skconf.experiments._ecuas.files import read_arrays


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    return 2 * np.eye(3)[y] + rng.normal(size=(90, 3)), y


def save(folder, name, scores=None, targets=None, *, apart):
    (folder / name).mkdir(parents=True, exist_ok=True)
    for kind, array in (("scores", scores), ("targets", targets)):
        if array is not None:
            np.save(folder / (f"{name}/{kind}.npy" if apart else f"{name}.{kind}.npy"), array, allow_pickle=True)


class Payload:
    """What runs as code where a pickle is read."""

    def __reduce__(self):
        return pytest.fail, ("a pickle was read",)


def test_both_layouts_and_arrays_give_the_same(arrays, tmp_path):
    save(tmp_path, "b", *arrays, apart=True)
    save(tmp_path, "a", *arrays, apart=False)
    read, failed = read_arrays(tmp_path)
    assert list(read) == ["a", "b"]
    assert failed == []
    cells = ecuas_experiment(tmp_path, scores=["raw"]).set_index(["system", "quantity"])["ours"]
    of_arrays = ecuas_experiment({"a": arrays}, scores=["raw"]).set_index("quantity")["ours"]
    assert cells["a"].to_dict() == cells["b"].to_dict() == of_arrays.to_dict()


def test_a_system_that_cannot_be_read_is_named_and_the_rest_run(arrays, tmp_path, capsys):
    scores, y = arrays
    save(tmp_path, "good", scores, y, apart=True)
    bad = {
        "pickled": (np.array([[Payload()]], dtype=object), y, "has Python objects, which are not read"),
        "shorter": (scores[:50], y, r"scores have shape (50, 3) and type float64, and targets shape (90,)"),
        "halves": (scores, y + 0.5, "type float64. Scores must be numbers of shape"),
        "texts": (scores.astype(str), y, "scores have shape (90, 3) and type <U"),
        "gap": (np.where(np.arange(3) + np.arange(90)[:, None] == 8, np.nan, scores), y, "scores in row 6 are missing"),
        "alone": (scores, 0 * y, "targets have fewer than two classes"),
        "beyond": (scores[:, :2], y, "targets have class 2, but scores have columns for 0 to 1"),
        "below": (scores, y - 1, "targets have class -1"),
        "half": (None, y, "there is no file scores.npy"),
    }
    for name, (given, targets, _) in bad.items():
        save(tmp_path, name, given, targets, apart=True)
    save(tmp_path, "words", apart=True)
    (tmp_path / "words/scores.npy").write_text("1, 2")
    np.savez(tmp_path / "several.npz", scores)
    (tmp_path / "several.npz").rename(tmp_path / "several.scores.npy")
    save(tmp_path, "several", None, y, apart=False)
    read, failed = read_arrays(tmp_path)
    assert list(read) == ["good"]
    said = {reason.partition(" ")[0]: reason for reason in failed}
    assert said.keys() == {*bad, "words", "several"}
    for name, (*_, message) in bad.items():
        assert message in said[name]
    assert "is not an array of numbers" in said["words"]
    assert "has several arrays" in said["several"]
    assert main(["experiment", "ecuas", str(tmp_path), "--jobs", "1"]) == 1
    out, err = capsys.readouterr()
    assert "skconf: below is left out: targets have class -1" in err
    assert "good" in out
    (tmp_path / "good/targets.npy").unlink()
    with pytest.raises(ValueError, match=r"None of 12 systems in .* can be read\. alone is left out"):
        read_arrays(tmp_path)


def test_functions_warn_of_systems_that_are_left_out(arrays, tmp_path):
    save(tmp_path, "good", *arrays, apart=True)
    save(tmp_path, "half", None, arrays[1], apart=False)
    for run in (ecuas_experiment, ecuas_sampling_experiment):
        with pytest.warns(UserWarning, match=r"half is left out: there is no file half\.scores\.npy"):
            found = run(tmp_path, n_repetitions=2)
        assert set(found["system"]) == {"good"}


def test_an_empty_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has no file NAME\.scores\.npy or NAME/scores\.npy"):
        read_arrays(tmp_path)


def test_tables_of_predictions_are_read_where_there_are_no_arrays(arrays, tmp_path):
    scores, y = arrays
    proba = softmax(scores, axis=1)
    table = pd.DataFrame({"y_true": np.array(["a", "b", "c"])[y]})
    table[["proba_a", "proba_b", "proba_c"]] = proba
    folder = tmp_path / "own.v2" / "seed=0"
    folder.mkdir(parents=True)
    for name in ("none", "platt.v1.5", "validation"):
        table.to_csv(folder / f"{name}.csv", index=False)
    table[["y_true"]].to_csv(folder / "short.csv", index=False)
    read, failed = read_arrays(tmp_path)
    assert list(read) == ["own.v2/seed=0/none", "own.v2/seed=0/platt.v1.5"]
    assert [reason.partition(" ")[0] for reason in failed] == ["own.v2/seed=0/short"]
    with pytest.warns(UserWarning, match="short is left out"):
        of_tables = ecuas_experiment(tmp_path, scores=["raw"]).set_index(["system", "quantity"])["ours"]
    of_arrays = ecuas_experiment({"a": arrays}, scores=["raw"]).set_index("quantity")["ours"]
    for name in read:
        np.testing.assert_allclose(of_tables[name], of_arrays, rtol=1e-9)
