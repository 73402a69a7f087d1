"""The version, shown on pages and by the command line."""

__version__ = "0.3.0"
