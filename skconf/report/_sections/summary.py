"""The whole report in a few sentences: can I trust it, when to abstain, which model, and where it fails worst."""

from collections.abc import Sequence
from typing import Any

from skconf.inference._assessment import Assessment
from skconf.profile._answers import computed_once
from skconf.report._evidence.evidence import Evidence
from skconf.report._page.parts import Answers, Harm
from skconf.report._sections.abstain import best_threshold, least_cost_in_words, own_cost_in_words
from skconf.report._sections.answered import answered
from skconf.report._sections.prevalence import prevalence_in_words
from skconf.report._sections.verdicts import harm_of, harm_shown, verdicts_of
from skconf.report._sections.where import fails_in_part, worst_part
from skconf.report._sections.which import answered_in_words, costs_in_words

#: With more models, the summary begins with the best one and says less about each.
_FEW = 2


@computed_once
def summary(evidence: Evidence) -> Answers:
    """Return the questions of a reader, each with an answer of one or two sentences."""
    ranked, verdicts = evidence.by_harm, verdicts_of(evidence)
    many, compared = len(ranked) > _FEW, _compared(evidence)
    answers: list[tuple[str, str, Harm]] = [("Data", " ".join(answered(evidence)) or rows_and_classes(evidence), "")]
    answers += compared if many else []
    for model in ranked:
        if model in evidence.at_prevalence:
            grade = harm_of(evidence.at_prevalence[model].grade)
            answers.append((_of("Prevalence", model, evidence), prevalence_in_words(evidence, model), grade))
    for model in ranked:
        text = verdicts[model]
        if fails_in_part(evidence, model) and not _says_overconfident(evidence.assessments[model]):
            text += ' But it is overconfident in a part of the answers: see "Fails" below.'
        text += _still_guaranteed(evidence, model)
        answers.append((_of("Trust", model, evidence), text, harm_shown(evidence.assessments[model])))
    for model in ranked:
        if model in evidence.stops:
            text = best_threshold(evidence, model, in_short=many)
            answers.append((_of("Accept", model, evidence), text, ""))
    answers += [(_of("Cost", model, evidence), own_cost_in_words(evidence, model), "") for model in evidence.own_costs]
    if evidence.prices is not None and evidence.costs is None:  # models are not compared
        of = [model for model in ranked if model in evidence.stops and model not in evidence.own_costs]
        answers += [(_of("Cost", model, evidence), least_cost_in_words(evidence, model), "") for model in of]
    answers += [] if many else compared
    return Answers(answers + _failures(evidence, ranked, in_short=many))


def _compared(evidence: Evidence) -> list[tuple[str, str, Harm]]:
    """Say which model is better; nothing for a single model."""
    if len(evidence.profiles) < 2:
        return []
    better = answered_in_words(evidence)
    if evidence.stops and any(_is_guaranteed(evidence, model) for model in evidence.profiles):
        better += " The guarantees hold for all models together, even if confidences are too high."
    said: list[tuple[str, str, Harm]] = [("Compare", better, "")]
    return [*said, ("Cost", costs_in_words(evidence), "")] if evidence.costs else said


def _is_guaranteed(evidence: Evidence, model: Any) -> bool:
    return evidence.guarantee(model, evidence.target).status == "guaranteed"


def _still_guaranteed(evidence: Evidence, model: Any) -> str:
    """Say that a guarantee is valid, if a single model has one although its confidences are too high; else ""."""
    assessment = evidence.assessments[model]
    too_high = harm_shown(assessment) and (assessment.overconfident is not None or assessment.gap > 0)
    if len(evidence.assessments) > 1 or not too_high or model not in evidence.stops:
        return ""
    return " The guarantee below is valid despite this." if _is_guaranteed(evidence, model) else ""


def _says_overconfident(assessment: Assessment) -> bool:
    """Return whether a verdict itself says that a model is overconfident, although the harm shown is negligible."""
    found = assessment.overconfident is not None or assessment.gap > 0
    return assessment.grade == "negligible" and assessment.decisive is None and found


def _of(question: str, model: Any, evidence: Evidence) -> str:
    """Return a question, with the name of the model if there are several."""
    return f"{question} {model}" if evidence.several else question


def rows_and_classes(evidence: Evidence) -> str:
    """Say how many rows and classes there are."""
    counts = {assessment.n_samples for assessment in evidence.assessments.values()}
    labels = (evidence.labels_of(model) for model in evidence.profiles)
    classes = {len(each) for each in labels if each is not None}
    rows = " and ".join(f"{count:,}" for count in sorted(counts))
    rows += " labelled row" if counts == {1} else " labelled rows"
    return f"{rows}{''.join(f', {count:,} classes' for count in sorted(classes))}."


def _failures(evidence: Evidence, ranked: Sequence[Any], *, in_short: bool) -> list[tuple[str, str, Harm]]:
    """Say where models are overconfident. If no model is shown to be overconfident, say this once."""
    found = [(model, *worst_part(evidence, model, in_short=in_short)) for model in ranked]
    shown: list[tuple[str, str, Harm]] = [
        (_of("Fails", model, evidence), text, "") for model, text, is_overconfident in found if is_overconfident
    ]
    return shown or [("Fails", text, "") for _, text, _ in found if text][:1]
