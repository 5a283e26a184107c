#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# command.sh SARTOR WORK PROGRAM: errors of `sartor report` and `sartor view`, and what reports have; without a browser.
set -euo pipefail
sartor=$1 work=$2 program=$3
page=$(dirname "$sartor")/../share/sartor/page.html
rm -rf "$work"
mkdir -p "$work/runtime"
cd "$work"
fail() {
  echo "$*"
  exit 1
}
# refused CODE TEXT ARGUMENT...: the command fails with that code, and its message has that text.
refused() {
  local code=$1 text=$2 said
  shift 2
  if said=$("$sartor" "$@" 2>&1); then fail "sartor $*: no error"; fi
  [[ $said == "sartor: $code: "*"$text"*"("*")" ]] || fail "sartor $*: $said"
}

# An installation whose page was not built.
mkdir -p bare/bin
ln "$sartor" bare/bin/sartor 2>/dev/null || cp "$sartor" bare/bin/sartor
printf '{"t":1,"event":"switch","text":"{}","handler":"_Z5powerli"}\n' >log
export LD_LIBRARY_PATH=$(dirname "$sartor")/../lib
for command in report view; do
  if said=$(bare/bin/sartor $command log 2>&1); then fail "$command works without its page"; fi
  [[ $said == "sartor: file_error: "*"the page was not built"*"SARTOR_PAGE"* ]] || fail "$command without its page: $said"
done
[[ -s $page ]] || {
  echo "skipped: the page was not built: npm is missing, or has no network"
  exit 77
}

refused file_error "No such file or directory" report missing
refused file_error "is not a file" report .
mkfifo pipe
refused file_error "is not a file" report pipe
printf 'PK\3\4\n\377\376\n{"t":1}\n' >no_log
refused bad_json "none of its 3 lines is an event" report no_log -o no_log.html
[[ ! -e no_log.html ]] || fail "a failed report has left its file"
echo mine >taken.html
refused file_error "File exists" report log -o taken.html
[[ $(<taken.html) == mine ]] || fail "an existing file was overwritten"
refused file_error "No such file or directory" report log -o missing/page.html
refused no_handler_module "" report log -o other.html --program /bin/true
[[ ! -e other.html ]] || fail "a failed report has left its file"
if [[ -w /dev/full ]]; then
  ln -s /dev/full full.html
  refused file_error "File exists" report log -o full.html
fi
refused file_error "No such file or directory" view missing
refused file_error "does not exist" view 4194303
XDG_RUNTIME_DIR=$work/runtime refused file_error "has no control socket" view $$
XDG_RUNTIME_DIR=$work/$(printf 'x%.0s' {1..120}) refused file_error "has no control socket" view $$

# A damaged line is counted; the last line needs no end; an empty log is no error.
printf '\n{"t":2,"event":' >>log
[[ $("$sartor" report log -o log.html) == "log.html: 1 event, 1 damaged line" ]] || fail "the damaged line is not counted"
: >empty
[[ $("$sartor" report empty -o empty.html) == "empty.html: 0 events" ]] || fail "an empty log"
grep -q '"names":{"_Z5powerli":"power"}' log.html || fail "no readable name"
# Nothing comes from other places, and scripts run by their hash only.
! grep -oE '(src|href|url\()[="( ]*(https?:)?//[^"'"'"' ]*' log.html || fail "the page refers to other places"
grep -q "connect-src 'none'" log.html || fail "the policy allows connections"
! grep -q "unsafe-inline\|unsafe-eval\|%[A-Z]*%" log.html || fail "the policy, or the template"

# The code of more variants than the page takes: it says how many it leaves out.
for ((i = 0; i < 40; ++i)); do
  printf '{"t":1,"event":"compile","handler":"_Z7doubledii","configuration":{"step":%d},"text":"{step=%d}"}\n' $i $i
done >many
"$sartor" report many -o many.html --program "$program" >/dev/null
grep -q '"limit":32,"left_out":8,' many.html || fail "not the limit of variants"
# Overloaded handlers have the same readable name, and generic code of their own.
grep -q '"generic":{"_Z7doubledii":' many.html || fail "the generic code is not that of the symbol"
echo "all is well"
