"""Formulas, numbers and texts in every medium: one printer (`printer.py`), and a dialect for each medium, mostly a
table.
"""
