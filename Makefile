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
OBJECTS ?= 200
SANITIZERS ?= asan tsan
JOBS ?= $(shell nproc)

BUILD := build/$(PRESET)
BENCHES := matmul guard dispatch compile stages out-of-process server device switch adapt profile fold locals bind cache lpm router nf modes lua sqlite pcap regex read send echo rust cc xdp \
  explore-noise explore-regret explore-call explore-truth latency change watch fleet ld-micro ld-apps ld-start ld-build ld-plan

# Allows ccache to use precompiled headers, and results from the same sources in another folder.
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= true

.NOTPARALLEL:
.PHONY: help deps sources configure configure-build configure-demo demo test test-differential test-kernel-random test-lua test-suites-of-others test-sanitizers test-asan test-tsan test-nightly soak fuzz test-loader test-loader-all test-loader-harm test-loader-slots test-loader-keys bench \
  install wheel docs format lint clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z%-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "PRESET=debug|asan|tsan picks another build than release; PREFIX and DESTDIR tell install where."

deps: ## install missing Debian packages
	@scripts/deps.sh

configure: deps
	cmake --preset $(PRESET)

# Configures Sartor and one study, unless the tree is configured for tests already.
configure-demo:
	@scripts/deps.sh demo
	@grep -qs study_matmul $(BUILD)/build.ninja || cmake --preset $(PRESET) -DSARTOR_BUILD_TESTS=OFF -DSARTOR_BUILD_BENCH=OFF -DSARTOR_STUDIES=matmul
configure-build:
	@scripts/deps.sh build
	@test -f $(BUILD)/build.ninja || cmake --preset $(PRESET) -DSARTOR_BUILD_TESTS=OFF -DSARTOR_BUILD_BENCH=OFF -DSARTOR_STUDIES=

demo: configure-demo ## watch a matrix server tune itself (under two minutes plus the build)
	cmake --build $(BUILD) -j $(JOBS) --target study_matmul
	$(BUILD)/bin/matmul_demo --output build/studies/matmul

# Third-party sources that tests and studies compile; if a source is unavailable, its tests are left
# out with a message.
sources: deps
	@scripts/source.sh libsodium build/sources || echo "devices of other architectures are left out"
	@for package in musl grep; do scripts/source.sh $$package build/sources || echo "studies/modes is left out"; done
	@scripts/source.sh lwip build/sources || echo "studies/send and studies/echo are left out"
	@scripts/source.sh lua5.4 build/sources || echo "studies/lua, and building Lua, are left out"
	@scripts/lua-tests.sh build/sources || echo "Lua's own tests are left out"
	@for package in libpcap tcpdump; do scripts/source.sh $$package build/sources || echo "studies/pcap is left out"; done
	@scripts/source.sh pcre2 build/sources || echo "studies/regex is left out"
	@scripts/source.sh sqlite3 build/sources || echo "studies/sqlite is left out"
	@scripts/source.sh e2fsprogs build/sources || echo "the study of read() is left out"

test: sources configure ## build everything and run all tests
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

test-differential: configure ## compare generic and specialized code, CASES=100000 SEED=1; writes differences to build/differential
	cmake --build $(BUILD) -j $(JOBS) --target sartor sartor_compiler sartor_compiler_program sartor_plugin differential_driver
	test/differential/run.py --build $(BUILD) --cases $(CASES) --seed $(SEED) --jobs $(JOBS) --output build/differential

test-kernel-random: configure ## compare variants and generic code of OBJECTS=200 random BPF objects from SEED on; as root
	cmake --build $(BUILD) -j $(JOBS) --target random_objects sartor_plugin sartor_compiler
	test/kernel/random/random_objects.py clang-22 $(BUILD)/lib/SartorPlugin.so include $(BUILD)/bin/random_objects build/random-objects $(OBJECTS) $(SEED)

test-lua: configure ## compare PROGRAMS=1000 random Lua programs from SEED on, specialized at once, with stock Lua
	cmake --build $(BUILD) -j $(JOBS) --target study_lua_programs
	test/studies/lua_random.py $(BUILD)/studies/lua $(PROGRAMS) $(SEED)

test-suites-of-others: sources configure ## run the tests of Lua and PCRE2, and random SQL, specialized at once, and compare with stock builds; takes hours
	cmake --build $(BUILD) -j $(JOBS) --target suites_of_others
	test/studies/suites/all.sh $(BUILD) build/sources

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

bench: $(BENCHES:%=bench-%) ## measure all figures; writes to build/bench/

bench-%: sources configure ## measure one: bench-matmul, bench-guard, ...
	cmake --build $(BUILD) -j $(JOBS) --target bench_$*
	$(BUILD)/bin/bench_$* build/bench

bench-ld-%: configure # runs programs that may not be installed
	@scripts/deps.sh loader
	cmake --build $(BUILD) -j $(JOBS) --target bench_ld-$*
	$(BUILD)/bin/bench_ld-$* build/bench

study-%: sources configure ## run the study of a real system with Sartor; writes tables and plots to build/studies/<name>/
	cmake --build $(BUILD) -j $(JOBS) --target study_$*
	studies/$*/run.sh $(BUILD) build/studies/$*

install: configure-build ## install the library, the compiler plugin, sartor-cc, the command, the loader and the CMake package
	cmake --build $(BUILD) -j $(JOBS) --target installed
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

wheel: configure ## build a Python wheel that installs without a compiler or LLVM, into build/wheel/
	cmake --build $(BUILD) -j $(JOBS) --target sartor sartor_plugin sartor_cli sartor_ld
	scripts/wheel.sh $(BUILD)

docs: ## build the book into build/docs/site/; dead links are errors
	scripts/docs.sh

format: deps ## format all C and C++ files
	scripts/sources.sh | xargs -0 clang-format-22 -i

lint: configure ## check layout, clang-tidy, language and file sizes; warnings are errors
	scripts/lint.sh $(BUILD)

clean: ## delete all builds
	rm -rf build
