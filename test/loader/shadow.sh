#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shadow.sh SARTOR_LD SARTOR: `sartor-ld verify --shadow` compares a program's test commands with the stock loader.
set -euo pipefail
. "$(dirname "$0")/common.sh"
ld=$1 sartor=$2

verify() { "$sartor" ld verify --shadow "$@"; }
grep=$(command -v grep) sh=$(command -v sh)
[ -n "$grep" ] && [ "${grep#/}" != "$grep" ] || grep=/bin/grep

# The same.
expect 0 verify /bin/echo -- /bin/echo -n words
says out 'same: /bin/echo -n words'
expect 0 "$ld" verify --shadow /bin/echo --json -- /bin/echo words
says out '"outcome":"same"'
says out '"quarantined":false'

# A file, and a crash, which is the same both ways.
cat >"$work/commands" <<'END'
# shell commands
$PROGRAM -c 'echo written > "$WORK/file"'
$PROGRAM -c 'kill -SEGV $$'
END
WORK=$work expect 0 verify "$sh" --commands "$work/commands" --output "$work/file"
[ "$(grep -c ^same: "$work/out")" = 2 ] || fail "not the same: $(cat "$work/out")"

# What differs between two stock runs is named, and not compared.
echo '$PROGRAM -c "echo \$\$; echo always"' >"$work/commands"
expect 0 verify "$sh" --commands "$work/commands"
says out 'not compared: line 1 of standard output'

# A command that does not end, and a program that the loader does not plan.
expect 1 verify /bin/sleep --timeout 0.5 -- /bin/sleep 100
says out 'timeout: /bin/sleep 100'
says err 'do not end in time'
printf '#!/bin/sh\necho script\n' >"$work/script"
chmod +x "$work/script"
expect 1 verify "$work/script" -- "$work/script"
says out "refused: $work/script"
expect 1 verify /bin/echo -- /bin/true
says err 'does not have /bin/echo as one of its words'
expect 1 verify /bin/echo
says err 'are missing'

# A program that reads its mappings differs. The stock loader starts it from then on.
maps() { "$ld" "$grep" -c /sartor/ld/ /proc/self/maps || true; }
"$ld" "$grep" -c "" /dev/null >"$work/out" || true
settled
[ "$(maps)" != 0 ] || fail "it is not planned"
expect 1 verify "$grep" -- "$grep" -c /sartor/ld/ /proc/self/maps
says out 'difference: '
says out 'differs: line 1 of standard output'
says out 'differs: line 1 of exit status'
says err 'behaves differently than by the stock loader'
settled
[ "$(maps 2>/dev/null)" = 0 ] || fail "it is still started as planned"
expect 1 verify "$grep" -- "$grep" -c /sartor/ld/ /proc/self/maps
says out 'refused: '
