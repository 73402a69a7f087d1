"""The version, which pages and the command line tell."""

__version__ = "0.2.0"
