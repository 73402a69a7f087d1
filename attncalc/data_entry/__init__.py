"""The page on which a class's answers are typed: `attncalc answers --page`."""
