"""The code that the documents show runs, and says what they say."""

import contextlib
import functools
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.utils.fixes import parse_version

ROOT = Path(__file__).parent.parent


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / document).read_text(), flags=re.M | re.S)


@pytest.fixture(autouse=True)
def few_threads(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


TRAINED = {}


def trained_once(fit):
    """Return a `fit` that takes what was learned from the same rows with the same parameters before."""

    @functools.wraps(fit)
    def found(model, *args, **given):
        if not isinstance(model.random_state, int):
            return fit(model, *args, **given)
        key = joblib.hash((type(model), model.get_params(), args, given))
        if key not in TRAINED:
            TRAINED[key] = vars(fit(model, *args, **given)).copy()
        vars(model).update(TRAINED[key])
        return model

    return found


@pytest.fixture(autouse=True)
def train_once(monkeypatch):
    """Most documents train the same model on the same rows, and cross-validate it in the same folds."""
    for kind in (HistGradientBoostingClassifier, RandomForestClassifier):
        monkeypatch.setattr(kind, "fit", trained_once(kind.fit))


def run(code, folder=ROOT):
    """Return what a script prints, which finds no settings of another and leaves none; only the imports are shared."""
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings(), sklearn.config_context(), contextlib.chdir(folder):
        warnings.simplefilter("ignore")  # a reader's screen shows them beside what is printed
        exec(compile(code, "<document>", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
NUMBER = re.compile(r"-?\d+\.\d+")


def assert_same_but_for_last_digits(output, shown):
    """Another version of a library may differ in the last digits, and in the padding with them; an old one in all."""
    if parse_version(sklearn.__version__) < parse_version("1.8"):
        return
    assert NUMBER.sub("", output).split() == NUMBER.sub("", shown).split()
    found, expected = ([float(number) for number in NUMBER.findall(text)] for text in (output, shown))
    np.testing.assert_allclose(found, expected, rtol=0.1, atol=0.02)


#: Their commands read files that their code writes.
FROM_A_FILE = ["docs/start.md", "docs/tasks.md", "docs/guide/production.md"]
#: Its code needs Inspect: tests/houses run it.
WITH_INSPECT = "docs/guide/inspect.md"
APART = ["docs/contributing.md", WITH_INSPECT, *FROM_A_FILE]


def printed_and_shown(page, change=str):
    """Return what each piece of code on a page prints, and what the page shows right after it, if it does."""
    pairs = re.findall(
        r"^```python\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", (ROOT / page).read_text(), flags=re.M | re.S
    )
    printed = run("\nprint('=====')\n".join(change(code) for code, _ in pairs)).split("=====\n")
    assert any(shown for _, shown in pairs)
    return [(output, shown) for (_, shown), output in zip(pairs, printed, strict=True) if shown]


#: Their code draws hundreds of samples.
SIMULATIONS = ["docs/guide/broken_promises.md"]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if page in SIMULATIONS else [])
        for page in PAGES
        if page not in APART and blocks(page, "python")
    ],
)
def test_guide_page_runs_and_prints_what_it_says(page):
    pytest.importorskip("xgboost")
    for output, shown in printed_and_shown(page):
        assert_same_but_for_last_digits(output, shown)


@pytest.mark.parametrize("page", SIMULATIONS)
def test_simulation_of_a_page_runs_with_few_draws_and_prints_the_same_words(page):
    for output, shown in printed_and_shown(page, lambda code: re.sub(r"in range\((\d+)0\):", r"in range(\1):", code)):
        assert NUMBER.sub("", output).split() == NUMBER.sub("", shown).split()


def test_pages_that_start_with_a_file_show_what_it_gives(tmp_path, monkeypatch, capsys):
    """One after the other in an empty folder, as a reader goes through them."""
    from skconf.cli.main import main

    monkeypatch.setattr("skconf.inference._bayesian_bootstrap.N_DRAWS", 100)  # of intervals in HTML, which nobody reads
    monkeypatch.chdir(tmp_path)
    for page in FROM_A_FILE:
        memory = {"__name__": "__main__"}
        text = (ROOT / page).read_text()
        steps = re.findall(r"^```(python|console)\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", text, flags=re.M | re.S)
        assert len(steps) > 4
        for language, code, shown in steps:
            if language == "python":
                exec(compile(code, page, "exec"), memory)
                printed = capsys.readouterr().out
                if shown:
                    assert_same_but_for_last_digits(printed, shown)
            else:
                command, *lines = (line for line in code.splitlines() if line != "…")
                assert main(shlex.split(command.removeprefix("$ skconf "))) == 0
                assert set(lines) <= {line.rstrip() for line in capsys.readouterr().out.splitlines()}


