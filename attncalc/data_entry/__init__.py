"""The page for typing the answers of a class: `attncalc answers --page`."""
