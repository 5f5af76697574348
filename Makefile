# Everything a developer types. Needs Python 3.11 or later, a C compiler and make; the rest goes into .venv.
# Paths are relative on purpose: a clone may live in any folder, also one with a space in its name.

PYTHON ?= python3
VENV   ?= .venv
ARGS   ?=
# Processes that share the tests. They keep the tests' order in small steps: what is quick comes first.
JOBS   ?= 2

# Where trainers live: too heavy to be part of $(VENV).
TRL_VENV ?= .venv-trl
RAY_VENV ?= .venv-ray
PEER_VENV ?= .venv-peers

BIN   := $(VENV)/bin
BASE  := $(VENV)/.base
STAMP := $(VENV)/.installed

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-ray test-trl test-peers lint format native bench docs release-check venv clean distclean FORCE

help:
	@echo 'make demo        set up, then run a few programs in the sandbox'
	@echo 'make test        set up, then lint, check types and imports, and run all tests'
	@echo '                 ARGS="-k limits" goes on to pytest'
	@echo 'make test-ray    a Ray cluster of two nodes on this machine, in $(RAY_VENV); downloads about 100 MB'
	@echo 'make test-trl    a few real GRPO steps with TRL and PyTorch on the CPU, in $(TRL_VENV); downloads about 1 GB'
	@echo 'make test-peers  verl and evalscope, as published, against the service; downloads about 1 GB into $(PEER_VENV)'
	@echo 'make lint        ruff, mypy, import-linter'
	@echo 'make format      let ruff rewrite what it can'
	@echo 'make native      compile native/ into src/codejury/_native'
	@echo 'make bench       speed beside bare execution and other sandboxes; ARGS="--runs 50" goes on to it'
	@echo 'make docs        the documentation as a site, in build/site'
	@echo 'make release-check   sdist and wheel, looked into, and tried in an environment without a compiler'
	@echo 'make venv        only the set-up: $(VENV), the project installed editable, with all tools'
	@echo 'make clean       remove what was built, and caches'
	@echo 'make distclean   the same, and $(VENV)'
	@echo
	@echo 'PYTHON=python3.12 picks the interpreter that $(VENV) is made with.'

demo: $(BASE) native
	@CODEJURY=$(BIN)/codejury examples/demo.sh

test: lint native
	$(BIN)/python -m pytest --numprocesses $(JOBS) --maxschedchunk 32 $(ARGS)

# Not part of `make test`.
test-trl: native $(TRL_VENV)/.installed
	$(TRL_VENV)/bin/python -m pytest tests/integrations/test_trl.py $(ARGS)

$(TRL_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(TRL_VENV)
	$(TRL_VENV)/bin/python -m pip install --quiet torch==2.13.0 trl --editable '.[test]'
	@touch $@

test-ray: native $(RAY_VENV)/.installed
	$(RAY_VENV)/bin/python -m pytest tests/runners $(ARGS)

$(RAY_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(RAY_VENV)
	$(RAY_VENV)/bin/python -m pip install --quiet --editable '.[test,ray]'
	@touch $@

# verl without what it needs for training: its client needs requests alone.
test-peers: native $(PEER_VENV)/.installed
	CODEJURY_EVALSCOPE_PYTHON="$$PWD/$(PEER_VENV)/bin/python" $(PEER_VENV)/bin/python -m pytest \
	    tests/service/test_verl.py tests/service/test_evalscope.py $(ARGS)

$(PEER_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(PEER_VENV)
	$(PEER_VENV)/bin/python -m pip install --quiet 'evalscope[sandbox]' --editable '.[test]'
	$(PEER_VENV)/bin/python -m pip install --quiet --no-deps verl
	@touch $@

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

native:
	@$(MAKE) --no-print-directory -C native

bench: $(BASE) native
	$(BIN)/codejury bench $(ARGS)

docs: $(STAMP) native
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

release-check: $(STAMP)
	$(BIN)/python tests/release/check.py dist

venv: $(STAMP)

# The stamps name the folder they were made in: a tree that was moved or copied has a .venv that still points at
# the old one, and is set up anew. The first has codejury alone, which is all that the demo needs.
ifneq ($(shell cat '$(BASE)' 2>/dev/null),$(CURDIR))
$(BASE): FORCE
endif

$(BASE): pyproject.toml hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo 'codejury needs Python 3.11 or later: make PYTHON=/path/to/python3.11' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' \
	    || { echo '$(PYTHON) cannot make virtual environments; on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv $(if $(filter FORCE,$^),--clear) $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@printf '%s\n' '$(CURDIR)' >$@

$(STAMP): $(BASE)
	$(BIN)/python -m pip install --quiet --editable '.[test,dev]'
	@printf '%s\n' '$(CURDIR)' >$@

clean:
	@$(MAKE) --no-print-directory -C native clean
	rm -rf build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find hatch_build.py examples src tests -name __pycache__ -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV) $(TRL_VENV) $(RAY_VENV) $(PEER_VENV)
