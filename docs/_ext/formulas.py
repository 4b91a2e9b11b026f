r"""The definition of each metric as a formula, on its page of the reference, with what its symbols stand for.

Docstrings have them as plain text, to be read in terminals and editors. Sums without an index run over samples.
"""

import re

CW = r"\text{with } \mathrm{cwTP}, \mathrm{cwFP}, \mathrm{cwFN}, \mathrm{cwTN} = \sum w\,c \text{ over such samples}"
CWSA = r"\varphi = \frac{c - \tau}{1 - \tau}, \quad S = \{c \ge \tau\}"
FORMULAS = {
    "calibrated_size_ratio": r"\mathrm{CSR} = \frac{1}{\sum w} \sum w\,\frac{1 - z}{1 - c}",
    "calibrated_size_ratio_std": r"\sigma = \frac{1}{\sum w} \sqrt{\sum w^2\,\frac{c}{1 - c}}",
    "calibrated_size_ratio_zscore": r"\frac{\mathrm{CSR} - 1}{\sigma}",
    "overconfidence_risk": r"P_\mathrm{risk} = \Phi\left(\frac{\mathrm{CSR} - 1}{\sigma}\right)"
    r" \text{ where } \mathrm{CSR} > 1, \text{ else } 0",
    "capped_size_ratio": r"\frac{\sum w\,(1 - z)\,h}{\sum w\,(1 - c)\,h}, \quad"
    r" h = \min\left(\frac{1}{1 - c}, \mathrm{cap}\right)",
    "confidence_gap": r"\frac{\sum w\,(c - z)}{\sum w}",
    "spiegelhalter_test": r"\frac{\sum w\,(z - c)(1 - 2c)}{\sqrt{\sum w^2\,(1 - 2c)^2\,c\,(1 - c)}}",
    "expected_calibration_error": r"\mathrm{ECE} = \frac{1}{\sum w} \sum_b"
    r" \left| \sum_{i \in b} w_i\,(z_i - c_i) \right|",
    "maximum_calibration_error": r"\mathrm{MCE} = \max_b"
    r" \left| \frac{\sum_{i \in b} w_i\,(z_i - c_i)}{\sum_{i \in b} w_i} \right|",
    "adaptive_calibration_error": r"\frac{1}{\sum w} \sum_b"
    r" \left| \sum_{i \in b} w_i\,(z_i - c_i) \right| \quad \text{in bins halved at the median}",
    "estimated_calibration_index": r"\mathrm{ECI} = 1 - \frac{1}{\sum w} \sum_b"
    r" \frac{\left| \sum_{i \in b} w_i\,(z_i - c_i) \right|}{\max(\bar{c}_b, 1 - \bar{c}_b)}",
    "logit_smoothed_calibration_error": r"\mathrm{LS\text{-}ECE}_\sigma = \frac{1}{\sum w} \int"
    r" \left| \sum_i w_i\,(z_i - \rho(t))\,K_\sigma(t - \mathrm{logit}\,c_i) \right| dt",
    "smooth_calibration_error": r"\mathrm{smECE}_\sigma = \frac{1}{\sum w} \int_0^1"
    r" \left| \sum_i w_i\,(c_i - z_i)\,K_\sigma(t, c_i) \right| dt \quad \text{at } \sigma = \mathrm{smECE}_\sigma",
    "calibration_distance_error": r"\frac{1}{\sum w} \sum w\,\left| c - \mathrm{iso}(c) \right|",
    "cumulative_calibration_error": r"\max_t \left| S(t) \right|, \quad"
    r" S(t) = \frac{1}{\sum w} \sum_{c_i \le t} w_i\,(z_i - c_i)",
    "entropic_calibration_difference": r"\mathrm{ECD} = \frac{1}{\sum w} \sum_i w_i"
    r" \left( \sum_k p_{ik} \ln p_{ik} - \ln p_{i y_i} \right)",
    "tce_error": r"\mathrm{TCE} = 100 \cdot \frac{\text{confidences refuted at } \alpha}{n}",
    "t_cal_test": r"\mathrm{DPE}_m = \frac{1}{n} \sum_b \frac{1}{|b|}"
    r" \left( \left( \sum_{i \in b} d_i \right)^2 - \sum_{i \in b} d_i^2 \right), \quad d = c - z",
    "confidence_brier_loss": r"\frac{1}{\sum w} \sum w\,(c - z)^2",
    "confidence_log_loss": r"-\frac{1}{\sum w} \sum w \left( z \ln c + (1 - z) \ln (1 - c) \right)",
    "brier_decomposition": r"\underbrace{\sum_b v\,(m - a)^2}_{\text{reliability}}"
    r" - \underbrace{\sum_b v\,(a - A)^2}_{\text{resolution}} + \underbrace{A\,(1 - A)}_{\text{uncertainty}}",
    "confidence_roc_auc_score": r"P(c_i > c_j \mid z_i = 1, z_j = 0) + \tfrac{1}{2} P(c_i = c_j \mid z_i = 1, z_j = 0)",
    "cw_accuracy_score": r"\mathrm{cwA} = \frac{\sum w\,c\,z}{\sum w\,c}",
    "confidence_gain": r"\frac{\mathrm{cwA} - \mathrm{Acc}}{1 - \min(\mathrm{cwA}, \mathrm{Acc})}",
    "cw_precision_score": rf"\frac{{\mathrm{{cwTP}}}}{{\mathrm{{cwTP}} + \mathrm{{cwFP}}}}, \quad {CW}",
    "cw_recall_score": rf"\frac{{\mathrm{{cwTP}}}}{{\mathrm{{cwTP}} + \mathrm{{cwFN}}}}, \quad {CW}",
    "cw_specificity_score": rf"\frac{{\mathrm{{cwTN}}}}{{\mathrm{{cwTN}} + \mathrm{{cwFP}}}}, \quad {CW}",
    "cw_jaccard_score": rf"\frac{{\mathrm{{cwTP}}}}{{\mathrm{{cwTP}} + \mathrm{{cwFP}} + \mathrm{{cwFN}}}}, \quad {CW}",
    "cw_f1_score": r"\frac{2\,\mathrm{cwTP}}"
    rf"{{2\,\mathrm{{cwTP}} + \mathrm{{cwFP}} + \mathrm{{cwFN}}}}, \quad {CW}",
    "cw_fbeta_score": r"\frac{(1 + \beta^2)\,\mathrm{cwTP}}"
    rf"{{(1 + \beta^2)\,\mathrm{{cwTP}} + \mathrm{{cwFP}} + \beta^2\,\mathrm{{cwFN}}}}, \quad {CW}",
    "cw_balanced_accuracy_score": r"\frac{1}{K} \sum_k \frac{\mathrm{cwTP}_k}{\mathrm{cwTP}_k + \mathrm{cwFN}_k}",
    "cw_matthews_corrcoef": r"\frac{\sum_k (\mathrm{cwTP}_k\,\mathrm{cwTN}_k - \mathrm{cwFP}_k\,\mathrm{cwFN}_k)}"
    r"{\sqrt{(s^2 - \sum_k t_k^2)(s^2 - \sum_k p_k^2)}}",
    "cw_cohen_kappa_score": r"1 - \frac{\sum w\,c\,d(y, \hat y)}{\sum_{jk} t_j\,p_k\,d(j, k) / s}",
    "cw_roc_auc_score": r"\mathrm{cwAUC}_k = \frac{\sum_{i, j} w_i c_i\,w_j c_j\,[p_{ik} > p_{jk}]}"
    r"{\sum_{i, j} w_i c_i\,w_j c_j}, \quad y_i = k \ne y_j",
    "cw_roc_curve": r"\mathrm{cwTPR}(\tau) = \frac{\sum_{y = k,\, p_k \ge \tau} w\,c}{\sum_{y = k} w\,c}, \quad"
    r" \mathrm{cwFPR}(\tau) = \frac{\sum_{y \ne k,\, p_k \ge \tau} w\,c}{\sum_{y \ne k} w\,c}",
    "cw_confusion_matrix": r"M_{jk} = \sum_{y = j,\, \hat y = k} w\,c",
    "probabilistic_confusion_matrix": r"M_{jk} = \sum_{y = j} w\,p_k",
    "cprecision_score": r"\mathrm{cP}_j = \frac{\sum_{y = j} w\,p_j}{\sum w\,p_j}",
    "crecall_score": r"\mathrm{cR}_j = \frac{\sum_{y = j} w\,p_j}{\sum_{y = j} w}",
    "cf1_score": r"\mathrm{cF1}_j = \frac{2 \sum_{y = j} w\,p_j}{\sum w\,p_j + \sum_{y = j} w}",
    "cfbeta_score": r"\mathrm{cF}_\beta = \frac{(1 + \beta^2)\,\mathrm{cP}\,\mathrm{cR}}"
    r"{\beta^2\,\mathrm{cP} + \mathrm{cR}}",
    "cwsa_score": rf"\mathrm{{CWSA}} = \frac{{\sum_S w\,\varphi\,(2z - 1)}}{{\sum_S w}}, \quad {CWSA}",
    "cwsa_plus_score": rf"\mathrm{{CWSA}}^+ = \frac{{\sum_S w\,\varphi\,z}}{{\sum_S w}}, \quad {CWSA}",
    "coverage_score": r"\frac{\sum w\,[s \ge \tau]}{\sum w}",
    "selective_accuracy_score": r"\frac{\sum_{s \ge \tau} w\,z}{\sum_{s \ge \tau} w}",
    "selective_risk_loss": r"\frac{\sum_{s \ge \tau} w\,(1 - z)}{\sum_{s \ge \tau} w}",
    "aurc_loss": r"\mathrm{AURC} = \frac{1}{n} \sum_{k = 1}^n \frac{E_k}{k}",
    "excess_aurc_loss": r"\mathrm{AURC} - \frac{1}{n} \sum_{j = 1}^E \frac{j}{n - E + j}",
    "augrc_loss": r"\mathrm{AUGRC} = (1 - \mathrm{AUROC})\,\mathrm{acc}\,\mathrm{err} + \tfrac{1}{2}\,\mathrm{err}^2",
    "ecuas_loss": r"C_0 = r - \frac{C}{u_M} \ln r, \quad"
    r" C_n = r^{n + 1} + \frac{n + 1}{n}\,(1 - r^n)\,\frac{C}{u_M}, \quad r = \frac{u}{u_M}",
    "reject_cost_loss": r"\frac{1}{\sum w} \sum w \left( \gamma\,[u > \gamma] + C\,[u \le \gamma] \right)",
}


