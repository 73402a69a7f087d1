"""Formulas, numbers and texts in every medium: a formula printer (`printer.py`) with a dialect for each medium,
mostly a
table.
"""
