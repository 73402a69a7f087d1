"""The calculation of one entry, written out."""
