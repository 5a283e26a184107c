# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A thin layer: each target calls CMake or a readable script.
PRESET ?= release
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
CASES ?= 100000
SEED ?= 1
MINUTES ?= 10
NIGHTLY_MINUTES ?= 90
PROGRAMS ?= 1000
HANDLERS ?= 50
OBJECTS ?= 200
SANITIZERS ?= asan tsan
JOBS ?= $(shell nproc)
# A third of the time, tests wait.
TESTS_AT_A_TIME := $(shell expr $(JOBS) + $$(( ($(JOBS) + 1) / 2 )))

# Another version of LLVM has build trees of its own.
export SARTOR_LLVM ?= 22
ifneq ($(SARTOR_LLVM),22)
  OF_LLVM := -llvm$(SARTOR_LLVM)
  LLVM_OPTIONS := -DSARTOR_LLVM_VERSION=$(SARTOR_LLVM) -DCMAKE_C_COMPILER=clang-$(SARTOR_LLVM) -DCMAKE_CXX_COMPILER=clang++-$(SARTOR_LLVM)
endif
BUILD := build/$(PRESET)$(OF_LLVM)
PREFIX_OF_STUDIES := $(CURDIR)/build/prefix/$(PRESET)$(OF_LLVM)
STUDIES := build/studies/$(PRESET)$(OF_LLVM)
BENCHES := matmul guard dispatch compile observe verify out-of-process server switch adapt profile fold locals bind programs cc \
  explore-noise explore-regret explore-call explore-truth latency change watch ld-micro ld-apps ld-start ld-build ld-plan ld-trace
BENCHES_OF_STUDIES := auto device echo fleet linux lpm lua modes nf pcap postgres quickjs read regex router rust send sqlite stages xdp

# Allows ccache to use precompiled headers, and results from the same sources in another folder.
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= true

.NOTPARALLEL:
.PHONY: help deps sources study-sources configure configure-build configure-demo studies linux-kernel web-packages demo test test-studies test-differential test-kernel-random test-lua test-mutants test-suites-of-others test-sanitizers test-asan test-tsan test-nightly soak fuzz test-loader test-loader-all test-loader-harm test-loader-slots test-loader-keys bench \
  install wheel packages packages-twice docs format lint clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z%-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "PRESET=debug|asan|tsan picks another build than release; PREFIX and DESTDIR tell install where. SARTOR_LLVM=19 to 23 picks the version of LLVM and clang (default: 22)."

deps: ## install missing Debian packages
	@scripts/deps.sh

configure: deps
	cmake --preset $(PRESET) -B $(BUILD) $(LLVM_OPTIONS)

# These configure less than the tests need, unless the tree is configured for tests already.
configure-demo configure-build: configure-%:
	@scripts/deps.sh $*
	@grep -qs '$(if $(filter demo,$*),matmul_server,install)' $(BUILD)/build.ninja || \
	  cmake --preset $(PRESET) -B $(BUILD) $(LLVM_OPTIONS) -DSARTOR_BUILD_TESTS=OFF -DSARTOR_BUILD_BENCH=OFF -DSARTOR_BUILD_EXAMPLES=$(if $(filter demo,$*),ON,OFF)

demo: configure-demo ## watch a matrix server tune itself (under two minutes plus the build)
	cmake --build $(BUILD) -j $(JOBS) --target demo
	$(BUILD)/bin/matmul_demo --output build/demo

# Debian's sources that tests and studies compile; if one is unavailable, what needs it is left out
# with a message.
sources: deps
	@scripts/source.sh libsodium build/sources || echo "devices of other architectures are left out"

study-sources: sources
	@scripts/deps.sh studies
	@for package in musl grep lwip lua5.4 libpcap tcpdump pcre2 sqlite3 e2fsprogs postgresql-15 libzstd lodepng; do \
	  scripts/source.sh $$package build/sources || echo "studies that compile $$package are left out"; done
	@scripts/lua-tests.sh build/sources || echo "Lua's own tests are left out"
	@scripts/quickjs.sh build/sources || echo "studies/quickjs is left out"

test: sources configure ## build everything and run all tests
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure --timeout 600 -j $(TESTS_AT_A_TIME)

# Installs Sartor into a folder of the build and configures the studies with it, as any program would.
studies: study-sources configure
	cmake --build $(BUILD) -j $(JOBS) --target installed
	cmake --install $(BUILD) --prefix $(PREFIX_OF_STUDIES) >build/install-for-studies.log
	scripts/studies.sh $(BUILD) $(PREFIX_OF_STUDIES) $(STUDIES)

