# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := out

.DEFAULT_GOAL := help
.PHONY: help demo test setup check format lint types layers test-slow bench samples reproduce peers fidelity docs pictures clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.demo  ## install what is needed, reproduce the paper's figure in short, learn its hardest maze
	$(BIN)/nonmarkov reproduce --quick --out $(OUT)/quick
	$(BIN)/nonmarkov train rotating_maze --k 3 --episodes 2000 --out $(OUT)/rotating_maze
	@echo "Open $(OUT)/quick/report.html, $(OUT)/quick/figures and $(OUT)/rotating_maze/abstraction.png"

test: $(VENV)/.dev  ## install what is needed and run the tests
	$(BIN)/python -m pytest -n 2 -m "not slow"

setup: $(VENV)/.dev  ## make .venv with everything for development

check: $(VENV)/.dev lint types layers test  ## everything that must hold before a change lands

format: $(VENV)/.dev  ## rewrite the code in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports

test-slow: $(VENV)/.dev  ## the statistical tests that take minutes
	$(BIN)/python -m pytest -n 2 -m slow

bench: $(VENV)/.demo  ## measure simulator, training and memory; some ten minutes
	$(BIN)/nonmarkov bench speed

samples: $(VENV)/.demo  ## count episodes, 22 configurations x 5 seeds, beside oracle and paper
	$(BIN)/nonmarkov bench samples --markdown docs/samples.md

reproduce: $(VENV)/.demo  ## all agents, 22 configurations x 5 seeds, with figures and page
	$(BIN)/nonmarkov reproduce --full --out $(OUT)/full

peers: $(VENV)/.dev  ## learn from logs beside Alergia
	$(BIN)/nonmarkov bench peers

fidelity: $(VENV)/.demo  ## train as published, 22 configurations x 5 seeds; some ten minutes
	$(BIN)/nonmarkov bench fidelity --markdown docs/fidelity.md

docs: $(VENV)/.docs  ## build the site from docs/; it needs no network to be read
	$(BIN)/python -m sphinx -q -E -W --keep-going -d $(OUT)/doctrees docs $(OUT)/site
	@echo "Open $(OUT)/site/index.html"

pictures: $(VENV)/.docs  ## draw the pictures of the pages again, with the code that is on them
	$(BIN)/python docs/tools/pictures.py

clean:  ## remove everything that was made here, compiled kernels included
	rm -rf $(VENV) $(OUT) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Debian splits ensurepip off; without it the system's pip fills the new environment.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "nonmarkov needs Python 3.11 or newer: make PYTHON=python3.11")'
	@if $(PYTHON) -c 'import ensurepip' 2>/dev/null; then $(PYTHON) -m venv $(VENV); else \
		$(PYTHON) -m venv --without-pip $(VENV) && \
		$(PYTHON) -m pip --python $(BIN)/python install -q pip; fi

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install -q -e '.[report]'
	@touch $@

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install -q -e '.[docs]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install -q -e '.[dev]'
	@touch $@ $(VENV)/.demo $(VENV)/.docs
