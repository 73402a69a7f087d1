"""Reading of scanned papers."""
