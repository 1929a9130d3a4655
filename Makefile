# Each target makes .venv by itself when it is missing, and again only when pyproject.toml changes.

PYTHON ?= python3
DATA ?= ../shared/data
# Which extras .venv gets, and releases to insist on: make test EXTRAS=dev,embeddings PINS=torch==2.13.0
EXTRAS ?= dev
PINS ?=

VENV := .venv
BIN := $(VENV)/bin
COMMA := ,
READY := $(VENV)/.ready-$(subst $(COMMA),-,$(EXTRAS))
READY_BENCH := $(VENV)/.ready-bench
SUMMEVAL := $(DATA)/summeval/scores
SUMMEVAL_TEXTS := $(DATA)/summeval/model_annotations.aligned.paired.jsonl
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test lint format docs bench clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## every study on the example data, and where the report is
	@$(BIN)/metassay demo

test: lint ## lint, then all tests, with the examples in docstrings, README and docs
	$(BIN)/pytest -n auto --doctest-modules src tests

lint: $(READY) ## style, types, and the layers between rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## put the code into its one form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY) ## the documentation as a site, in the folder site
	$(BIN)/mkdocs build --quiet

bench: $(READY_BENCH) ## speed beside nlpstats and loops over SciPy, growth, memory and start-up
	@if [ -d "$(SUMMEVAL)" ]; then \
	  $(BIN)/python benchmarks/peers.py "$(SUMMEVAL)" && $(BIN)/python benchmarks/pairs.py "$(SUMMEVAL)"; \
	else \
	  echo "$(SUMMEVAL) is not there, so nlpstats and pairs of systems on SummEval are left out."; \
	  echo "Put the SummEval scores in SacreROUGE format there, or say where they are: make bench DATA=FOLDER"; \
	fi
	@if [ -f "$(SUMMEVAL_TEXTS)" ]; then \
	  $(BIN)/python benchmarks/rouge.py "$(SUMMEVAL_TEXTS)"; \
	else \
	  echo "$(SUMMEVAL_TEXTS) is not there, so ROUGE on SummEval is left out."; \
	fi
	@if [ -d "$(SUMMEVAL)" ]; then $(BIN)/python benchmarks/simulate.py "$(DATA)"; fi
	@$(BIN)/python benchmarks/cluster.py
	@$(BIN)/python benchmarks/systems.py
	@$(BIN)/python benchmarks/stability.py
	@$(BIN)/python benchmarks/survive.py
	@$(BIN)/python benchmarks/scale.py "$(SUMMEVAL)"

clean: ## remove .venv, caches and what builds left behind
	rm -rf $(VENV) build dist demo site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# A virtual environment that failed half-way has a Python but no pip: it is made again.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "metassay needs Python 3.11 or later; name one: make PYTHON=python3.11 …" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { echo "making $(VENV)"; $(PYTHON) -m venv $(VENV); } || \
	  { echo "cannot make a virtual environment; on Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "installing metassay and its tools into $(VENV)"
	@$(PIP) --editable '.[$(EXTRAS)]' $(PINS)
	@touch $@

$(READY_BENCH): $(READY)
	@echo "installing what the benchmark compares with into $(VENV)"
	@$(PIP) --editable '.[$(EXTRAS),bench]' $(PINS)
	@touch $@
