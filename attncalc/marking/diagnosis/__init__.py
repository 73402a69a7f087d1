"""Explanations of a rejected line: catalogue mistakes, slips, premature rounding."""
