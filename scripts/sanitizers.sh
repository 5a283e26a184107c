#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sanitizers.sh asan|tsan [JOBS]: builds and runs the tests under a sanitizer. Findings in
# third-party libraries are suppressed by test/sanitizers/<sanitizer>_suppressions.txt, and tests
# that cannot run under it are listed in test/sanitizers/<sanitizer>_excluded.txt, each with its
# reason.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?usage: scripts/sanitizers.sh asan|tsan [JOBS]}
jobs=${2:-$(nproc)}
lists=$PWD/test/sanitizers
# Undefined behaviour ends a test, as other findings do.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=suppressions=$lists/tsan_suppressions.txt
export LSAN_OPTIONS=print_suppressions=0:suppressions=$lists/lsan_suppressions.txt

# No benches: their timings would be meaningless, and tests cover their code.
cmake --preset "$preset" -DSARTOR_BUILD_BENCH=OFF
begin=$SECONDS
cmake --build "build/$preset" -j "$jobs"
# The studies with input from outside, against this build.
studies=build/studies/$preset
cmake --install "build/$preset" --prefix "$PWD/build/prefix/$preset" >"build/install-$preset.log"
scripts/studies.sh "build/$preset" "$PWD/build/prefix/$preset" "$studies" -DSARTOR_BUILD_BENCH=OFF
cmake --build "$studies" -j "$jobs"
echo "built in $((SECONDS - begin)) s"

patterns=$({ grep -v -e '^#' -e '^$' "$lists/${preset}_excluded.txt" || true; } | sed 's/ | .*//')
# A pattern that matches no test would leave its test in unnoticed.
names=$(for build in "build/$preset" "$studies"; do ctest --test-dir "$build" -N; done | sed -n 's/^ *Test *#[0-9]*: //p')
while read -r pattern; do
  [[ -z $pattern ]] || grep -qE -- "$pattern" <<<"$names" ||
    { echo "test/sanitizers/${preset}_excluded.txt: no test matches $pattern"; exit 1; }
done <<<"$patterns"
excluded=$(paste -sd'|' <<<"$patterns")
begin=$SECONDS
status=0
for build in "build/$preset" "$studies"; do
  ctest --test-dir "$build" --output-on-failure --timeout 600 -j "$jobs" ${excluded:+-E "$excluded"} || status=1
done
echo "tested in $((SECONDS - begin)) s; excluded: ${excluded:-nothing}"
exit $status
