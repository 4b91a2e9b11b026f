"""Expected costs of answers that may be rejected by their uncertainty (ECUAS paper)."""
