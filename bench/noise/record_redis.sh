#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# record_redis.sh MODULE NAME SECONDS WATCHED_SECONDS: runs Redis with the recording module
# (record_redis.cpp) under redis-benchmark; writes NAME.variants and NAME.watched.
set -euo pipefail
[ $# = 4 ] || { echo "usage: record_redis.sh MODULE NAME SECONDS WATCHED_SECONDS" >&2; exit 2; }
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
redis-server --port 0 --unixsocket "$work/socket" --dir "$work" --save '' --loadmodule "$(realpath "$1")" "$(realpath -m "$2")" "$3" "$4" &
server=$!
until redis-cli -s "$work/socket" ping >/dev/null 2>&1; do
  kill -0 "$server" || { echo "the server did not start" >&2; exit 1; }
  sleep 0.1
done
redis-benchmark -s "$work/socket" -c 20 -n 1000000000 -r 1000 noise.nearest key:__rand_int__ >/dev/null 2>&1 &
wait "$server"
