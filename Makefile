# The project's verbs; CI calls the same ones.
.PHONY: test lint bench golden picture docs

test:
	pytest

lint:
	ruff check attncalc tests docs
	ruff format --check --quiet attncalc tests $(wildcard docs/*.py)
	mypy
	lint-imports

bench:
	python -m tests.bench

# The printed solutions in tests/golden, after a change that is meant to be seen: read the difference.
golden:
	REGENERATE=1 pytest -q tests -k golden

# The README's pictures.
picture:
	python docs/make_picture.py

# The documentation as a site, in site/; pip install -e '.[docs]' first.
docs:
	NO_MKDOCS_2_WARNING=1 mkdocs build --strict --quiet
