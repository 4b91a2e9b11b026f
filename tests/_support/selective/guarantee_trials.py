"""How guarantees do on populations that are known: writes docs/guide/guarantee_trials.md.

Run it in a checkout with ``PYTHONPATH=tests python tests/_support/selective/guarantee_trials.py``; 300 sets for each
number take a quarter of an hour of one core.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from _support.selective import guarantee_populations as of
from _support.selective.risk_populations import ORDINARY, populations
from scipy.stats import beta, binom

from skconf import ConfidenceProfile, RiskMonitor, tune_threshold
from skconf.selective import _risk_control
from skconf.selective._keep import keep
from skconf.selective._objective import Objective
from skconf.selective._promises import MeanCharge, MeanReward, Search
from skconf.selective._rewards import log_evidence, planned_bets, rewards
from skconf.selective._samples import Samples

LEVEL = 0.95
#: Other rules for groups are tried on one of so many sets.
_OTHERS = 3
COMMAND = "PYTHONPATH=tests python tests/_support/selective/guarantee_trials.py"
HEAD = """\
# How often a guarantee is kept

**In short.** With a probability of 95%, all promises of a run should hold at the same time. In nearly every population,
our rule kept all promises in at least 95% of the sets. In the other populations, chance explains why the share was
lower. Our rule accepts more answers than Holm's tests of a hundred thresholds, which other tools use.

Each set is drawn from a known population. *Violated* is the share of sets in which at least one promise does not hold
in the population. This share should be at most 0.05. Each number comes from {n_sets:,} sets, so a share of 0.05 has a
standard error of {error:.3f}. Numbers of [RiskMonitor](guarantees.md#in-use) come from {n_streams:,} streams. [Another
page](guarantee_proofs.md) says how each promise is tested. This command writes the page that you are reading:

```text
{command}
```
"""


def quiet(**options):
    """Choose a threshold without the warning that nothing is accepted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tune_threshold(**{"y_proba": None, "confidence_level": LEVEL} | options)


def holm(events, base, target, share):
    """Return which of ever looser thresholds Holm's tests show; `base` may differ by threshold."""
    p_values = binom.cdf(events, base, target)
    order = np.argsort(p_values, kind="stable")
    fails = p_values[order] > share / np.arange(len(order), 0, -1)
    passed = np.zeros(len(order), dtype=bool)
    passed[order[: np.argmax(fails)] if fails.any() else order] = True
    return passed


def _counts(n):
    return np.unique(np.maximum(np.round(np.linspace(0.01, 1, 100) * n).astype(int), 1))


# --- groups ----------------------------------------------------------------------------------------------------------


def one_threshold(group, score, wrong):
    found = quiet(y_true=ConfidenceProfile.from_correctness(~wrong, score), target=of.TARGET)
    return np.full(group.max() + 1, found.threshold)


def jointly(group, score, wrong, level=LEVEL):
    profile = ConfidenceProfile.from_correctness(~wrong, score)
    found = quiet(y_true=profile, target=of.TARGET, slices=group.astype(str), confidence_level=level)
    names = [str(each) for each in range(group.max() + 1)]
    return found.thresholds.reindex(names, fill_value=np.inf).to_numpy()


def each_by_itself(group, score, wrong):
    def choose(score, wrong):
        return quiet(y_true=ConfidenceProfile.from_correctness(~wrong, score), target=of.TARGET).threshold

    return _own(group, score, wrong, choose)


def _own(group, score, wrong, choose):
    return np.array(
        [
            choose(score[group == each], wrong[group == each]) if (group == each).any() else np.inf
            for each in range(group.max() + 1)
        ]
    )


def by_hand(group, score, wrong):
    """The loosest threshold of each group whose exact limit is below the target."""

    def choose(score, wrong):
        order = np.argsort(-score, kind="stable")
        accepted, errors = np.arange(1, len(score) + 1), np.cumsum(wrong[order])
        last = np.append(np.diff(score[order]) != 0, True)
        limit = beta.ppf(LEVEL, errors + 1, np.maximum(accepted - errors, 1e-9))
        passed = np.flatnonzero((limit <= of.TARGET) & last)
        return score[order][passed[-1]] if len(passed) else np.inf

    return _own(group, score, wrong, choose)


def holm_in_each(group, score, wrong):
    """Holm's tests of a hundred thresholds in each group, which share the level."""
    share = (1 - LEVEL) / len(np.unique(group))

    def choose(score, wrong):
        order = np.argsort(-score, kind="stable")
        counts = np.unique(len(score) - np.searchsorted(np.sort(score), score[order][_counts(len(score)) - 1]))
        passed = np.flatnonzero(holm(np.cumsum(wrong[order])[counts - 1], counts, of.TARGET, share))
        return score[order][counts[passed[-1]] - 1] if len(passed) else np.inf

    return _own(group, score, wrong, choose)


