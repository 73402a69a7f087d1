"""The calculation of one entry."""
