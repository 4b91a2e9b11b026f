"""The command line."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from _support.predictions import draw_classes

import skconf
from skconf.cli import main
from skconf.cli.main import COMMANDS
from skconf.datasets import list_uci
from skconf.inference import compare
from skconf.metrics import cw_accuracy_score


@pytest.fixture(autouse=True)
def no_environment(monkeypatch, tmp_path):
    """The user's own data and results must not leak into the tests, nor the archives."""
    monkeypatch.delenv("SKCONF_DATA", raising=False)
    monkeypatch.setattr("skconf.experiments._shared.commands.cache_folder", lambda _: tmp_path / "cache")

    def no_network(*args, **kwargs):
        raise OSError("no network here")

    monkeypatch.setattr("skconf.datasets._download.urlopen", no_network)


def fails(arguments, capsys, status=2):
    """Run a command that must fail, and return what it says of it."""
    try:
        found = main(arguments)
    except SystemExit as stop:  # argparse
        found = stop.code
    assert found == status
    out, err = capsys.readouterr()
    assert out == ""
    return err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["evaluate"],
        ["experiment"],
        ["experiment", "csr"],
        ["datasets"],
        ["datasets", "list"],
        ["datasets", "fetch"],
        ["datasets", "check"],
    ],
)
def test_help_teaches(arguments, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([*arguments, "--help"])
    assert "usage: skconf" in capsys.readouterr().out


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_import_no_command_and_no_other_package(argument):
    code = (
        f"import sys; from skconf.cli.main import COMMANDS, main\ntry: main(['{argument}'])\nexcept SystemExit: pass\n"
    )
    code += "heavy = {'numpy', 'pandas', 'scipy', 'sklearn', *(module for module, _ in COMMANDS.values())}\n"
    code += "print(sorted(heavy & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    for _, summary in COMMANDS.values():
        assert (summary in done.stdout) == (argument == "--help")


def test_version_names_what_the_numbers_depend_on(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    python = ".".join(map(str, sys.version_info[:3]))
    versions = f"(Python {python}, numpy {np.__version__}, pandas {pd.__version__}, scikit-learn {sklearn.__version__})"
    assert capsys.readouterr().out == f"skconf {skconf.__version__} {versions}\n"


@pytest.mark.parametrize("typed", ["skconf", "python -m skconf"])
def test_help_shows_what_was_typed(typed, capsys, monkeypatch):
    program = Path("env", "bin", "skconf") if typed == "skconf" else Path("skconf", "__main__.py")
    monkeypatch.setattr(sys, "argv", [str(program), "evaluate", "--help"])
    with pytest.raises(SystemExit, match="0"):
        main()
    out = capsys.readouterr().out
    assert out.startswith(f"usage: {typed} evaluate")
    assert f"\n  {typed} evaluate predictions.csv\n" in out


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_any_encoding_will_do(encoding, tmp_path, monkeypatch):
    """Every command ended in a traceback on a sign that the terminal lacks, such as ∞."""
    path = tmp_path / "p.csv"
    pd.DataFrame({"correct": [1, 0] * 20, "confidence": [0.9] * 40}).to_csv(path, index=False)
    streams = {name: io.TextIOWrapper(io.BytesIO(), encoding=encoding) for name in ("stdout", "stderr")}
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    assert main(["evaluate", str(path), "--metrics", "calibrated_size_ratio"]) == 0
    out, err = (stream.buffer.getvalue().decode(encoding) for stream in streams.values())
    assert ("[0, ∞]" if encoding == "utf-8" else "[0, inf]") in out
    assert err == ""


def test_labels_do_not_steer_the_terminal(tmp_path, capsys):
    path = tmp_path / "p.csv"
    pd.DataFrame({"correct": [1, 0], "confidence": [0.9, 0.8], "shop": ["\x1b[2Jweb", "a\u202eb"]}).to_csv(path)
    assert main(["evaluate", str(path), "--group", "shop", "--metrics", "coverage"]) == 0
    out = capsys.readouterr().out
    assert "\\x1b[2Jweb" in out
    assert "a\\u202eb" in out
    assert not {"\x1b", "\u202e"} & set(out)
    err = fails(["evaluate", "\x1b[2Jnothing.csv"], capsys)
    assert "there is no file \\x1b[2Jnothing.csv" in err


def test_csv_holds_no_formulas(tmp_path, capsys):
    path, csv = tmp_path / "p.csv", tmp_path / "r.csv"
    shops = ["=1+1", "@sum", "-1", "+2.5", "-x", "web"]
    table = pd.DataFrame({"correct": [1] * 6, "confidence": [0.9] * 6, "=shop": shops, "day": shops})
    table.to_csv(path, index=False)
    assert main(["evaluate", str(path), "--group", "=shop", "day", "--metrics", "coverage", "--csv", str(csv)]) == 0
    written = pd.read_csv(csv, dtype=str)
    assert written.columns.tolist() == ["'=shop", "day", "coverage", "count"]
    expected = sorted(["'=1+1", "'@sum", "-1", "+2.5", "'-x", "web"])
    assert sorted(written["'=shop"]) == sorted(written["day"]) == expected


def test_a_file_is_written_whole_or_not_at_all(tmp_path, capsys, monkeypatch):
    """A full disk left an empty file."""
    path, csv = tmp_path / "p.csv", tmp_path / "r.csv"
    pd.DataFrame({"correct": [1, 0], "confidence": [0.9, 0.8]}).to_csv(path, index=False)
    command = ["evaluate", str(path), "--metrics", "coverage", "--csv"]

    def no_space(self, *args, **kwargs):
        self.touch()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", no_space)
        assert "cannot write" in fails([*command, str(csv)], capsys)
        assert sorted(tmp_path.iterdir()) == [path]
    csv.write_text("what was there")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", no_space)
        assert "No space left on device" in fails([*command, str(csv)], capsys)
    assert csv.read_text() == "what was there"
    (tmp_path / "link.csv").symlink_to(csv)
    assert main([*command, str(tmp_path / "link.csv")]) == 0
    assert csv.read_text().startswith("metric,value")
    assert (tmp_path / "link.csv").is_symlink()
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_device_that_is_full(tmp_path, capsys):
    path = tmp_path / "p.csv"
    pd.DataFrame({"correct": [1, 0], "confidence": [0.9, 0.8]}).to_csv(path, index=False)
    assert "cannot write /dev/full" in fails(["evaluate", str(path), "--csv", "/dev/full"], capsys)
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd")
def test_an_output_is_a_pipe(tmp_path, capsys):
    path = tmp_path / "p.csv"
    pd.DataFrame({"correct": [1, 0], "confidence": [0.9, 0.8]}).to_csv(path, index=False)
    assert "- is not the name of a file" in fails(["evaluate", str(path), "--csv", "-"], capsys)
    reading, writing = os.pipe()
    with os.fdopen(reading) as pipe:
        assert main(["evaluate", str(path), "--short", "--metrics", "coverage", "--csv", f"/dev/fd/{writing}"]) == 0
        os.close(writing)
        assert pipe.read().startswith("metric,value,best,")


HOSTILE = "</script><b>&lt; $x^$"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names of files")
def test_names_stay_text_on_pages(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame({"y_true": ["<i>", "b"] * 20, "proba_<i>": [0.7] * 40, "proba_b": [0.3] * 40, "<u>": HOSTILE})
    names = ["$x^$.csv", "<b>&.csv"]
    for name in names:
        table.to_csv(name, index=False)
    assert main(["evaluate", *names, "--html", "r.html"]) == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert main(["evaluate", *names, "--group", "<u>", "--metrics", "coverage", "--html", "g.html"]) == 0
    for text in (page, Path("g.html").read_text(encoding="utf-8")):
        assert not any(tag in text for tag in ("<b>", "<i>", "<u>"))
        assert text.count("</script") == text.count("<script")
    assert "&lt;b&gt;&amp;.csv" in page


# --- experiment csr -------------------------------------------------------------------------------------------------


def csr(*arguments):
    pytest.importorskip("xgboost")
    return main(["experiment", "csr", "--datasets", "breast_cancer", "--jobs", "1", *arguments])


def test_results_on_one_stream_and_progress_on_the_other(tmp_path, capsys):
    target = tmp_path / "table6.csv"
    assert csr("--csv", str(target)) == 0
    out, err = capsys.readouterr()
    assert len(re.findall(r"^breast_cancer +(?:none|isotonic|platt) ", out, re.MULTILINE)) == 3
    assert "0.9737" in out  # the paper's accuracy
    assert "training XGBoost on breast_cancer, seed 0" in err
    written = pd.read_csv(target)
    assert written["calibration"].tolist() == ["none", "isotonic", "platt"]
    assert written["csr"][1] > 1000
    # Again, from what is kept, with other tables and another calibration.
    assert csr("--calibration", "platt", "--tables", "2", "12", "--csv", str(target)) == 0
    out, err = capsys.readouterr()
    assert err.splitlines()[0] == f"1 of 1 models were trained before: {tmp_path / 'cache'}"
    assert "training" not in err
    assert "cwAUC" in out
    again = pd.read_csv(target)
    assert len(again) == 1
    assert again["accuracy"][0] == written["accuracy"][2]
    assert again["paper_auc"][0] == 0.9897


def test_files(tmp_path, capsys):
    paths = [tmp_path / "a.md", tmp_path / "a.html"]
    assert csr("--seeds", "2", "--markdown", str(paths[0]), "--html", str(paths[1]), "--no-results") == 0
    assert [path.read_text(encoding="utf-8")[:15] for path in paths] == ["# Calibrated si", "<!DOCTYPE html>"]
    assert "±" in capsys.readouterr().out
    assert not (tmp_path / "cache").exists()


def test_a_data_set_that_cannot_be_had_is_reported_and_the_rest_runs(tmp_path, capsys):
    assert csr("--datasets", "breast_cancer", "wine", "--data-home", str(tmp_path)) == 1
    out, err = capsys.readouterr()
    assert len(re.findall(r"^breast_cancer +(?:none|isotonic|platt) ", out, re.MULTILINE)) == 3
    assert "skconf: warning: wine is left out. The data set 'wine' needs winequality-red.csv" in err
    assert "no network here" in err
    assert err.index("wine is left out") < err.index("training")


def test_no_data_set_at_all(tmp_path, capsys):
    err = fails(["experiment", "csr", "--datasets", "diabetes", "--no-download"], capsys, status=1)
    assert err.startswith("skconf: error: The data set 'diabetes' needs pima-indians-diabetes.csv in ")
    assert "Get it from https://" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--datasets", "adult"], "unknown data set 'adult'. Did you mean 'adult_income'"),
        (["--calibration", "plat"], "unknown calibration 'plat'. Did you mean 'platt'"),
        (["--csv", "no/such/folder/out.csv"], "there is no folder no/such/folder; create it"),
        (["--csv", "."], ". is a folder; name a file in it"),
        (["--tables", "3"], "invalid choice: 3"),
        (["--preset", "slow"], "invalid choice: 'slow'"),
        (["--trials", "none"], "must be a whole number, 1 or more, but is 'none'"),
        (["--seed", "-1"], "whole number, 0 or more"),
        (["--jobs", "0"], "whole number, 1 or more, but is '0'"),
    ],
)
def test_mistakes_are_told_without_a_traceback(arguments, message, capsys):
    assert message in fails(["experiment", "csr", *arguments], capsys)


def test_a_file_that_may_not_be_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("os.access", lambda *_: False)
    message = fails(["experiment", "cwsa", "--html", str(tmp_path / "a.html")], capsys)
    assert "a.html cannot be written: no permission" in message


def test_results_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    message = fails(["experiment", "csr", "--results", str(tmp_path / "file")], capsys)
    assert "cannot keep results in" in message


def test_missing_packages_are_told(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    assert "pip install xgboost" in fails(["experiment", "csr", "--no-results"], capsys)


# --- datasets -------------------------------------------------------------------------------------------------------


def test_list(tmp_path, capsys):
    assert main(["datasets", "list", "--data-home", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()[1:]] == list_uci()
    assert "in scikit-learn" in out
    assert not any(line.endswith(" ") for line in out.splitlines())
    assert all(line.rpartition("  ")[2].startswith("https://") for line in out.splitlines()[1:])


def test_fetch_and_check_report_and_go_on(tmp_path, capsys):
    (tmp_path / "diabetes").mkdir()
    (tmp_path / "diabetes" / "pima-indians-diabetes.csv").write_text("1,2,3,4,5,6,7,8,0\n")
    for action, reason in (("fetch", "no network here"), ("check", "downloading is switched off")):
        assert main(["datasets", action, "wine", "diabetes", "digits", "--data-home", str(tmp_path)]) == 1
        out, err = capsys.readouterr()
        assert out == "digits: 1,797 rows, 64 features, 10 classes\n"
        assert "wine: The data set 'wine' needs" in err
        assert reason in err
        assert "diabetes: This is not the expected version" in err


def test_unknown_data_set(capsys):
    assert "unknown data set 'adult'" in fails(["datasets", "check", "adult"], capsys)


def test_check_compares_checksums(monkeypatch, capsys):
    monkeypatch.setattr("skconf.experiments._csr.data_commands.changed_files", lambda *_: ["x.csv"])
    assert main(["datasets", "check", "digits"]) == 0
    assert (
        "digits: x.csv: not identical to the original, but the numbers of rows and classes" in capsys.readouterr().err
    )


# --- evaluate -------------------------------------------------------------------------------------------------------


@pytest.fixture
def iris():
    y, proba = draw_classes(50, decimals=6)
    return np.array(["10", "9", "x"])[y], proba


def value(out, name):
    """Return the value of a metric in a printed report."""
    (line,) = [line for line in out.splitlines() if line.startswith(name)]
    return float(line.split()[1].replace(",", ""))


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_probabilities_of_all_classes(iris, form, tmp_path, capsys):
    y, proba = iris
    table = pd.DataFrame(proba, columns=["proba_10", "proba_9", "proba_x"]).assign(y_true=y, id=range(50))
    path = tmp_path / f"predictions.{form}"
    if form == "csv":
        table.to_csv(path, index=False)
    else:
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    assert main(["evaluate", str(path)]) == 0
    expected = cw_accuracy_score(y, proba, labels=["10", "9", "x"])
    assert value(capsys.readouterr().out, "cw_accuracy_score") == pytest.approx(expected, abs=6e-5)


def test_columns_by_name_and_files(iris, tmp_path, capsys):
    y, proba = iris
    path, csv, html = tmp_path / "p.csv", tmp_path / "r.csv", tmp_path / "r.html"
    pd.DataFrame(proba, columns=["a", "b", "c"]).assign(kind=y, w=2).to_csv(path, index=False)
    arguments = ["--target", "kind", "--proba", "c", "a", "b", "--labels", "x", "10", "9", "--weight", "w"]
    arguments += ["--metrics", "cw_accuracy", "coverage", "--threshold", "0.6", "--csv", str(csv), "--html", str(html)]
    assert main(["evaluate", str(path), *arguments]) == 0
    expected = cw_accuracy_score(y, proba, labels=["10", "9", "x"])
    report = pd.read_csv(csv, index_col=0)
    assert report["value"].to_dict() == pytest.approx(
        {"cw_accuracy": expected, "coverage": (proba.max(axis=1) >= 0.6).mean()}
    )
    page = html.read_text(encoding="utf-8")
    assert page.count('role="img"') == 3
    assert ">p.csv</" in page
    assert str(tmp_path) not in page


def test_a_single_column_is_the_second_label_in_the_order_of_numbers(tmp_path, capsys):
    path = tmp_path / "p.csv"
    y = [9, 10, 10, 9, 10]
    pd.DataFrame({"y_true": y, "p": [0.2, 0.7, 0.9, 0.6, 0.4]}).to_csv(path, index=False)
    assert main(["evaluate", str(path), "--proba", "p"]) == 0
    assert value(capsys.readouterr().out, "accuracy_score") == 0.6


def test_correctness_and_confidence(tmp_path, capsys):
    path = tmp_path / "p.csv"
    table = pd.DataFrame({"y_true": ["a", "b", "b"], "y_pred": ["a", "b", "a"], "confidence": [0.5, 0.9, 0.6]})
    table.to_csv(path, index=False)
    assert main(["evaluate", str(path)]) == 0
    by_labels = capsys.readouterr().out
    assert value(by_labels, "cw_accuracy_score") == pytest.approx(1.4 / 2.0)
    pd.DataFrame({"right": [1, 1, 0], "score": [0.5, 0.9, 0.6]}).to_csv(path, index=False)
    assert main(["evaluate", str(path), "--correct", "right", "--confidence", "score"]) == 0
    assert value(capsys.readouterr().out, "cw_accuracy_score") == value(by_labels, "cw_accuracy_score")


@pytest.mark.parametrize(
    ("lines", "arguments", "message"),
    [
        (
            "a,b\n1,2\n",
            [],
            "cannot tell which of the columns ['a', 'b'] hold the predictions. Use --target to name the column of t",
        ),
        ("y_true,p\n0,.2\n1,.7\n", ["--target", "y_tru"], "there is no column 'y_tru'. Did you mean 'y_true'"),
        (
            "y_true,p\n0,.2\n1,high\n",
            ["--proba", "p"],
            "column 'p' has 'high' in row 1 (line 3), where a number is needed",
        ),
        (
            "y_true,p\n0,.2\n,.7\n",
            ["--proba", "p"],
            "column 'y_true' has '' in row 1 (line 3), where a label is needed",
        ),
        ("y_true,p\n0,.2\n1,1.7\n", ["--proba", "p"], "1.7"),
        ("correct,confidence\n2,.5\n", [], "correct is 2.0 in row 0"),
        ("", [], "cannot read"),
    ],
)
def test_bad_files(lines, arguments, message, tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text(lines)
    err = fails(["evaluate", str(path), *arguments], capsys)
    assert err.startswith("skconf: error: ")
    assert message in err
    assert str(path) in err


@pytest.fixture
def two_files(iris, tmp_path):
    y, proba = iris
    table = pd.DataFrame(proba, columns=["proba_10", "proba_9", "proba_x"]).assign(y_true=y, shop=["web", "north"] * 25)
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, part in zip(paths, (table[:20], table[20:]), strict=True):
        part.to_csv(path, index=False)
    table.to_csv(tmp_path / "whole.txt", index=False)
    return tmp_path, table


@pytest.mark.parametrize("threshold", [[], ["--threshold", "0.6"]])
def test_batches_say_what_is_said_in_memory(two_files, threshold, tmp_path, capsys):
    folder, _ = two_files
    reports = []
    for files in ([folder / "whole.txt"], [folder / "whole.txt", "--batches"], [folder]):
        assert main(["evaluate", *map(str, files), *threshold, "--csv", str(tmp_path / "r.out")]) == 0
        reports.append(pd.read_csv(tmp_path / "r.out", index_col=0).drop(index="threshold", errors="ignore"))
    capsys.readouterr()
    for report in reports[1:]:
        pd.testing.assert_frame_equal(report, reports[0], rtol=1e-12, atol=1e-14)


def test_batches_of_correctness_leave_out_what_needs_classes(tmp_path, capsys):
    path = tmp_path / "p.csv"
    pd.DataFrame({"correct": [1, 0, 1], "confidence": [0.5, 0.9, 0.6]}).to_csv(path, index=False)
    assert main(["evaluate", str(path)]) == 0
    out = capsys.readouterr().out
    assert main(["evaluate", str(path), "--batches"]) == 0
    batches = capsys.readouterr().out
    assert [value(text, "cw_accuracy_score") for text in (out, batches)] == [pytest.approx(1.1 / 2.0)] * 2
    assert out.splitlines()[1] == batches.splitlines()[1]  # the verdict
    assert "cf1" not in out


def test_all_metrics_in_batches(two_files, tmp_path, capsys):
    folder, _ = two_files
    reports = []
    for file in (folder / "whole.txt", folder):
        assert main(["evaluate", str(file), "--metrics", "all", "--csv", str(tmp_path / "r.out")]) == 0
        reports.append(pd.read_csv(tmp_path / "r.out", index_col=0))
    in_memory, in_batches = reports
    (told,) = [line for line in capsys.readouterr().err.splitlines() if "cannot be computed in batches" in line]
    left_out = {name.strip(",") for name in told.split()} & set(in_memory.index)
    assert {"smooth_calibration_error", "calibration_distance_error", "cumulative_calibration_error"} <= left_out
    assert set(in_memory.index) - set(in_batches.index) == {*left_out, "tce_error", "adaptive_calibration_error"}
    assert not {"cw_accuracy_score", "expected_calibration_error", "aurc_loss"} & left_out
    pd.testing.assert_frame_equal(in_batches, in_memory.loc[in_batches.index], rtol=1e-12, atol=1e-14)
    # Of so few confidences they can be computed, where they are asked for.
    assert main(["evaluate", str(folder), "--metrics", "smooth_calibration_error"]) == 0
    found = value(capsys.readouterr().out, "smooth_calibration_error")
    assert found == pytest.approx(in_memory.at["smooth_calibration_error", "value"], abs=1e-4)


def below_files(out):
    """Return what is printed below the files that were read."""
    return out.partition("\n\n")[2]


def test_groups(two_files, tmp_path, capsys):
    folder, table = two_files
    csv, html = tmp_path / "r.out", tmp_path / "r.html"
    arguments = ["--group", "shop", "--metrics", "cw_accuracy", "neg_ece", "--csv", str(csv), "--html", str(html)]
    assert main(["evaluate", str(folder), *arguments]) == 0
    assert below_files(capsys.readouterr().out).split()[:4] == ["shop", "cw_accuracy", "neg_ece", "count"]
    found = pd.read_csv(csv, index_col=0)
    assert found.index.tolist() == ["north", "web"]
    for shop, part in table.groupby("shop"):
        proba = part[["proba_10", "proba_9", "proba_x"]].to_numpy()
        expected = cw_accuracy_score(part["y_true"], proba, labels=["10", "9", "x"])
        assert found.at[shop, "cw_accuracy"] == pytest.approx(expected, rel=1e-12)
        assert found.at[shop, "count"] == 25
    page = html.read_text(encoding="utf-8")
    assert "50 predictions from 2 files" in page
    assert "<svg" not in page
    assert main(["evaluate", str(folder), "--group", "shop", "y_true", "--metrics", "coverage"]) == 0
    assert below_files(capsys.readouterr().out).split()[:6] == ["shop", "y_true", "coverage", "count", "north", "10"]


def test_a_wrong_name_of_a_metric_is_an_error_before_anything_is_read(capsys):
    message = fails(["evaluate", "there is no such file.csv", "--metrics", "cwa"], capsys)
    assert "There is no metric or scorer 'cwa'. Did you mean 'cw_accuracy_score'" in message
    assert "--metrics all reports all metrics of skconf" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--group", "shops"], "a.csv: there is no column 'shops'. Did you mean 'shop'"),
        (["--metrics", "tce_error"], "tce_error cannot be accumulated"),
        (["--metrics", "cwa"], "There is no metric or scorer 'cwa'"),
        (["--metrics", "threshold", "coverage"], "metrics has 'threshold', which is not computed in batches"),
        (["--threshold", "-1"], "threshold"),
        (["--proba", "proba_10", "shop"], "b.csv: column 'shop' has 'web' in row 0 (line 2), where a number is needed"),
    ],
)
def test_mistakes_in_batches(arguments, message, two_files, capsys):
    folder, _ = two_files
    files = [str(folder / "b.csv"), str(folder / "a.csv"), "--pool"] if "--proba" in arguments else [str(folder)]
    labels = ["--labels", "10", "9"] if "--proba" in arguments else []
    assert message in fails(["evaluate", *files, *labels, *arguments], capsys)


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Files of two models with the same rows, and one of others."""
    rng = np.random.default_rng(0)
    sure = rng.random(300)
    y = (rng.random(300) < sure).astype(int)
    for name, proba, truth in (("a", sure, y), ("b", 0.6 * sure + 0.2, y), ("c", sure, 1 - y)):
        table = pd.DataFrame({"y_true": truth, "proba_0": 1 - proba, "proba_1": proba})
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return y, sure


def test_named_files_are_models_side_by_side(models, capsys):
    """Two models were pooled into one number."""
    y, sure = models
    assert main(["evaluate", "a.csv", "b.csv", "--metrics", "cw_accuracy_score", "expected_calibration_error"]) == 0
    out = capsys.readouterr().out
    lines = below_files(out).splitlines()
    assert lines[0].split()[:3] == ["metric", "a", "b"]
    values = lines[1].replace("*", "").split()[1:3]
    for shown, proba in zip(values, (sure, 0.6 * sure + 0.2), strict=True):
        assert float(shown) == pytest.approx(cw_accuracy_score(y, proba), abs=6e-5)
    assert "a: 300 predictions from a.csv.\nb: 300 predictions from b.csv." in out
    # Differences are those of `compare`.
    both = {"a": sure, "b": 0.6 * sure + 0.2}
    expected = compare("cw_accuracy_score", y, both, baseline="a")
    (line,) = (line for line in lines[2:] if line.split()[:1] == ["cw_accuracy_score"])
    shown = [float(number) for number in re.findall(r"-?\d*\.\d+", line.replace("−", "-"))]
    assert shown[2:] == pytest.approx([expected.difference, expected.low, expected.high], abs=6e-5)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["a.csv", "c.csv"], "a and c have different true labels, first in row 0."),
        (["a.csv", "short.csv"], "a and short have 300 and 299 rows."),
        (["a.csv", "right.csv"], "a and right have no true labels to match rows by, and no ids."),
        (["a.csv", "weighted.csv"], "a and weighted have different sample weights."),
        (["a.csv", "b.csv", "--batches"], "a and b were read in batches, which keep no rows."),
    ],
)
def test_differences_are_given_only_row_by_row(arguments, reason, models, capsys):
    table = pd.read_csv("a.csv")
    table[1:].to_csv("short.csv", index=False)
    table.assign(sample_weight=range(1, 301)).to_csv("weighted.csv", index=False)
    pd.DataFrame({"correct": table["y_true"], "confidence": table["proba_1"]}).to_csv("right.csv", index=False)
    assert main(["evaluate", *arguments, "--metrics", "cw_accuracy", "coverage"]) == 0
    said = capsys.readouterr().out
    assert f"Not compared: {reason}" in said
    todo = "give one file for each model" if "--batches" in arguments else "give files of the same rows"
    assert f"What to do: {todo}" in " ".join(said.split())


def test_models_that_cannot_be_paired_leave_others_their_differences(models, capsys):
    assert main(["evaluate", "a.csv", "c.csv", "b.csv", "--metrics", "cw_accuracy"]) == 0
    out = capsys.readouterr().out
    assert "Differences are paired row by row: the other model minus a." in " ".join(out.split())
    assert "Not compared: a and c have different true labels, first in row 0." in out


@pytest.mark.parametrize("arguments", [["a.csv", "b.csv", "--pool"], ["[ab].csv"], ["parts"], ["parts/*"]])
def test_parts_of_one_model_are_pooled(arguments, models, tmp_path, capsys):
    y, sure = models
    (tmp_path / "parts").mkdir()
    for name in "ab":
        (tmp_path / "parts" / f"{name}.csv").write_bytes((tmp_path / f"{name}.csv").read_bytes())
    assert main(["evaluate", *arguments, "--metrics", "cw_accuracy"]) == 0
    out = capsys.readouterr().out
    expected = cw_accuracy_score(np.tile(y, 2), np.append(sure, 0.6 * sure + 0.2))
    assert value(out, "cw_accuracy") == pytest.approx(expected, abs=6e-5)
    assert out.startswith("600 predictions from 2 files.\n")


def test_models_of_several_files_and_groups(models, tmp_path, capsys):
    for folder, name in (("one", "a"), ("two", "b")):
        (tmp_path / folder).mkdir()
        table = pd.read_csv(f"{name}.csv").assign(shop=["web", "north"] * 150)
        for part in range(2):
            table[150 * part : 150 * (part + 1)].to_csv(tmp_path / folder / f"{part}.csv", index=False)
    assert main(["evaluate", "one", "two", "--metrics", "cw_accuracy"]) == 0
    by_folder = capsys.readouterr().out
    assert main(["evaluate", "a.csv", "b.csv", "--metrics", "cw_accuracy"]) == 0
    by_file = capsys.readouterr().out
    one, other = (below_files(text).splitlines()[1].replace("*", " ").split()[1:] for text in (by_folder, by_file))
    assert one == other
    assert "two: 300 predictions from 2 files." in by_folder
    assert main(["evaluate", "one", "two", "--metrics", "cw_accuracy", "--group", "shop"]) == 0
    out = capsys.readouterr().out
    assert below_files(out).split()[:6] == ["model", "shop", "cw_accuracy", "count", "one", "north"]


def test_many_named_files_may_be_parts(models, capsys):
    names = ["a.csv", "b.csv", "c.csv", *(f"{number}.csv" for number in range(6))]
    for name in names[3:]:
        pd.read_csv("a.csv").to_csv(name, index=False)
    message = fails(["evaluate", *names], capsys)
    assert "9 files were given, and each would be a separate model" in message
    assert "--pool, their folder, or a pattern in quotes, such as '*.csv'" in message
    assert main(["evaluate", *names, "--pool", "--metrics", "coverage"]) == 0
    assert "2,700 predictions from 9 files." in capsys.readouterr().out


def test_files_of_one_name_in_two_folders(models, tmp_path, capsys):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.csv").write_bytes((tmp_path / "b.csv").read_bytes())
    assert main(["evaluate", "a.csv", "other/a.csv", "--metrics", "cw_accuracy"]) == 0
    assert below_files(capsys.readouterr().out).split()[:3] == ["metric", "a", "other/a"]


def test_a_page_of_two_models(models, tmp_path, capsys):
    assert main(["evaluate", "a.csv", "b.csv", "--metrics", "cw_accuracy", "--html", "r.html"]) == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.count('role="img"') == 4
    titles = [
        "Can I trust their confidences?",
        "When should they abstain?",
        "Which model is better?",
        "Where do they fail?",
    ]
    assert re.findall(r"<h2>(.*?)</h2>", page) == [*titles, "All metrics, by question", "Where does this come from?"]
    assert "the other model minus a." in page


def test_no_file(capsys):
    assert "there is no file nothing.csv" in fails(["evaluate", "nothing.csv"], capsys)
    assert "b.csv is one argument too many" in fails(["threshold", "a.csv", "b.csv"], capsys)


# --- the other experiments ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "titles"),
    [
        (
            ["csr-synthetic", "--samples", "50", "--repetitions", "2", "--jobs", "1"],
            ["Tables 5, 8 and 9", "Table 3", "Table 10"],
        ),
        (["cwsa", "--repetitions", "2"], ["Tables 1 to 3", "Areas over coverage"]),
        (["cf1", "--dataset", "breast_cancer", "--models", "3", "--jobs", "1"], ["Agreement of pairs", "Variance"]),
    ],
)
@pytest.mark.slow
def test_other_experiments(arguments, titles, tmp_path, capsys):
    paths = [tmp_path / f"a.{suffix}" for suffix in ("csv", "md", "html")]
    files = [text for path in paths for text in (f"--{path.suffix[1:].replace('md', 'markdown')}", str(path))]
    assert main(["experiment", *arguments, *files]) == 0
    out = capsys.readouterr().out
    for title in titles:
        assert f"\n{title}" in f"\n{out}"
        assert title in paths[1].read_text(encoding="utf-8")
        assert title in paths[2].read_text(encoding="utf-8")
    assert paths[2].read_text(encoding="utf-8").count('role="img"') >= 3
    assert len(pd.read_csv(paths[0])) > 2


def test_counts_of_one_key_stand_beside_the_papers(capsys):
    assert main(["experiment", "csr-synthetic", "--samples", "50", "--repetitions", "2", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    table = out.partition("\nTable 10\n")[2].partition("\n\n")[0]
    rows = [line.split() for line in table.splitlines() if line.split()[0] in ("perfect", "overconf_sqrt")]
    assert [row[2] for row in rows] == ["9", "8"]  # what the paper prints


def test_an_interruption_is_told_without_a_traceback(monkeypatch, capsys):
    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr("skconf.experiments._cwsa.commands.cwsa_experiment", interrupted)
    assert fails(["experiment", "cwsa"], capsys, status=130) == "skconf: interrupted\n"


def test_notes_stand_below_the_table(capsys):
    assert main(["experiment", "cwsa", "--repetitions", "2"]) == 0
    out = capsys.readouterr().out
    assert out.count("[1]") == 5 * 4 + 1
    assert "\n[1] CWSA exceeds coverage x CWSA+" in out


def test_predictions_from_a_folder(tmp_path, capsys):
    rows = pd.DataFrame({"y_true": [3, 8, 8], "y_pred": [3, 8, 0], "confidence": [0.9, 0.8, 0.7]})
    rows.to_csv(tmp_path / "cifar10_predictions.csv", index=False)
    assert main(["experiment", "cwsa", "--predictions", str(tmp_path)]) == 0
    assert "Section 5.2" in capsys.readouterr().out
    assert "there is no folder" in fails(["experiment", "cwsa", "--predictions", str(tmp_path / "none")], capsys)


def test_scores_from_a_folder(tmp_path, capsys):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "mine.scores.npy", rng.normal(size=(60, 2)))
    np.save(tmp_path / "mine.targets.npy", rng.integers(0, 2, 60))
    assert main(["experiment", "ecuas", str(tmp_path), "--jobs", "1"]) == 0
    assert "mine" in capsys.readouterr().out
    assert "NAME.scores.npy" in fails(["experiment", "ecuas", str(tmp_path / "none")], capsys)


def without_progress(err):
    """Return what a command says on standard error, but for the steps that it tells where the machine is busy."""
    return re.sub(r"skconf: .* \(step \d+ of \d+\)\n", "", err)


def run(arguments, **streams):
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "skconf", *arguments]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **streams)
    done.stderr = without_progress(done.stderr)
    return done


@pytest.fixture
def long_report(tmp_path):
    """The arguments of a command that writes more than a pipe holds."""
    table = pd.DataFrame({"correct": [1, 0] * 600, "confidence": 0.5, "place": range(1200)})
    table.to_csv(tmp_path / "a.csv", index=False)
    return ["evaluate", str(tmp_path / "a.csv"), "--group", "place", "--metrics", "accuracy_score", "confidence_gap"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize("arguments", [["--version"], pytest.param(["evaluate"], marks=pytest.mark.slow)])
def test_full_disk_is_an_error_in_one_line(arguments, long_report):
    with Path("/dev/full").open("w") as full:
        done = run(long_report if arguments == ["evaluate"] else arguments, stdout=full)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("skconf: error: cannot write to standard output: ")


@pytest.mark.skipif(os.name == "nt", reason="on Windows the error of a closed pipe is another one")
@pytest.mark.parametrize("arguments", [["--version"], pytest.param(["evaluate"], marks=pytest.mark.slow)])
def test_pipe_without_a_reader_ends_the_command_without_a_word(arguments, long_report):
    reading, writing = os.pipe()
    os.close(reading)
    done = run(long_report if arguments == ["evaluate"] else arguments, stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(os.name == "nt", reason="closes streams by their numbers")
@pytest.mark.parametrize("stream", [pytest.param(1, marks=pytest.mark.slow), 0])
def test_closed_streams_are_errors_in_one_line(stream, long_report):
    done = run(
        long_report if stream == 1 else ["evaluate", "-"],
        stdout=None if stream == 1 else subprocess.PIPE,
        preexec_fn=lambda: os.close(stream),
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "skconf: error: " in done.stderr


def test_too_little_memory_says_what_needs_less(long_report, monkeypatch, capsys):
    def too_much(*_, **__):
        raise MemoryError

    monkeypatch.setattr("skconf.report._evidence.batches.read_files", too_much)
    message = fails(long_report, capsys)
    assert len(message.splitlines()) == 1
    assert all(option in message for option in ("--batches", "--jobs 1", "--proba"))
