#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# handler_files.sh CLANGXX PLUGIN INCLUDE LIBRARY WORK: handler files that are compiled in unusual ways, each in a
# separate program: variants must behave like native code.
set -euo pipefail
clang=$1 plugin=$2 include=$3 library=$4 work=$5
rm -rf "$work"
mkdir -p "$work/a" "$work/b"
cd "$work"

# handlers OBJECT SOURCE FLAGS...
handlers() {
  local object=$1 source=$2 language=c
  [[ $source == *.cpp ]] && language=c++
  shift 2
  "$clang" -O2 -fPIC -DSARTOR_POINTS=1 -I"$include" -fpass-plugin="$plugin" "$@" -x $language \
    -c "$source" -o "$object"
}

# says NAME EXPECTED FLAGS...: the program of main.c and the objects prints EXPECTED.
says() {
  local name=$1 expected=$2 said
  shift 2
  "$clang" -x c -I"$include" main.c -x none "$@" -o "$name" "$library" \
    -Wl,-rpath,"$(dirname "$library")"
  said=$("./$name")
  [[ $said == "$expected" ]] || {
    echo "$name says: $said"
    echo "instead of: $expected"
    exit 1
  }
}

# The program calls run() and the entry of run, with 5 and 6, after setting "x" to 5.
cat >main.c <<'EOF2'
#include <sartor/c/sartor.h>
#include <stdio.h>
extern int run(int);
int main(void) {
  sartor_runtime *runtime = NULL;
  void (*entry)(void) = NULL;
  if (sartor_open(&runtime) || sartor_handler(runtime, "run", &entry) ||
      sartor_specialize(runtime, "{\"x\":5}"))
    printf("%s ", sartor_last_error());
  if (entry)
    printf("%d %d %d %d", ((int (*)(int))entry)(5), run(5), ((int (*)(int))entry)(6), run(6));
  return 0;
}
EOF2

# Two files with one name, and one file compiled twice, have separate static variables.
for half in a b; do
  cat >$half/handler.c <<EOF2
#include <sartor/points.h>
static int scale = SCALE;
void set_$half(int to) { scale = to; }
SARTOR_HANDLER int run_$half(int x) { return sartor_generic("x", x) * scale; }
EOF2
done
(cd a && handlers handler.o handler.c -DSCALE=10)
(cd b && handlers handler.o handler.c -DSCALE=20)
cat >twice.c <<'EOF2'
#include <sartor/points.h>
static int scale = SCALE;
SARTOR_HANDLER int NAME(int x) { return sartor_generic("x", x) + scale++ * 1000; }
EOF2
handlers one.o twice.c -DSCALE=1 -DNAME=run_one
handlers two.o twice.c -DSCALE=2 -DNAME=run_two
cat >run.c <<'EOF2'
#include <sartor/points.h>
extern int run_a(int), run_b(int), run_one(int), run_two(int);
SARTOR_HANDLER int run(int x) {
  x = sartor_generic("x", x);
  return run_a(x) + run_b(x) + run_one(x) + run_two(x);
}
EOF2
handlers run.o run.c
says same_names "3160 5160 7192 9192" run.o a/handler.o b/handler.o one.o two.o

# Counters of coverage and profiles count in native code.
cat >counted.c <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER int run(int x) { return sartor_generic("x", x) > 5 ? x * 3 : x; }
EOF2
handlers counted.o counted.c -fprofile-instr-generate -fcoverage-mapping
LLVM_PROFILE_FILE=/dev/null says counted "5 5 18 18" counted.o -fprofile-instr-generate
handlers profiled.o counted.c -fprofile-generate
LLVM_PROFILE_FILE=/dev/null says profiled "5 5 18 18" profiled.o -fprofile-generate

# A thread-local variable that is initialised when a thread first needs it.
cat >thread.cpp <<'EOF2'
#include <sartor/points.h>
int first() { return 7; }
thread_local int count = first();
extern "C" SARTOR_HANDLER int run(int x) { return sartor_generic("x", x) + count++ * 10; }
EOF2
for model in -fPIC -fPIE; do
  handlers thread.o thread.cpp $model
  says thread "75 85 96 106" thread.o
done

# A function that is declared but never defined: the optimiser must remove its calls.
cat >asserted.c <<'EOF2'
#include <sartor/points.h>
extern void this_must_not_be_called(void);
static inline int twice(int x, int bits) {
  if (!__builtin_constant_p(bits) || bits > 31)
    this_must_not_be_called();
  return x << bits;
}
SARTOR_HANDLER int run(int x) { return twice(sartor_generic("x", x), 1); }
EOF2
handlers asserted.o asserted.c
says asserted "10 10 12 12" asserted.o

# Code that needs an extra runtime, or a prologue in each function, stays native and reports this.
cat >plain.c <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER int run(int x) { return sartor_generic("x", x) * 2; }
EOF2
for hardening in -fsplit-stack -fsanitize=safe-stack -fsanitize=kcfi; do
  handlers plain.o plain.c $hardening
  why="the function is compiled with $hardening (plain.c:2)"
  remedy="(move the point into a function of its own that does without)"
  [[ $hardening == -fsanitize=kcfi ]] && hardening=
  says plain "point_not_specializable: \"x\": $why $remedy 10 10 12 12" plain.o $hardening
