"""Tables of mistakes, one for each part of the Transformer."""
