"""The text for a model card: short, with numbers that are those of the predictions."""

import re

import numpy as np
import pytest

from skconf import ConfidenceProfile, tune_threshold
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.origin import Origin, SourceFile
from skconf.report._sections.model_card import model_card


@pytest.fixture(autouse=True)
def _fixed_date(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795391999")


def of(wrong, n=1000, labels=("a", "b")):
    """Return predictions of falling confidence, of which some are wrong."""
    sure = np.linspace(0.99, 0.6, n)
    proba = np.where(np.isin(np.arange(n), wrong), 1 - sure, sure)
    return ConfidenceProfile.from_predictions([labels[0]] * n, np.column_stack([proba, 1 - proba]), labels=list(labels))


def evidence_of(profiles, **more):
    return Evidence(rows=[], values=dict.fromkeys(profiles, ()), profiles=profiles, **more)


def test_says_what_the_predictions_say():
    files = [SourceFile("value", "a.csv", 1000, "ab" * 32)]
    text = model_card(evidence_of({"value": of(range(850, 930))}, name="forest", origin=Origin(files)))
    assured = tune_threshold(of(range(850, 930)), target=0.05, confidence_level=0.95)
    assert round(1000 * assured.coverage) == 875
    for sentence in (
        "forest: 1,000 labelled rows, 2 classes. 22 November 2026, skconf",
        "- **Trust**: Underconfident: ",
        (
            "- **Accept**: Confidence 0.6487 or more: errors at most 5% on new cases like these, guaranteed with a "
            "probability of 95%; 875 of every 1,000 cases are answered. In these rows, without a guarantee, confidence "
            "0.641 or more: 4.9% of "
            "these answers are wrong, 894 of every 1,000 cases are answered."
        ),
        (
            "- **Fails**: Most overconfident when it predicts class b: average confidence 64.3%, accuracy 0.0% "
            "(95% interval 0.0–4.5) in 80 answers."
        ),
        "The confidence level of an interval is for this interval alone.",
        f"Data: a.csv, 1,000 predictions, SHA-256 {'ab' * 32}.",
    ):
        assert sentence in text, text
    assert "**Compare**" not in text
    assert len(text.splitlines()) <= 15


def test_of_several_models_with_markup_in_their_names():
    profiles = {"<b>one": of(range(900, 950)), "two": of([]), "three": of(range(1000))}
    text = model_card(evidence_of(profiles, several=True, baseline="<b>one"))
    assert "<b>" not in text
    guaranteed = "errors at most 5% on new cases like these, guaranteed with a probability of 95%"
    one = rf"Accept &lt;b&gt;one\*\*: Confidence [\d.]+ or more: {guaranteed}; .* 5\.0% of all answers are wrong\."
    assert re.search(one, text)
    assert f"two**: All answers: {guaranteed}. In these rows, 0% of all answers are wrong." in text
    assert "**Accept three**: 100% of all answers are wrong, and no threshold keeps the limit of 5%." in text
    assert "answers 1,000 of every 1,000 cases; " in text
    assert "three answers none." in text
    assert len(text.splitlines()) <= 18


def test_without_predictions_only_the_verdict_is_known():
    known = evidence_of({"value": of(range(900, 950))}).assessments
    text = model_card(Evidence(rows=[], values={"value": []}, known=known))
    assert "**Trust**" in text
    assert "**Accept**" not in text
    assert "**Fails**" not in text
