# The commands of this project. `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN := .venv/bin
UV := .make/uv/bin/uv
SHELL_SCRIPTS := tools/*.sh .ci/run $(shell find src/trainyard/bootstrap src/trainyard/platforms/batch/rendering src/trainyard/render/bench src/trainyard/bench src/trainyard/edge src/trainyard/lab src/trainyard/training -name "*.sh" -o -name "*.sbatch")
STUBS := $(filter-out %.pyz,$(wildcard tests/bootstrap/steps/programs/*))
# Most tests wait, so more of them run than there are cores. A file stays together, as its tests share what they start;
# tests/conftest.py says which files begin. Without bytecode every worker and every process of a test compiles all anew.
PYTEST := PYTHONDONTWRITEBYTECODE= pytest --quiet --numprocesses=6 --dist=loadfile --no-loadscope-reorder
# What users install, in place of the source tree.
WITH_WHEEL := cd tests && PATH="$(CURDIR)/.make/wheel/bin:$$PATH" TRAINYARD_INSTALLED=wheel
PROGRAMS := .make/wheel .make/chromium .make/debian-root .make/slurm .make/prometheus .make/compiler .make/xfs .make/torch .make/checkov .make/cfn-guard .make/parallelcluster-node

export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help
help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

.make/environment: tools/environment.sh tools/uv-requirements.txt pyproject.toml uv.lock
	@tools/environment.sh
	@mkdir -p .make && touch $@

.PHONY: demo
demo: .make/environment ## a whole cluster, deployed and destroyed in an emulated AWS account
	@tools/demo.sh

.PHONY: lint lint-types lint-rest
lint: .make/environment ## format, lint, types, layers and shell
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint-types lint-rest

lint-types:
	mypy
	mypy --python-version 3.10 src/trainyard_node

lint-rest:
	ruff format --check
	ruff check
	lint-imports
	shellcheck --external-sources --source-path=SCRIPTDIR $(SHELL_SCRIPTS) $(STUBS)
	shfmt --diff --indent 2 $(SHELL_SCRIPTS) $(STUBS)
	vermin --quiet --target=3.9- --no-tips --violations src/trainyard_node src/trainyard/bench/programs src/trainyard/training/programs

.PHONY: check
check: lint ## lint, and unit tests of the source tree
	$(PYTEST) -m "not integration and not exhaustive"

.PHONY: test
test: lint $(PROGRAMS) ## lint, and all tests but the exhaustive ones, with the installed wheel and real programs
	$(WITH_WHEEL) $(PYTEST) -m "not exhaustive"

.PHONY: test-exhaustive
test-exhaustive: test ## every combination and every kill point
	$(WITH_WHEEL) HYPOTHESIS_PROFILE=exhaustive $(PYTEST) -m "exhaustive or not integration"

.PHONY: test-slice
test-slice: $(PROGRAMS) ## one of twelve parts of what the exhaustive tests add: make test-slice SLICE=4
	$(WITH_WHEEL) HYPOTHESIS_PROFILE=exhaustive $(PYTEST) --slice=$(SLICE)/12

# The browser of the tests. Where it is there already, this takes no time.
.PHONY: .make/chromium
.make/chromium:
	@tools/chromium.sh

# A clean Debian 12 for nodes of the tests. Where it is there already, this takes no time.
.PHONY: .make/debian-root
.make/debian-root:
	@tools/debian_root.sh

# The Slurm of the tests. Where it is there already, this takes no time.
.PHONY: .make/slurm
.make/slurm:
	@tools/slurm.sh

# The C compiler of the tests. Where it is there already, this takes no time.
.PHONY: .make/compiler
.make/compiler:
	@tools/compiler.sh

# What makes the XFS of the tests. Where it is there already, this takes no time.
.PHONY: .make/xfs
.make/xfs:
	@tools/xfs.sh

# The torch of the tests, for CPUs. Where it is there already, this takes no time.
.PHONY: .make/torch
.make/torch:
	@tools/torch.sh

# checkov, an outside judge. Where it is there already, this takes no time.
.PHONY: .make/checkov
.make/checkov: .make/environment
	@tools/checkov.sh

# cfn-guard, another one. Where it is there already, this takes no time.
.PHONY: .make/cfn-guard
.make/cfn-guard:
	@tools/cfn_guard.sh

# clustermgtd, which watches over a real Slurm of the tests. Where it is there already, this takes no time.
.PHONY: .make/parallelcluster-node
.make/parallelcluster-node: .make/environment
	@tools/parallelcluster_node.sh

# The Prometheus of the tests. Where it is there already, this takes no time.
.PHONY: .make/prometheus
.make/prometheus:
	@tools/prometheus.sh

# An environment in which trainyard is the built wheel, not the source tree.
.PHONY: .make/wheel
.make/wheel: .make/environment
	UV_PROJECT_ENVIRONMENT=.make/wheel $(UV) sync --frozen --quiet --all-extras --no-extra bench --compile-bytecode --no-editable --reinstall-package trainyard

.PHONY: format
format: .make/environment ## format the code
	ruff format
	ruff check --fix
	shfmt --write --indent 2 $(SHELL_SCRIPTS) $(STUBS)

.PHONY: generate docs
generate docs: .make/environment ## make what is generated: compiled validators and reference pages
	python tools/generate.py

.PHONY: lock-pcluster
lock-pcluster: .make/environment ## lock what an environment of ParallelCluster holds: make lock-pcluster VERSION=3.16.1
	python tools/lock_pcluster.py $(VERSION)

.PHONY: add-pcluster
add-pcluster: .make/environment ## add a version of ParallelCluster, and leave a diff to review: make add-pcluster VERSION=3.16.3
	python tools/add_parallelcluster.py $(VERSION)

.PHONY: facts
facts: .make/environment ## ask the package registries what has changed upstream, and leave a diff to review
	python tools/refresh_facts.py
	python tools/generate.py

.PHONY: prices
prices: .make/environment ## renew list prices from price lists in a folder, make prices FROM=folder, and leave a diff to review
	python tools/list_prices.py $(FROM)
	python tools/generate.py

.PHONY: benchmark
benchmark: .make/environment ## measure speed and memory against the references
	python benchmarks/command_line.py
	python benchmarks/rehearsal.py
	python benchmarks/rehearsal_by_package.py
	python benchmarks/platforms.py
	python benchmarks/efa_collector.py
	python benchmarks/slurm_collector.py
	python benchmarks/dashboards.py
	python benchmarks/bench_parsing.py
	python benchmarks/bench_report.py

.PHONY: clean
clean: ## remove everything that make made
	rm -rf .venv .make build dist
