"""A page on this machine for one person, as `attncalc practice` and `attncalc answers --page` serve it."""
