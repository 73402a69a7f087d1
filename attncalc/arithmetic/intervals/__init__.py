"""Interval arithmetic: the possible results of a calculation with rounded intermediate values."""
