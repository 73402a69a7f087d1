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
