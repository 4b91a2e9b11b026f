"""Every command says what it does, by examples that run, and how it ends."""

import argparse
import gzip
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from _support.predictions import draw_binary, draw_classes

from skconf.cli import main
from skconf.cli.main import COMMANDS, make_parser


def parsers(parser):
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from parsers(each)


ALL = {parser.prog: parser for parser in parsers(make_parser(list(COMMANDS), "skconf"))}


def examples(parser):
    """Return the commands that a help text shows."""
    shown = re.findall(r"^(?:more )?examples:\n((?:  .*\n?)+)", parser.format_help(), flags=re.M)
    return [line.strip() for lines in shown for line in lines.splitlines()]


@pytest.mark.parametrize("prog", ALL)
def test_every_command_is_explained_with_examples_and_how_it_ends(prog):
    parser = ALL[prog]
    assert parser.description
    assert "Exit status: 0" in parser.format_help()
    found = examples(parser)
    assert found
    assert all(prog in each for each in found)
    for action in parser._actions:
        assert action.help or isinstance(action, argparse._SubParsersAction), action.dest


@pytest.mark.parametrize("command", [each for parser in ALL.values() for each in examples(parser)])
def test_examples_have_options_that_exist(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (words,) = [shlex.split(part) for part in command.split("|") if "skconf" in shlex.split(part)]
    assert callable(make_parser(words[1:]).parse_args(words[1:]).run)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files that examples name."""
    y, proba = draw_classes(60)
    names = ["setosa", "versicolor", "virginica"]
    table = pd.DataFrame(proba, columns=names).assign(
        label=np.array(names)[y], id=range(60), region=["web", "north"] * 30, age=40
    )
    monkeypatch.chdir(tmp_path)
    for name in ("predictions", "raw", "calibrated", "monday", "tuesday", "day=1/a", "day=2/a"):
        Path(name).parent.mkdir(exist_ok=True)
        table.to_csv(f"{name}.csv", index=False)
    table[::-1].to_csv("shuffled.csv", index=False)
    table[["id", "label"]].to_csv("truth.csv", index=False)
    table[::-1].drop(columns="label").to_csv("submission.csv", index=False)
    Path("old.csv.gz").write_bytes(gzip.compress(Path("raw.csv").read_bytes()))
    numbered = dict(zip(names, ["p1", "p2", "p3"], strict=True))
    table.rename(columns=numbered | {"label": "species"}).to_csv("wide.csv", index=False)
    pd.DataFrame({"is_right": [1, 0] * 20, "score": draw_binary(40)[1]}).to_csv("answers.csv", index=False)
    logs = Path(__file__).parents[1] / "tables" / "logs"
    Path("samples_gsm8k.jsonl").write_bytes((logs / "samples_gen.jsonl").read_bytes())
    Path("log.eval").write_bytes((logs / "inspect.eval").read_bytes())
    Path("year=2026").mkdir()
    table.assign(month=5, shop=["web", "north"] * 30).to_csv("year=2026/a.csv", index=False)


@pytest.mark.parametrize("command", examples(ALL["skconf evaluate"]))
@pytest.mark.usefixtures("files")
def test_examples_of_evaluate_run(command, capsys):
    if "|" in command:
        if os.name == "nt":
            pytest.skip("it is written for another shell")
        program = f"{shlex.quote(sys.executable)} -m skconf"
        done = subprocess.run(
            command.replace("skconf", program), shell=True, capture_output=True, text=True, check=True
        )
        assert "standard input: 60 predictions from standard input." in done.stdout
        return
    assert main(shlex.split(command)[1:]) == 0
    out = capsys.readouterr().out
    assert " predictions from " in out
    assert "No differences" not in out


@pytest.mark.parametrize("arguments", [["datasets", "list"], ["datasets", "check", "digits"]])
def test_examples_of_data_sets_run(arguments, capsys):
    assert any(each == f"skconf {' '.join(arguments)}" for parser in ALL.values() for each in examples(parser))
    assert main(arguments) == 0
    assert "digits" in capsys.readouterr().out


@pytest.mark.parametrize("prog", [prog for prog in ALL if "experiment" not in prog])
def test_help_needs_only_the_standard_library_where_that_suffices(prog):
    if prog.startswith("skconf datasets"):
        pytest.skip("names of data sets are those that the package reads")
    arguments = [*prog.split()[1:], "--help"]
    code = f"import sys; from skconf.cli import main\ntry: main({arguments})\nexcept SystemExit: pass\n"
    code += "print(sorted({'numpy', 'pandas', 'scipy', 'sklearn'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
