"""``evaluate`` on the files of strangers: from pipes, matched by ids, or refused with the option that mends it."""

import gzip
import io
import os
import re
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceReport, confidence_report
from skconf.cli import main
from skconf.cli.evaluate import _short_names
from skconf.inference import compare

RNG = np.random.default_rng(0)
P = RNG.random(200).round(4)
Y = (RNG.random(200) < P).astype(int)
TABLE = pd.DataFrame({"id": [f"s{number}" for number in range(200)], "label": Y, "0": 1 - P, "1": P})
METRICS = ["--metrics", "accuracy_score", "confidence_gap"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pipe(content, monkeypatch):
    stream = SimpleNamespace(buffer=io.BytesIO(content), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", stream)


def value(out, name):
    return next(line for line in out.splitlines() if line.startswith(name)).split()[1:]


class TestStandardInput:
    def content(self, form):
        if form == "parquet":
            pytest.importorskip("pyarrow")
            return TABLE.to_parquet(index=False)
        text = TABLE.to_csv(index=False, sep=";" if form == "semicolons" else ",").encode()
        return gzip.compress(text, mtime=0) if form == "gzip" else text

    @pytest.mark.parametrize("batches", [[], ["--batches"]])
    @pytest.mark.parametrize("form", ["csv", "semicolons", "gzip", "parquet"])
    def test_is_read_as_a_file_is(self, form, batches, monkeypatch, capsys):
        pipe(self.content(form), monkeypatch)
        assert main(["evaluate", "-", *METRICS, *batches]) == 0
        out, err = capsys.readouterr()
        assert float(value(out, "accuracy_score")[0]) == pytest.approx(((P > 0.5) == Y).mean(), abs=6e-5)
        assert out.startswith("200 predictions from standard input.\n")
        assert "skconf: read 'label' as the true label, the columns '0' and '1' as the probabilities of 0 and 1" in err

    def test_is_one_of_two_models(self, monkeypatch, capsys):
        TABLE.to_csv("a.csv", index=False)
        pipe(TABLE.assign(**{"0": P, "1": 1 - P}).to_csv(index=False).encode(), monkeypatch)
        assert main(["evaluate", "a.csv", "-", *METRICS]) == 0
        out, err = capsys.readouterr()
        right = ((P > 0.5) == Y).mean()
        shown = [float(cell.strip("*")) for cell in value(out, "accuracy_score")[:2]]
        assert shown == pytest.approx([right, 1 - right], abs=6e-5)
        assert "standard input: 200 predictions from standard input." in out
        assert "skconf: a: read 'label'" in err
        assert "skconf: standard input: read 'label'" in err

    @pytest.mark.parametrize("batches", [[], ["--batches"]])
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "cannot read standard input: it is empty"),
            (b"label,0,1\n", "there are no rows in ['standard input']"),
            (b"y_true,proba_1\n0,.5\n1,high\n", "standard input: column 'proba_1' has 'high' in row 1"),
            (b"\x89PNG\r\n", "cannot read standard input: it is not a table of text, but a picture"),
        ],
    )
    def test_has_a_name_in_errors(self, content, message, batches, monkeypatch, capsys):
        pipe(content, monkeypatch)
        assert main(["evaluate", "-", *batches]) == 2
        err = capsys.readouterr().err
        assert message in err
        assert tempfile.gettempdir() not in err

    def test_is_no_name_of_a_folder(self, capsys):
        Path("skconf-standard-input-of-mine").mkdir()
        TABLE.to_csv("skconf-standard-input-of-mine/a.csv", index=False)
        assert main(["evaluate", "skconf-standard-input-of-mine/a.csv", *METRICS]) == 0
        assert capsys.readouterr().out.startswith("200 predictions from skconf-standard-input-of-mine/a.csv.\n")

    @pytest.mark.usefixtures("capsys")
    def test_leaves_nothing_behind(self, folder, monkeypatch):
        monkeypatch.setattr("tempfile.tempdir", str(folder))
        pipe(TABLE.to_csv(index=False).encode(), monkeypatch)
        assert main(["evaluate", "-", *METRICS]) == 0
        assert list(folder.iterdir()) == []

    def test_of_a_terminal_says_how_it_ends(self, monkeypatch, capsys):
        pipe(TABLE.to_csv(index=False).encode(), monkeypatch)
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
        assert main(["evaluate", "-", *METRICS]) == 0
        assert "skconf: reading standard input. Press Ctrl-D to end it" in capsys.readouterr().err


