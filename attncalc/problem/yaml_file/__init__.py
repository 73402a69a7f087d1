"""YAML text with the place of every node: reader, writer and error messages."""