done

# Handlers that are called directly: without libsartor only native code is available. Also refused cases.
cat >direct.c <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER_DIRECT int run(int x) { return sartor_generic("x", x) * 2; }
int main(void) { return run(5) == 10 && &run ? 0 : 1; }
EOF2
for level in -O0 -O2; do
  handlers direct.o direct.c $level
  "$clang" direct.o -o direct
  ./direct
done
for hardening in -fcf-protection=full -mretpoline -fno-omit-frame-pointer -fstack-protector-all; do
  handlers direct.o direct.c -Dmain=other_main $hardening
  says direct "10 10 12 12" direct.o
done
handlers direct.o direct.c --target=aarch64-linux-gnu 2>said
grep -q '"run": direct calls go to variants on x86-64 only' said
for wrong in 'int run(int x, ...) { return x; }|takes a variable number of arguments' \
  '__attribute__((naked)) int run(int x) { __asm__("ret"); }|is naked' \
  'inline int run(int x) { return x; } int other(int x) { return run(x); }|is inline without a definition'; do
  printf '#include <sartor/points.h>\nSARTOR_HANDLER_DIRECT %s\n' "${wrong%|*}" >wrong.c
  ! handlers wrong.o wrong.c 2>said
  grep -q "point_not_specializable: \"run\": ${wrong#*|}" said || {
    cat said
    exit 1
  }
done

printf '#include <sartor/points.h>\nSARTOR_HANDLER_DIRECT int run(int x, ...) { return x; }\n' >wrong.c
! handlers wrong.o wrong.c -g 2>said
grep -q 'wrong\.c:2) (declare it with SARTOR_HANDLER, and call it through its Handler)' said || {
  cat said
  exit 1
}

# Choices that the point's type cannot hold, which C converts. The headers are a system's.
cat >choices.c <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER unsigned long run(unsigned char x, unsigned long size, int z) {
  return sartor_enum("x", x, 1, 300) + sartor_range("size", size, 0, -1) + sartor_enum("z", z, 1.5, 2.0);
}
EOF2
"$clang" -O2 -fPIC -DSARTOR_POINTS=1 -isystem "$include" -fplugin="$plugin" -fpass-plugin="$plugin" -x c \
  -c choices.c -o choices.o 2>said
[[ $(grep -c 'warning: ' said) == 2 ]] &&
  grep -q "bad_choices: 300 does not fit the point's type 'unsigned char', and becomes 44" said &&
  grep -q "bad_choices: 1.5 does not fit the point's type 'int', and becomes 1" said || {
  cat said
  exit 1
}

# An inline function that is plain in another file, whose definition the linker prefers.
cat >inline.h <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER_DIRECT inline int twice(int x) { return sartor_generic("x", x) * 2; }
EOF2
cat >inline.cpp <<'EOF2'
#include "inline.h"
extern "C" int run(int x);
SARTOR_HANDLER_DIRECT int run(int x) { return twice(x); }
EOF2
cat >inline_plain.cpp <<'EOF2'
#include "inline.h"
int (*volatile plain)(int) = twice;
EOF2
handlers inline.o inline.cpp
"$clang" -x c++ -I"$include" -c inline_plain.cpp -o inline_plain.o
for linker in bfd lld; do
  says inline "10 10 12 12" inline_plain.o inline.o -fuse-ld=$linker -lstdc++
  says inline "10 10 12 12" inline.o inline_plain.o -fuse-ld=$linker -lstdc++
done

# A library whose handler is preempted by the definition in another library.
cat >library.c <<'EOF2'
#include <sartor/points.h>
#include <sartor/c/sartor.h>
#include <stdio.h>
SARTOR_HANDLER __attribute__((noinline)) int shared_run(int x) {
  return sartor_generic("x", x) * FACTOR;
}
int CALL(int x) {
  sartor_runtime *runtime = NULL;
  void (*entry)(void) = NULL;
  if (sartor_open(&runtime) || sartor_handler(runtime, "shared_run", &entry) ||
      sartor_specialize(runtime, "{\"x\":5}"))
    printf("%s ", sartor_last_error());
  const int result = entry ? ((int (*)(int))entry)(x) * 1000 + shared_run(x) : -1;
  sartor_close(runtime);
  return result;
}
EOF2
for factor in 2 3; do
  handlers library$factor.o library.c -DFACTOR=$factor -DCALL=call_$factor
  "$clang" -shared library$factor.o -o library$factor.so "$library"
done
cat >main.c <<'EOF2'
#include <stdio.h>
extern int call_2(int), call_3(int);
int main(void) { printf("%d %d", call_2(5), call_3(5)); }
EOF2
why="the program uses another definition of it (library.c:5)"
says interposed "point_not_specializable: \"x\": $why $remedy 10010 10010" ./library2.so ./library3.so -Wl,-rpath,"$work"
