"""Readers of the sections of a problem file."""
