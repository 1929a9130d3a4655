# Each target makes the virtual environment that it needs, and again only when pyproject.toml or constraints.txt changes.
# make demo PYTHON=python3.12 VENV=.venv-3.12 takes another Python, with an environment beside the usual one.

PYTHON ?= python3
VENV ?= .venv
DATA ?= ../shared/data
# The releases that are installed; none are held to with CONSTRAINTS= (see the target latest).
CONSTRAINTS ?= constraints.txt
export PIP_CONSTRAINT := $(CONSTRAINTS)
export PIP_BUILD_CONSTRAINT := $(CONSTRAINTS)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

BIN := $(VENV)/bin
MODELS := $(VENV)-models
LATEST := $(VENV)-latest
PASSED := $(VENV)/passed-tests
SUMMEVAL := $(DATA)/summeval/scores
SUMMEVAL_TEXTS := $(DATA)/summeval/model_annotations.aligned.paired.jsonl
PYTEST := -n auto --dist worksteal --doctest-modules src tests

.DEFAULT_GOAL := help
.PHONY: help demo test test-quick test-models latest lint format docs bench clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.has-demo ## every study on the example data, and where the report is
	@$(BIN)/metassay demo

test: lint ## lint, then all tests, with the examples in docstrings, README and docs
	$(BIN)/pytest --write-passed $(PASSED) $(PYTEST)

test-quick: $(VENV)/.has-quick ## reading, nouns, options and studies: what another Python could break
	$(BIN)/pytest -m 'not slow' -n auto --dist worksteal tests/core tests/readers tests/studies

test-models: $(MODELS)/.has-models ## the tests that make test skipped (all without make test), with models
	$(MODELS)/bin/pytest -rs --leave-out $(PASSED) $(PYTEST)

latest: ## lint and tests with the newest releases of everything, and what differs from constraints.txt
	@rm -rf $(LATEST)
	@$(MAKE) --no-print-directory $(LATEST)/.has-dev VENV=$(LATEST) CONSTRAINTS=
	@echo "newer than constraints.txt:"
	@$(LATEST)/bin/python -m pip freeze --exclude-editable | grep -vxFif $(CONSTRAINTS) || echo "nothing"
	@broken=; \
	$(MAKE) --no-print-directory --keep-going lint VENV=$(LATEST) CONSTRAINTS= || broken="$$broken lint"; \
	$(LATEST)/bin/pytest -rfE $(PYTEST) || broken="$$broken tests"; \
	if [ -n "$$broken" ]; then echo "the newest releases break:$$broken (see above)"; exit 1; fi; \
	echo "the newest releases break nothing"

lint: $(VENV)/.has-dev ## style, types, and the layers between rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.has-dev ## put the code into its one form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.has-dev ## the documentation as a site, in the folder site
	$(BIN)/mkdocs build --quiet
	$(BIN)/metassay demo --quiet -o site/example-report.html >/dev/null
	@echo "open site/index.html; the example report is site/example-report.html"

bench: $(VENV)/.has-bench ## speed beside nlpstats and loops over SciPy, growth, memory and start-up
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
	@$(BIN)/python benchmarks/rank.py
	@$(BIN)/python benchmarks/stability.py
	@$(BIN)/python benchmarks/survive.py
	@$(BIN)/python benchmarks/scale.py "$(SUMMEVAL)"

clean: ## remove virtual environments, caches and what builds left behind
	rm -rf $(VENV) $(MODELS) $(LATEST) build dist demo site
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# A virtual environment holds what its stamps say: the package alone for the demo, what reads files, tools, peers to
# measure, models. What is never imported need not be compiled.
$(VENV)/.has-quick: EXTRAS := [quick]
$(VENV)/.has-dev: EXTRAS := [dev]
$(VENV)/.has-bench: EXTRAS := [dev,bench]
$(MODELS)/.has-models: EXTRAS := [dev,embeddings,spacy]

# An environment that failed half-way has a Python but no pip: it is made again.
$(VENV)/.has-demo $(VENV)/.has-quick $(VENV)/.has-dev $(VENV)/.has-bench $(MODELS)/.has-models: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "metassay needs Python 3.11 or later; name one: make PYTHON=python3.11 …" >&2; exit 1; }
	@$(@D)/bin/python -m pip --version >/dev/null 2>&1 || { echo "making $(@D)"; $(PYTHON) -m venv $(@D); } || \
	  { echo "cannot make a virtual environment; on Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "installing metassay$(EXTRAS) into $(@D)"
	@$(@D)/bin/python -m pip install --quiet --quiet --no-compile --editable '.$(EXTRAS)'
	@touch $@
