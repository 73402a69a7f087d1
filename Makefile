# The project's verbs; CI calls the same ones.
.PHONY: test lint bench golden screens picture docs

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

# Every page in Chromium at 1280 and 390 pixels, by day and by night, and axe's word on it; npm's folder with axe-core
# is named in ATTNCALC_NODE_MODULES.
screens:
	python -m tests.bench.screens
	pytest -q -n 0 tests/data_entry/test_app.py tests/practice/test_browser.py tests/practice/test_static_site.py

# The README's pictures.
picture:
	python docs/make_picture.py

# The documentation as a site, in site/; pip install -e '.[docs]' first.
docs:
	NO_MKDOCS_2_WARNING=1 mkdocs build --strict --quiet
