"""A local web server with one page for one person: for `attncalc practice` and `attncalc answers --page`."""
