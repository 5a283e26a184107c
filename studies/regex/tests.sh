#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests.sh BUILT TESTDATA K FILE...: runs PCRE2's own tests (testinputFILE of its source): all of
# them with the interpreter and with the handler's native code, and every K-th pattern with a
# variant of its own. Compares with the output of stock PCRE2.
set -uo pipefail
built=$(realpath "$1") data=$(realpath "$2") every=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cp "$data/testbtables" .
failed=0
differs() { # HOW WANTED GOT
  cmp -s "$2" "$3" && return
  failed=1
  echo "testinput$file differs, $1:"
  diff "$2" "$3" | head -n 20
}
for file in "${@:4}"; do
  wanted=$data/testoutput$file
  [ -e "$wanted" ] || wanted=$data/testoutput$file-8
  for how in off heat=1,native,patterns=100000; do
    PCRE2_SARTOR=$how "$built/sartor/pcre2test" -q "$data/testinput$file" got
    [ "$file" != 2 ] || "$built/sartor/pcre2test" -q -error -70,-62,-2,-1,0,100,101,191,200 >>got
    differs "$how" "$wanted" got
  done
  # A pattern and its subjects are a paragraph.
  awk -v every="$every" 'BEGIN { RS = ""; ORS = "\n\n" } /^#/ || NR % every == 1 % every' "$data/testinput$file" >some
  "$built/gcc/pcre2test" -q some wanted
  SARTOR_EVENT_LOG=$work/log PCRE2_SARTOR=heat=1,wait,report,patterns=100000 "$built/sartor/pcre2test" -q some got
  differs "with variants" wanted got
  made=$(grep -c '"event":"switch","handler":"psartor_search"' log || true)
  echo "testinput$file: $made variants"
  [ "$made" -gt 0 ] || { echo "no variant was made"; failed=1; }
  rm -f log
done
exit $failed
