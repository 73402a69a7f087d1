"""Pictures in each medium."""
