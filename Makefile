# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Thin: each target calls CMake or a script that can be read.
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
BENCHES := matmul guard dispatch compile stages beside server device switch adapt profile fold locals bind cache lpm router nf modes lua sqlite pcap regex read send echo rust cc xdp \
  explore-noise explore-regret explore-call explore-truth latency change watch fleet ld-micro ld-apps ld-start ld-build ld-plan

# Precompiled headers may come from the cache, and what the same sources were compiled to in another folder.
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= true

.NOTPARALLEL:
.PHONY: help deps sources configure configure-build configure-demo demo test test-differential test-kernel-random test-lua test-suites-of-others test-sanitizers test-asan test-tsan test-nightly soak fuzz test-loader test-loader-all test-loader-harm test-loader-slots test-loader-keys bench \
  install wheel format lint clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z%-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "PRESET=debug|asan|tsan picks another build than release; PREFIX and DESTDIR tell install where."

deps: ## install what is missing from Debian's packages
	@scripts/deps.sh

configure: deps
	cmake --preset $(PRESET)

# What is needed to build Sartor and one study: a tree that is configured for tests stays so.
configure-demo:
	@scripts/deps.sh demo
	@grep -qs study_matmul $(BUILD)/build.ninja || cmake --preset $(PRESET) -DSARTOR_BUILD_TESTS=OFF -DSARTOR_BUILD_BENCH=OFF -DSARTOR_STUDIES=matmul
configure-build:
	@scripts/deps.sh build
	@test -f $(BUILD)/build.ninja || cmake --preset $(PRESET) -DSARTOR_BUILD_TESTS=OFF -DSARTOR_BUILD_BENCH=OFF -DSARTOR_STUDIES=

demo: configure-demo ## watch a matrix server tune itself (under two minutes, build not counted)
	cmake --build $(BUILD) -j $(JOBS) --target study_matmul
	$(BUILD)/bin/matmul_demo --output build/studies/matmul

# What tests and studies compile of the sources of others; what needs one that cannot be had is left out, and says so.
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

test-differential: configure ## plain code against specialized code, CASES=100000 SEED=1; what differs is in build/differential
	cmake --build $(BUILD) -j $(JOBS) --target sartor sartor_compiler sartor_compiler_program sartor_plugin differential_driver
	test/differential/run.py --build $(BUILD) --cases $(CASES) --seed $(SEED) --jobs $(JOBS) --output build/differential

test-kernel-random: configure ## OBJECTS=200 random BPF objects from SEED on, variants against generic code; as root
	cmake --build $(BUILD) -j $(JOBS) --target random_objects sartor_plugin sartor_compiler
	test/kernel/random/random_objects.py clang-22 $(BUILD)/lib/SartorPlugin.so include $(BUILD)/bin/random_objects build/random-objects $(OBJECTS) $(SEED)

test-lua: configure ## PROGRAMS=1000 random Lua programs from SEED on, specialized at once, against stock Lua
	cmake --build $(BUILD) -j $(JOBS) --target study_lua_programs
	test/studies/lua_random.py $(BUILD)/studies/lua $(PROGRAMS) $(SEED)

test-suites-of-others: sources configure ## the tests of Lua and PCRE2, and random SQL, with all specialized at once, against stock builds; hours
	cmake --build $(BUILD) -j $(JOBS) --target suites_of_others
	test/studies/suites/all.sh $(BUILD) build/sources

test-sanitizers: $(SANITIZERS:%=test-%) ## the tests under the address, undefined-behaviour and thread sanitizers

test-asan test-tsan: test-%: sources
	scripts/sanitizers.sh $* $(JOBS)

test-nightly: sources ## all tests under the thread sanitizer, NIGHTLY_MINUTES=90 at most, and the tests of Lua, PCRE2 and SQL
	status=0; scripts/nightly.sh $(NIGHTLY_MINUTES) $(JOBS) || status=1; $(MAKE) test-suites-of-others || status=1; exit $$status

