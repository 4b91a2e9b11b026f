"""What metrics are made of: their kinds, the registry, averages over classes, weighting and random draws."""
