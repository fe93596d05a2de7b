# The commands live in dev.py, so that Windows has the same ones: py dev.py run
# PYTHON=python3.12 chooses another interpreter; ARGS="..." passes arguments on, as in: make test ARGS="tests/core -x"
ifeq ($(OS),Windows_NT)
PYTHON ?= py
else
PYTHON ?= python3
endif

COMMANDS := run test format translations bench accuracy calibrate package installer proof lock system clean

.PHONY: help $(COMMANDS)

help:
	@$(PYTHON) dev.py help

$(COMMANDS):
	@$(PYTHON) dev.py $@ $(ARGS)