RULES = {
    "one threshold for all groups": one_threshold,
    "in each group, the lowest threshold whose 95% limit is below the target": by_hand,
    "each group by itself, with the whole 95%": each_by_itself,
    "**jointly: `slices=`**": jointly,
    "Holm in each": holm_in_each,
}


def groups(n_sets, sizes, rng, names=None):
    """Return the mean coverage and the violations of each rule, by population and size."""
    found = {}
    for name, population in of.group_populations().items():
        if names and name not in names:
            continue
        for n in sizes:
            coverage, violated, tried = (dict.fromkeys(RULES, 0) for _ in range(3))
            for number_of_set in range(n_sets):
                drawn = population.draw(n, rng)
                for rule, choose in RULES.items():
                    if choose is not jointly and number_of_set % _OTHERS:
                        continue
                    threshold = choose(*drawn)
                    threshold = np.append(threshold, np.full(population.group.max() + 1 - len(threshold), np.inf))
                    share, risk = population.truth(population.score >= threshold[population.group])
                    coverage[rule] += share
                    violated[rule] += risk > of.TARGET * (1 + 1e-9)
                    tried[rule] += 1
            found[name, n] = tuple({rule: sums[rule] / tried[rule] for rule in RULES} for sums in (coverage, violated))
    return found


def group_rows(found, sizes):
    yield ["rule", *(f"coverage, n = {n:,}" for n in sizes), "violated, at most"]
    easy = [name for name in of.group_populations() if name not in of.HARDEST]
    for rule in RULES:
        mean = [np.mean([found[name, n][0][rule] for name in easy]) for n in sizes]
        yield [rule, *map(number, mean), number(max(violated[rule] for _, violated in found.values()))]


def each_group_rows(found, sizes):
    yield [
        "population",
        "largest possible coverage",
        *(f"coverage, n = {n:,}" for n in sizes),
        *(f"violated, {n:,}" for n in sizes),
    ]
    rule = "**jointly: `slices=`**"
    for name, population in of.group_populations().items():
        cells = [found[name, n] for n in sizes]
        yield [
            name,
            number(population.best()),
            *(number(coverage[rule]) for coverage, _ in cells),
            *(number(violated[rule]) for _, violated in cells),
        ]


def overlap_rows(n_sets, rng):
    """What every column's threshold accepts, and what that of a cell accepts."""
    population = of.overlapping()
    violated = np.zeros(2)
    for _ in range(n_sets):
        group, score, wrong = population.draw(4000, rng)
        share = 1 - (1 - LEVEL) / 2
        part = jointly(group, score, wrong, share)
        profile = ConfidenceProfile.from_correctness(~wrong, score)
        everything = quiet(y_true=profile, target=of.TARGET, confidence_level=share).threshold
        cells = jointly(group, score, wrong)
        size = population.group.max() + 1
        part, cells = (np.append(each, np.full(size - len(each), np.inf)) for each in (part, cells))
        for at, threshold in enumerate((np.maximum(part, everything), cells)):
            accepted = population.score >= threshold[population.group]
            _, worst = population.truth(accepted)
            total = population.chance[accepted].mean() if accepted.any() else 0.0
            violated[at] += max(worst, total) > of.TARGET * (1 + 1e-9)
    yield ["two columns of groups, with 1 value and 61 values", "violated"]
    yield ["accept what the thresholds of both columns accept", number(violated[0] / n_sets)]
    yield ["**a threshold for each cell**", number(violated[1] / n_sets)]


# --- risks -----------------------------------------------------------------------------------------------------------

PROMISES = {
    "risk 0.03": {"risk": 0.03},
    "false negative rate 0.1": {"false_negative_rate": {1: 0.1}},
    "false positive rate 0.005": {"false_positive_rate": {1: 0.005}},
    "risk 0.03 and false negative rate 0.1": {"risk": 0.03, "false_negative_rate": {1: 0.1}},
    "recall 0.3": {"recall": {1: 0.3}},
}


def _broken(truth, target):
    """Return whether any promise is false."""
    for risk, bound in target.items():
        value = next(iter(bound.values())) if isinstance(bound, dict) else bound
        low, high = (truth[risk], value) if risk != "recall" else (value, truth[risk])
        if low > high * (1 + 1e-9):
            return True
    return False


