"""Tools that evaluate language models: the logs that their own code writes here, with models that answer at random."""

import gc
import json
import random
import re
from pathlib import Path

import pytest

from skconf import read_log

LOGS = Path(__file__).parents[1] / "tables" / "logs"
N = 40
LETTERS = "ABCD"

CHOOSE = """
task: choose
dataset_path: json
dataset_kwargs: {{data_files: {data}}}
test_split: train
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: answer
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
  - {{metric: acc_norm, aggregation: mean, higher_is_better: true}}
"""
WRITE = """
task: write
dataset_path: json
dataset_kwargs: {{data_files: {data}}}
test_split: train
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{number}}}}"
metric_list:
  - {{metric: exact_match, aggregation: mean, higher_is_better: true}}
filter_list:
  - name: strict-match
    filter:
      - {{function: regex, regex_pattern: "#### (\\\\d+)"}}
      - {{function: take_first}}
  - name: flexible-extract
    filter:
      - {{function: regex, regex_pattern: "(\\\\d+)", group_select: -1}}
      - {{function: take_first}}
"""


@pytest.fixture(autouse=True)
def rest():
    """Free what the tools leave open while warnings of it are ignored."""
    yield
    gc.collect()


@pytest.fixture
def questions(tmp_path):
    rng = random.Random(0)
    rows = [
        {
            "question": f"Question {i}?",
            "choices": [f"{'word ' * rng.randint(0, 4)}{letter}" for letter in LETTERS],
            "answer": rng.randrange(4),
            "number": str(rng.randrange(4)),
        }
        for i in range(N)
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.filterwarnings("ignore")
def test_lm_evaluation_harness(questions, tmp_path, monkeypatch):
    lm_eval = pytest.importorskip("lm_eval")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    class AtRandom(LM):
        def loglikelihood(self, requests):
            rng = random.Random(1)
            return [(-len(request.args[1]) * rng.random(), False) for request in requests]

        def loglikelihood_rolling(self, requests):
            return [0.0 for _ in requests]

        def generate_until(self, requests):
            rng = random.Random(2)
            texts = ["so #### {}", "I think {}", "", "I don't know"]
            return [rng.choice(texts).format(rng.randrange(4)) for _ in requests]

    for name, text in {"choose": CHOOSE, "write": WRITE}.items():
        (tmp_path / f"{name}.yaml").write_text(text.format(data=questions))
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    tasks = ["choose", "write"]
    result = lm_eval.simple_evaluate(AtRandom(), tasks=tasks, task_manager=manager, log_samples=True, bootstrap_iters=0)
    tracker = EvaluationTracker(output_path=str(tmp_path / "out"))
    samples = result.pop("samples")
    tracker.save_results_aggregated(results=result, samples=samples)
    for task in tasks:
        tracker.save_results_samples(task_name=task, samples=samples[task])
        (path,) = (tmp_path / "out").rglob(f"samples_{task}_*.jsonl")
        told = {name: value for name, value in result["results"][task].items() if isinstance(value, float)}
        told = {name: value for name, value in told.items() if "stderr" not in name}
        assert len(told) == 2
        for grade, value in told.items():
            log = read_log(path, correct=grade)
            assert len(log) == N
            assert log["correct"].mean() == pytest.approx(value, abs=1e-12)
            if task == "choose":
                assert log["confidence"].between(0, 1).all()
    assert set(log["state"]) >= {"answered", "[invalid]"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", ["json", "eval"])
def test_inspect(form, questions, tmp_path, monkeypatch):
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import Score, accuracy, choice, scorer
    from inspect_ai.solver import multiple_choice

    monkeypatch.chdir(tmp_path)

    @scorer(metrics=[accuracy()], name="sure")
    def sure():
        async def score(state, target):
            right = len(state.output.completion) % 2
            return Score(value="C" if right else "P", answer="x", metadata={"confidence": 0.6 + 0.2 * right})

        return score

    rng = random.Random(3)
    rows = [json.loads(line) for line in questions.read_text().splitlines()]
    said = [f"ANSWER: {rng.choice(LETTERS)}" if rng.random() < 0.8 else "I don't know" for _ in range(2 * N)]
    task = inspect_ai.Task(
        dataset=[Sample(row["question"], choices=row["choices"], target=LETTERS[row["answer"]]) for row in rows],
        solver=multiple_choice(),
        scorer=[choice(), sure()],
        epochs=2,
    )
    outputs = [ModelOutput.from_content("mockllm", text) for text in said]
    for output in outputs:
        output.usage = ModelUsage()  # else tokens are counted by a table from the network
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path / "logs"), log_format=form, display="none")
    assert log.status == "success", log.error
    for told in log.results.scores:
        table = read_log(log.location, correct=told.name)
        assert len(table) == 2 * N
        value = told.metrics["accuracy"].value
        assert table.groupby("id")["correct"].mean().mean() == pytest.approx(value, abs=1e-12)
    assert set(table["confidence"].round(9)) == {0.6, 0.8}
    chosen = read_log(log.location, correct="choice")
    assert chosen["abstained"].sum() == sum(text == "I don't know" for text in said)


@pytest.mark.filterwarnings("ignore")
def test_the_page_on_inspect_runs_and_prints_what_it_says(tmp_path, monkeypatch, capsys):
    pytest.importorskip("inspect_ai")
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "guide" / "inspect.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", page, flags=re.M | re.S)
    names = {"__name__": "page"}
    for code, shown in blocks:
        exec(compile(code, "docs/guide/inspect.md", "exec"), names)
        assert capsys.readouterr().out.split() == shown.split()
    assert sum(bool(shown) for _, shown in blocks) == 2
    assert (tmp_path / "report.html").exists()
    answers, right = names["table"].query("~abstained"), names["table"]["correct"].sum()
    scored = names["log"].results.scores[0].metrics
    assert scored["accuracy"].value == pytest.approx(right / 300, abs=1e-12)
    running = (1 - answers.sort_values("confidence", ascending=False)["correct"]).groupby(-answers["confidence"]).sum()
    assert len(running) == 4  # as many confidences: ties, in whose random order the area is the mean
    count = answers.groupby(-answers["confidence"]).size()
    before_wrong, before, area = 0.0, 0, 0.0
    for wrong, size in zip(running, count, strict=True):  # the mean over all orders of what is tied
        area += sum((before_wrong + wrong * j / size) / (before + j) for j in range(1, size + 1))
        before_wrong, before = before_wrong + wrong, before + size
    assert scored["aurc"].value == pytest.approx(area / before, abs=1e-9)


def test_truescore_has_the_same_share_of_all():
    truescore = pytest.importorskip("truescore")
    rows = truescore.adapters.read_eval(LOGS / "inspect.json").rows  # a row for each question, its epochs averaged
    told = [row["score.choice"] for row in rows if isinstance(row.get("score.choice"), float)]
    log = read_log(LOGS / "inspect.json", correct="choice")
    assert truescore.judge_only_estimate(told).point == pytest.approx(log.groupby("id")["correct"].mean().mean())
