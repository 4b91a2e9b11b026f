"""The base of all displays: their constructors, and the axes that they draw on."""

import inspect
import re
from abc import ABC, abstractmethod
from dataclasses import fields
from functools import wraps
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from skconf._core.checks import check_whole
from skconf._core.docstrings import filled
from skconf._core.probabilities import Floats
from skconf.profile import ConfidenceProfile, as_profile

#: Colours that are safe for the colour-blind (Okabe and Ito), with line styles and markers for prints without colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "D", "^", "v", "P")

#: Most bins that are drawn.
MOST_BINS = 10_000

#: The style of reference lines.
REFERENCE = {"color": "0.5", "linewidth": 1.0, "zorder": 1}

#: Number of intervals of the horizontal axis; each shows the first, lowest, highest and last point of a long curve.
_COLUMNS = 2000

#: The placeholder of the display's own parameters in the docstrings of its methods.
_PARAMS = "**params\n    Parameters of `from_profile`.\n"

#: Ids of artists: the legend above the axes, and the main artist of a classifier.
_LEGEND, _CLASSIFIER = "skconf legend", "skconf classifier "


class Display(ABC):
    """Numbers, computed once, with a method to draw them.

    A subclass computes its numbers from a profile in `from_profile`, and draws them. The parameters of `from_profile`
    are then also those of `from_predictions` and `from_estimator`.
    """

    #: The place of the legend on the axes; None puts it above them, where it hides nothing.
    _legend_inside: ClassVar[str | None] = None

    name: str | None
    ax_: Any
    figure_: Any

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for method in ("from_predictions", "from_estimator"):
            setattr(cls, method, _with_parameters_of(cls.from_profile, vars(Display)[method].__func__))

    @classmethod
    @abstractmethod
    def from_profile(cls, *args: Any, **params: Any) -> Self:
        """Compute the numbers from checked predictions."""

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw the numbers."""

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | ConfidenceProfile,
        y_proba: ArrayLike | None = None,
        *,
        y_pred: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Any = None,
        **params: Any,
    ) -> Self:
        """Compute and draw the display of predicted probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or ConfidenceProfile
            True labels; or a profile, which holds all predictions.
        y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities in the order of `labels`; in a binary task a single column is the probability of
            `pos_label`.
        y_pred : array-like of shape (n_samples,), default=None
            Predicted labels, if they are not the first maximum of the probabilities.
        labels : array-like of shape (n_classes,), default=None
            Labels of the columns. None stands for the sorted labels of `y_true`, if there are as many.
        pos_label : label, default=None
            Positive class. None stands for the second label of a binary task.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        name : str, default=None
            Name of the classifier in the legend.
        ax : matplotlib axes, default=None
            Where to draw; several displays may share one. None makes a new figure.
        **params
            Parameters of `from_profile`.

        Returns
        -------
        Display
            Of this class: the numbers, and the drawing in `ax_` and `figure_`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If predictions are missing, or given together with a profile that holds them.
        ValueError
            If the predictions or a parameter are invalid.
        """
        _pyplot()
        given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
        profile = as_profile(f"{cls.__name__}.from_predictions()", y_true, y_proba, **given)
        return cls.from_profile(profile, name=name, **params).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Any = None,
        **params: Any,
    ) -> Self:
        """Compute and draw the display of a fitted classifier, with one call of its ``predict_proba``.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``predict_proba``. The threshold of a :class:`~skconf.SelectiveClassifier` is used, too.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            True labels.
        pos_label : label, default=None
            Positive class. None stands for the second label of a binary task.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        name : str, default=None
            Name of the classifier in the legend; None stands for the name of its class.
        ax : matplotlib axes, default=None
            Where to draw; several displays may share one. None makes a new figure.
        **params
            Parameters of `from_profile`.

        Returns
        -------
        Display
            Of this class: the numbers, and the drawing in `ax_` and `figure_`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If the estimator has no ``predict_proba``.
        ValueError
            If the predictions or a parameter are invalid.
        """
        _pyplot()
        profile = ConfidenceProfile.from_estimator(estimator, X, y, sample_weight=sample_weight)
        if pos_label is not None:
            profile = profile.with_positive(pos_label)
        name = type(estimator).__name__ if name is None else name
        return cls.from_profile(profile, name=name, **params).plot(ax=ax)

    @property
    def _label(self) -> str | None:
        """Name of the classifier in the legend."""
        return None if self.name is None else literal(self.name)

    def __repr__(self) -> str:
        parts = [f"{field.name}={_in_short(getattr(self, field.name))}" for field in fields(self)]  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(parts)})"

    def plot(self, ax: Any = None) -> Self:
        """Draw the numbers.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        Display
            Itself, with the drawing in `ax_` and `figure_`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        self.ax_ = _pyplot().subplots(layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        _draw_legend(self.ax_, self._legend_inside)
        return self


def _in_short(value: Any) -> str:
    """Return a short text of a value: for arrays, the shape."""
    if isinstance(value, np.ndarray):
        return f"<array of shape {value.shape}>"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_in_short(entry)}' for key, entry in value.items())}}}"
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


