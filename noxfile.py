"""Every command of the project, in one list: `nox --list` shows it, `nox --session lint types` runs some of them.

Each session has an environment of its own. ``.ci/run`` and the workflows run the same sessions; with ``--no-venv`` they
run in the environment that is active. What follows ``--`` goes to pytest, or to the command of the session.
"""

import hashlib
import os
import re
import shutil
from pathlib import Path

import nox

PROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = [name.rpartition(" ")[2] for name in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", name)]
#: Marks of tests that take minutes, or need a simulation, a cluster or a browser.
LONG = "slow or simulation or dask or spark or browser"
NIGHTLY = "https://pypi.anaconda.org/scientific-python-nightly-wheels/simple"

nox.options.sessions = ["lint", "types", "quick"]
nox.options.reuse_venv = "yes"


def install(session: nox.Session, *requirements: str, groups: tuple[str, ...] = ()) -> None:
    """Install requirements and groups of pyproject.toml, whatever the version of pip, in any kind of environment.

    Requirements in the variable INSTALLED are skipped: pip would build the package anew each time. The package itself
    is editable: with ``--no-venv``, a copy would take the place of what the contributor edits.
    """
    missing = [each for each in requirements if each not in os.environ.get("INSTALLED", "").split()]
    wanted = [part for each in missing for part in (("--editable", each) if each.startswith(".") else (each,))]
    wanted += nox.project.dependency_groups(PROJECT, *groups) if groups else ()
    if wanted:
        session.run("python", "-m", "pip", "install", "--quiet", *wanted, silent=True)


def pytest(session: nox.Session, *args: str) -> None:
    """Run tests, with the arguments after ``--``. Tests read and write files in UTF-8, on Windows as well."""
    session.run("python", "-m", "pytest", *args, *session.posargs, env={"PYTHONUTF8": "1"})


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests, and the examples in docstrings, with a version of Python."""
    install(session, ".[test]")
    pytest(session)


@nox.session
def quick(session: nox.Session) -> None:
    """Run the fast tests, which take two minutes together."""
    install(session, ".[test]")
    pytest(session, "-m", "not long")


@nox.session
def slow(session: nox.Session) -> None:
    """Run the tests that take minutes."""
    install(session, ".[test]")
    pytest(session, "-m", "slow")


@nox.session
def clusters(session: nox.Session) -> None:
    """Run the tests on a Dask cluster and, where there is Java 17 or 21, in a Spark session."""
    install(session, ".[test,dask,spark]" if shutil.which("java") else ".[test,dask]")
    pytest(session, "-n", "0", "-m", "dask or spark", "tests/accumulation")


@nox.session
def houses(session: nox.Session) -> None:
    """Run the tests with other libraries, their data and their files. Libraries that are not installed are skipped."""
    install(session, ".[test]", groups=("houses",))
    pytest(session, "-n", "0", "tests/houses", "tests/test_kept.py")
    pytest(session, "-m", "slow or not slow", "-k", "mapie or polars", "tests")


@nox.session
def browser(session: nox.Session) -> None:
    """Open pages in Chromium, which is on the path or named by CHROMIUM."""
    install(session, ".[test]", groups=("browser",))
    pytest(session, "-n", "0", "-m", "browser", "tests/browser")


@nox.session
def oldest(session: nox.Session) -> None:
    """Run the tests with the oldest versions that pyproject.toml allows."""
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["experiments"], *extras["plot"], *extras["large"], *extras["logs"]]
    install(session, ".[test,logs]", *(f"{name.replace('>=', '==')}.*" for name in wanted))
    pytest(session)


@nox.session
def nightly(session: nox.Session) -> None:
    """Run the tests with tonight's numpy, scipy, pandas and scikit-learn."""
    install(session, ".[test]")
    newest = ("numpy", "scipy", "pandas", "scikit-learn")
    install(session, "--upgrade", "--pre", "--only-binary", ":all:", "--extra-index-url", NIGHTLY, *newest)
    pytest(session)


@nox.session
def lint(session: nox.Session) -> None:
    """Check format, lint and one-way imports. It needs two packages, and none of those that skconf needs."""
    of_tests = PROJECT["project"]["optional-dependencies"]["test"]
    install(session, *(each for each in of_tests if each.startswith(("ruff", "import-linter"))))
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("lint-imports")


@nox.session
def types(session: nox.Session) -> None:
    """Check types, and the generated signatures against the functions themselves."""
    install(session, ".[test]")
    session.run("mypy")
    # The allowlist has two names that stubtest misreads.
    options = ("--mypy-config-file", ".ci/stubtest.ini", "--allowlist", ".ci/stubtest")
    session.run("python", "-m", "mypy.stubtest", "skconf.metrics", *options)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation, with its gallery, and check it; a warning is an error. Leaves it in docs/_build/html."""
    install(session, ".[experiments,plot]", groups=("docs",))
    for folder in ("docs/auto_examples", "docs/generated"):  # what an earlier build left may hide a mistake
        shutil.rmtree(folder, ignore_errors=True)
    # With the data that a reader has, and a picture for each figure.
    env = {"SKCONF_DATA": None, "MPLBACKEND": "Agg"}
    options = session.posargs or ["-W", "--keep-going", "--quiet"]
    session.run("sphinx-build", *options, "-b", "html", "docs", "docs/_build/html", env=env)
    if not session.posargs:  # without its gallery a site lacks pages
        session.run("python", "tools/check_site.py", "docs/_build/html")


@nox.session
def links(session: nox.Session) -> None:
    """Check the links to other sites."""
    install(session, ".[experiments,plot]", groups=("docs",))
    session.run("sphinx-build", "-D", "plot_gallery=0", "-b", "linkcheck", "docs", "docs/_build/links")


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Measure time and memory, as ratios of two sides in one run."""
    install(session, ".[test]")
    files = session.posargs or [str(file) for file in sorted(Path("tests/benchmarks").glob("bench_*.py"))]
    session.run("python", "-m", "pytest", "-n", "0", *files)


@nox.session
def compare(session: nox.Session) -> None:
    """Compare the speed of two commits, timed alternately: ``nox --session compare -- main HEAD``."""
    install(session, ".[test]")
    session.run("python", "tests/benchmarks/speed.py", "compare", *session.posargs)


@nox.session
def mutants(session: nox.Session) -> None:
    """Make small mistakes in the code, and see which of them the tests find."""
    install(session, ".[test]", groups=("mutants",))
    session.run("python", "tests/mutation.py", *(session.posargs or ["--sample", "100"]))


@nox.session
def coverage(session: nox.Session) -> None:
    """Measure which branches of the core the tests take, without simulations and tests that take minutes."""
    install(session, ".[test]", groups=("coverage", "houses"))
    rooms = ("metrics", "profile", "calibration", "selective", "inference")
    measured = [f"--cov=skconf.{room}" for room in rooms]
    others = ("accumulation", "report", "scoring", "inspection", "cli", "tables", "houses/test_onnx.py")
    files = [f"tests/{name}" for name in (*rooms, *others)]
    pytest(session, "-m", f"not ({LONG})", "--cov-branch", *measured, *files)


def build(session: nox.Session, *folders: Path) -> list[Path]:
    """Build wheel and sdist into each folder, to the same bytes, and check them."""
    install(session, *PROJECT["build-system"]["requires"], groups=("package",))
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        session.run("python", "-m", "build", "--no-isolation", "--outdir", str(folder), silent=True)
    sums = [{file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in d.iterdir()} for d in folders]
    if any(each != sums[0] for each in sums):
        session.error(f"Two builds differ: {sums}.")
    files = sorted(folders[0].iterdir())
    session.run("python", "-m", "twine", "check", "--strict", *map(str, files))
    session.run("check-wheel-contents", *(str(file) for file in files if file.suffix == ".whl"))
    return files


@nox.session
def package(session: nox.Session) -> None:
    """Build wheel and sdist twice, to the same bytes, and check them; run the main job from the wheel alone."""
    temporary = Path(session.create_tmp()).resolve()
    wheel = next(file for file in build(session, temporary / "first", temporary / "second") if file.suffix == ".whl")
    bare = temporary / "bare"
    session.run("python", "-m", "venv", "--clear", str(bare))
    python = str(bare / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    session.run(python, "-m", "pip", "install", "--quiet", f"{wheel}[experiments]", external=True, silent=True)
    with session.chdir(temporary):
        session.run(python, "-m", "skconf", "experiment", "csr", "--no-results", external=True)


@nox.session
def release(session: nox.Session) -> None:
    """Build into dist/ what a tag names: ``nox --session release -- v0.2.0``. It publishes nothing."""
    file, changelog = Path(PROJECT["tool"]["hatch"]["version"]["path"]), Path("docs/changelog.md")
    version = re.search(r'^__version__.*"(.+)"', file.read_text(encoding="utf-8"), flags=re.M)[1]
    if session.posargs != [f"v{version}"]:
        session.error(f"The version is {version}, the tag is {session.posargs}: both must be v{version}.")
    if not re.search(
        rf"^## {re.escape(version)}, \d{{4}}-\d\d-\d\d$", changelog.read_text(encoding="utf-8"), flags=re.M
    ):
        session.error(f"{changelog} has no section '## {version}, YEAR-MONTH-DAY'.")
    build(session, Path("dist"), Path(session.create_tmp()).resolve() / "second")


@nox.session
def sdist(session: nox.Session) -> None:
    """Run the tests of the sdist, away from the checkout."""
    install(session, groups=("package",))
    folder = Path(session.create_tmp()).resolve()
    session.run("python", "-m", "build", "--sdist", "--outdir", str(folder), silent=True)
    shutil.unpack_archive(next(folder.glob("*.tar.gz")), folder, filter="data")
    with session.chdir(next(path for path in folder.iterdir() if path.is_dir())):
        install(session, ".[test]")
        pytest(session)


@nox.session
def workflows(session: nox.Session) -> None:
    """Look for security problems in the workflows; with actionlint on the path, for mistakes as well."""
    install(session, groups=("workflows",))
    session.run("zizmor", "--offline", ".github")
    if shutil.which("actionlint"):
        session.run("actionlint", external=True)


@nox.session
def generate(session: nox.Session) -> None:
    """Write exports, signatures and tables anew, after a change of a metric or an option."""
    install(session, ".[test]")
    session.run("python", "tools/generate.py")
