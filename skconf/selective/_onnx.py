"""Conversion of selective classifiers and calibrators to ONNX, with skl2onnx."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator

import skconf.calibration as calibrators
from skconf.calibration import _graph as onnx
from skconf.calibration._base import Calibrator, to_graph
from skconf.calibration._graph import DOUBLE, Graph, Tensor
from skconf.selective._base import BaseSelectiveClassifier
from skconf.selective._classifier import SelectiveClassifier
from skconf.selective._prevalence import CorrectedCalibrator
from skconf.selective._tuned import TunedSelectiveClassifierCV

#: Options that skl2onnx passes to every classifier.
_OPTIONS = {"zipmap": [True, False, "columns"], "output_class_labels": [False, True]}
#: What stands for p in −p log p where p is 0.
_TINY = 1e-300


def register_onnx() -> None:
    """Register converters, so that skl2onnx converts selective classifiers and calibrators, also in pipelines.

    Call it once. After that, ``skl2onnx.to_onnx`` converts a fitted :class:`~skconf.SelectiveClassifier`,
    :class:`~skconf.TunedSelectiveClassifierCV` or calibrator. The graph of a classifier has three outputs. ``label`` is
    the predicted label, or the reject label. ``probabilities`` are the calibrated probabilities. ``confidence`` is the
    score that is compared with the threshold. The graph of a calibrator has the output ``probabilities`` only.

    Calibration and threshold are computed in float64. Pass `X` in float64, too. If `X` is float32, probabilities are
    rounded. They are also rounded if skl2onnx computes the classifier in float32, as it does for trees. Rounding may
    change the answer if the confidence is close to the threshold, or if a probability is close to a step of the
    calibration map.

    Raises
    ------
    ImportError
        If skl2onnx is not installed.

    Notes
    -----
    A ValueError is raised if the classifier decides by costs, has a learned or callable `confidence`, has a threshold
    for each slice, or has a calibrator of another library. It is also raised if the labels are numbers and the reject
    label is a string, or vice versa. skl2onnx must also be able to convert the inner classifier. If it cannot, register
    a converter for the inner classifier.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skconf import SelectiveClassifier
    >>> from skconf.selective import register_onnx
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SelectiveClassifier(LogisticRegression(max_iter=5000), threshold=0.9, calibration="pooled").fit(X, y)
    >>> register_onnx()  # doctest: +SKIP
    >>> from skl2onnx import to_onnx  # doctest: +SKIP
    >>> graph = to_onnx(model, X[:1])  # doctest: +SKIP
    >>> from onnxruntime import InferenceSession  # doctest: +SKIP
    >>> session = InferenceSession(graph.SerializeToString())  # doctest: +SKIP
    >>> label, probabilities, confidence = session.run(None, {"X": X[:3]})  # doctest: +SKIP
    """
    try:
        from skl2onnx import update_registered_converter as register
    except ImportError as error:
        raise ImportError("Converting to ONNX needs skl2onnx: pip install skl2onnx onnxruntime.") from error
    for kind in (SelectiveClassifier, TunedSelectiveClassifierCV):
        register(kind, f"Skconf{kind.__name__}", _classifier_shapes, _convert_classifier, True, _parse, _OPTIONS)
    for name in calibrators.__all__:
        kind = getattr(calibrators, name)
        if isinstance(kind, type) and issubclass(kind, Calibrator):
            register(kind, f"Skconf{name}", _calibrator_shapes, _convert_calibrator, True, _parse_calibrator)


def _parse(scope: Any, model: BaseSelectiveClassifier, inputs: list[Any], custom_parsers: Any = None) -> list[Any]:
    """Declare the inner classifiers, and the operator that reads their probabilities."""
    from skl2onnx._parse import _parse_sklearn
    from skl2onnx.common.data_types import DoubleTensorType

    _refuse(model)
    raw = []
    for member, _ in model.members_:
        inner = member.estimator.estimator if isinstance(member.estimator, FrozenEstimator) else member.estimator
        last = inner
        while hasattr(last, "steps"):
            last = last.steps[-1][1]
        scope.add_options(id(last), {"zipmap": False})
        scope.add_options(id(inner), {"zipmap": False})
        raw.append(_parse_sklearn(scope, inner, inputs, custom_parsers=custom_parsers)[1])
    operator = scope.declare_local_operator(f"Skconf{type(model).__name__}", model)
    operator.inputs = raw
    operator.outputs += [
        scope.declare_local_variable("label", _label_type(model)),
        scope.declare_local_variable("probabilities", DoubleTensorType()),
        scope.declare_local_variable("confidence", DoubleTensorType()),
    ]
    return list(operator.outputs)


def _parse_calibrator(scope: Any, model: Calibrator, inputs: list[Any], custom_parsers: Any = None) -> list[Any]:  # noqa: ARG001
    from skl2onnx.common.data_types import DoubleTensorType

    operator = scope.declare_local_operator(f"Skconf{type(model).__name__}", model)
    operator.inputs = inputs
    operator.outputs.append(scope.declare_local_variable("probabilities", DoubleTensorType()))
    return list(operator.outputs)


def _refuse(model: BaseSelectiveClassifier) -> None:
    """Raise if a model cannot be converted."""
    why = None
    if model.rule_ is not None:
        why = "it decides by costs"
    elif model.confidence_ is not None or not isinstance(model.confidence, str):
        why = f"its confidence is {model.confidence!r}, not one of 'max_proba', 'margin' and 'entropy'"
    elif getattr(model, "slices", None) is not None:
        why = f"it has a separate threshold for each slice (slices={model.slices!r})"
    elif _kind(model) is None:
        why = f"its reject label {model.reject_label_!r} is of another type than its classes (set reject_label)"
    if why:
        raise ValueError(f"This {type(model).__name__} cannot be converted to ONNX, because {why}.")


def _kind(model: BaseSelectiveClassifier) -> str | None:
    """Return the ONNX type of a column of labels: text, whole numbers or numbers; None if there is none."""
    values = [*model.classes_.tolist(), model.reject_label_]
    texts = [isinstance(value, str) for value in values]
    if any(texts):
        return "text" if all(texts) else None
    return "whole" if all(isinstance(value, Integral) for value in values) else "number"


def _label_type(model: BaseSelectiveClassifier) -> Any:
    from skl2onnx.common import data_types as types

    kinds = {"text": types.StringTensorType, "whole": types.Int64TensorType, "number": types.DoubleTensorType}
    return kinds[str(_kind(model))]()


def _classifier_shapes(operator: Any) -> None:
    n_samples = operator.inputs[0].get_first_dimension()
    label, proba, confidence = operator.outputs
    label.type.shape, confidence.type.shape = [n_samples], [n_samples]
    proba.type.shape = [n_samples, len(operator.raw_operator.classes_)]


def _calibrator_shapes(operator: Any) -> None:
    shape = [operator.inputs[0].get_first_dimension(), len(operator.raw_operator.classes_)]
    operator.outputs[0].type.shape = shape


def _graph(scope: Any, container: Any) -> Graph:
    """Return a graph that adds its nodes and constants to the container of skl2onnx."""
    from onnx import numpy_helper

    def keep(array: NDArray[Any]) -> str:
        name = scope.get_unique_variable_name("skconf")
        if array.dtype.kind in "UO":
            container.add_initializer(name, 8, list(array.shape), [str(each).encode() for each in array.ravel()])
        else:
            container.add_initializer(name, None, None, numpy_helper.from_array(array, name))
        return str(name)

    def write(operation: str, *inputs: str, **attributes: Any) -> str:
        name = scope.get_unique_variable_name("skconf")
        container.add_node(
            operation, list(inputs), [name], name=scope.get_unique_operator_name(operation), **attributes
        )
        return str(name)

    return Graph(write, keep)


def _convert_calibrator(scope: Any, operator: Any, container: Any) -> None:
    proba = _graph(scope, container).tensor(operator.inputs[0].full_name).as_(DOUBLE)
    _name(scope, container, to_graph(operator.raw_operator, proba), operator.outputs[0])


def _convert_classifier(scope: Any, operator: Any, container: Any) -> None:
    model, graph = operator.raw_operator, _graph(scope, container)
    n_classes = len(model.classes_)
    raw = [
        _all_classes(graph.tensor(given.full_name).as_(DOUBLE), member)
        for given, (member, _) in zip(operator.inputs, model.members_, strict=True)
    ]
    calibrated = [
        _calibrated(proba, calibrator, n_classes) for proba, (_, calibrator) in zip(raw, model.members_, strict=True)
    ]
    proba = _mean(calibrated)
    predicted = (_mean(raw) if model.keep_prediction else proba).place_of_largest()
    score = _SCORES[model.confidence](proba, predicted, n_classes).at_least(0.0).at_most(1.0)
    kind: Any = {"text": str, "whole": np.int64, "number": np.float64}[str(_kind(model))]
    label = predicted.take_from(np.array(model.classes_.tolist(), dtype=kind))
    if model.threshold_ > 0:
        reject = np.array([[model.reject_label_]], dtype=kind)
        label = score.then("GreaterOrEqual", float(model.threshold_)).if_else(label, reject)
    for output, tensor in zip(operator.outputs, (_flat(label), proba, _flat(score)), strict=True):
        _name(scope, container, tensor, output)


def _name(scope: Any, container: Any, tensor: Tensor, output: Any) -> None:
    """Give a tensor the name of an output."""
    name = scope.get_unique_operator_name("Identity")
    container.add_node("Identity", [tensor.name], [output.full_name], name=name)


def _flat(column: Tensor) -> Tensor:
    return column.then("Reshape", np.array([-1]))


def _mean(tensors: list[Tensor]) -> Tensor:
    total = tensors[0]
    for each in tensors[1:]:
        total = total + each
    return total / float(len(tensors)) if len(tensors) > 1 else total


def _all_classes(proba: Tensor, member: Any) -> Tensor:
    """Return the probabilities of an inner classifier, a column for each class; 0 for a class that it has not seen."""
    if len(member.columns) == 1:
        proba = 0.0 * proba.columns([0]) + 1.0
    if np.array_equal(member.columns, np.arange(member.n_classes)):
        return proba
    none = 0.0 * proba.columns([0])
    order = np.full(member.n_classes, len(member.columns))
    order[member.columns] = np.arange(len(member.columns))
    return proba.beside(none).columns(order)


def _calibrated(proba: Tensor, calibrator: Any, n_classes: int) -> Tensor:
    if calibrator is None:
        return proba
    if isinstance(calibrator, CorrectedCalibrator):
        factor = (calibrator.factor / calibrator.factor.max())[np.newaxis]
        return onnx.rows_to_one(to_graph(calibrator.calibrator, proba) * factor, n_classes)
    return to_graph(calibrator, proba)


def _of_prediction(proba: Tensor, predicted: Tensor, n_classes: int) -> Tensor:  # noqa: ARG001
    return proba.then("GatherElements", predicted, axis=1)


def _margin(proba: Tensor, predicted: Tensor, n_classes: int) -> Tensor:  # noqa: ARG001
    if n_classes == 1:
        return proba
    top = proba.largest()
    return top - proba.is_first_largest(n_classes).if_else(-1.0, proba).largest()


def _certainty(proba: Tensor, predicted: Tensor, n_classes: int) -> Tensor:  # noqa: ARG001
    if n_classes == 1:
        return 0.0 * proba + 1.0
    return 1.0 + (proba * proba.at_least(_TINY).log()).sum() / float(np.log(n_classes))


#: The scores of ``skconf._core.rejection``, as graphs.
_SCORES = {"max_proba": _of_prediction, "margin": _margin, "entropy": _certainty}
