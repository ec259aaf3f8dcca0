# SPDX-License-Identifier: BSD-3-Clause
# Thin: CMake builds (CMakePresets.json), scripts/ do the rest.
#
#   make            build/featcross, build/libfeatcross.so, build/libfeatcross.a
#   make demo       installs what is missing, builds, shows what it can do
#   make test       installs what is missing, builds, runs everything; .ci/run calls it
#   make test-engines   the Python package on Ray and Spark, which it installs (600 MB); minutes
#   make bench      side by side with other software; RESULTS=bench/results/X.tsv keeps the figures
#   make install PREFIX=/usr/local
#   make wheel      the Python package in build/dist, with all that it needs, and its sources
#   make wheels     in build/wheels: for x86-64 and aarch64, for Linux from 2014 on
#   make wheels-test    installs these in a bare, old Debian and tries them there; minutes, root
#   make fuzz       each target for FUZZ_SECONDS
#   make format     clang-format, keeping the columns of trailing comments
#   make tidy       clang-tidy
#   make clean

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
python = build/venv/bin/python

# Read by CMake when a build directory is first made; an existing one keeps its generator.
ifneq ($(shell command -v ninja 2>/dev/null),)
export CMAKE_GENERATOR ?= Ninja
endif
# What was compiled once is not compiled again, in whatever folder.
ifneq ($(shell command -v ccache 2>/dev/null),)
export CMAKE_C_COMPILER_LAUNCHER ?= ccache
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1
endif
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc)
export CTEST_PARALLEL_LEVEL ?= $(shell nproc)
export CTEST_OUTPUT_ON_FAILURE = 1

.PHONY: all demo test venv bench install wheel wheels wheels-test fuzz format tidy clean \
        test-release test-dev test-tsan test-clang test-targets test-engines

all:
	@scripts/install-deps --check build
	@cmake --preset release -Wno-dev > /dev/null
	@cmake --build build

demo:
	scripts/install-deps build demo
	$(MAKE) all
	scripts/demo

# Each stage prints its runner's summary and stops the rest if it fails.
test:
	scripts/install-deps build demo mpi test
	$(MAKE) -j2 all venv    # pip waits for the network while the compiler works
	scripts/wheel
	$(MAKE) test-release
	$(MAKE) test-targets
	$(MAKE) test-dev
	$(MAKE) test-tsan
	$(MAKE) test-clang
	@echo "make test: all stages passed"

venv:
	scripts/venv numpy scipy pytest safetensors scikit-learn pandas mypy polars duckdb pyarrow dask distributed

test-release: all
	ctest --test-dir build
	@grep -hE '[0-9]+ passed' build/Testing/Temporary/LastTest.log          # pytest's own summary

hot = '^(kernel|simd|linalg|project|map|fit)\.'     # the means over seeds do not depend on it
test-targets: all                       # every instruction set, forced; unknown ones fall back
	FX_TARGET=scalar ctest --test-dir build -R $(hot) -E moments
	FX_TARGET=avx2 ctest --test-dir build -R $(hot) -E moments

test-dev:                               # ASan, UBSan, LeakSanitizer, warnings are errors
	cmake --preset dev > /dev/null
	cmake --build build/dev
	FX_TEST_MULT=0.3 ctest --test-dir build/dev -E '^docs.commands|^example.*sh|moments|^cli.timed'  # ran above
	@grep -hE '[0-9]+ passed' build/dev/Testing/Temporary/LastTest.log

# Left out under ThreadSanitizer: what is long and has its threads from what others test (fit.smo
# from kernel.rows, maps and fit.dual from map.apply, train.passes from fit.pass, fit.l1_passes from
# fit.proximal, kind.linear and file.bytes from the solvers), and what never starts one: there is no
# race.
maps = map.(moments|variance|random_kernel|maclaurin|tensor_sketch)
covered = train.(path|passes|weight)|kind.(robust|linear)|file.bytes|$(maps)|linalg.eigen|fit.(smo|dual|l1_passes)
sequential = project.hadamard|base.json
test-tsan:                              # the unit tests under ThreadSanitizer, fewer random cases
	cmake --preset tsan > /dev/null
	cmake --build build/tsan
	FX_TEST_MULT=0.1 ctest --test-dir build/tsan -LE whole \
	    -E '^($(covered)|$(sequential))'

test-clang:                             # the other compiler, its UBSan, warnings are errors
	cmake --preset clang > /dev/null
	cmake --build build/clang
	FX_TEST_MULT=0.3 ctest --test-dir build/clang -LE whole

test-engines: all
	scripts/install-deps engines
	FX_VENV=build/venv-engines scripts/venv numpy scipy pytest scikit-learn pandas pyarrow ray pyspark
	FX_TEST_ENGINES=1 FEATCROSS_LIBRARY=$(CURDIR)/build/libfeatcross.so PYTHONPATH=$(CURDIR)/python \
	    build/venv-engines/bin/python -m pytest -q -p no:cacheprovider $(wildcard python/tests/test_engines_*.py)

bench:
	scripts/install-deps build demo mpi test bench
	scripts/venv numpy scipy scikit-learn
	$(MAKE) all
	set -e; for b in $$(grep -l __main__ bench/*.py); do \
	    $(python) $$b build $(RESULTS); done

install: all
	cmake --install build --prefix $(PREFIX)

wheel:
	scripts/install-deps build wheel
	scripts/wheel

wheels:
	scripts/install-deps build wheel
	scripts/wheels

wheels-test: wheels
	scripts/install-deps wheels-test
	scripts/wheels-test

fuzz:                                   # first the proof that a planted overflow is found
	scripts/install-deps build fuzz
	scripts/fuzz planted
	set -e; for t in $$(ls fuzz/corpus); do scripts/fuzz $$t $(FUZZ_SECONDS); done

format:
	scripts/install-deps dev
	scripts/format

tidy: all
	scripts/install-deps dev
	scripts/tidy build

clean:
	rm -rf build
