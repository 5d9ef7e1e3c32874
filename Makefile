# SPDX-License-Identifier: Apache-2.0
# Two commands are enough: `make demo` and `make test`. Both set up what they need first.

SHELL := /bin/bash
PYTHON ?=
SETUP := $(or $(PYTHON),python3) -m tools.environment --python "$(PYTHON)"
ENTER := . .venv/venus.sh &&

.PHONY: help demo test check build scenes bench eval talk doctor clean
.DEFAULT_GOAL := help

help:  ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | column -t -s '	'

demo:  ## Set up, then hold one live conversation with the simulated robot
	@$(SETUP) demo
	@$(ENTER) venus demo

test: check  ## Set up, check, then run the tests of every level
	@$(ENTER) python -m pytest -q

check:  ## Format, lint, types, import rules
	@$(SETUP) test
	@$(ENTER) ruff format --check . && ruff check . && mypy && \
	  python -m pytest -q test/contract/test_imports.py

build:  ## Build both packages with colcon, as in a ROS workspace
	@$(SETUP) test
	@$(ENTER) colcon build

scenes:  ## Play every scene in counted time
	@$(SETUP) demo
	@$(ENTER) venus play --report out/scenes

bench:  ## Measure live conversations against the budgets, on a quiet machine
	@$(SETUP) test
	@$(ENTER) venus bench --report out/bench

eval:  ## Measure full duplex on spoken overlaps, in counted time
	@$(SETUP) test
	@$(ENTER) venus eval --report out/eval

talk:  ## The same with this machine's microphone and loudspeaker
	@$(SETUP) talk
	@$(ENTER) venus talk

doctor:  ## Say what is here, what is missing, and what follows
	@$(SETUP) demo
	@$(ENTER) venus doctor

clean:  ## Remove everything that was set up or built
	rm -rf .venv build install log out .setup.log .setup.lock
