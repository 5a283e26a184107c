#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Uses a bit of everything; prints the same each time.
set -euo pipefail
declare -A counts=()
for word in one two three two one two; do counts[$word]=$((${counts[$word]:-0} + 1)); done
for word in one two three; do printf '%s=%d\n' "$word" "${counts[$word]}"; done
text="The quick brown fox"
[[ $text =~ (q[a-z]+)\ (b[a-z]+) ]] && echo "${BASH_REMATCH[2]} ${BASH_REMATCH[1]} ${text^^} ${text//o/0}"
sum=0
for ((i = 0; i < 20000; ++i)); do sum=$(((sum * 31 + i) % 1000003)); done
echo "$sum"
mapfile -t lines < <(seq 5 | sort -rn)
echo "${lines[@]}"
(exit 3) || echo "subshell: $?"
trap 'echo "trapped"' USR1
kill -USR1 $$
sleep 0.05 &
wait $!
echo "$(printf '%05.2f' 3.14159) $(cat <<<'here')"
coproc { read -r line && echo "coprocess: $line"; }
echo hello >&"${COPROC[1]}"
read -r answer <&"${COPROC[0]}"
echo "$answer"