@pytest.mark.parametrize("page", ["README.md", *PAGES])
def test_no_page_is_too_long_to_read(page):
    prose = re.sub(r"^( *)(`{3,}).*?^\1\2`*$|\]\([^)]*\)", "", (ROOT / page).read_text(), flags=re.M | re.S)
    assert len([word for word in prose.split() if re.search(r"[^\W\d_]{2}", word)]) <= 2000


@pytest.mark.parametrize("page", ["README.md", *PAGES])
def test_every_column_of_a_table_has_a_title(page):
    """A screen reader names each cell by it."""
    for head in re.findall(r"^\|(.*)\|\n\|[-| :]+\|$", (ROOT / page).read_text(), flags=re.M):
        assert all(title.strip() for title in re.split(r"(?<!\\)\|", head)), head


IN_CROSS_VALIDATION = blocks("README.md", "python")[-1]


def test_readme_shows_what_a_file_gives(tmp_path, monkeypatch, capsys):
    """The file is the one that the block before the command writes."""
    from skconf.cli.main import main

    before = blocks("README.md", "python")[0]
    printed = run(before, tmp_path)
    assert_same_but_for_last_digits(printed, "".join(re.findall(r"^# (.*\n)", before, flags=re.M)))
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "boosting.csv", "--errors", "0.02", "--short", "--html", "report.html"]) == 0
    printed, said = capsys.readouterr()
    assert "warning" not in said
    (shown,) = blocks("README.md", "console")
    command, *lines = (line for line in shown.splitlines() if line != "…")
    assert command == "$ skconf evaluate boosting.csv --errors 0.02 --short --html report.html"
    for line in lines:
        assert line in [each.rstrip() for each in printed.splitlines()]


def test_readme_example_shows_what_it_says():
    pytest.importorskip("xgboost")
    printed, shown = (
        {line.split()[0]: [float(number) for number in re.findall(r": (-?[\d.]+)", line)] for line in text.splitlines()}
        for text in (run(IN_CROSS_VALIDATION), blocks("README.md", "text")[-1])
    )
    assert printed.keys() == shown.keys() == {"None", "isotonic", "platt"}
    for name, (accuracy, excess, coverage, selective) in printed.items():
        # Versions of XGBoost differ in the second digit; the finding may not.
        np.testing.assert_allclose([accuracy, coverage, selective], np.array(shown[name])[[0, 2, 3]], atol=0.05)
        assert (excess < -1000) == (name == "isotonic")


@pytest.mark.parametrize("code", blocks("README.md", "python")[1:-1])
def test_readme_shows_in_comments_what_is_printed(code):
    assert_same_but_for_last_digits(run(code), "".join(re.findall(r"^# (.*\n)", code, flags=re.M)))


def test_readme_names_exist():
    """Those of metrics and scorers in its code; what it says of each is on the page of all metrics."""
    import skconf

    names = {name for text in blocks("README.md", "python") for name in re.findall(r'"([a-z]+(?:_[a-z]+)+)"', text)}
    assert {"cw_accuracy", "neg_csr_excess"} <= names & set(skconf.get_scorer_names())


def test_every_picture_is_shown_and_there():
    """Also by the code that draws them, which stops where a page shows more pictures than it draws."""
    docs = ROOT / "docs"
    shown = {
        page.parent / name for page in docs.rglob("*.md") for name in re.findall(r"\]\((\S+\.png)\)", page.read_text())
    }
    drawn = [path for folder in ("pictures", "guide/pictures") for path in (docs / folder).iterdir()]
    assert {path.resolve() for path in shown} == {docs / "picture.png", *drawn}


def test_the_main_picture_shows_what_holds_of_other_data(monkeypatch):
    pytest.importorskip("PIL")
    monkeypatch.syspath_prepend(ROOT / "docs")
    from generate_pictures import confident_answers, main_finding

    error, n, expected, observed = main_finding(confident_answers(seed=1))
    assert error < 0.015
    assert n > 9000
    assert observed > 50
    assert observed > 100 * expected


