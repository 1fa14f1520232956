# Two commands: `make run` (VAULT=~/Notes for your own) and `make test`. The others are their parts.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
VAULT ?=

PLUGIN := obsidian-plugin
PLUGIN_STAMP := $(PLUGIN)/node_modules/.installed

.PHONY: run test check setup bench eval evidence format docs clean plugin plugin-setup plugin-types plugin-check

run: $(STAMP)
	@$(PY) daemon/scripts/run.py $(if $(VAULT),--vault "$(VAULT)")

setup: $(STAMP)
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory plugin-setup; else echo "Without Node 20 or newer the plugin cannot be built."; fi

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
	@daemon/scripts/check-plugin types

test: check
	@log=$$(mktemp); daemon/scripts/check-plugin all >"$$log" 2>&1 & plugin=$$!; \
	  trap 'kill $$plugin 2>/dev/null' INT TERM; \
	  $(PY) -m pytest -n 2 --dist loadgroup; python=$$?; \
	  echo "The plugin (its checks and its harness ran beside the tests):"; wait $$plugin; plugin=$$?; cat "$$log"; rm -f "$$log"; \
	  exit $$((python || plugin))

# The plugin for Obsidian: main.js, manifest.json and styles.css in its folder; `ebbtide plugin install VAULT` puts them into a vault.
plugin: plugin-setup
	@cd $(PLUGIN) && npm run --silent build

plugin-setup: $(PLUGIN_STAMP)

$(PLUGIN_STAMP): $(PLUGIN)/package-lock.json
	@cd $(PLUGIN) && npm ci --silent
	@touch $@

plugin-types: plugin-setup
	@cd $(PLUGIN) && node scripts/api-types.mjs ../schemas/openapi.json

plugin-check: $(STAMP)
	@daemon/scripts/check-plugin all

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
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory plugin-types; fi

clean:
	rm -rf .run .bench .evidence build dist