test-studies: studies ## build the studies of real systems against an installed Sartor, and run their tests
	cmake --build $(STUDIES) -j $(JOBS)
	ctest --test-dir $(STUDIES) --output-on-failure --timeout 600 -j $(TESTS_AT_A_TIME)

test-differential: configure ## compare generic and specialized code, CASES=100000 SEED=1; COMPARE=1 lets the runtime compare all calls, too; writes differences to build/differential
	cmake --build $(BUILD) -j $(JOBS) --target sartor sartor_compiler sartor_compiler_program sartor_plugin differential_driver
	test/differential/run.py --build $(BUILD) --cases $(CASES) --seed $(SEED) --jobs $(JOBS) $(if $(COMPARE),--compare) --output build/differential

test-kernel-random: configure ## compare variants and generic code of OBJECTS=200 random BPF objects from SEED on; as root
	cmake --build $(BUILD) -j $(JOBS) --target random_objects sartor_plugin sartor_compiler
	test/kernel/random/random_objects.py clang-$(SARTOR_LLVM) $(BUILD)/lib/SartorPlugin.so include $(BUILD)/bin/random_objects build/random-objects $(OBJECTS) $(SEED)

test-mutants: configure ## have each kind of miscompilation detected in HANDLERS=50 random handlers, and print a table
	cmake --build $(BUILD) -j $(JOBS) --target sartor sartor_compiler sartor_compiler_mutants mutants_table
	$(BUILD)/bin/mutants_table $(HANDLERS)

test-lua: studies ## compare PROGRAMS=1000 random Lua programs from SEED on, specialized at once, with stock Lua
	cmake --build $(STUDIES) -j $(JOBS) --target study_lua_programs
	studies/lua/test/lua_random.py $(STUDIES)/lua $(PROGRAMS) $(SEED)

test-suites-of-others: studies ## run the tests of Lua, PCRE2 and QuickJS, and random SQL, specialized at once, and compare with stock builds; takes hours
	cmake --build $(STUDIES) -j $(JOBS) --target suites_of_others
	studies/suites/all.sh $(STUDIES) build/sources

test-sanitizers: $(SANITIZERS:%=test-%) ## run the tests under the address, undefined-behaviour and thread sanitizers

test-asan test-tsan: test-%: sources
	scripts/sanitizers.sh $* $(JOBS)

test-nightly: sources ## run all tests under the thread sanitizer, NIGHTLY_MINUTES=90 at most, and the tests of Lua, PCRE2 and SQL
	status=0; scripts/nightly.sh $(NIGHTLY_MINUTES) $(JOBS) || status=1; $(MAKE) test-suites-of-others || status=1; exit $$status

soak: configure ## run everything at once for MINUTES=10 in an unprivileged daemon whose threads are cancelled; checks results and resource use
	cmake --build $(BUILD) -j $(JOBS) --target soak
	$(BUILD)/bin/soak $$(($(MINUTES) * 60))

fuzz: deps ## run the fuzzers, FUZZ_SECONDS=60 each
	cmake --preset release
	cmake --build build/release -j $(JOBS) --target record_conversations
	ctest --test-dir build/release -R conversations_are_recorded --output-on-failure
	cmake --preset fuzz
	cmake --build build/fuzz -j $(JOBS) --target fuzzers
	scripts/fuzz.sh build/fuzz $(FUZZ_SECONDS)

test-loader: configure ## run a selection of programs with the loader; writes docs/loader/compatibility.md
	@scripts/deps.sh loader
	cmake --build $(BUILD) -j $(JOBS) --target sartor_ld loader_probes
	test/loader/matrix.py --ld $(BUILD)/bin/sartor-ld --output docs/loader/compatibility.md

test-loader-harm: configure ## stress the loader: damaged files, races, kills and failures at each system call, job control
	@scripts/deps.sh loader
	cmake --build $(BUILD) -j $(JOBS) --target sartor_ld sartor_cli loader_probes
	test/loader/harm.sh $(BUILD)

