"""A fast test in floating point that discards draws before exact arithmetic."""
