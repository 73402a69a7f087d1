"""Formulas, numbers and texts in every medium: one setter (`setter.py`), and a dialect of it for each medium, mostly a
table.
"""
