#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# from_disk.sh TEST SARTOR DIRECTORY LEAST: runs tests twice with a disk cache. The first run must store more than LEAST
# pieces of code, the second must add none, and all results must be correct.
set -euo pipefail
program=$1 sartor=$2 least=$4
export SARTOR_CACHE_DIR=$3
rm -rf "$SARTOR_CACHE_DIR"
"$program" >/dev/null
stored=$("$sartor" cache ls | wc -l)
((stored > least)) || { echo "only $stored pieces of code were stored"; exit 1; }
"$program"
again=$("$sartor" cache ls | wc -l)
rm -rf "$SARTOR_CACHE_DIR"
((again == stored)) || { echo "$((again - stored)) pieces of code were not found again"; exit 1; }
