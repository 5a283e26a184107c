#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# regex_fallback_paths_test.sh BUILT: the output of studies/regex/fallback_paths.c must be the same with stock PCRE2 and with
# PCRE2 with Sartor: with nothing specialized, with the handler's native code, with variants that are compiled in the
# background while patterns are created and freed, with few of them, and with hot patterns waited for. Also checks that
# a pattern that cannot be specialized is reported.
set -uo pipefail
built=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
"$built/gcc/fallback_paths" >"$work/stock" || exit 1
for how in off heat=1,native heat=3 heat=20,patterns=2 heat=30,wait; do
  PCRE2_SARTOR=$how "$built/sartor/fallback_paths" >"$work/ours"
  ended=$?
  [ $ended = 0 ] && cmp -s "$work/stock" "$work/ours" && continue
  failed=1
  echo "differs with $how, ended with $ended:"
  diff "$work/stock" "$work/ours" | head -n 20
done
SARTOR=off "$built/sartor/fallback_paths" | cmp - "$work/stock" || failed=1
SARTOR_COMPILER=none PCRE2_SARTOR=heat=30,wait,report "$built/sartor/fallback_paths" 2>"$work/reported" | cmp - "$work/stock" || failed=1
grep -q "a pattern stays interpreted: " "$work/reported" || { echo "no reason was reported:" && cat "$work/reported" && failed=1; }
SARTOR_COMPILER=none PCRE2_SARTOR=heat=30,wait,report,patterns=0 "$built/sartor/fallback_paths" 2>"$work/reported" | cmp - "$work/stock" || failed=1
[ ! -s "$work/reported" ] || { echo "with patterns=0:" && cat "$work/reported" && failed=1; }
exit $failed
