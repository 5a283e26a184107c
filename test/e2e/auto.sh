#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# auto.sh SOURCE STAGE WORK: programs without annotations, compiled by sartor-cc -fsartor-auto and by clang.
set -euo pipefail
llvm=${SARTOR_LLVM:-22} # the major version that Sartor is built with
source=$(realpath "$1") stage=$(realpath "$2") work=$3
[[ $(uname -m) == x86_64 ]] || { echo "skipped: direct calls go to variants on x86-64 only"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
cd "$work"
unset SARTOR SARTOR_CC SARTOR_CXX SARTOR_DECLARATIONS CPATH
export PATH=$stage/bin:$PATH LC_ALL=C
complain() {
  echo "$*"
  exit 1
}
refused() {
  local expected=$1
  shift
  if "$@" >out 2>&1; then complain "not refused: $*"; fi
  grep -qE -- "$expected" out || complain "$*: $(cat out)"
}
cp "$source"/* .
clang++-$llvm -std=c++20 -O1 -I"$stage/include" -c start.cpp

# Equal results with native code, with variants for values that occur, and with guards that fail.
for level in -O0 -O2; do
  clang-$llvm -w $level -c work.c other.c main.c
  clang++-$llvm -w -std=c++20 $level -c members.cpp
  clang++-$llvm -o plain work.o other.o main.o members.o -lpthread
  ./plain >expected
  sartor-cc -w $level "-fsartor-auto=$PWD/hot.txt" -c work.c other.c main.c 2>remarks
  sartor-c++ -w -std=c++20 $level "-fsartor-auto=$PWD/hot.txt" -c members.cpp 2>>remarks
  sartor-c++ -o program work.o other.o main.o members.o start.o -lpthread
  SARTOR=off ./program >off 2>log || complain "with SARTOR=off: $(cat log)"
  cmp expected off || complain "$level: another result with SARTOR=off"
  ./program >out 2>log || complain "$level: $(cat log)"
  cmp expected out || complain "$level: another result with variants"
  grep -qx 'starts: 1' log || complain "sartor_auto_start is called more often: $(cat log)"
  [[ $(grep -c 'phase .: [1-9][0-9]* variants' log) == 3 ]] || complain "no variants: $(cat log)"
  sed -nE 's/-[0-9a-f]{8}\././; s/^point auto\.//p' log | sort >points
  sort points.txt | diff - points || complain "$level: other points than points.txt lists"
  # Wrong values: the guards of parameters and of variables fail.
  for label in sum.count reads.level reads.factor mix.x; do
    grep -qx "failed auto.$label" log || complain "the guard of $label did not fail: $(cat log)"
  done
  # Each function and variable that is left out, with the reason.
  sed -nE 's/.*remark: sartor: not_automatic: //p' remarks | sort >left_out
  sort remarks.txt | diff - left_out || complain "$level: other remarks than remarks.txt lists"
done

# The constructor's reference is not weak, so that the linker keeps libsartor. One call for each program and library.
sartor-cc -w -fPIC -shared "-fsartor-auto=$PWD/hot.txt" -o libwork.so work.c other.c -lpthread 2>/dev/null
nm -u libwork.so | grep -qw 'U sartor_auto_start' || complain "the library does not call sartor_auto_start"
if nm -D --defined-only "$stage/lib/libsartor.so" | grep -qw sartor_auto_start; then
  readelf -d libwork.so | grep -q 'NEEDED.*libsartor.so' || complain "libsartor is not linked to a library"
fi
sartor-c++ -o program main.o members.o start.o -L. -lwork -Wl,-rpath,"$PWD"
./program >out 2>log || complain "with a library: $(cat log)"
cmp expected out || complain "another result with a library"
grep -qx 'starts: 2' log || complain "sartor_auto_start is not called once for each of both: $(cat log)"

# A function that is marked already stays as it is; remarks are no errors.
cat >marked.c <<'END'
#include <sartor/points.h>
SARTOR_HANDLER int sum(int count, int step) { return count * sartor_generic("step", step); }
int mix(int x, ...);
int mix(int x, ...) { return x; }
END
sartor-cc -Wall -Wextra -Werror "-fsartor-auto=$PWD/hot.txt" -c marked.c 2>log || complain "$(cat log)"
grep -q 'not_automatic: "mix": takes a variable number' log || complain "no remark: $(cat log)"
sartor space marked.o >points
grep -q '^step ' points && ! grep -q auto points || complain "the source's marks are changed: $(cat points)"
# A listed function that the file does not have, and no function at all.
echo 'int one(void) { return 1; }' >one.c
sartor-cc "-fsartor-auto=$PWD/hot.txt" -O2 -MD -c one.c
grep -q 'hot\.txt' one.d || complain "nothing depends on the list"
! nm one.o | grep sartor || complain "a file without hot functions has Sartor's code"

# Functions that a runtime calls, perhaps while it starts a thread's first call.
cat >library.cpp <<'END'
extern "C" void *malloc(unsigned long size) { return reinterpret_cast<void *>(size * 64); }
void *operator new(unsigned long size) { return malloc(size); }
END
printf 'malloc\n_Znwm\n' >list
sartor-c++ -w -fsartor-auto=list -c library.cpp 2>log
for name in malloc _Znwm; do
  grep -q "\"$name\": is in place of one of the C or C++ library" log || complain "$name: $(cat log)"
done

# Options and lists that are wrong.
refused 'bad_argument: "-fsartor-auto"' sartor-cc -fsartor-auto -c one.c
refused 'bad_argument: "-fsartor-auto="' sartor-cc -fsartor-auto= -c one.c
refused 'bad_argument: "-fsartor-other"' sartor-cc -fsartor-other -c one.c
refused 'file_error: "none.txt": cannot be read' sartor-cc -fsartor-auto=none.txt -c one.c
refused 'file_error: ".": cannot be read' sartor-cc -fsartor-auto=. -c one.c
printf '# nothing\n\n' >list
refused 'bad_argument: "list": names no function' sartor-cc -fsartor-auto=list -c one.c
printf 'one\n97.40%% one [.] one\n' >list
refused 'bad_argument: "list:2"' sartor-cc -fsartor-auto=list -c one.c
printf 'one\0\n' >list
refused 'bad_argument: "list:1"' sartor-cc -fsartor-auto=list -c one.c
printf 'one 3.5\r\n' >list
sartor-cc -fsartor-auto=list -c one.c 2>log
grep -q '"one": has no parameter' log || complain "a line with a number: $(cat log)"
refused 'bad_argument: "-static": cannot be combined' sartor-cc -static -fsartor-auto=list -o one main.o one.o

# Profiles, as perf reports them.
printf 'PERFILE2' >profile
mkdir bin
ln -s "$(command -v clang-$llvm)" bin/clang-$llvm
ln -s "$(command -v gcc || command -v clang-$llvm)" bin/cc
refused 'file_error: "perf": cannot be executed.*install perf' env "PATH=$PWD/bin" "$stage/bin/sartor-cc" -fsartor-auto=profile -c one.c
cat >bin/perf <<'END'
#!/bin/sh
echo "# Samples: 346  of event 'cycles'"
printf ' 60.40%%\t%s\t%s\n' 'a program' '[.] sum' '[kernel.kallsyms]' '[k] mix'
printf '  0.60%%\t%s\t%s\n' program '[.] reads.part.0' program '[.] reads' program '[.] takes'
printf ' 10.00%%\t%s\t%s\n' program '[.] 0x0000000000001234' libc.so.6 '[.] counts@plt'
echo "# Samples: 20  of event 'cache-misses'"
printf '  1.00%%\tprogram\t[.] others\n'
END
chmod +x bin/perf
PATH=$PWD/bin:$PATH sartor-cc -w -fsartor-auto=profile -c work.c 2>/dev/null
sartor space work.o | sed -nE 's/^auto\.([a-z]+)\..*/\1/p' | sort -u | tr '\n' ' ' >hot
[[ $(cat hot) == "counts others reads sum " ]] || complain "other functions are hot: $(cat hot)"
printf '#!/bin/sh\nexit 0\n' >bin/perf
refused 'bad_argument: "profile": shows no function' env "PATH=$PWD/bin:$PATH" sartor-cc -fsartor-auto=profile -c one.c
printf '#!/bin/sh\necho broken >&2\nexit 3\n' >bin/perf
refused 'file_error: "profile": perf report cannot read it: broken' env "PATH=$PWD/bin:$PATH" sartor-cc -fsartor-auto=profile -c one.c

# A profile of a program that runs.
cat >busy.c <<'END'
static int level = 3;
int busy(unsigned count, int by) {
  unsigned total = 0;
  for (unsigned i = 0; i < count; ++i)
    total = total * 31 + i % (unsigned)by + (unsigned)level;
  return (int)total;
}
int main(int argc, char **argv) {
  level += argc > 1;
  (void)argv;
  return busy(300000000, argc + 6) == 0;
}
END
clang-$llvm -O1 -fno-inline -o busy busy.c
if ! command -v perf >/dev/null || ! perf record -q -o busy.data ./busy >log 2>&1; then
  echo "not tested with a profile: perf cannot record here: $(tail -n 1 log 2>/dev/null)"
else
  sartor-cc -O2 "-fsartor-auto=$PWD/busy.data" -o busy.o -c busy.c
  sartor space busy.o >points
  for label in busy.count busy.by busy.level; do
    grep -q "^auto\.$label " points || complain "no point $label by a profile: $(cat points)"
  done
fi
echo done