class TestIds:
    @pytest.fixture
    def other(self):
        """The predictions of another model, in another order."""
        q = (0.8 * P + 0.1).round(4)
        return TABLE.assign(**{"0": 1 - q, "1": q}), RNG.permutation(200)

    @pytest.mark.parametrize("form", ["csv", "parquet"])
    def test_match_rows_in_any_order(self, form, other, capsys, monkeypatch):
        monkeypatch.setenv("COLUMNS", "200")
        table, order = other
        TABLE.to_csv("a.csv", index=False)
        shuffled = table.iloc[order]
        if form == "parquet":
            pytest.importorskip("pyarrow")
        shuffled.to_parquet("b.parquet") if form == "parquet" else shuffled.to_csv("b.csv", index=False)
        assert main(["evaluate", "a.csv", f"b.{form}", "--id", "id", "--metrics", "confidence_gap"]) == 0
        out = capsys.readouterr().out
        expected = compare("confidence_gap", Y, {"a": P, "b": table["1"].to_numpy()}, baseline="a").difference
        line = out.rpartition("confidence_gap")[2].partition("\n")[0].replace("−", "-")
        text = re.findall(r"[+-]?\d*\.\d+", line)[2]
        shown, unit = float(text), 10.0 ** -len(text.partition(".")[2])
        assert shown == pytest.approx(abs(expected) if shown > 0 else -abs(expected), abs=0.51 * unit)
        assert main(["evaluate", "a.csv", f"b.{form}", "--metrics", "confidence_gap"]) == 0
        assert "Not compared: a and " in capsys.readouterr().out

    def test_know_the_rows_of_files(self, other):
        table, order = other
        TABLE.to_csv("a.csv", index=False)
        table.iloc[order].to_csv("b.csv", index=False)
        files = {"a": "a.csv", "b": "b.csv"}
        report = ConfidenceReport.from_files(files, metrics=["accuracy_score"], ids="id")
        of_b, numbers = (part["b"] for part in (report.evidence.profiles, report.evidence.row_numbers))
        in_file = table["1"].to_numpy()[order][numbers]
        np.testing.assert_allclose(of_b.confidence, np.maximum(in_file, 1 - in_file))
        np.testing.assert_allclose(in_file, table["1"])  # the order of the first file

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                lambda t: t[:-2],
                "do not have the same samples: 2 ids are only in the first (such as 's198') and 0 only",
            ),
            (
                lambda t: t.assign(id="x" + t["id"]),
                "200 ids are only in the first (such as 's0') and 200 only in the second (such as 'xs0')",
            ),
            (
                lambda t: t.assign(id=t["id"].replace("s7", "s5")),
                "b.csv: 1 of the ids in column 'id' occur more than once, such as 's5' in rows 5 and 7. Use --id",
            ),
            (
                lambda t: t.assign(id=t["id"].replace("s7", "")),
                "b.csv: column 'id' has '' in row 7, where a label is needed",
            ),
            (
                lambda t: t.rename(columns={"id": "ids"}),
                "b.csv: there is no column 'id'. Did you mean 'ids'? The columns are",
            ),
        ],
    )
    def test_that_do_not_match_are_refused(self, change, message, capsys):
        TABLE.to_csv("a.csv", index=False)
        change(TABLE).to_csv("b.csv", index=False)
        assert main(["evaluate", "a.csv", "b.csv", "--id", "id", *METRICS]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert message in err

    def test_are_for_files_in_memory(self, capsys):
        TABLE.to_csv("a.csv", index=False)
        assert main(["evaluate", "a.csv", "--id", "id", "--batches"]) == 2
        assert "keep no rows to match. Leave --id out." in capsys.readouterr().err
        with pytest.raises(ValueError, match=r"Leave ids out\."):
            ConfidenceReport.from_files("a.csv", ids="id", in_batches=True)


class TestSlices:
    @pytest.fixture
    def table(self):
        """Predictions that are wrong in one region, of people of all ages."""
        region = np.repeat(["north", "<b>", ""], [60, 70, 70])
        truth = np.where(region == "north", (P < 0.5).astype(int), Y)
        TABLE.assign(label=truth, region=region, age=np.arange(200) % 90).to_csv("a.csv", index=False)

    @pytest.mark.usefixtures("table")
    def test_are_listed_and_the_bad_one_is_named(self, capsys):
        assert main(["evaluate", "a.csv", "--slices", "region", "age", "--html", "r.html"]) == 0
        out, page = " ".join(capsys.readouterr().out.split()), Path("r.html").read_text()
        assert re.search(
            r"Worst, region = north: average confidence \d\d\.\d%, "
            r"accuracy 0\.0% \(95% interval 0\.0–6\.0\) in 60 answers",
            out,
        )
        for each in ("region = &lt;b&gt;", "region is missing", "age 0 to 16"):
            assert each in page
        assert "region = <b>" not in page

    @pytest.mark.usefixtures("table")
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--slices", "regoin"], "a.csv: there is no column 'regoin'. Did you mean 'region'? The columns are"),
            (["--slices", "regoin"], "name one of them with --slices."),
            (["--slices", "region", "--batches"], "Leave --slices out; --group … gives the metrics of each group"),
            (["--slices", "region", "--group", "age"], "Leave --slices out"),
            (["--slices", "id"], "'id'] has 200 different strings in 200 rows"),
        ],
    )
    def test_that_cannot_be_are_refused(self, options, message, capsys):
        assert main(["evaluate", "a.csv", *options]) == 2
        assert message in capsys.readouterr().err

    def test_help_says_when_to_use_which(self, capsys):
        with pytest.raises(SystemExit):
            main(["evaluate", "--help"])
        text = " ".join(capsys.readouterr().out.split())
        assert "To find where the model fails, use --slices" in text
        assert "For metrics of each group, use --group" in text


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["a.csv", "b.csv"], ["a", "b"]),
        (["/x/y/a.csv", "/x/y/b.csv"], ["a", "b"]),
        (["/x/1/p.csv", "/x/2/p.csv", "/x/q.csv"], ["1/p", "2/p", "q"]),
        (["1/x/p.csv", "2/x/p.csv"], ["1/x/p", "2/x/p"]),
        (["a.csv", "other/a.csv"], ["a", "other/a"]),
        (["./a.csv", "a.csv"], ["./a", "a"]),
        (["one/", "two/"], ["one", "two"]),
        (["one/*.csv", "two/*.csv"], ["one/*", "two/*"]),
        (["a.max.csv", "b.max.csv"], ["a", "b"]),
        (["m 0.5.csv", "m 0.7.csv"], ["m 0.5", "m 0.7"]),
        (["claims-2026_raw.csv", "claims-2026_calibrated.csv"], ["raw", "calibrated"]),
        (["on-claims-seed_0.csv", "on-claims-seed_1.csv"], ["seed_0", "seed_1"]),
        (["model_a.csv", "model_b.csv"], ["model_a", "model_b"]),
        (["forest_test.csv", "boosting_test.csv"], ["forest", "boosting"]),
        (["claims.csv", "claims_calibrated.csv"], ["claims", "claims_calibrated"]),
        (["raw_claims.csv", "claims.csv"], ["raw_claims", "claims"]),
        (["a.csv", "a.parquet"], ["a.csv", "a.parquet"]),
        (["a.csv", "b.parquet"], ["a", "b"]),
        (["best.csv", "other.csv"], ["best.csv", "other.csv"]),
    ],
)
def test_names_of_models_are_the_shortest_that_differ(files, names):
    assert _short_names(files) == names


