"""Formulas as graphs of ONNX: arrays whose operators and functions write nodes instead of computing.

Calibrators write their formulas twice, for numpy and with this module. Nothing here needs the package onnx.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats

#: Where a sigmoid ends, in log-odds: a step further, and 1 − p would be zero.
FARTHEST = float(np.log((1 - np.finfo(np.float64).eps) / np.finfo(np.float64).eps))

#: Writes a node, given the name of its operation, the names of its inputs and its attributes; returns the name of its
#: output.
Write = Callable[..., str]
#: Writes a constant; returns its name.
Keep = Callable[[NDArray[Any]], str]


class Graph:
    """A graph in which nodes and constants are written."""

    def __init__(self, write: Write, keep: Keep) -> None:
        self.write, self.keep = write, keep

    def tensor(self, name: str) -> "Tensor":
        """Return the tensor with a name."""
        return Tensor(self, name)

    def constant(self, value: Any) -> "Tensor":
        """Return a constant, with whole numbers and floats of 64 bits."""
        array = np.asarray(value)
        if array.dtype.kind in "iub":
            array = array.astype(np.int64)
        elif array.dtype.kind == "f":
            array = array.astype(np.float64)
        return Tensor(self, self.keep(array))

    def node(self, operation: str, *inputs: Any, **attributes: Any) -> "Tensor":
        """Write a node. Inputs that are not tensors become constants."""
        names = [(each if isinstance(each, Tensor) else self.constant(each)).name for each in inputs]
        return Tensor(self, self.write(operation, *names, **attributes))


class Tensor:
    """An array in a graph, of shape (n_samples, n_columns) unless said otherwise."""

    __array_ufunc__ = None  # else an array on the left would treat it as an element

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name

    def then(self, operation: str, *others: Any, **attributes: Any) -> "Tensor":
        """Write a node with this tensor as first input."""
        return self.graph.node(operation, self, *others, **attributes)

    def __add__(self, other: Any) -> "Tensor":
        return self.then("Add", other)

    __radd__ = __add__

    def __mul__(self, other: Any) -> "Tensor":
        return self.then("Mul", other)

    __rmul__ = __mul__

    def __sub__(self, other: Any) -> "Tensor":
        return self.then("Sub", other)

    def __rsub__(self, other: Any) -> "Tensor":
        return self.graph.node("Sub", other, self)

    def __truediv__(self, other: Any) -> "Tensor":
        return self.then("Div", other)

    def __rtruediv__(self, other: Any) -> "Tensor":
        return self.graph.node("Div", other, self)

    def __matmul__(self, other: Any) -> "Tensor":
        return self.then("MatMul", other)

    def __lt__(self, other: Any) -> "Tensor":
        return self.then("Less", other)

    def __gt__(self, other: Any) -> "Tensor":
        return self.then("Greater", other)

    def equals(self, other: Any) -> "Tensor":
        """Return which entries are equal; ``==`` compares the objects."""
        return self.then("Equal", other)

    def at_least(self, low: Any) -> "Tensor":
        """Return the greater of two, entry by entry."""
        return self.then("Max", low)

    def at_most(self, high: Any) -> "Tensor":
        """Return the lesser of two, entry by entry."""
        return self.then("Min", high)

    def abs(self) -> "Tensor":
        """Return absolute values."""
        return self.then("Abs")

    def is_nan(self) -> "Tensor":
        """Return which entries are not numbers."""
        return self.then("IsNaN")

    def log(self) -> "Tensor":
        """Return logarithms."""
        return self.then("Log")

    def exp(self) -> "Tensor":
        """Return exponentials."""
        return self.then("Exp")

    def sum(self) -> "Tensor":
        """Return the sum of each row, in one column."""
        return self.then("ReduceSum", np.array([1]), keepdims=1)

    def largest(self) -> "Tensor":
        """Return the greatest entry of each row, in one column."""
        return self.then("GatherElements", self.place_of_largest(), axis=1)

    def place_of_largest(self) -> "Tensor":
        """Return the column of the first greatest entry of each row, in one column of whole numbers."""
        return self.then("ArgMax", axis=1, keepdims=1)

    def if_else(self, yes: Any, no: Any) -> "Tensor":
        """Return `yes` where this is true, and `no` elsewhere."""
        return self.then("Where", yes, no)

    def as_(self, kind: int) -> "Tensor":
        """Return another type, by its number in ONNX."""
        return self.then("Cast", to=kind)

    def columns(self, places: Sequence[int] | NDArray[Any]) -> "Tensor":
        """Return some columns."""
        return self.then("Gather", np.asarray(places), axis=1)

    def take_from(self, table: NDArray[Any]) -> "Tensor":
        """Return the entries of a table at these places."""
        return self.graph.constant(table).then("Gather", self, axis=0)

    def beside(self, *others: "Tensor") -> "Tensor":
        """Return columns side by side."""
        return self.then("Concat", *others, axis=1) if others else self

    def replaced(self, places: NDArray[Any], others: "Tensor", n_columns: int) -> "Tensor":
        """Return all columns, with some of them replaced by columns of another table."""
        order = np.arange(n_columns)
        order[places] = n_columns + np.arange(len(places))
        return self.beside(others).columns(order)

    def is_first_largest(self, n_columns: int) -> "Tensor":
        """Return, for each entry, whether it is the first greatest entry of its row."""
        return self.place_of_largest().equals(np.arange(n_columns)[np.newaxis])

    def count(self) -> "Tensor":
        """Return how many entries of each row are true, in one column of whole numbers."""
        return self.as_(INT).sum()


#: Types in ONNX.
INT, DOUBLE = 7, 11


def sigmoid(margin: Tensor) -> Tensor:
    """Return 1/(1 + exp(−margin)), clipped 2⁻⁵² away from 0 and 1."""
    return 1.0 / (1.0 + (0.0 - margin.at_least(-FARTHEST).at_most(FARTHEST)).exp())


def softmax(scores: Tensor, lowest: float | None = None) -> Tensor:
    """Return softmax of each row. Differences to the greatest score are clipped to `lowest` (negative) or more."""
    below = scores - scores.largest()
    odds = (below if lowest is None else below.at_least(lowest)).exp()
    return odds / odds.sum()


def rows_to_one(proba: Tensor, n_columns: int) -> Tensor:
    """Return rows that sum to one; a row of zeros becomes uniform."""
    total = proba.sum()
    none = total.equals(0.0)
    return none.if_else(1.0 / n_columns, proba / none.if_else(1.0, total))


def mixed(proba: Tensor, uniform: float, n_columns: int) -> Tensor:
    """Return rows with a share of the uniform distribution mixed in."""
    return proba * (1 - uniform) + uniform / n_columns if uniform else proba


def interpolated(value: Tensor, points: Floats, fitted: Floats) -> Tensor:
    """Return a function of one column that is linear between points and constant beyond them."""
    if len(points) == 1:
        return 0.0 * value + float(fitted[0])
    inside = value.at_least(points[0]).at_most(points[-1])
    segment = reached(inside, points[1:-1])
    slopes = np.diff(fitted) / np.diff(points)
    return segment.take_from(fitted[:-1]) + segment.take_from(slopes) * (inside - segment.take_from(points[:-1]))


def reached(value: Tensor, edges: Floats) -> Tensor:
    """Return, for each value of one column, the number of edges at or below it."""
    return _entries(value, edges, "GreaterOrEqual")


def passed(value: Tensor, edges: Floats) -> Tensor:
    """Return, for each value of one column, the number of edges below it."""
    return _entries(value, edges, "Greater")


def _entries(value: Tensor, edges: Floats, operation: str) -> Tensor:
    if not len(edges):  # there is nothing to compare with
        edges = np.array([np.inf])
    return value.graph.node(operation, value, edges[np.newaxis]).count()
