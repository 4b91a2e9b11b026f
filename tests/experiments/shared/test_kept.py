"""Results of experiments that are kept on disk."""

import joblib
import pytest

from skconf.experiments._shared.kept import KeptResult


def test_a_key_names_a_file(tmp_path):
    first = KeptResult.of(tmp_path, "a/b", {"seed": 0, "training": {"trials": 2}})
    assert first == KeptResult.of(tmp_path, "a/b", {"training": {"trials": 2}, "seed": 0})
    assert first != KeptResult.of(tmp_path, "a/b", {"seed": 1, "training": {"trials": 2}})
    assert first.path.parent == tmp_path
    assert first.path.name.startswith("a_b-")


def test_nothing_is_kept_without_a_folder():
    kept = KeptResult.of(None, "a", {})
    kept.save({})
    assert kept.load(dict) is None
    kept.part("trials").remove()


def test_a_file_of_something_else_is_as_if_it_were_not_there(tmp_path):
    kept = KeptResult(tmp_path / "kept.pkl")
    kept.save({"rounds": 3})
    assert kept.load(dict) == {"rounds": 3}
    assert kept.load(list) is None


def test_no_temporary_file_stays(tmp_path, monkeypatch):
    kept = KeptResult(tmp_path / "kept.pkl")

    def cut_short(_, path, **__):
        path.write_bytes(b"half")
        raise ValueError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(joblib, "dump", cut_short)
        with pytest.raises(ValueError, match="full"):
            kept.save({"rounds": 3})
    assert list(tmp_path.iterdir()) == []
    kept.save({"rounds": 3})
    assert list(tmp_path.iterdir()) == [kept.path]