def test_probabilities_are_compared_with_confidences_in_answers(capsys, monkeypatch):
    """They were said to differ in their true labels, which both files have."""
    monkeypatch.setenv("COLUMNS", "200")
    words = np.array(["cat", "dog"])
    pd.DataFrame({"truth": words[Y], "cat": 1 - P, "dog": P}).to_csv("a.csv", index=False)
    q = 0.8 * P + 0.1
    answers = {"truth": words[Y], "prediction": words[(q > 0.5).astype(int)], "confidence": np.maximum(q, 1 - q)}
    pd.DataFrame(answers).to_csv("b.csv", index=False)
    assert main(["evaluate", "a.csv", "b.csv", "--metrics", "confidence_brier_loss"]) == 0
    out = capsys.readouterr().out
    expected = compare("confidence_brier_loss", Y, {"a": P, "b": q}, baseline="a")
    line = next(line for line in out.splitlines() if "(Brier)" in line and "[" in line and "minus" not in line)
    shown = float(re.findall(r"[+−-]?\d*\.\d+", line)[2].replace("−", "-"))
    assert abs(shown) == pytest.approx(abs(expected.difference), abs=6e-4)


def test_models_with_different_labels_are_not_compared(capsys):
    TABLE.to_csv("a.csv", index=False)
    words = np.array(["cat", "dog"])[Y]
    pd.DataFrame({"label": words, "cat": 1 - P, "dog": P}).to_csv("b.csv", index=False)
    assert main(["evaluate", "a.csv", "b.csv", *METRICS, "--html", "r.html"]) == 0
    out, err = capsys.readouterr()
    assert "Not compared: a and b have different true labels, first in row 0." in out
    assert "skconf: b: read 'label' as the true label, the columns 'cat' and 'dog'" in err