soak: configure ## everything at once for MINUTES=10, as a daemon without privileges whose threads are cancelled: all stays flat and right
	cmake --build $(BUILD) -j $(JOBS) --target soak
	$(BUILD)/bin/soak $$(($(MINUTES) * 60))

fuzz: deps ## look for input that does harm, FUZZ_SECONDS=60 for each fuzzer
	cmake --preset release
	cmake --build build/release -j $(JOBS) --target record_conversations
	ctest --test-dir build/release -R conversations_are_recorded --output-on-failure
	cmake --preset fuzz
	cmake --build build/fuzz -j $(JOBS) --target fuzzers
	scripts/fuzz.sh build/fuzz $(FUZZ_SECONDS)

test-loader: configure ## what runs with the loader: tries it and writes docs/loader/compatibility.md
	@scripts/deps.sh loader
	cmake --build $(BUILD) -j $(JOBS) --target sartor_ld loader_probes
	test/loader/matrix.py --ld $(BUILD)/bin/sartor-ld --output docs/loader/compatibility.md

test-loader-harm: configure ## what does the loader harm, at length: damage, races, kills and refusals at each system call, job control
	@scripts/deps.sh loader
	cmake --build $(BUILD) -j $(JOBS) --target sartor_ld sartor_cli loader_probes
	test/loader/harm.sh $(BUILD)

test-loader-all: test-loader-harm ## every program in the path with the loader, and jobs; SAMPLE=100 for fewer; writes docs/loader/programs.md
	@scripts/deps.sh loader-all
	cmake --build $(BUILD) -j $(JOBS) --target sartor_ld sartor_cli loader_probes
	test/loader/all/run.py --ld $(BUILD)/bin/sartor-ld --jobs $(JOBS) $(if $(SAMPLE),--sample $(SAMPLE),--output docs/loader/programs.md)

test-loader-slots: configure ## all that the stock loader writes at the start of each program in /usr/bin: the same when planned
	cmake --build $(BUILD) -j $(JOBS) --target sartor_ld loader_probes
	test/loader/slots.py --ld $(BUILD)/bin/sartor-ld --probes $(BUILD)/loader_probes /usr/bin

test-loader-keys: configure ## domains of the pass `isolate` on an emulated CPU with protection keys
	@scripts/deps.sh keys
	cmake --build $(BUILD) -j $(JOBS) --target sartor_ld loader_probes
	test/loader/keys.sh $(BUILD)/bin/sartor-ld $(BUILD)/loader_probes

bench: $(BENCHES:%=bench-%) ## measure all figures, into build/bench/

bench-%: sources configure ## measure one: bench-matmul, bench-guard, ...
	cmake --build $(BUILD) -j $(JOBS) --target bench_$*
	$(BUILD)/bin/bench_$* build/bench

bench-ld-%: configure # runs programs that others need not have
	@scripts/deps.sh loader
	cmake --build $(BUILD) -j $(JOBS) --target bench_ld-$*
	$(BUILD)/bin/bench_ld-$* build/bench

study-%: sources configure ## a real system with Sartor in it: tables and plots into build/studies/<name>/
	cmake --build $(BUILD) -j $(JOBS) --target study_$*
	studies/$*/run.sh $(BUILD) build/studies/$*

install: configure-build ## the library, the compiler plugin, sartor-cc, the command, the loader and the CMake package
	cmake --build $(BUILD) -j $(JOBS) --target installed
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

wheel: configure ## a wheel of the Python package that installs where there is no compiler and no LLVM, into build/wheel/
	cmake --build $(BUILD) -j $(JOBS) --target sartor sartor_plugin sartor_cli sartor_ld
	scripts/wheel.sh $(BUILD)

format: deps ## lay out all C and C++ files
	scripts/sources.sh | xargs -0 clang-format-22 -i

lint: configure ## layout, clang-tidy and sizes of files; warnings are errors
	scripts/lint.sh $(BUILD)

clean: ## forget all builds
	rm -rf build
