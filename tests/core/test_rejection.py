"""Reject labels: the default one is no class, sorts with the classes, and is never cut."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from skconf._core.rejection import choose_reject_label, with_reject_label

label_sets = st.one_of(
    st.sets(st.integers(-(2**31), 2**31), min_size=2, max_size=6),
    st.sets(st.integers(-3, 3), min_size=2, max_size=6),
    st.sets(st.integers(-(2**20), 2**20).map(float), min_size=2, max_size=6),
    st.sets(st.text("abrejctd ", max_size=8), min_size=2, max_size=6),
    st.sets(st.sampled_from(["reject", "rejected", "rejecteded"]), min_size=2),
    st.just({False, True}),
)


@given(labels=label_sets, seed=st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_default_reject_label_is_no_class_and_sorts_with_them(labels, seed):
    classes = np.array(sorted(labels))
    label = choose_reject_label(classes)
    assert label not in labels
    assert label == label
    sorted([*labels, label])  # raises where they do not sort
    rng = np.random.default_rng(seed)
    prediction, accepted = rng.choice(classes, 20), rng.random(20) < 0.5
    expected = [p if a else label for p, a in zip(prediction.tolist(), accepted, strict=True)]
    assert with_reject_label(prediction, accepted, label).tolist() == expected