@pytest.mark.parametrize("batches", [[], ["--batches"]])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "there is no file none.csv"),
        ([""], "the name of a file is empty"),
        (["a.csv", "--html", "a.pdf"], "'a.pdf' is not the name of an HTML page"),
        (["empty"], "there is no table file in empty. Names of such files end in .csv, .tsv, .jsonl or .parquet"),
        (
            ["a.csv", "--target", "lable"],
            "Did you mean 'label'? The columns are ['id', 'label', '0', '1']: name one of them with --target.",
        ),
        (["a.csv", "--proba", "2"], "name one of them with --proba."),
        (["a.csv", "--group", "shop"], "name one of them with --group."),
        (
            ["a.csv", "--target", "label", "--proba", "id"],
            "column 'id' has 's0' in row 0 (line 2, id s0), where a number is needed. (--target label, --proba id",
        ),
        (
            ["a.csv", "--target", "id"],
            "with the values 's0', 's1', 's10', 's100', … 's99'. Use --proba to name the columns of pr",
        ),
        (["b.csv", "--labels", "a", "b"], "do not match --labels a b. Leave --labels out, or rename the columns."),
    ],
)
def test_errors_end_in_the_option_that_mends_them(arguments, message, batches, capsys):
    Path("empty").mkdir()
    TABLE.to_csv("a.csv", index=False)
    pd.DataFrame({"y_true": Y, "proba_0": 1 - P, "proba_1": P}).to_csv("b.csv", index=False)
    assert main(["evaluate", *arguments, *batches]) == 2
    assert message in capsys.readouterr().err


