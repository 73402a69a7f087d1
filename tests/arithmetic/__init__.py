"""Laws of every arithmetic, one for each operation, held against an evaluator of their own (`oracle.py`)."""
