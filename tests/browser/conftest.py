"""Pages of every command, made once, and a browser that opens them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from _support import pages as made

import skconf

#: 22 November 2026.
DATE = "1795305600"


@pytest.fixture(scope="session")
def chromium():
    """A running Chromium: the one that CHROMIUM names, else the first on PATH."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: nox --session browser")
    names = ("chromium", "chromium-browser", "google-chrome")
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("there is no Chromium: install it, or let CHROMIUM name its program")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--host-resolver-rules=MAP * ~NOTFOUND"])
        yield browser
        browser.close()


class Making:
    """Processes, one for each of two cores, that make pages in a folder."""

    def __init__(self, folder, hash_seed, names):
        self.folder, self.names = folder, names
        settings = {
            "PYTHONHASHSEED": str(hash_seed),
            "SOURCE_DATE_EPOCH": DATE,
            "PYTHONPATH": str(Path(skconf.__file__).parents[1]),
            "OMP_NUM_THREADS": "1",
            "MPLBACKEND": "Agg",
        }
        made.write_files(folder)
        self._processes = [
            subprocess.Popen(
                [sys.executable, made.__file__, str(folder), *part],
                env={**os.environ, **settings},
                stderr=subprocess.PIPE,
                text=True,
            )
            for part in (names[::2], names[1::2])
        ]

    def finished(self):
        """Return the pages, once all are made."""
        for process in self._processes:
            _, said = process.communicate()
            assert process.returncode == 0, said
        return {name: self.folder / f"{name}.html" for name in self.names}


class Pages(dict):
    """The file of each page, which is made when it is asked for unless it was made before."""

    def __init__(self, folder, names):
        self.folder = folder
        super().__init__(Making(folder, 1, names).finished())

    def __missing__(self, name):
        self.update(Making(self.folder, 1, [name]).finished())
        return self[name]


def named(request, names):
    """Return those that the ids of the tests to run name."""
    return [
        name
        for name in names
        if any(f"{name}]" in item.name or f"[{name}-" in item.name for item in request.session.items)
    ]


@pytest.fixture(scope="session")
def pages(request, chromium, tmp_path_factory):
    """The page of each command."""
    return Pages(tmp_path_factory.mktemp("pages"), named(request, made.PAGES))


@pytest.fixture(scope="session")
def making_again(request, pages, tmp_path_factory):
    """Some of these pages, in the making: with another order of sets."""
    return Making(tmp_path_factory.mktemp("again"), 2, named(request, made.MADE_AGAIN))


@pytest.fixture(scope="session")
def pages_again(making_again):
    """Some pages, made once more."""
    return making_again.finished()


@pytest.fixture
def opened(chromium, pages):
    """Return a function that opens a page, by its name or its file, in a window of its own."""
    contexts = []

    def open_page(which, width=1000, **options):
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.requested, page.said = [], []
        page.on("request", lambda request: page.requested.append(request.url))
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.goto((pages[which] if which in made.PAGES else which).as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


def pytest_collection_modifyitems(items):
    """Mark every test of this folder."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)
