"""Interval arithmetic: what a calculation with rounded intermediate results can give."""