def fraud_holm(y, proba, target):
    """Holm's tests of a hundred thresholds; of two promises each has half of the level."""
    sure, said = np.maximum(proba, 1 - proba), proba > 0.5
    order = np.argsort(-sure, kind="stable")
    counts = np.unique(len(y) - np.searchsorted(np.sort(sure), sure[order][_counts(len(y)) - 1]))
    passed = np.ones(len(counts), dtype=bool)
    for risk, bound in target.items():
        value = next(iter(bound.values())) if isinstance(bound, dict) else bound
        wrong = (said != (y == 1))[order]
        events, base = {
            "risk": (wrong, counts),
            "false_negative_rate": ((wrong & (y[order] == 1)), (y == 1).sum()),
            "false_positive_rate": ((wrong & (y[order] == 0)), (y == 0).sum()),
        }[risk]
        passed &= holm(np.cumsum(events)[counts - 1], base, value, (1 - LEVEL) / len(target))
    at = np.flatnonzero(passed)
    return sure[order][counts[at[-1]] - 1] if len(at) else np.inf


def risk_rows(n_sets, sizes, rng):
    """Coverage of each promise over the populations of fraud, and of Holm's tests; the most violations."""
    yield [
        "promise",
        *(f"coverage, n = {n:,}" for n in sizes),
        *(f"Holm, {n:,}" for n in sizes),
        "violated, at most",
    ]
    for name, target in PROMISES.items():
        floor = "recall" in target
        ours, theirs, worst = [], [], 0.0
        for n in sizes:
            mean = np.zeros(2)
            fraud = of.fraud_populations().values()
            for population in fraud:
                broken = 0
                for _ in range(n_sets):
                    y, proba = population.draw(n, rng)
                    if len(np.unique(y)) < 2:
                        continue
                    objective = "coverage" if floor else "risk"
                    truth = population.truth(
                        quiet(y_true=y, y_proba=proba, target=target, objective=objective).threshold
                    )
                    # Nothing is promised where nothing is shown: a floor is then not said to be reached.
                    broken += truth["coverage"] > 0 and _broken(truth, target)
                    mean[0] += truth["coverage"]
                    mean[1] += 0 if floor else population.truth(fraud_holm(y, proba, target))["coverage"]
                worst = max(worst, broken / n_sets)
            ours.append(mean[0] / n_sets / len(fraud))
            theirs.append(mean[1] / n_sets / len(fraud))
        yield [name, *map(number, ours), *(("–",) * len(sizes) if floor else map(number, theirs)), number(worst)]


def cost_rows(n_sets, sizes, rng):
    """Coverage where a mean cost is promised, by coins and by bets."""
    yield ["rule", *(f"coverage, n = {n:,}" for n in sizes), "violated, at most"]
    mean, worst = np.zeros((2, len(sizes))), np.zeros(2)
    for kind in of.COSTS:
        for at, n in enumerate(sizes):
            broken = np.zeros(2)
            for _ in range(n_sets):
                place = np.sort(rng.random(n))
                cost = of.costs(rng, place, kind)
                for rule, choose in enumerate((_coins, _bets)):
                    count = choose(cost, 1 - place, rng)
                    share = place[count - 1] if count else 0.0
                    mean[rule, at] += share / n_sets / len(of.COSTS)
                    broken[rule] += 0.03 * share > 0.02 * (1 + 1e-9)
            worst = np.maximum(worst, broken / n_sets)
    for rule, name in enumerate(("**25 coins**", "bets, at thresholds that each accept 10% more than the one before")):
        yield [name, *map(number, mean[rule]), number(worst[rule])]


def _coins(cost, score, rng):
    rows = Samples(score, np.ones(len(score), bool), costs={"cost": cost})
    promise = MeanCharge("cost", 0.02, largest=1.0)
    threshold, _ = keep(rows, [promise], 1 - LEVEL, Objective(), rng)
    return int((score >= threshold).sum())


def _bets(cost, score, rng):
    counts = planned_bets(np.arange(1, len(score) + 1), 0.98, 1 - LEVEL) + 1
    needed = np.log(len(counts) / (1 - LEVEL)) if len(counts) else 0
    shown = [count for count in counts if log_evidence(1 - cost[:count], 0.98) >= needed]
    return int(max(shown, default=0))


# --- CWSA ------------------------------------------------------------------------------------------------------------


def _cwsa_coins(score, correct, accepted, thresholds, floor, share, rng):
    tossed, shown = rng.random((25, len(score))), []
    for count, at in zip(accepted, thresholds, strict=True):
        bad = 0.5 - rewards(score[:count], correct[:count], at, plus=False) / 2
        p_values = binom.cdf((tossed[:, :count] < bad).sum(axis=1), count, (1 - floor) / 2)
        shown.append((p_values <= share / 2 / len(accepted)).sum() > 12)
    return np.array(shown, dtype=bool)