test-loader-all: test-loader-harm ## run every program in PATH with the loader, and jobs; SAMPLE=100 for fewer; writes docs/loader/programs.md
	@scripts/deps.sh loader-all
	cmake --build $(BUILD) -j $(JOBS) --target sartor_ld sartor_cli loader_probes
	test/loader/all/run.py --ld $(BUILD)/bin/sartor-ld --jobs $(JOBS) $(if $(SAMPLE),--sample $(SAMPLE),--output docs/loader/programs.md)

test-loader-slots: configure ## check that what the stock loader writes at the start of each program in /usr/bin is the same when planned
	cmake --build $(BUILD) -j $(JOBS) --target sartor_ld loader_probes
	test/loader/slots.py --ld $(BUILD)/bin/sartor-ld --probes $(BUILD)/loader_probes /usr/bin

test-loader-keys: configure ## test the domains of the pass `isolate` on an emulated CPU with protection keys
	@scripts/deps.sh keys
	cmake --build $(BUILD) -j $(JOBS) --target sartor_ld loader_probes
	test/loader/keys.sh $(BUILD)/bin/sartor-ld $(BUILD)/loader_probes

bench: $(BENCHES:%=bench-%) $(BENCHES_OF_STUDIES:%=bench-%) bench-ld-web ## measure all figures; writes to build/bench/

bench-%: configure ## measure one: bench-matmul, bench-guard, ...
	cmake --build $(BUILD) -j $(JOBS) --target bench_$*
	$(BUILD)/bin/bench_$* build/bench

bench-observe: configure # with the page, where there is a browser
	cmake --build $(BUILD) -j $(JOBS) --target bench_observe sartor_cli
	$(BUILD)/bin/bench_observe build/bench
	bench/observe_page.sh $(BUILD) build/bench || test $$? = 77

$(BENCHES_OF_STUDIES:%=bench-%): bench-%: studies
	cmake --build $(STUDIES) -j $(JOBS) --target bench_$*
	$(STUDIES)/bin/bench_$* build/bench

bench-ld-web: studies web-packages # as root, who may make network namespaces
	cmake --build $(STUDIES) -j $(JOBS) --target bench_ld-web
	$(STUDIES)/bin/bench_ld-web build/bench || test $$? = 77

study-web: web-packages
web-packages:
	@scripts/deps.sh web

# The size of the tables: 1500000 make a gigabyte.
bench-postgres study-postgres: export STUDY_POSTGRES_ORDERS = $(ORDERS)

# Where the kernel has not been built, it is built first, which takes minutes.
bench-linux study-linux: linux-kernel
linux-kernel: studies
	@scripts/deps.sh linux
	cmake $(STUDIES) >/dev/null
	cmake --build $(STUDIES) --target linux_kernel

bench-false-alarms: studies ## run the tests of the studies for MINUTES=10 with every call compared, and count the differences
	cmake --build $(STUDIES) -j $(JOBS)
	scripts/false_alarms.sh $(STUDIES) $(MINUTES) build/bench

bench-ld-%: configure # runs programs that may not be installed
	@scripts/deps.sh loader
	cmake --build $(BUILD) -j $(JOBS) --target bench_ld-$*
	$(BUILD)/bin/bench_ld-$* build/bench

study-%: studies ## run the study of a real system with Sartor; writes tables and plots to build/study/<name>/
	cmake --build $(STUDIES) -j $(JOBS) --target study_$*
	studies/$*/run.sh $(STUDIES) build/study/$*

install: configure-build ## install the library, the compiler plugin, sartor-cc, the command, the loader and the CMake package
	cmake --build $(BUILD) -j $(JOBS) --target installed
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

wheel: configure ## build a wheel that installs without a compiler or LLVM, into build/wheel/; PYTHON=python3.12 or newer builds one for all versions from 3.12 on
	cmake --build $(BUILD) -j $(JOBS) --target installed
	scripts/wheel.sh $(BUILD) $(PYTHON)

packages: ## build Debian packages and the source tarball of the current commit into build/packages/
	@scripts/deps.sh packages
	scripts/packages.sh

packages-twice: ## build the packages in two directories, and compare them byte for byte (an hour)
	@scripts/deps.sh packages
	scripts/reproducible.sh

docs: ## build the book into build/docs/site/; dead links are errors
	scripts/docs.sh

format: deps ## format all C and C++ files
	scripts/sources.sh | xargs -0 clang-format-22 -i

lint: configure ## check layout, clang-tidy, language and file sizes; warnings are errors
	scripts/lint.sh $(BUILD) $(STUDIES)

clean: ## delete all builds
	rm -rf build
