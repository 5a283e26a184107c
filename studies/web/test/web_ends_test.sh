#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# web_ends_test.sh DIRECTORY LOADER: a loader that falls back silently is an error. No process is left then, nor after the
# study is killed.
. "$(dirname "$0")/site.sh"
running=
finish() {
  [[ -z $running ]] || kill -KILL "$running" 2>/dev/null || true
}
trap finish EXIT

# A loader that starts programs as the stock loader does.
fallback=$directory/fallback
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >"$fallback"
chmod +x "$fallback"
status=0
"$study" "$directory" "$fallback" "${small[@]}" >"$directory/fallback.log" 2>&1 || status=$?
((status != 77)) || { cat "$directory/fallback.log"; exit 77; }
((status != 0)) || fail "the fallback is not noticed"
grep -q 'mariadbd (loader) has the code of' "$directory/fallback.log" || fail "another error: $(cat "$directory/fallback.log")"
expect_gone

"$study" "$directory" "$loader" "${small[@]}" >"$directory/killed.log" 2>&1 &
running=$!
for _ in {1..3000}; do
  [[ $(left_behind) != *nginx* ]] || break
  sleep 0.1
done
[[ $(left_behind) == *nginx* ]] || fail "no server has started: $(cat "$directory/killed.log")"
kill -KILL "$running"
wait "$running" 2>/dev/null || true
running=
expect_gone
echo "the fallback is noticed; no process is left"
