# The project's verbs; CI calls the same ones.
.PHONY: test lint bench golden picture

test:
	pytest

lint:
	ruff check attncalc tests
	mypy
	lint-imports

bench:
	python -m tests.bench

# The printed solutions in tests/golden, after a change that is meant to be seen: read the difference.
golden:
	REGENERATE=1 pytest -q tests -k golden

# The README's picture, from the README's first problem.
picture:
	python docs/make_picture.py