def cwsa_rows(n_sets, sizes, rng, floor=0.2):
    """Coverage where a floor of CWSA is promised, by bets and by coins at the same thresholds."""
    shapes = {
        "calibrated": lambda c: c,
        "calibrated, most confidences near 1": lambda c: c,
        "overconfident": lambda c: 0.5 + 0.75 * (c - 0.5),
        "CWSA is just below 0.2 at every threshold": lambda c: np.full(len(c), 0.7 - 1e-6),
    }
    yield [
        "population",
        *(f"bets, n = {n:,}" for n in sizes),
        *(f"coins, {n:,}" for n in sizes),
        "violated by bets",
    ]
    for name, right_at in shapes.items():
        power = 3 if "near 1" in name else 1
        place = (np.arange(200_000) + 1) / 200_000
        sure = 1 - place**power / 2
        gain = 2 * right_at(sure) - 1
        total, weighted = np.cumsum(gain), np.cumsum(gain * sure)
        value = (weighted - sure * total) / (1 - sure) / np.arange(1, len(sure) + 1)
        coverage, broken = np.zeros((2, len(sizes))), 0.0
        for at, n in enumerate(sizes):
            for _ in range(n_sets):
                c = np.sort(1 - rng.random(n) ** power / 2)[::-1]
                right = rng.random(n) < right_at(c)
                accepted, promise = np.arange(1, n + 1), MeanReward("cwsa", floor)
                search = Search(Samples(c, right), [promise], 1 - LEVEL, c, accepted, True, "evenly", np.empty((0, 0)))
                looks = promise.looks(search)
                given = (c, right, accepted[looks], c[looks], floor, 1 - LEVEL)
                for rule, shown in enumerate((promise.shown(search)[looks], _cwsa_coins(*given, rng))):
                    chosen = c[looks][np.flatnonzero(shown)[-1]] if shown.any() else np.inf
                    share = (sure >= chosen).mean()
                    coverage[rule, at] += share / n_sets
                    if rule == 0 and shown.any():
                        broken += value[min(int(share * len(sure)), len(sure) - 1)] < floor - 1e-3 * (name[0] != "j")
        yield [name, *map(number, coverage[0]), *map(number, coverage[1]), number(broken / n_sets / len(sizes))]


# --- shares, few rows, streams ---------------------------------------------------------------------------------------


def share_rows(n_sets, sizes, rng):
    """How much is rejected where at most a tenth may go to people."""
    yield ["rows", "share rejected, no equal scores", "violated", "share rejected, scores with 40 values", "violated"]
    for n in sizes:
        cells = []
        for ties in (False, True):
            rejected = []
            for _ in range(n_sets):
                score = np.floor(rng.random(n) * 40) / 40 if ties else rng.random(n)
                profile = ConfidenceProfile.from_correctness(np.ones(n, bool), score)
                threshold = quiet(y_true=profile, objective="coverage", target={"coverage": 0.9}).threshold
                rejected.append(np.clip(threshold, 0, 1) if np.isfinite(threshold) else np.nan)
            cells += [number(np.nanmean(rejected)), number(np.mean(np.array(rejected) > 0.1 + 1e-9))]
        yield [f"{n:,}", *cells]


def few_rows(n_sets, cases, rng):
    """Mean coverage over the ordinary populations without ties, by how the level is spent."""
    yield ["target", "rows", "rows, divided by the fewest that are enough", '`spend="evenly"`', '`spend="first"`']
    for target, n in cases:
        planned = _risk_control.planned_counts(n, target, LEVEL)
        names = [name for name in ORDINARY if populations(target)[name].ties is None]
        mean = []
        for spend in _risk_control.SPEND:
            plan, total = _risk_control._Plan.of(planned, planned, target, LEVEL, spend=spend), 0.0
            for name in names:
                for _ in range(n_sets):
                    drawn = populations(target)[name].draw(n, rng)
                    passed = np.flatnonzero(plan.successes(drawn.errors[planned - 1]))
                    total += drawn.coverage[planned[passed[-1]] - 1] if len(passed) else 0.0
            mean.append(total / n_sets / len(names))
        fewest = _risk_control.smallest_sample(target, LEVEL)
        yield [f"{target:g}", f"{n:,}", f"{n / fewest:.1f}", *map(number, mean)]