#: What symbols stand for in every formula that has them, in the order in which they are explained.
SYMBOLS = {
    "w": "the weight of a sample (1 if none is given)",
    "c": "the confidence of an answer",
    "z": "1 for a right answer and 0 for a wrong one",
    "y": "the true class",
    r"\hat y": "the predicted class",
    "p": "the probability of the class in its index",
    "s": "the score by which answers are accepted, which is the confidence unless a classifier uses another",
    r"\tau": "the threshold",
    "S": "the accepted answers",
    "b": "a bin of the confidence",
    "n": "the number of samples",
    r"\beta": "the weight of recall, compared with precision",
    "u": "the uncertainty of an answer: its expected cost, which is 1 − c if every error costs 1",
    "C": "the cost of the answer: 1 for an error and 0 otherwise, unless a cost matrix is given",
}
#: What stands for something else, or occurs, in one formula alone; indices of sums where they are no samples.
CONFIDENCES = {
    r"\mathrm{cwTP}, \mathrm{cwFP}, \mathrm{cwFN}, \mathrm{cwTN}": "the confidence on true and false positives, and on "
    "false and true negatives"
}
CLASSES = {"j": "a true class", "k": "a predicted class"}
OF_A_CLASS = {"j": "the class"}
RATIO = {r"\mathrm{CSR}": "the calibrated size ratio", r"\sigma": "its standard deviation by chance"}
KERNEL = "a normal density of standard deviation σ"
OWN = {
    "calibrated_size_ratio_zscore": RATIO,
    "overconfidence_risk": RATIO | {r"\Phi": "the normal distribution function"},
    "calibrated_size_ratio_std": {r"\sigma": "this metric"},
    "capped_size_ratio": {"h": "the weight of an error, at most the cap"},
    "estimated_calibration_index": {r"\bar{c}": "the mean confidence of a bin"},
    "logit_smoothed_calibration_error": {
        "t": "log-odds",
        r"\rho": "the logistic function",
        "K": KERNEL,
        r"\sigma": "the smoothing",
    },
    "smooth_calibration_error": {
        "t": "a confidence",
        "K": f"{KERNEL}, reflected at 0 and 1",
        r"\sigma": "the smoothing",
    },
    "calibration_distance_error": {r"\mathrm{iso}": "the non-decreasing function that fits the correctness best"},
    "cumulative_calibration_error": {"S": "the gap of all answers up to a confidence", "t": "that confidence"},
    "entropic_calibration_difference": {"i": "a sample", "k": "a class"},
    "tce_error": {r"\alpha": "the level of the test"},
    "t_cal_test": {"m": "the number of bins", "d": "the gap of one answer"},
    "brier_decomposition": {
        "v": "the share of the weight in the bin",
        "m": "its mean confidence",
        "a": "its accuracy",
        "A": "the accuracy of all answers",
    },
    "confidence_roc_auc_score": {"i": "a right answer", "j": "a wrong answer"},
    "confidence_gain": {
        r"\mathrm{cwA}": "the confidence-weighted accuracy",
        r"\mathrm{Acc}": "the accuracy",
    },
    "cw_balanced_accuracy_score": CONFIDENCES | {"K": "the number of classes that occur", "k": "a class"},
    "cw_matthews_corrcoef": CONFIDENCES
    | {
        "s": "the confidence of all samples together",
        "t": "the confidence on samples of a true class",
        "p": "the confidence on samples of a predicted class",
        "k": "the class",
    },
    "cw_cohen_kappa_score": CLASSES
    | {
        "s": "the confidence of all samples together",
        "t": "the confidence on samples of a true class",
        "p": "the confidence on samples of a predicted class",
        "d": "the cost of a confusion",
    },
    "cw_roc_auc_score": {"i": "a sample of the class k", "j": "a sample of another class", "k": "the class"},
    "cw_roc_curve": {"k": "the class"},
    "cw_confusion_matrix": CLASSES | {"M": "the matrix"},
    "probabilistic_confusion_matrix": CLASSES | {"M": "the matrix"},
    "cprecision_score": OF_A_CLASS,
    "crecall_score": OF_A_CLASS,
    "cf1_score": OF_A_CLASS,
    "cfbeta_score": {r"\mathrm{cP}, \mathrm{cR}": "the confidence precision and recall of a class"},
    "cwsa_score": {r"\varphi": "how far the confidence is above the threshold"},
    "cwsa_plus_score": {r"\varphi": "how far the confidence is above the threshold"},
    "aurc_loss": {"k": "the number of accepted answers, the most confident first", "E": "the errors among these"},
    "excess_aurc_loss": {"E": "the number of errors", "j": "a count of them"},
    "augrc_loss": {
        r"\mathrm{AUROC}": "the probability that a right answer has a higher score than a wrong answer",
        r"\mathrm{acc}, \mathrm{err}": "the accuracy and the error rate",
    },
    "ecuas_loss": {
        "u_M": "the largest possible uncertainty of the best decision",
        "r": "the relative uncertainty",
        "n": "the parameter of the metric",
    },
    "reject_cost_loss": {r"\gamma": "the cost of a rejection"},
}
#: The indices of samples, what words are made of, and what every reader knows.
PLAIN = re.compile(
    r"\\text\{[^}]*\}|\\mathrm\{(?:[^{}]|\\text\{[^}]*\})*\}|dt|\\bar\{c\}_b|P\(|P_|u_M|\\in\b|_i\b|_\{i\b"
)
NO_SYMBOLS = re.compile(r"\\?(t?frac|sum|left|right|quad|sqrt|int|min|max|ln|cdot|underbrace|mid|ge|le|ne)")


