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
AUGRC = "J. Traub et al., Overcoming Common Flaws in the Evaluation of Selective Classification Systems, NeurIPS, 2024"
CALIBRATION_NORMS = "A. Kumar, P. S. Liang and T. Ma, Verified Uncertainty Calibration, NeurIPS, 2019"
ECI = (
    "L. Famiglini, A. Campagner and F. Cabitza, Towards a Rigorous Calibration Assessment Framework: Advancements in "
    "Metrics, Methods, and Use, ECAI, 2023; bins and normalisation as in the authors' CalFram"
)
AD_ECE = (
    "J. Vaicenavicius, D. Widmann, C. Andersson, F. Lindsten, J. Roll and T. B. Schön, Evaluating model calibration in "
    "classification, AISTATS, 2019; on the confidence"
)
LS_ECE = (
    "M. Chidambaram, H. Lee, C. McSwiggen and S. Rezchikov, How Flawed Is ECE? An Analysis via Logit Smoothing, ICML, "
    "2024, arXiv:2402.10046"
)
MCE = (
    "M. P. Naeini, G. F. Cooper and M. Hauskrecht, Obtaining Well Calibrated Probabilities Using Bayesian Binning, "
    "AAAI, 2015"
)
SMOOTH_ECE = (
    "J. Błasiok and P. Nakkiran, Smooth ECE: Principled Reliability Diagrams via Kernel Smoothing, ICLR, 2024, "
    "arXiv:2309.12236"
)
CALIBRATION_DISTANCE = (
    "M. Qiao and L. Zheng, On the distance from calibration in sequential prediction, COLT, 2024; with isotonic "
    "regression as in Table 7 of " + CSR
)
ECCE = (
    "I. Arrieta-Ibarra, P. Gujral, J. Tannen, M. Tygert and C. Xu, Metrics of calibration for probabilistic "
    "predictions, JMLR 23, 2022"
)
ECD = (
    "D. J. Sumler, L. Devlin, S. Maskell and R. O. Lane, An entropic metric for measuring calibration of machine "
    "learning models, TRUST-AI, 2025, arXiv:2502.14545"
)
BRIER = "G. W. Brier, Verification of forecasts expressed in terms of probability, Monthly Weather Review 78, 1950"
LOG_SCORE = "I. J. Good, Rational Decisions, Journal of the Royal Statistical Society B 14, 1952"
BRIER_PARTS = (
    "D. B. Stephenson, C. A. S. Coelho and I. T. Jolliffe, Two Extra Components in the Brier Score Decomposition, "
    "Weather and Forecasting 23, 2008; the isotonic strategy is from T. Dimitriadis, T. Gneiting and A. I. Jordan, "
    "Stable reliability diagrams for probabilistic classifiers, PNAS 118, 2021"
)
FAILURE_AUROC = (
    "D. Hendrycks and K. Gimpel, A Baseline for Detecting Misclassified and Out-of-Distribution Examples in Neural "
    "Networks, ICLR, 2017"
)
TCE = "T. Matsubara, N. Tax, R. Mudd and I. Guy, TCE: A Test-Based Approach to Measuring Calibration Error, UAI, 2023"
T_CAL = (
    "D. Lee, X. Huang, H. Hassani and E. Dobriban, T-Cal: An optimal test for the calibration of predictive models, "
    "JMLR 24, 2023, arXiv:2203.01850"
)
CALIBRATION_IN_THE_LARGE = (
    "Calibration in the large: D. R. Cox, Two further applications of a model for binary regression, "
    "Biometrika 45, 1958"
)
SPIEGELHALTER = (
    "D. J. Spiegelhalter, Probabilistic prediction in patient management and clinical trials, Statistics in "
    "Medicine 5, 1986"
)
