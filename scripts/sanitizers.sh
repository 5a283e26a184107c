#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sanitizers.sh asan|tsan [JOBS]: builds and runs the tests under a sanitizer. What it says of libraries
# that are not ours is in test/sanitizers/<sanitizer>_suppressions.txt, tests that cannot run under it are in
# test/sanitizers/<sanitizer>_excluded.txt, each with its reason.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?usage: scripts/sanitizers.sh asan|tsan [JOBS]}
jobs=${2:-$(nproc)}
lists=$PWD/test/sanitizers
# What is undefined ends a test, as what the others find does.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=suppressions=$lists/tsan_suppressions.txt
export LSAN_OPTIONS=print_suppressions=0:suppressions=$lists/lsan_suppressions.txt

# Figures are not looked at: they are timed, and their code is the tests' too.
cmake --preset "$preset" -DSARTOR_BUILD_BENCH=OFF
begin=$SECONDS
cmake --build "build/$preset" -j "$jobs"
echo "built in $((SECONDS - begin)) s"

excluded=$({ grep -v -e '^#' -e '^$' "$lists/${preset}_excluded.txt" || true; } | sed 's/ | .*//' | paste -sd'|')
begin=$SECONDS
ctest --test-dir "build/$preset" --output-on-failure --timeout 600 -j "$jobs" ${excluded:+-E "$excluded"}
echo "tested in $((SECONDS - begin)) s; excluded: ${excluded:-nothing}"
