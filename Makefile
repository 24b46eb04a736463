# Every target makes its own virtual environment first; only Python 3.11+, pip and make are needed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS := $(VENV)/peers
PEERS_STAMP := $(PEERS)/.installed
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.DEFAULT_GOAL := help
.PHONY: help install demo test search lint types check coverage bench bench-peers eval-redaction eval-replays clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' \
		| while IFS='|' read -r name text; do printf '  %-16s %s\n' "$$name" "$$text"; done

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

install: $(STAMP) ## make the virtual environment with everything the tests need

demo: $(STAMP) ## run the main job on real data: what the model sees, then the call log
	$(BIN)/python examples/demo.py

test: $(STAMP) ## run the tests
	$(BIN)/python -m pytest -n auto

search: $(STAMP) ## run the property tests on many examples that nobody has tried yet
	$(BIN)/python -m pytest -n auto -m hypothesis --hypothesis-profile=search --timeout=900

lint: $(STAMP) ## ruff, and the layers of the package by import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(STAMP) ## mypy --strict and pyright on the package and its public names
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

coverage: $(STAMP) ## the tests with branch coverage, what is missing is listed
	$(BIN)/python -m pytest -n auto --cov --cov-report=term-missing:skip-covered

check: lint types coverage ## everything that must hold before a commit lands

bench: $(STAMP) ## measure the numbers of benchmarks/README.md that need no other library
	$(BIN)/python benchmarks/call.py
	$(BIN)/python benchmarks/errors.py
	$(BIN)/python benchmarks/clean.py
	$(BIN)/python benchmarks/budget.py
	$(BIN)/python benchmarks/large.py
	$(BIN)/python benchmarks/store.py
	$(BIN)/python benchmarks/calllog.py
	$(BIN)/python benchmarks/redaction_speed.py

$(PEERS_STAMP): benchmarks/requirements.txt pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --upgrade pip
	$(PEERS)/bin/python -m pip install --quiet --editable . --requirement benchmarks/requirements.txt
	@touch $@

bench-peers: $(PEERS_STAMP) ## measure beside other libraries; DATA=records.jsonl.gz adds the redactors
	$(PEERS)/bin/python benchmarks/peers_call.py
	$(PEERS)/bin/python benchmarks/peers_log.py
	$(PEERS)/bin/python benchmarks/peers_budget.py --each
	$(if $(DATA),$(PEERS)/bin/python benchmarks/peers_redaction.py $(DATA))

eval-redaction: $(STAMP) ## score the redactor on labelled records: make eval-redaction DATA=dev.jsonl.gz
	@test -n "$(DATA)" || { echo 'say which records: make eval-redaction DATA=path/to/records.jsonl.gz'; exit 2; }
	$(BIN)/python benchmarks/redaction_eval.py $(DATA)

eval-replays: $(STAMP) ## score statuses on recorded tool returns: make eval-replays DATA=replays.jsonl
	@test -n "$(DATA)" || { echo 'say which returns: make eval-replays DATA=path/to/replays.jsonl'; exit 2; }
	$(BIN)/python benchmarks/replay_eval.py $(DATA)

clean: ## remove the virtual environment and what the tools left
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .coverage.* htmlcov build dist
