"""Formats in which students type a matrix: lists, LaTeX, free text, printed arrays."""
