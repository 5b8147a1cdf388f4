# `make` says what there is. Two commands matter: `make lab` and `make test`.
#
# For GNU Make 3.81 or newer and a POSIX shell (macOS, Linux). Paths in here are relative, because
# Make cannot name a target in a folder whose path has a space in it.

# The Python to make .venv from; empty means the first one that is new enough.
PYTHON ?=
# Flags for JupyterLab:  make lab ARGS="--no-browser --port 8899"
ARGS ?=
# Where `make lab` puts the learner's own copy.
WORKBOOK ?= workbook
# Flags for pytest:  make check PYTEST_ARGS="-k ledger"
PYTEST_ARGS ?=
# Notebooks to re-run; empty means all:  make notebooks FILES=notebooks/01_claim_ledger.ipynb
FILES ?=

SHELL := /bin/sh
.DEFAULT_GOAL := help
# Two goals may need the same .venv, so they run one after the other, under -j too.
.NOTPARALLEL:

PY := .venv/bin/python
PYTHONS := python3 python3.13 python3.12 python3.11 python3.14 python
# The folder as one word of the shell, whatever it is called.
HERE := '$(subst ','\'',$(CURDIR))'

# Nothing needs an activated environment, and nothing outside this folder changes what a lesson
# prints: kernels, start-up files, plot settings and PYTHONPATH of the user stay out. JupyterLab
# keeps its settings (theme, font size) in .jupyter. Who prefers the ones they have:
#   make lab JUPYTER_CONFIG_DIR=~/.jupyter
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export JUPYTER_CONFIG_DIR := $(CURDIR)/.jupyter
export JUPYTER_DATA_DIR := $(CURDIR)/.jupyter/data
export JUPYTER_PREFER_ENV_PATH := 1
export JUPYTER_PLATFORM_DIRS := 1
export IPYTHONDIR := $(CURDIR)/.venv/ipython
export MPLCONFIGDIR := $(CURDIR)/.venv/matplotlib
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# `user = true` in somebody's pip settings would make every installation into .venv fail.
export PIP_USER := 0
unexport JUPYTER_CONFIG_PATH JUPYTER_PATH JUPYTER_RUNTIME_DIR MATPLOTLIBRC MPLBACKEND
unexport CONDA_PREFIX PIP_PREFIX PIP_TARGET PYTEST_ADDOPTS PYTHONHOME PYTHONPATH PYTHONSTARTUP
unexport VIRTUAL_ENV

.PHONY: help lab test check notebooks format bench constraints clean distclean
.PHONY: venv setup-notebooks setup-test lint types unit lessons

help:  ## this list
	@echo 'claimlab: when a model says something, what can still say no?'
	@echo
	@sed -n 's/^\([a-z]*\):.*##  *\(.*\)/  make \1|\2/p' Makefile \
	  | awk -F'|' '{ printf "%-20s%s\n", $$1, $$2 }'

# --- what people run ----------------------------------------------------------------------------

lab: setup-notebooks  ## open the lessons in JupyterLab, in your own copy (workbook/)
	@umask u+rwx; .venv/bin/claimlab start "$(WORKBOOK)"
	@echo 'Opening JupyterLab; stop it with Ctrl-C, twice.'
	@umask u+rwx; root=; if [ "$$(id -u)" = 0 ]; then root=--allow-root; fi; \
	python=$$PWD/$(PY); cd "$(WORKBOOK)"; \
	exec "$$python" -m jupyterlab $$root --ServerApp.root_dir=. --LabApp.news_url=None \
	  --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate \
	  $(ARGS) 00_start_here.ipynb

test: lint types unit lessons  ## everything: format, lint, types, tests, each lesson cell by cell

check: lint types  ## the inner loop, under a minute: no slow tests, no lessons
	@echo '== tests that are not slow'
	@$(PY) -m pytest -q -n auto -m 'not slow and not browser and not llm' $(PYTEST_ARGS)

notebooks: setup-notebooks  ## run the lessons and solutions in place and store their outputs
	@$(PY) tools/notebooks.py run $(FILES)

format: setup-test  ## lay out code and notebooks the one way that `make test` accepts
	@$(PY) -m ruff check --fix --exit-zero --quiet
	@$(PY) -m ruff format
	@$(PY) tools/notebooks.py normalise

