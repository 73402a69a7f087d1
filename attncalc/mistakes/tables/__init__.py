"""The tables of mistakes, one for each part of the Transformer."""
