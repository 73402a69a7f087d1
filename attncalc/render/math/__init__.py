"""Formulas, numbers and texts in every medium: a printer (`printer.py`), and a dialect for each, mostly a table."""
