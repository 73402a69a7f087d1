"""Frozen behaviour: what attncalc answered for kept scripts and problems, so that a change of behaviour is seen.

`scripts.jsonl.xz` holds problems and answer files: the examined scripts of tests/data, and 2,000 scripts that the second
simulator drew (tests/support/second_simulator.py). `marks.txt` holds what `check` says of each, `pages.txt` a digest of each
page. `python -m tests.frozen` renews both and prints the lines that changed; `python -m tests.frozen --draw` also draws
the scripts again. An intended change renews the files in its own commit, whose message lists the changed lines.
"""