def test_true_labels_have_the_option_of_both_commands(capsys):
    TABLE.rename(columns={"label": "species"}).to_csv("c.csv", index=False)
    printed = []
    for option in ("--label", "--target"):
        assert main(["evaluate", "c.csv", option, "species", "--short"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_labels_that_batches_cannot_know_are_asked_for_by_their_option(capsys):
    pd.DataFrame({"y_true": Y, "a": 1 - P, "b": P}).to_csv("a.csv", index=False)
    command = ["evaluate", "a.csv", "--proba", "a", "b", "--batches", *METRICS]
    assert main(command) == 2
    assert "Pass --labels in the order of the columns" in capsys.readouterr().err
    assert main([*command, "--labels", "0", "1"]) == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_read_as_standard_input(capsys):
    os.mkfifo("pipe")
    assert main(["evaluate", "pipe"]) == 2
    told = "pipe is a pipe or a device, not a file. Pass its content through standard input: -"
    assert told in capsys.readouterr().err


def test_a_file_that_may_not_be_read(monkeypatch, capsys):
    TABLE.to_csv("a.csv", index=False)

    def no_permission(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("skconf.tables._files.layout_of", no_permission)
    assert main(["evaluate", "a.csv"]) == 2
    assert "cannot read a.csv: there is no permission to read it." in capsys.readouterr().err


def test_warnings_speak_of_options(capsys):
    pd.DataFrame({"correct": Y, "confidence": P}).to_csv("c.csv", index=False)
    assert main(["evaluate", "c.csv", "--metrics", "cf1_score"]) == 0
    said = capsys.readouterr().err
    assert "Name the columns of true labels (--target) and of the probabilities of all classes (--proba)." in said
    assert "ConfidenceProfile" not in said


class TestOutputs:
    """What is written never replaces what is read, nor another output."""

    @pytest.fixture(autouse=True)
    def _files(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("folder").mkdir()
        for name in ("a.csv", "folder/b.csv"):
            TABLE.to_csv(name, index=False)
        Path("soft.csv").symlink_to("a.csv")
        os.link("a.csv", "hard.csv")

    @pytest.mark.parametrize(
        "arguments",
        [
            ["a.csv", "--html", "a.csv"],
            ["a.csv", "--csv", "./folder/../a.csv"],
            ["a.csv", "--html", "soft.csv"],
            ["soft.csv", "--csv", "hard.csv"],
            ["folder", "--csv", "folder/b.csv"],
            ["folder/*.csv", "--html", "folder/b.csv"],
            ["a.csv", "--html", "out", "--csv", "folder/../out"],
        ],
    )
    def test_are_refused_before_anything_is_read(self, arguments, capsys):
        before = {file: file.read_bytes() for file in Path().rglob("*.csv")}
        assert main(["evaluate", *arguments]) == 2
        assert capsys.readouterr().out == ""
        assert {file: file.read_bytes() for file in Path().rglob("*.csv")} == before
        assert not Path("out").exists()

    def test_of_other_names_are_written(self):
        assert main(["evaluate", "a.csv", "--html", "a.html", "--csv", "folder/out.csv", *METRICS]) == 0
        assert Path("a.html").exists()
        assert Path("folder/out.csv").exists()


def test_the_command_alone_prints_help(capsys):
    assert main([]) == 0
    assert "evaluate" in capsys.readouterr().out


def test_advice_names_options_of_the_command(tmp_path, capsys):
    path = str(tmp_path / "a.csv")
    pd.DataFrame({"y_true": np.tile([0, 1], 100), "proba_1": np.tile([0.6, 0.9], 100)}).to_csv(path, index=False)
    assert main(["evaluate", path, "--metrics", "coverage_score"]) == 0
    said = capsys.readouterr().err
    assert "so 0.5 is used. In a binary task, this accepts every prediction. Pass --threshold T." in said
    assert "If it is the confidence in the predicted label, name it with --confidence" in said
    assert main(["evaluate", path, "--errors", "5"]) == 2
    assert "--errors must lie in [0, 1], but is 5.0. For 5% pass 0.05." in capsys.readouterr().err


class TestAnonymous:
    TABLE = pd.DataFrame(
        {
            "label": np.where(Y, "zzyes", "zzno"),
            "zzno": 1 - P,
            "zzyes": P,
            "zzcase": [f"zzid{number}" for number in range(200)],
            "zzward": np.where(RNG.random(200) < 0.5, "zznorth", "zzsouth"),
            "zzmonth": np.where(RNG.random(200) < 0.5, "zzmay", "zzjune"),
        }
    )

    @pytest.mark.parametrize(
        "options",
        [
            [],
            ["--short"],
            ["--confidence-level", "0.9"],
            ["--metrics", "accuracy_score"],
            ["--slices", "zzward"],
            ["--group", "zzward"],
            ["--group", "zzward", "zzmonth"],
            ["zzother.csv", "--id", "zzcase"],
            ["zzother.csv", "--group", "zzward"],
            ["--batches"],
        ],
    )
    def test_leaves_no_text_of_the_files_in_what_is_written(self, options, capsys):
        self.TABLE.to_csv("zzone.csv", index=False)
        self.TABLE[::-1].to_csv("zzother.csv", index=False)
        command = ["evaluate", "zzone.csv", *options, "--html", "r.html", "--csv", "r.csv"]
        if "--group" in options:  # there is something to hide, in the CSV as well
            assert main(command) == 0
            assert "zz" in capsys.readouterr().out
            assert all("zz" in Path(name).read_text() for name in ("r.csv", "r.html"))
        assert main([*command, "--anonymous"]) == 0
        out, err = capsys.readouterr()
        for text in (out, err, Path("r.csv").read_text(), Path("r.html").read_text()):
            assert "zz" not in text
            assert not re.search(r"\brow \d", out)

    def test_groups_keep_their_numbers(self, capsys):
        self.TABLE.to_csv("zzone.csv", index=False)
        command = ["evaluate", "zzone.csv", "--metrics", "accuracy_score", "--group", "zzward", "zzmonth", "--csv"]
        assert main([*command, "named.csv"]) == main([*command, "hidden.csv", "--anonymous"]) == 0
        capsys.readouterr()
        named, hidden = pd.read_csv("named.csv"), pd.read_csv("hidden.csv")
        assert hidden["group"].tolist() == [f"group {number}" for number in range(1, 5)]
        pd.testing.assert_frame_equal(hidden.iloc[:, 1:], named.iloc[:, 2:])

    def test_hides_classes_of_a_table_by_class(self):
        report = confidence_report(self.TABLE["label"], self.TABLE[["zzno", "zzyes"]], by="class")
        assert "zzyes" in report.page()
        assert "zz" not in report.page(anonymous=True)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names of files")
class TestSteeringCharacters:
    #: Turn a line around, clear and colour a terminal, ring, end a line: in names of files, columns, labels and groups.
    SIGNS = "\u202e \u2067 \u2028 \x07 \x1b[2J"

    @pytest.mark.parametrize(
        "options", [[], ["--group", f"ward{SIGNS}"], ["--slices", f"ward{SIGNS}"], ["--batches"], ["--target", "none"]]
    )
    @pytest.mark.parametrize("several", [False, True])
    def test_are_written_out_wherever_they_come_from(self, options, several, capsys):
        words = np.array([f"no{self.SIGNS}", f"yes{self.SIGNS}"])
        table = pd.DataFrame({"y_true": words[Y], f"proba_{words[0]}": 1 - P, f"proba_{words[1]}": P})
        table[f"ward{self.SIGNS}"] = words[(RNG.random(200) < 0.5).astype(int)]
        files = [f"one{self.SIGNS}.csv", f"other{self.SIGNS}.csv"][: 1 + several]
        for file in files:
            table.to_csv(file, index=False)
        fails = "none" in options
        assert main(["evaluate", *files, *options, "--html", "r.html", "--csv", "r.csv"]) == (2 if fails else 0)
        written = [*capsys.readouterr(), *(Path(file).read_text() for file in ("r.html", "r.csv") if not fails)]
        for text in written:
            assert not re.search("[\u202e\u2067\u2028\x07\x1b]", text)
        assert "\\u202e \\u2067 \\u2028 \\x07 \\x1b[2J" in "".join(written)


CSV = "y_true,proba_0,proba_1\n0,0.75,0.25\n1,0.25,0.75\n"


@pytest.mark.parametrize("batches", [[], ["--batches"]])
@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("a.csv", CSV + "1,0.5,0.5\n" * 30 + "\xe9,0.5,0.5\n", [], "is not UTF-8 text"),
        ("a.csv", CSV.replace("1,", "\0,"), [], "null bytes"),
        ("a.csv", CSV.encode("utf-16-le").decode("latin-1"), [], "null bytes"),
        *((f"a.{ending}", CSV, [], "damaged") for ending in ("csv.gz", "csv.bz2", "csv.xz", "csv.zip", "parquet")),
        ("a.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:-9].decode("latin-1"), [], "damaged"),
        ("a.csv.gz", (gzip.compress(CSV.encode(), mtime=0) + b"more").decode("latin-1"), [], "damaged"),
        ("a.parquet", "", [], "it is empty"),
        ("a.csv", CSV + "a" * 200_000 + ",0.5,0.5\n", [], "aaa…aaa"),
        ("a.csv", "correct,confidence,count\n1,0.5,1\n", ["--group", "count"], "Rename"),
        ("a.csv", CSV, ["--proba", "proba_1", "proba_1"], "names 'proba_1' twice"),
        ("a.csv", CSV.replace("proba_0", "proba_1"), [], "there are 2 columns 'proba_1'"),
        ("a.csv", "correct,confidence,sample_weight\n1,0.5,0\n", [], "zero in every row"),
        ("a.csv", "label,prob\n0,25%\n1,75%\n", [], "Divide percentages by 100"),
        ("a.jsonl", '{"label": [1], "prob": 0.5}\n', [], "holds lists"),
        ("a.jsonl", '{"correct": [1], "confidence": 0.5}\n', [], "column 'correct' holds"),
        ("a.jsonl", '{"y_true": "\\ud800", "proba_a": 0.5, "proba_b": 0.5}\n', [], "half of a pair"),
    ],
)
def test_hostile_files_are_refused_in_words_of_our_own(name, content, options, message, batches, capsys):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    Path(name).write_bytes(content.encode("latin-1"))
    assert main(["evaluate", name, *options, *batches]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert len(err) < 1000


@pytest.mark.parametrize(
    ("options", "name"),
    [(["--id", "nix"], "--id"), (["--errors", "2"], "errors"), (["--jobs", "0", "--batches"], "--jobs")],
)
def test_options_out_of_range_are_named(options, name, capsys):
    Path("a.csv").write_text(CSV)
    assert main(["evaluate", "a.csv", *options]) == 2
    assert name in capsys.readouterr().err


@pytest.mark.parametrize("row", ["0,0.9", "0,1", "0,0", "1,1", "1,0", "1,0.5"])
@pytest.mark.parametrize("options", [[], ["--batches"], ["--confidence-level", "0.9"]])
def test_answers_that_are_all_alike_have_a_report(row, options, capsys):
    Path("a.csv").write_text("correct,confidence\n" + f"{row}\n" * 50)
    assert main(["evaluate", "a.csv", *options, "--html", "r.html"]) == 0
    assert capsys.readouterr().out


def test_models_that_cannot_be_compared_stand_beside_those_that_can(capsys):
    """With two models of the same rows and one of others, a summary looked for the difference of the latter."""
    TABLE.to_csv("a.csv", index=False)
    TABLE[:80].to_csv("few.csv", index=False)
    TABLE.assign(**{"0": (1 - P) ** 2, "1": 1 - (1 - P) ** 2}).to_csv("b.csv", index=False)
    assert main(["evaluate", "a.csv", "few.csv", "b.csv", "--html", "r.html"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    compared = out[out.index("Compare:") :]
    assert " a answers" in compared
    assert "; b " in compared
    assert "few answers" not in compared.partition("Fails")[0]


@pytest.mark.skipif(os.name == "nt", reason="makes links")
def test_a_link_to_itself_is_no_output(capsys):
    Path("loop").symlink_to("loop")
    with pytest.raises(SystemExit, match="2"):
        main(["evaluate", "a.csv", "--html", "loop"])
    assert "leads to itself" in capsys.readouterr().err


@pytest.mark.parametrize("n_models", [1, 2, 5])
def test_no_line_is_longer_than_80_in_a_pipe(n_models, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    for number in range(n_models):
        p = P ** (number / 2 + 0.5)
        TABLE.assign(**{"0": 1 - p, "1": p}).to_csv(f"predictions-of-a-model-{number}.csv", index=False)
    files = [f"predictions-of-a-model-{number}.csv" for number in range(n_models)]
    assert main(["evaluate", *files]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if len(line.rstrip()) > 80] == []
    assert sum(len(line) > 60 for line in lines) > 20
