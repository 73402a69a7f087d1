"""YAML with the location of every node: reader, writer and error messages."""
