#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# without_redis.sh STAGE PROGRAM WORK: without libsartor-redis.so, programs run, and what needs a shared cache says what
# is missing. PROGRAM is the built example hello, which is linked with the package in STAGE.
set -euo pipefail
stage=$1 program=$2 work=$3
for file in lib/libsartor.so bin/sartor bin/sartor-server; do
  if readelf -d "$stage/$file" | grep -F hiredis; then
    echo "$file depends on hiredis"
    exit 1
  fi
done
rm -rf "$work"
cp -a "$stage" "$work"
rm "$work"/lib/libsartor-redis.so*
head -c 32 /dev/urandom >"$work/key"
chmod 600 "$work/key"
if "$work/bin/sartor" cache shared redis://127.0.0.1:1/0 >"$work/out" 2>&1; then
  echo "sartor cache shared succeeds without the library"
  exit 1
fi
grep -q 'store_unreachable: .*libsartor-redis.so.0.*install' "$work/out" || { cat "$work/out"; exit 1; }
output=$(LD_LIBRARY_PATH=$work/lib SARTOR_EVENT_LOG=$work/events SARTOR_SHARED_CACHE=redis://127.0.0.1:1/0 \
  SARTOR_SHARED_CACHE_KEY=$work/key "$program")
grep -q 'specialized: 4321' <<<"$output" || { echo "$output"; exit 1; }
grep -q 'shared_cache_lost.*libsartor-redis.so.0' "$work/events" || { cat "$work/events"; exit 1; }
