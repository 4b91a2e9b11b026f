"""The base of all displays: their constructors."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import wraps
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from skconf._core.docstrings import LABELS, POS_LABEL, PREDICTED, PREDICTIONS, entries_of_parameters, filled
from skconf._core.messages import short_repr
from skconf.inspection._drawing import displays, draw_legend, draw_title, literal, remember
from skconf.profile import ConfidenceProfile, as_profile

#: The placeholder of the display's own parameters in the docstrings of its methods.
_PARAMS = "**params\n    Parameters of `from_profile`.\n"


class Display(ABC):
    """Numbers that are computed once, and a method to draw them.

    A subclass computes its numbers from a profile in `from_profile`, and draws them. The methods `from_predictions` and
    `from_estimator` then also have the parameters of `from_profile`.
    """

    #: The position of the legend on axes in a figure with several axes.
    _legend_inside: ClassVar[str] = "best"

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

    @staticmethod
    @abstractmethod
    def _finding(shown: Sequence[Any]) -> str:
        """Return a sentence on what the displays on the same axes show."""

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
        title: str | None = "finding",
        **params: Any,
    ) -> Self:
        """Compute and draw the display of predicted probabilities.

        Parameters
        ----------
        {predictions}
        {predicted}
        {labels}
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        name : str, default=None
            Name of the classifier in the legend.
        ax : matplotlib axes, default=None
            The axes to draw on. Several displays may share the same axes. None makes a new figure.
        title : str, default="finding"
            Title of the axes. "finding" states what the picture shows. None does not change the title.
        **params
            Parameters of `from_profile`.

        Returns
        -------
        Display
            A display of this class, with the numbers, and with the drawing in `ax_` and `figure_`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If predictions are missing, or passed together with a profile that holds them.
        ValueError
            If the predictions or a parameter are invalid.
        """
        pyplot()
        given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
        profile = as_profile(f"{cls.__name__}.from_predictions()", y_true, y_proba, **given)
        return cls.from_profile(profile, name=name, **params).plot(ax=ax, title=title)

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
        title: str | None = "finding",
        **params: Any,
    ) -> Self:
        """Compute and draw the display of a fitted classifier, with one call of its ``predict_proba``.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier with ``predict_proba``. If it is a :class:`~skconf.SelectiveClassifier`, the display
            uses its threshold.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            True labels.
        {pos_label}
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        name : str, default=None
            Name of the classifier in the legend. None means the class of the estimator, such as "GaussianNB".
        ax : matplotlib axes, default=None
            The axes to draw on. Several displays may share the same axes. None makes a new figure.
        title : str, default="finding"
            Title of the axes. "finding" states what the picture shows. None does not change the title.
        **params
            Parameters of `from_profile`.

        Returns
        -------
        Display
            A display of this class, with the numbers, and with the drawing in `ax_` and `figure_`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If the estimator has no ``predict_proba``.
        ValueError
            If the predictions or a parameter are invalid.
        """
        pyplot()
        profile = ConfidenceProfile.from_estimator(estimator, X, y, sample_weight=sample_weight)
        if pos_label is not None:
            profile = profile.with_positive(pos_label)
        name = type(estimator).__name__ if name is None else name
        return cls.from_profile(profile, name=name, **params).plot(ax=ax, title=title)

    @property
    def _label(self) -> str | None:
        """Name of the classifier in the legend."""
        return None if self.name is None else literal(self.name)

    __repr__ = short_repr

    def plot(self, ax: Any = None, *, title: str | None = "finding") -> Self:
        """Draw the numbers.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            The axes to draw on. None makes a new figure.
        title : str, default="finding"
            Title of the axes. "finding" states in a sentence what all displays on these axes show; if you have set
            another title, it stays. None does not change the title.

        Returns
        -------
        Display
            This display, with the drawing in `ax_` and `figure_`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        self.ax_ = pyplot().subplots(layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        beside = draw_legend(self.ax_, self._legend_inside)
        remember(self.ax_, self)
        shown = displays(self.ax_, type(self))
        if title == "finding":
            before = self._finding(shown[:-1]) if len(shown) > 1 else ""
            draw_title(self.ax_, literal(self._finding(shown)), beside, instead_of=literal(before))
        elif title is not None:
            draw_title(self.ax_, title, beside)
        return self


def _with_parameters_of(from_profile: Any, method: Any) -> Any:
    """Return a class method whose signature and docstring have the display's own parameters instead of `**params`."""

    @wraps(method)
    def documented(cls: type[Display], *args: Any, **kwargs: Any) -> Display:
        return method(cls, *args, **kwargs)

    common, own = (list(inspect.signature(function).parameters.values()) for function in (method, from_profile))
    own = own[2:]  # after the profile and the name
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in common[:-1] + own]
    documented.__signature__ = inspect.Signature(plain)  # type: ignore[attr-defined]
    entries = entries_of_parameters(from_profile)
    places = {"{predictions}": PREDICTIONS, "{predicted}": PREDICTED, "{labels}": LABELS, "{pos_label}": POS_LABEL}
    documented.__doc__ = filled(method, places | {_PARAMS: "".join(f"{entries[each.name]}\n" for each in own)})
    return classmethod(documented)


def pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Displays need matplotlib: pip install matplotlib.") from error
    return plt
