#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# replan.sh SARTOR_LD SARTOR: `sartor ld replan` plans programs again whose files have changed, and no others.
set -euo pipefail
. "$(dirname "$0")/common.sh"
ld=$1 sartor=$2
cc=${CC:-cc}
cd "$work"
printf 'int answer(void);\nint printf(const char *, ...);\nint main(void) { return printf("%%d\\n", answer()) < 0; }\n' >program.c
library() { # ANSWER: replaces the library by another file
  echo "int answer(void) { return $1; }" >answer.c
  $cc -shared -fPIC answer.c -o new.so
  mv new.so libanswer.so
}
prints() { # ANSWER COMMAND...: as planned, and without a word
  expect 0 timeout 200 "${@:2}"
  [ "$(cat out)" = "$1" ] && [ ! -s err ] || fail "${*:2}: $(cat out err)"
}
replanned() { # SUMS [TEXT...]
  expect 0 timeout 200 "$sartor" ld replan
  for text in "$@"; do says out "$text"; done
}
images() { find cache -name '*.image' -printf '%p %i %T@\n' | sort; }

replanned "0 current, 0 planned again, 0 deleted, 0 left, 0 failed"
library 1
$cc program.c -o program -L. -lanswer -Wl,-rpath,"$work"
prints 1 "$ld" --strict ./program
replanned "1 current, 0 planned again"

# The start that follows finds the image as it is.
library 2
replanned "program: planned again" "0 current, 1 planned again, 0 deleted, 0 left, 0 failed"
before=$(images)
prints 2 "$ld" --strict ./program
[ "$(images)" = "$before" ] || fail "the start has planned again: $before, $(images)"
replanned "1 current, 0 planned again"

# Each image is planned with its own options.
prints 2 "$ld" --strict --passes= ./program
prints 2 "$ld" --strict --passes=bind --observable ./program
library 3
replanned "0 current, 3 planned again, 0 deleted, 0 left"
before=$(images)
prints 3 "$ld" --strict ./program
prints 3 "$ld" --strict --passes= ./program
prints 3 "$ld" --strict --passes=bind --observable ./program
[ "$(images)" = "$before" ] || fail "a start has planned again: $before, $(images)"
find cache -name '*.image' -exec rm {} +

# A start with other variables for the stock loader is planned in its own environment.
mkdir other
cp libanswer.so other/
prints 3 env LD_LIBRARY_PATH="$work/other" "$ld" --strict ./program
prints 3 "$ld" --strict ./program
library 4
cp libanswer.so other/new.so
mv other/new.so other/libanswer.so
replanned "0 current, 1 planned again, 0 deleted, 1 left, 0 failed" "is planned at its next start"
prints 4 env LD_LIBRARY_PATH="$work/other" "$ld" --strict ./program
find cache -name '*.image' -exec rm {} +

# A program that was replaced has an image of another key; the old one goes. So does that of a program that has gone.
prints 4 "$ld" --strict ./program
$cc -O1 program.c -o new -L. -lanswer -Wl,-rpath,"$work"
mv new program
replanned "0 current, 1 planned again, 0 deleted"
[ "$(images | wc -l)" = 1 ] || fail "the old image is left: $(images)"
before=$(images)
prints 4 "$ld" --strict ./program
[ "$(images)" = "$before" ] || fail "the start has planned again: $before, $(images)"
mv program gone
replanned "the program has gone" "0 current, 0 planned again, 1 deleted"
[ "$(images | wc -l)" = 0 ] || fail "an image is left: $(images)"
mv gone program

# The command in an image that others may write is not executed.
prints 4 "$ld" --strict ./program
library 5
chmod go+w cache/sartor/ld/*.image
replanned "0 current, 0 planned again, 0 deleted, 0 left, 0 failed"
chmod go-w cache/sartor/ld/*.image

# A program that cannot be planned is reported, and the others are planned.
library 6
rm libanswer.so
replanned "cannot be planned" "0 planned again, 0 deleted, 0 left, 1 failed"

# Resolvers of libraries of other users do not run without a start.
if [ "$(id -u)" = 0 ]; then
  library 8
  prints 8 "$ld" --strict ./program
  library 9
  chown 65534 libanswer.so
  replanned "0 planned again, 0 deleted, 1 left, 0 failed" "others could have written one of its files"
  prints 9 "$ld" --strict ./program
  chown 0 libanswer.so
fi

# The front alone: it plans, and starts nothing.
library 7
expect 0 timeout 200 "$ld" --plan-only ./program
[ ! -s out ] || fail "it was started: $(cat out)"
replanned "1 current"
expect 0 "$ld" --plan-only /bin/sh -c 'echo started'
[ ! -s out ] || fail "it was started: $(cat out)"
echo "replan: as it should be"
