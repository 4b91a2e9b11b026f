"""What holds of any page: it asks nobody, everybody can read it, on a screen, on a phone and on paper."""

import re
from collections import Counter

import pytest
from _support.pages import PAGES
from _support.visits import visit

VISITS = {}


@pytest.fixture(params=PAGES)
def found(request, chromium, pages):
    """What is found on a page, which is visited once."""
    name = request.param
    if name not in VISITS:
        VISITS[name] = visit(chromium, pages[name])
    return VISITS[name]


def test_asks_no_host(found):
    assert found.requested == []


def test_reports_no_error(found):
    assert found.said == []


@pytest.mark.parametrize("screen", ["light", "dark", "narrow"])
def test_everybody_can_use_it(found, screen):
    assert found.violations[screen] == {}


@pytest.mark.parametrize("screen", ["window", "phone"])
def test_fits_a_phone(found, screen):
    assert found.overflow[screen] == [390, 390, []]


@pytest.mark.parametrize("found", [name for name in PAGES if name.startswith("experiment")], indirect=True)
@pytest.mark.parametrize(("width", "at_most"), [(390, 12_000), (1000, 7_000)])
def test_page_of_an_experiment_is_not_long(found, width, at_most):
    assert found.heights[width] < at_most


@pytest.mark.parametrize("name", ["one model", "two models", "five models"])
def test_summary_is_on_the_first_screen(name, opened):
    ends = opened(name).locator(".answers").bounding_box()
    assert ends["y"] + ends["height"] < 900


def test_letters_in_charts_can_be_read_on_a_phone(found):
    assert [(text, size) for text, size in found.letters if size < 10] == []


def test_dark_is_dark(found):
    ground, *inks = found.inks["dark"]
    assert ground < 0.1
    assert min(inks) > 0.25
    assert found.bright < 0.15  # letters, but no picture on white


@pytest.mark.parametrize("medium", ["light", "print"])
def test_light_and_paper_are_light(found, medium):
    ground, *inks = found.inks[medium]
    assert ground > 0.9
    assert max(inks) < 0.6


def test_every_number_is_on_paper(found):
    assert found.shown.total() > 20
    assert found.shown - found.printed == Counter()


#: What a page could do if nothing forbade it: each returns whether it could.
ATTEMPTS = {
    "fetch": "fetch('data:text/plain,x').then(() => true, () => false)",
    "handler": """(() => {
        const button = document.createElement('button');
        button.setAttribute('onclick', 'window.ran = true');
        document.body.append(button);
        button.click();
        return Boolean(window.ran);
    })()""",
    "script": """(() => {
        const script = document.createElement('script');
        script.textContent = 'window.ran = true';
        document.body.append(script);
        return Boolean(window.ran);
    })()""",
    "frame": """new Promise(done => {
        const frame = document.createElement('iframe');
        document.addEventListener('securitypolicyviolation', () => done(false));
        frame.addEventListener('load', () => done(true));
        frame.src = 'data:text/html,x';
        document.body.append(frame);
    })""",
}


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_policy_forbids_what_markup_in_data_could_do(attempt, opened, pages, tmp_path):
    free = tmp_path / "without-policy.html"
    text, count = re.subn(r"<meta http-equiv[^>]*>", "", pages["markup"].read_text(encoding="utf-8"))
    assert count == 1
    free.write_text(text, encoding="utf-8")
    assert opened(free).evaluate(ATTEMPTS[attempt])
    assert not opened("markup").evaluate(ATTEMPTS[attempt])


@pytest.mark.parametrize("name", PAGES)
def test_policy_is_on_every_page(name, pages):
    """The policy of the page above, but for the hashes."""
    head = pages[name].read_text(encoding="utf-8").partition("<title>")[0]
    policy = "default-src 'none'; style-src 'X'; script-src 'X'; img-src data:; base-uri 'none'; form-action 'none'"
    assert f'content="{policy}"' in re.sub(r"sha256-[\w+/=]{44}", "X", head).replace("&#x27;", "'")
