#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# commit_message.sh FILE: a commit-msg hook. Rejects a subject that is longer than 72 characters,
# ends with a period, or begins with neither a capital nor `component: verb`. Accepts subjects that
# git generates.
set -euo pipefail
file=${1:?usage: scripts/commit_message.sh FILE}
subject='' second='' lines=0
while IFS= read -r line || [[ -n $line ]]; do
  [[ $line != '# ------------------------ >8'* ]] || break
  [[ $line != '#'* ]] || continue
  [[ $lines -gt 0 || -n $line ]] || continue
  lines=$((lines + 1))
  if ((lines == 1)); then subject=$line; elif ((lines == 2)); then second=$line; fi
done <"$file"

reject() {
  echo "commit message: $*" >&2
  echo "  $subject" >&2
  echo "  write e.g. \`explorer: stop sampling confirmed losers\`" >&2
  exit 1
}

[[ -n $subject ]] || reject "the subject is empty"
[[ $subject =~ ^(Merge|Revert|fixup!|squash!|amend!)\ ? ]] && exit 0
((${#subject} <= 72)) || reject "the subject has ${#subject} characters; at most 72"
[[ $subject != *. ]] || reject "the subject ends with a period"
[[ $subject =~ ^[A-Z] || $subject =~ ^[a-z0-9_./-]+(,\ [a-z0-9_./-]+)*:\ [[:alpha:]] ]] ||
  reject "the subject begins with neither a capital nor \`component: verb\`"
[[ -z $second ]] || reject "the second line is not empty"