def symbols(formula):
    """Return the letters and Greek letters of a formula."""
    text = PLAIN.sub(" ", formula)
    found = re.findall(r"\\hat y|\\[A-Za-z]+|[A-Za-z]", text)
    return {each for each in found if not NO_SYMBOLS.fullmatch(each)}


def explained(name):
    """Return what the symbols of a metric's formula stand for."""
    own, used = OWN.get(name, {}), symbols(FORMULAS[name])
    common = {symbol: words for symbol, words in SYMBOLS.items() if symbol in used and symbol not in own}
    return common | own


def in_words(name):
    """Return the sentence below a formula."""
    parts = [f":math:`{symbol}`, {words}" for symbol, words in explained(name).items()]
    return f"Symbols: {'; '.join(parts)}." if parts else ""


def add_formula(_app, _what, name, _obj, _options, lines):
    """Show the formula of a metric below its first line."""
    module, _, function = name.rpartition(".")
    if module == "skconf.metrics" and function in FORMULAS:
        lines[1:1] = ["", ".. math::", "", f"   {FORMULAS[function]}", "", in_words(function), ""]


def check_names(*_):
    """Refuse a formula of a metric that is not there, and a symbol that is not explained."""
    from skconf import metrics

    if strangers := (FORMULAS.keys() | OWN.keys()) - set(metrics.__all__):
        raise ValueError(f"docs/_ext/formulas.py has formulas for {sorted(strangers)}, which are no metrics.")
    for name, formula in FORMULAS.items():
        if unknown := symbols(formula) - SYMBOLS.keys() - OWN.get(name, {}).keys():
            raise ValueError(f"docs/_ext/formulas.py: say in OWN what {sorted(unknown)} of {name} stand for.")


def setup(app):
    """Add formulas to docstrings, before numpydoc reads them."""
    app.connect("config-inited", check_names)
    app.connect("autodoc-process-docstring", add_formula, priority=450)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
