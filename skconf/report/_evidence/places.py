"""The places of the slider, from no answers to all: at each place, the threshold and the errors of each model."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skconf.report._evidence.evidence import Evidence

#: The most stops of the slider for each model, and for all models together.
_STOPS, _MOST_STOPS = 200, 200


class Place(NamedTuple):
    """A place of the slider.

    Attributes
    ----------
    share : float
        Share of rows that are answered. If this place has a `threshold`, the share of the first model. Else, the share
        of one model at one of its stops; every other model answers at least this share, if it can.
    stops : sequence of int
        The position of each model's threshold in its `Stops`; -1 if the model answers nothing.
    rates : sequence of sequence of float
        For each model: the share of all rows that it answers; the share of errors among its answers, or their mean loss
        or cost; and the effective number of its answers.
    threshold : float or None
        The threshold of the predictions, if this place shows it.
    """

    share: float
    stops: Sequence[int]
    rates: Sequence[Sequence[float]]
    threshold: float | None = None

    @property
    def wrong_of_1000(self) -> list[float]:
        """How many of 1,000 cases each model answers wrongly; for costs, what its answers to 1,000 cases cost."""
        return [round(1000 * (answered * wrong), 3) for answered, wrong, _ in self.rates]

    @property
    def left_of_1000(self) -> list[float]:
        """How many of 1,000 cases each model sends to a person."""
        return [round(1000 * (1 - answered), 3) for answered, *_ in self.rates]


def places_of(evidence: Evidence) -> list[Place]:
    """Return the places of the slider, in ascending order of the share that is answered."""
    models = list(evidence.stops.values())

    def place(share: float, at: Sequence[int], threshold: float | None = None) -> Place:
        rates = [
            [float(of[stop]) if stop >= 0 else 0.0 for of in (each.answered, each.wrong, each.size)]
            for each, stop in zip(models, at, strict=True)
        ]
        return Place(share, at, rates, threshold)

    most = min(_STOPS, _MOST_STOPS // len(models))
    shares: set[float] = set()
    for each in models:
        kept = each.spread(most) | {stop for target in evidence.targets if (stop := each.at_most_wrong(target)) >= 0}
        kept.add(int(np.argmin(each.cost(*prices_of(evidence)))))
        shares.update(each.answered[sorted(kept)].tolist())
    places = [place(0.0, [-1] * len(models))]
    places += [place(share, [each.at_share(share) for each in models]) for share in sorted(shares)]
    for threshold in _thresholds(evidence):
        at = [each.at_threshold(threshold) for each in models]
        places.append(place(float(models[0].answered[at[0]]) if at[0] >= 0 else 0.0, at, threshold))
    return sorted(places, key=lambda place: place.share)


def _thresholds(evidence: Evidence) -> list[float]:
    """Return the finite thresholds of the predictions, without 0, which accepts everything."""
    given = dict.fromkeys(profile.threshold for profile in evidence.profiles.values())
    return [threshold for threshold in given if threshold is not None and np.isfinite(threshold) and threshold > 0]


def default_place(places: Sequence[Place], of_error: float, of_person: float) -> int:
    """Return the place to show first: the one of a given threshold, or else where the first model costs least."""
    given = next((at for at, place in enumerate(places) if place.threshold is not None), None)
    if given is not None:
        return given
    costs = [of_error * place.wrong_of_1000[0] + of_person * place.left_of_1000[0] for place in places]
    return int(np.argmin(costs))


def prices_of(evidence: Evidence) -> tuple[float, float]:
    """Return the prices of an error and of a person to show first: the given ones, or else examples.

    If errors have costs, the example for a person is the mean cost of an answer.
    """
    if evidence.prices is not None:
        return evidence.prices
    if evidence.kind != "costs":
        return 10.0, 1.0
    return 1.0, float(f"{next(iter(evidence.assessments.values())).accuracy:.2g}")
