"""Expected costs under uncertainty-aware selection, and what decisions cost (ECUAS paper)."""