def test_most_errors_of_the_main_picture_are_wrong_labels_of_the_test_data(monkeypatch):
    """Without wrong labels the same rows are drawn, in another order of rows and columns."""
    pytest.importorskip("PIL")
    monkeypatch.syspath_prepend(ROOT / "docs")
    import generate_pictures

    drawn = {}
    for flip_y in (0.02, 0.0):
        options = {"n_informative": 10, "class_sep": 2.0, "flip_y": flip_y, "random_state": 0}
        X, y = generate_pictures.make_classification(20_000, 20, **options)
        drawn[flip_y] = y, X.sum(axis=1).argsort()
    (y, order), (original, order_of_original) = drawn.values()
    wrong_label = np.empty(len(y), bool)
    wrong_label[order] = y[order] != original[order_of_original]
    assert wrong_label.mean() == pytest.approx(0.01, abs=0.002)
    profile = generate_pictures.confident_answers()
    tested = generate_pictures.train_test_split(wrong_label, test_size=0.5, random_state=0)[1]
    error = ~profile.correct & (profile.confidence >= 0.999)
    assert error.sum() == pytest.approx(104, abs=5)  # scikit-learn 1.6 grows slightly different trees
    assert tested[error].mean() > 0.95


def test_readme_leads_somewhere():
    links = re.findall(r"\]\(([^)#]+)", (ROOT / "README.md").read_text())
    assert links
    assert not [link for link in links if not link.startswith("https://") and not (ROOT / link).exists()]


def test_oldest_versions_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    tools = ("test", "arena", "all")
    needed = [each for name, extra in extras.items() if name not in tools for each in extra if ">=" in each]
    needed += [*project["dependencies"], f"Python{project['requires-python']}"]
    oldest = dict(re.sub(r"\[.*\]", "", each).split(">=") for each in needed)
    text = (ROOT / "docs" / "versions.md").read_text()
    assert dict(re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|", text, flags=re.M)) == oldest


def test_extras_to_install_are_those_of_the_package():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "install.md").read_text(), flags=re.M)
    assert sorted(named) == sorted(extras)


#: What the guide says that one gets.
WORKS = """
from _doubt import *
from skconf import get_scorer

def test_it_is_there():
    assert doubt_loss([0, 1], [0.25, 0.5], power=2) == (0.25**2 + 0.5**2) / 2
    assert repr(get_scorer("neg_doubt")) == "get_scorer('neg_doubt')"
"""


@pytest.fixture
def new_metric(tmp_path):
    """The folder of the metric that the contributing guide adds, and of its test."""
    metric, test = blocks("docs/contributing.md", "python")
    (tmp_path / "_doubt.py").write_text(f'"""Doubt."""\n\n{metric}')
    (tmp_path / "test_doubt.py").write_text(f'"""Doubt."""\n\nimport _doubt  # noqa: F401\n{test}{WORKS}')
    return tmp_path


@pytest.mark.parametrize(
    "check",
    [
        "ruff check --config pyproject.toml {}/_doubt.py",
        "ruff format --config pyproject.toml --diff {}/_doubt.py",
        "pytest -q -n 0 -c pyproject.toml -o pythonpath='tests {}' {}/test_doubt.py",
        pytest.param("mypy --config-file pyproject.toml {}/_doubt.py", marks=pytest.mark.slow),
    ],
    ids=lambda check: " ".join(check.split()[:2]),
)
def test_metric_of_the_contributing_guide_passes(check, new_metric):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", *shlex.split(check.replace("{}", new_metric.as_posix()))]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


#: These take seconds with few trees, too. The build of the documentation runs all of them in full.
LONG_EXAMPLES = {
    "compare_calibrations_in_a_report",
    "count_the_samples_a_comparison_needs",
    "cross_validation_report",
    "csr_experiment_in_scikit_learn",
    "decide_by_costs",
    "learn_which_answers_are_right",
    "let_calibrators_compete",
    "pool_calibrators",
    "search_by_a_confidence_metric",
    "search_inside_a_guarantee",
    "search_threshold_and_calibration",
    "see_whether_confidence_is_earned",
    "smoothed_isotonic",
    "tell_models_apart_on_a_small_test_set",
    "use_where_a_class_is_rarer",
}
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize(
    ("path", "few_trees"),
    [
        pytest.param(
            path,
            few_trees,
            marks=[] if few_trees and path.stem not in LONG_EXAMPLES else [pytest.mark.slow],
            id=f"{path.stem}-{'small' if few_trees else 'full'}",
        )
        for path in EXAMPLES
        for few_trees in (True, False)
    ],
)
def test_example_runs_alone(path, few_trees, capsys, monkeypatch):
    pytest.importorskip("xgboost")
    monkeypatch.delenv("SKCONF_DATA", raising=False)  # as for most readers
    if few_trees:
        monkeypatch.setattr(RandomForestClassifier.__init__, "__defaults__", (20,))
        monkeypatch.setitem(HistGradientBoostingClassifier.__init__.__kwdefaults__, "max_iter", 20)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
