#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# from_shared.sh TEST SARTOR STORES: runs the differential tests twice with a shared cache. The second run must add no
# code, and all results must be correct.
set -euo pipefail
program=$1 sartor=$2 stores=$3
directory=$(mktemp -d /tmp/sartor-shared-XXXXXX)
trap '"$stores" stop "$directory"; rm -rf "$directory"' EXIT
SARTOR_SHARED_CACHE=$("$stores" start redis "$directory" $$)
export SARTOR_SHARED_CACHE SARTOR_SHARED_CACHE_KEY=$directory/key
(umask 077 && head -c 32 /dev/urandom >"$SARTOR_SHARED_CACHE_KEY")
count() { "$sartor" cache shared | cut -d ' ' -f 1; }

"$program" >/dev/null
stored=$(count)
((stored > 50)) || { echo "only $stored pieces of code were stored"; exit 1; }
"$program"
again=$(count)
((again == stored)) || { echo "$((again - stored)) pieces of code were not found again"; exit 1; }
