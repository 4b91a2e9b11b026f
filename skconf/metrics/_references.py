"""The works that definitions cite."""

CSR = (
    "F. Martin-Maroto, N. Abderrahaman-Elena and G. G. de Polavieja, Beyond ECE: Calibrated Size Ratio, Risk "
    "Assessment, and Confidence-Weighted Metrics, arXiv:2605.01796, 2026"
)
CF1 = (
    "R. Yacouby and D. Axman, Probabilistic Extension of Precision, Recall, and F1 Score for More Thorough "
    "Evaluation of Classification Models, Eval4NLP, 2020"
)
CWSA = (
    "K. Shahnazari, S. M. Ayyoubzadeh, M. Keshtparvar and P. Ghaffari, Trust, or Don't Predict: Introducing the "
    "CWSA Family for Confidence-Aware Model Evaluation, arXiv:2505.18622, 2025"
)
ECUAS = (
    "L. Estienne, E. Ernst, M. Vera, P. Piantanida and L. Ferrer, ECUAS_n: A family of metrics for principled "
    "evaluation of uncertainty-augmented systems, arXiv:2605.20490, 2026"
)
ECE = (
    "C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, On calibration of modern neural networks, ICML, 2017; as in "
    "Definition 8 of " + CSR
)
AURC = (
    "Y. Geifman, G. Uziel and R. El-Yaniv, Bias-Reduced Uncertainty Estimation for Deep Neural Classifiers, ICLR, 2019"
)
SELECTIVE = "R. El-Yaniv and Y. Wiener, On the Foundations of Noise-free Selective Classification, JMLR 11, 2010"
