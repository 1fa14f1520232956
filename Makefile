# Two commands: `make run` (VAULT=~/Notes for your own) and `make test`. The others are their parts.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
VAULT ?=

.PHONY: run test check setup bench eval evidence format docs clean

run: $(STAMP)
	@$(PY) daemon/scripts/run.py $(if $(VAULT),--vault "$(VAULT)")

setup: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Ebbtide needs Python 3.11 or newer; try: make PYTHON=python3.11")'
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@echo "Installing Ebbtide and what it needs into $(VENV) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

check: $(STAMP)
	$(PY) -m ruff check daemon tests
	$(PY) -m ruff format --check --quiet daemon tests
	$(PY) -m mypy
	$(PY) -m ebbtide.serve.docs --check

test: check
	$(PY) -m pytest -n 2 --dist loadgroup

bench: $(STAMP)
	$(PY) -m tests.bench $(BENCH)

eval: $(STAMP)
	$(PY) -m tests.bench.eval $(EVAL)

evidence: $(STAMP)
	EBBTIDE_EVIDENCE=1 $(PY) -m pytest -m evidence -s

format: $(STAMP)
	$(PY) -m ruff check --fix daemon tests
	$(PY) -m ruff format daemon tests

docs: $(STAMP)
	$(PY) -m ebbtide.serve.docs --write

clean:
	rm -rf .run .bench .evidence build dist
