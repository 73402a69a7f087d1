"""Notations of libraries and papers, translated into the formula language."""
