"""Coverage, selective risk, and the areas under risk-coverage curves."""
