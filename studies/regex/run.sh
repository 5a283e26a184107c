#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh BUILD OUTPUT: measures the study's table and draws its plot into OUTPUT; then runs PCRE2's
# own tests with specialized patterns, one of every CASES (20). See README.md.
set -euo pipefail
build=${1:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
output=${2:?usage: run.sh BUILD_DIRECTORY OUTPUT_DIRECTORY}
here=$(dirname "$0")

"$here/../support/run.sh" regex ratios "$build" "$output"
"$here/tests.sh" "$build/regex" "$here/../../build/sources/pcre2/testdata" "${CASES:-20}" 1 2 4 5 9 10 15
