"""What displays share: where their numbers come from, and the axes they draw on."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from skconf.profile import ConfidenceProfile

#: Colours that the colour-blind tell apart (Okabe and Ito), with a line style each for prints without colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "D", "^", "v", "P")

#: Of lines that are there to compare with.
REFERENCE = {"color": "0.5", "linewidth": 1.0, "zorder": 1}


class Display(ABC):
    """Numbers, computed once, and how to draw them.

    Build one by `from_predictions` or `from_estimator`, which draw it too. The numbers are attributes; `plot` draws
    them again, elsewhere.
    """

    #: Columns of the legend; and whether it is about a single classifier, whose name is its title.
    columns: ClassVar[int] = 2
    titled: ClassVar[bool] = False

    name: str | None
    ax_: Any
    figure_: Any

    #: `from_profile(profile, *, name=None, **params)` computes the display of predictions that were checked already.
    from_profile: ClassVar[Any]

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_proba: Any = None,
        *,
        y_pred: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Any = None,
        **params: Any,
    ) -> Self:
        """Draw the display of predicted probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or ConfidenceProfile
            True labels; or a profile, which is all there is to give.
        y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities of the classes, or of `pos_label`.
        y_pred : array-like of shape (n_samples,), default=None
            Predicted labels; None stands for the most probable class.
        labels : array-like of shape (n_classes,), default=None
            Labels of the columns.
        pos_label : label, default=None
            The positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        name : str, default=None
            What the legend calls the classifier.
        ax : matplotlib axes, default=None
            Where to draw; several displays may share one. None makes a new figure.
        **params
            Parameters of the display.

        Returns
        -------
        Display
            The numbers, and the drawing in `ax_` and `figure_`.

        Raises
        ------
        ValueError
            If the predictions or a parameter are not what they should be.
        """
        profile = y_true
        if not isinstance(profile, ConfidenceProfile):
            profile = ConfidenceProfile.from_predictions(
                y_true, y_proba, y_pred=y_pred, labels=labels, pos_label=pos_label, sample_weight=sample_weight
            )
        return cls.from_profile(profile, name=name, **params).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Any = None,
        **params: Any,
    ) -> Self:
        """Draw the display of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``predict_proba``.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        name : str, default=None
            What the legend calls the classifier; None stands for the name of its class.
        ax : matplotlib axes, default=None
            Where to draw; several displays may share one. None makes a new figure.
        **params
            Parameters of the display.

        Returns
        -------
        Display
            The numbers, and the drawing in `ax_` and `figure_`.
        """
        profile = ConfidenceProfile.from_estimator(estimator, X, y, sample_weight=sample_weight)
        return cls.from_profile(profile, name=name or type(estimator).__name__, **params).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the display.

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
        self.ax_ = _axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        if self.ax_.get_legend_handles_labels()[1]:
            # In a figure of its own the legend stands above the axes, where it hides nothing.
            own = getattr(self.ax_, "_skconf_own", False)
            place = (
                {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": self.columns} if own else {"loc": "best"}
            )
            self.ax_.legend(
                title=self.name if self.titled else None, alignment="left", frameon=False, fontsize="small", **place
            )
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw the numbers."""


def _axes() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Displays need matplotlib: pip install 'skconf[plot]'.") from error
    ax: Any = plt.subplots(layout="constrained")[1]
    ax._skconf_own = True  # noqa: SLF001
    return ax


def style(ax: Any) -> dict[str, Any]:
    """Return colour, line style and marker of the next classifier that is drawn on these axes."""
    number = getattr(ax, "_skconf_drawn", 0)
    ax._skconf_drawn = number + 1  # noqa: SLF001
    kinds = {"color": COLOURS, "linestyle": LINES, "marker": MARKERS}
    return {kind: options[number % len(options)] for kind, options in kinds.items()}


def label_once(ax: Any, label: str) -> str | None:
    """Return a label for the legend, unless these axes have it."""
    return None if label in ax.get_legend_handles_labels()[1] else label