def _with_parameters_of(from_profile: Any, method: Any) -> Any:
    """Return a class method with the display's own parameters instead of params in its signature and docstring."""

    @wraps(method)
    def documented(cls: type[Display], *args: Any, **kwargs: Any) -> Display:
        return method(cls, *args, **kwargs)

    common, own = (list(inspect.signature(function).parameters.values()) for function in (method, from_profile))
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in common[:-1] + own[2:]]
    documented.__signature__ = inspect.Signature(plain)  # type: ignore[attr-defined]
    entries = re.search(r"^name : .*\n +.*\n((?:.*\n)*?)\nReturns\n", inspect.getdoc(from_profile) or "", re.M)
    documented.__doc__ = filled(method, {_PARAMS: entries[1] if entries else ""})
    return classmethod(documented)


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Displays need matplotlib: pip install 'skconf[plot]'.") from error
    return plt


def _draw_legend(ax: Any, inside: str | None) -> None:
    """Redraw the legend: above the axes if they are alone in a figure with room for it, else on the axes."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    # List classifiers first, then the reference lines that they share.
    order = sorted(range(len(labels)), key=lambda k: not str(handles[k].get_gid()).startswith(_CLASSIFIER))
    handles, labels = [handles[k] for k in order], [labels[k] for k in order]
    figure, style = ax.figure, {"edgecolor": "none", "framealpha": 0.9, "fontsize": "small"}
    makes_room = len(figure.axes) == 1 and isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine)
    if inside or not makes_room:
        style |= {"loc": inside or "best", "handlelength": 2.6}
        if ax.legend(handles, labels, **style).get_window_extent().width > ax.bbox.width:
            ax.legend(handles, [label.replace(", ", "\n") for label in labels], **style)
        return
    for columns in (3, 2, 1):
        for legend in figure.legends:
            if legend.get_gid() == _LEGEND:
                legend.remove()
        legend = figure.legend(handles, labels, loc="outside upper left", ncols=columns, **style)
        legend.set_gid(_LEGEND)
        if legend.get_window_extent().width <= figure.bbox.width:
            return


class Style(NamedTuple):
    """The style of a classifier, which differs from others on the same axes with and without colour."""

    number: int
    color: str
    linestyle: Any
    marker: str

    @classmethod
    def next_on(cls, ax: Any) -> Self:
        """Return the style of the next classifier on these axes; its main artist takes the id."""
        number = sum(str(artist.get_gid()).startswith(_CLASSIFIER) for artist in ax.get_children())
        return cls.of(number)

    @classmethod
    def of(cls, number: int) -> Self:
        """Return one of 36 different styles."""
        n, turn = len(COLOURS), number // len(COLOURS)
        return cls(number, COLOURS[number % n], LINES[(number + turn) % n], MARKERS[(number + turn) % n])

    @property
    def gid(self) -> str:
        """Id of the main artist of the classifier."""
        return f"{_CLASSIFIER}{self.number}"


def literal(text: Any) -> str:
    """Return a text for a figure with escaped dollars, so that none begins a formula."""
    return str(text).replace("$", r"\$")


def check_drawable(n_bins: Any) -> None:
    """Raise unless a figure can show this number of bins."""
    check_whole(n_bins, "n_bins")
    if n_bins > MOST_BINS:
        raise ValueError(f"n_bins must be at most {MOST_BINS:,}, since no figure can show more, but is {n_bins!r}.")


def label_once(ax: Any, label: str) -> str | None:
    """Return a label for the legend, unless these axes have it already."""
    return None if label in ax.get_legend_handles_labels()[1] else label


def label_of_threshold(threshold: float) -> str:
    """Return a threshold as text for a legend, distinct from 1 if it is below 1."""
    shown = "∞" if np.isinf(threshold) else f"{threshold:.3g}"
    return f"threshold {f'1 − {1 - threshold:.1g}' if shown == '1' and threshold < 1 else shown}"


def thinned(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return a curve over ascending x with few points that looks the same on a screen and in print."""
    if len(x) <= 4 * _COLUMNS:
        return x, y
    column = np.floor((x - x[0]) * (_COLUMNS / (x[-1] - x[0])))
    first = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    last = np.append(first[1:], len(x)) - 1
    lowest, highest = np.minimum.reduceat(y, first), np.maximum.reduceat(y, first)
    at, heights = (x[first], x[first], x[last], x[last]), (y[first], lowest, highest, y[last])
    return np.column_stack(at).ravel(), np.column_stack(heights).ravel()