bench: setup-test  ## run every benchmark
	@set -e; for file in benchmarks/*.py; do \
	  if [ ! -e "$$file" ]; then echo 'No benchmarks yet.'; break; fi; \
	  echo "== $$file"; $(PY) "$$file"; \
	done

constraints:  ## (maintainers) look up new pins for constraints.txt
	@set -e; umask u+rwx; folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	echo 'Installing the newest versions that pyproject.toml allows, in a fresh environment.'; \
	"$(or $(PYTHON),python3.11)" -m venv "$$folder/venv"; \
	"$$folder/venv/bin/python" -m pip install --quiet -e '.[notebooks,test,scale]'; \
	"$$folder/venv/bin/python" -m pip freeze --exclude-editable > "$$folder/pins"; \
	if grep -n '://\|@ ' "$$folder/pins"; then \
	  echo 'constraints: these come from an address, not an index; nothing written.' >&2; exit 1; fi; \
	{ sed -n '/^#/!q;p' constraints.txt; cat "$$folder/pins"; \
	  sed -n '/^# Only on other systems/,$$p' constraints.txt; } > "$$folder/new"; \
	cat "$$folder/new" > constraints.txt; \
	echo 'Wrote constraints.txt. Now: make test, with each Python.'

clean:  ## remove what tools left behind; keeps .venv and workbook/
	@rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist .coverage htmlcov
	@find . \( -path ./.venv -o -path ./.git -o -path './$(WORKBOOK)' \) -prune \
	  -o \( -name __pycache__ -o -name .ipynb_checkpoints \) -type d -exec rm -rf {} +
	@echo 'Cleaned. Also remove .venv and JupyterLab settings: make distclean'

distclean: clean  ## clean, and remove .venv and .jupyter; still keeps workbook/
	@rm -rf .venv .jupyter

# --- parts --------------------------------------------------------------------------------------

lint: setup-test
	@echo '== format and lint'
	@$(PY) -m ruff format --check
	@$(PY) -m ruff check

types: setup-test
	@echo '== types'
	@$(PY) -m mypy

unit: setup-test
	@echo '== tests and doctests'
	@$(PY) -m pytest -n auto --durations=15 $(PYTEST_ARGS)

# nbval leaves files open, which the other tests count as an error.
lessons: setup-test
	@echo '== lessons and solutions: every cell against its stored output'
	@$(PY) -m pytest --nbval --nbval-current-env --nbval-cell-timeout=120 -W default \
	  -n auto --dist loadfile --durations=15 notebooks $(wildcard solutions)

# A .venv that works, in this folder: an environment can neither be moved nor outlive its Python.
# The umask is the user's, but for the owner's own bits: without those no installation works.
venv:
	@set -e; umask u+rwx; \
	new_enough='import sys; sys.exit(sys.version_info < (3, 11))'; \
	version='import platform; print(platform.python_version())'; \
	why=; \
	if [ ! -e .venv ] && [ ! -L .venv ]; then why=absent; \
	elif ! $(PY) -c "import pip; $$new_enough" >/dev/null 2>&1; then \
	  why='it has no working Python 3.11 or newer with pip'; \
	elif [ -e .venv/folder ] && [ "$$(cat .venv/folder)" != $(HERE) ]; then \
	  why='it was made in another folder'; \
	elif [ -n "$(PYTHON)" ] && [ "$$($(PY) -c "$$version")" != "$$("$(PYTHON)" -c "$$version" 2>/dev/null)" ]; then \
	  why='$(PYTHON) is another Python'; \
	fi; \
	if [ -n "$$why" ]; then \
	  found=; bare=; \
	  for python in $(if $(PYTHON),"$(PYTHON)",$(PYTHONS)); do \
	    "$$python" -c "$$new_enough" >/dev/null 2>&1 || continue; \
	    if "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1; \
	    then found=$$python; break; else bare=$$python; fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    if [ -n "$$bare" ]; then \
	      echo "claimlab: $$bare cannot make environments. On Debian or Ubuntu:" \
	        'sudo apt-get install python3-venv' >&2; \
	    else \
	      echo 'claimlab: no Python 3.11 or newer here (tried: $(or $(PYTHON),$(PYTHONS))).' \
	        'Install one, or name yours: make lab PYTHON=/path/to/python3' >&2; \
	    fi; \
	    exit 1; \
	  fi; \
	  if [ "$$why" != absent ]; then echo "Set-up: making .venv anew: $$why."; rm -rf .venv; fi; \
	  echo "Set-up: making .venv with $$found, Python $$("$$found" -c "$$version")."; \
	  "$$found" -m venv .venv; \
	fi; \
	if [ ! -e .venv/folder ]; then printf '%s\n' $(HERE) > .venv/folder; fi

# $(call install,NAME,EXTRAS): .venv/set-NAME holds the two files that say what is installed. It is
# compared by content: neither a fresh checkout nor a touched file sends pip to the network.
define install
	@set -e; umask u+rwx; \
	if ! cat pyproject.toml constraints.txt | cmp -s - .venv/set-$(1); then \
	  echo 'Set-up: installing claimlab[$(2)] into .venv. This takes a minute or two, once.'; \
	  for set in .venv/set-*; do \
	    cat pyproject.toml constraints.txt | cmp -s - "$$set" || rm -f "$$set"; done; \
	  if ! $(PY) -m pip install --quiet -c constraints.txt -e '.[$(2)]'; then \
	    echo 'claimlab: the installation failed; pip says why above. Is there a network?' >&2; \
	    exit 1; \
	  fi; \
	  mkdir -p .jupyter; \
	  : 'Matplotlib looks for fonts once, and says so on standard error: not in a lesson, please.'; \
	  $(PY) -c 'import matplotlib.pyplot' >/dev/null 2>&1 || :; \
	  for name in $(1) notebooks; do cat pyproject.toml constraints.txt > .venv/set-$$name; done; \
	fi
endef

comma := ,
setup-notebooks: venv
	$(call install,notebooks,notebooks)

setup-test: venv
	$(call install,test,notebooks$(comma)test$(comma)scale)
