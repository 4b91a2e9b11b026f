"""Similarity of the leaves of a tree."""

import numpy as np
import pytest

from skconf.profile import tree_similarity

PARENTS = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "trout": "animal", "animal": "thing", "car": "thing"}


def test_it_is_the_depth_in_common():
    found = tree_similarity(PARENTS, ["car", "cat", "dog", "trout"])
    # Depths: car 1, cat and dog 3, trout 2; mammal 2, animal 1.
    assert found.at["cat", "dog"] == 2 * 2 / 6
    assert found.at["trout", "cat"] == found.at["cat", "trout"] == 2 * 1 / 5
    assert found.at["car", "cat"] == 0
    np.testing.assert_array_equal(np.diag(found), 1)


def test_trees_apart_have_nothing_in_common():
    found = tree_similarity({"a": "x", "b": "x", "c": "y"}, ["a", "b", "c"])
    assert found.loc["a"].tolist() == [1.0, 0.5, 0.0]


def test_an_inner_node_may_be_a_class():
    assert tree_similarity(PARENTS, ["mammal", "cat"]).at["mammal", "cat"] == 2 * 2 / 5


def test_errors_name_the_label():
    with pytest.raises(ValueError, match=r"labels holds \['cow'\], which do not occur in parents"):
        tree_similarity(PARENTS, ["cat", "cow"])
    with pytest.raises(ValueError, match="lead from 'a' back to 'a'"):
        tree_similarity({"a": "b", "b": "a"}, ["a", "b"])