def monitor_rows(n_streams, length, rng):
    """False alarms in long streams, and how long an alarm takes."""
    yield ["the target is 5% wrong answers", "found"]
    alarms = [RiskMonitor(0.05).update(rng.random(length) > 0.05).alarm for _ in range(n_streams)]
    yield [f"share of false alarms in streams of {length:,} answers", number(np.mean(alarms))]
    delays = [RiskMonitor(0.05).update(rng.random(20_000) > 0.075).alarm_at for _ in range(n_streams)]
    yield ["mean number of answers until the alarm, if 7.5% are wrong", f"{np.mean(delays):,.0f}"]
    late = [
        RiskMonitor(0.05).update(rng.random(10_000) > 0.03).update(rng.random(40_000) > 0.075).alarm_at - 10_000
        for _ in range(n_streams)
    ]
    yield ["the same, if 10,000 answers came before, of which 3% are wrong", f"{np.mean(late):,.0f}"]


def number(value):
    return f"{value:.3f}"


def table(rows):
    first, *others = rows
    return "".join(f"| {' | '.join(line)} |\n" for line in [first, ["---"] * len(first), *others])


def page(n_sets, n_streams, seed=0, sizes=(1000, 4000), length=100_000):
    """Return the page."""
    rng = np.random.default_rng(seed)
    found = groups(n_sets, sizes, rng)
    parts = [
        (
            "Groups",
            (
                f"The target is an error rate of {of.TARGET:g} in every group. The coverage is a mean over the first "
                "eight populations of the next table. The last column has the largest share of violations in any "
                "population. `slices=` is tried on all sets, the other rules on a third of them."
            ),
            group_rows(found, sizes),
        ),
        (
            "Each population",
            (
                'The table has the results of `slices=` for each population. "Noise at the target" means that the risk '
                "is just above the target at every threshold."
            ),
            each_group_rows(found, sizes),
        ),
        ("Columns that overlap", "Each set has 4,000 rows.", overlap_rows(n_sets, rng)),
        (
            "Risks",
            (
                "In six populations, 10% of the cases are fraud. Recall is promised to be at least 0.3, and the "
                "highest threshold that keeps this promise is chosen. The other promises are upper limits. "
                'The columns "Holm" show the coverage of the thresholds that Holm\'s tests choose.'
            ),
            risk_rows(n_sets, (1000, 5000), rng),
        ),
        (
            "Mean costs",
            (
                "The mean cost is promised to be at most 0.02 of the largest cost. There are four distributions of "
                "costs. In each, the largest possible coverage is two thirds. The two rules, coins and bets, are "
                "explained with [the proofs](guarantee_proofs.md#the-proofs)."
            ),
            cost_rows(n_sets, (2000, 8000), rng),
        ),
        (
            "CWSA",
            (
                "CWSA is promised to be at least 0.2. CWSA is a mean of one term for each answer. The table has the "
                'coverage for two kinds of tests. "Bets" test the terms by betting, as skconf does. "Coins" first turn '
                "each term into a right or a wrong answer by a random toss. Both kinds of tests use the same "
                "thresholds, each of which accepts 10% more samples than the one before."
            ),
            cwsa_rows(n_sets, (500, 4000), rng),
        ),
        (
            "At most a tenth is rejected",
            'The target is `{"coverage": 0.9}`.',
            share_rows(n_sets, (100, 1000, 10_000), rng),
        ),
        (
            "Few rows",
            (
                "The table has the mean coverage over eight populations. `spend` says how the probability of failure "
                'is divided among the tests; the guarantee holds with both "evenly" and "first". If the number of '
                'rows is less than twice the number that a guarantee needs, "first" accepts more than "evenly".'
            ),
            few_rows(
                n_sets,
                [(0.1, 30), (0.1, 60), (0.05, 60), (0.05, 100), (0.05, 200), (0.05, 1000), (0.01, 500), (0.01, 1000)],
                rng,
            ),
        ),
        ("Streams", "", monitor_rows(n_streams, length, rng)),
    ]
    error = np.sqrt(0.05 * 0.95 / n_sets)
    text = HEAD.format(command=COMMAND, n_sets=n_sets, n_streams=n_streams, error=error)
    for title, about, rows in parts:
        start = time.perf_counter()
        text += f"\n## {title}\n\n{about}{about and chr(10) * 2}{table(rows)}"
        print(f"{title}: {time.perf_counter() - start:.0f} s", flush=True)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=300, help="sets for each number")
    parser.add_argument("--streams", type=int, default=500, help="streams")
    parser.add_argument("--out", type=Path, default=Path("docs/guide/guarantee_trials.md"))
    given = parser.parse_args()
    given.out.write_text(page(given.sets, given.streams))


if __name__ == "__main__":
    main()
