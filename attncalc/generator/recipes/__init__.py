"""Which matrices a lesson needs, and how they are drawn."""
