#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# watched_files.sh CLANG PLUGIN INCLUDE WORK: the code that the plugin generates for watched fields, read from the
# compiler's output, and its error messages.
set -euo pipefail
clang=$1 plugin=$2 include=$3 work=$4
rm -rf "$work"
mkdir -p "$work"
cd "$work"
both=(-fplugin="$plugin" -fpass-plugin="$plugin")

fail() {
  echo "$1"
  exit 1
}

# compile FLAGS...: prints the compiler's messages.
compile() { "$clang" -I"$include" "$@"; }

# code FUNCTION FILE: the instructions of a function, one per line.
code() { sed -n "/^$1:/,/\.Lfunc_end/p" "$2" | grep -P '^\t[a-z]' | sed 's/^\t//; s/\t/ /g'; }

# refused TEXT FLAGS...: the file is refused with this message.
refused() {
  local text=$1
  shift
  compile "$@" -c -o refused.o 2>refused.txt && fail "$* is compiled"
  grep -qF "$text" refused.txt || fail "$* is refused with: $(cat refused.txt)"
}

# The check of a field that is not armed adds two instructions to the store.
cat >store.c <<'END'
#include <sartor/watch.h>
struct file { int a; SARTOR_WATCHED int shared; };
void set(struct file *f, int to) { f->shared = to; }
END
compile "${both[@]}" -O2 -S store.c -o store.s
[[ $(code set store.s | head -4) == 'cmpb $0, "sartor.armed.file::shared.8.4"(%rip)
jne .LBB0_1
movl %esi, 4(%rdi)
retq' ]] || fail "the check is: $(code set store.s)"

# Each store is checked separately, since another thread may arm the field between two stores. ThreadSanitizer must know
# that the check may race.
cat >twice.c <<'END'
#include <sartor/watch.h>
struct file { int a; SARTOR_WATCHED int shared; };
void set_twice(struct file *f, int to) { f->shared = to; f->shared = to + 1; }
END
compile "${both[@]}" -O3 -S twice.c -o twice.s
[[ $(code set_twice twice.s | grep -c 'cmpb \$0, "sartor.armed') -ge 2 ]] ||
  fail "two stores do not check twice: $(code set_twice twice.s)"
compile "${both[@]}" -O2 -fsanitize=thread -S twice.c -o twice.s
[[ $(code set_twice twice.s | grep -c '__tsan_atomic8_load') -ge 2 ]] ||
  fail "the check is no atomic load: $(code set_twice twice.s)"

# Code without stores to watched fields is the same as without the plugin, and no bitcode is embedded.
cat >reads.c <<'END'
#include <sartor/watch.h>
struct file { int a; SARTOR_WATCHED int shared; };
int get(const struct file *f) { return f->a + f->shared; }
void beside(struct file *f) { f->a = 3; }
END
for level in -O0 -O2; do
  compile "${both[@]}" $level -S reads.c -o with.s
  compile -DSARTOR_WATCH_H -DSARTOR_WATCHED= $level -S reads.c -o without.s
  for function in get beside; do
    [[ $(code $function with.s) == "$(code $function without.s)" ]] ||
      fail "$function is another with the plugin: $(code $function with.s)"
  done
  grep -q 'sartor_watches\|sartor_modules' with.s && fail "rows of nothing are written"
done
echo 'int twice(int x) { return 2 * x; }' >plain.c
compile "${both[@]}" -O2 -c plain.c -o with.o
compile -O2 -c plain.c -o without.o
cmp with.o without.o || fail "a file without watched fields is another with the plugin"

# A program needs no run time, and its list is not loaded.
cat >main.c <<'END'
#include <sartor/watch.h>
struct file { int a; SARTOR_WATCHED int shared; };
void set(struct file *f, int to);
int main(void) {
  static struct file f;
  set(&f, 3);
  f.shared += 4;
  return f.shared != 7;
}
END
compile "${both[@]}" -O1 -fPIE -c main.c -o main.o
compile "${both[@]}" -O1 -fPIE -c store.c -o store.o
compile main.o store.o -pie -o program
./program || fail "the program without a run time says $?"
readelf -SW program | sed 's/^ *\[[ 0-9]*\] *//' | grep '^.sartor.guards ' >section.txt ||
  fail "there is no list of guards"
read -r _ _ address _ <section.txt
[[ $address =~ ^0+$ ]] || fail "the list of guards is loaded"

# A copy of a function for addresses of watched fields jumps to its own labels; a function whose labels escape is not
# copied.
cat >labels.c <<'END'
#include <sartor/watch.h>
#include <stdio.h>
struct file { SARTOR_WATCHED int references; long offset; };
static int adjust(int *number, const unsigned char *code, int by) {
  static const void *const operations[] = {&&done, &&add, &&twice, &&negate};
  goto *operations[*code++ & 3];
add: *number += by; goto *operations[*code++ & 3];
twice: *number *= 2; goto *operations[*code++ & 3];
negate: *number = -*number; goto *operations[*code++ & 3];
done: return *number;
}
static int step(int *number, const void **state) {
  if (*state)
    goto **state;
  *number += 1;
  *state = &&second;
  return *number;
second:
  *number *= 2;
  *state = 0;
  return *number;
}
int main(void) {
  static struct file file = {1, 0};
  static const unsigned char code[] = {1, 2, 3, 1, 2, 0};
  int other = 3;
  const void *state = 0;
  printf("%d", adjust(&file.references, code, 5));
  printf(" %d", adjust(&other, code, 2));
  step(&other, &state);
  step(&file.references, &state);
  printf(" %d\n", file.references);
  return 0;
}
END
for level in -O0 -O1 -O2; do
  compile "${both[@]}" $level labels.c -o labels
  said=$(./labels)
  [[ $said == '-14 -16 -28' ]] || fail "with labels, $level: $said"
  strings -a labels >labels.txt
  grep -q '"reason":"passed to adjust()' labels.txt && fail "adjust() is not followed into"
  grep -q '"reason":"passed to step(): the function lets addresses of its labels out"' labels.txt ||
    fail "step() is not listed: $(grep reason labels.txt)"
done

# A function that returns one of several watched addresses: each write by its result checks each field.
cat >chosen.c <<'END'
#include <sartor/watch.h>
struct file { int a; SARTOR_WATCHED int shared; SARTOR_WATCHED int locked; };
static int *one_of(int *shared, struct file *f, int which) { return which ? shared : &f->locked; }
void set_chosen(struct file *f, int which) {
  int *shared = &f->shared;
  *one_of(shared, f, which) = 3;
  *one_of(shared, f, !which) = 4;
}
END
for level in -O0 -O2; do
  compile "${both[@]}" $level -S chosen.c -o chosen.s
  for field in shared.12.4 locked.12.8; do
    [[ $(code set_chosen chosen.s | grep -c "sartor.armed.file::$field") -ge 2 ]] ||
      fail "$field is not checked twice at $level: $(code set_chosen chosen.s)"
  done
done

# A library has separate bytes, and registers them itself.
cat >listener.c <<'END'
#include <sartor/watch.h>
#include <stdio.h>
struct file { int a; SARTOR_WATCHED int shared; };
void set(struct file *f, int to);
static int libraries, asked;
void sartor_register_watches(const struct sartor_watch *begin, const struct sartor_watch *end) {
  ++libraries;
  for (; begin != end; ++begin)
    *begin->armed = 1;
}
int sartor_may_write(void *address, uint64_t size) { return ++asked; }
void sartor_written(void *address, uint64_t size) {}
int main(void) {
  static struct file f;
  set(&f, 3);
  f.shared += 4;
  printf("%d libraries, asked %d times\n", libraries, asked);
  return f.shared != 7;
}
END
compile "${both[@]}" -O1 -fPIC -shared store.c -o libstore.so
compile "${both[@]}" -O1 listener.c ./libstore.so -o listener
said=$(./listener)
[[ $said == '2 libraries, asked 2 times' ]] || fail "a program with a library says: $said"

# The front end's half of the plugin must have seen the source.
compile -O1 -S -emit-llvm -Xclang -disable-llvm-passes store.c -o store.ll
refused 'is LLVM IR, in which stores' -fpass-plugin="$plugin" store.ll

# Code of a module or a precompiled header would be guarded for another file, or not at all.
cat >shape.cppm <<'END'
module;
#include <sartor/watch.h>
export module shape;
export struct shape { int a; SARTOR_WATCHED int shared; };
export inline void set(shape *s) { s->shared = 3; }
END
echo 'import shape; void set_it(shape *s) { set(s); }' >import.cpp
refused 'watched fields in a module' "${both[@]}" -std=c++20 shape.cppm
compile -std=c++20 --precompile shape.cppm -o shape.pcm
refused 'takes watched fields from a module' "${both[@]}" -std=c++20 -fmodule-file=shape=shape.pcm import.cpp
echo '#include <sartor/watch.h>
struct file { int a; SARTOR_WATCHED int shared; };' >file.h
echo 'void set(struct file *f) { f->shared = 3; }' >file.c
compile "${both[@]}" -x c-header file.h -o file.pch 2>refused.txt && fail "a precompiled header is made"
grep -qF 'watched fields in a module or a precompiled header' refused.txt || fail "said: $(cat refused.txt)"
compile -x c-header file.h -o file.pch
refused 'takes watched fields from a module or a precompiled header' "${both[@]}" -include-pch file.pch file.c
echo 'module; export module plain; export inline int twice(int x) { return 2 * x; }' >plain.cppm
compile "${both[@]}" -std=c++20 --precompile plain.cppm -o plain.pcm
echo 'import plain; int four(int x) { return twice(twice(x)); }' >plain.cpp
compile "${both[@]}" -std=c++20 -fmodule-file=plain=plain.pcm -c plain.cpp -o plain.o

# Watched variables: accessed by name, by address, as a whole, and with internal linkage.
cat >variables.c <<'END'
#include <sartor/watch.h>
struct pair { int a, b; };
SARTOR_WATCHED int mode;
static SARTOR_WATCHED struct pair pair;
SARTOR_WATCHED extern long elsewhere[4];
SARTOR_WATCHED int unused;
int *address = &mode;
void set(int to) { mode = to; }
void add(int to) { __atomic_fetch_add(&mode, to, __ATOMIC_RELAXED); }
void set_b(int to) { pair.b = to; }
void set_pair(struct pair to) { pair = to; }
void set_one(int i, long to) { elsewhere[i] = to; }
int sum(void) { return mode + pair.a + pair.b + (int)elsewhere[1]; }
END
for level in -O0 -O2; do
  compile "${both[@]}" $level -S variables.c -o variables.s
  for function in set add set_b set_pair set_one; do
    code $function variables.s | grep -q 'sartor.armed' || fail "$function is not guarded: $(code $function variables.s)"
  done
  code sum variables.s | grep -q 'sartor.armed' && fail "reads are guarded"
  [[ $(grep -c '^\.*L*sartor.watch[.0-9]*:' variables.s) == 3 ]] || fail "there are other rows than three: $(grep sartor.watch variables.s)"
done
compile "${both[@]}" -c variables.c -o variables.o
strings -a variables.o | grep -q '"field":"mode","file":"variables.c","line":7,"reason":"address in static data"' ||
  fail "an address in static data is not listed"
cat >members.cpp <<'END'
#include <sartor/watch.h>
struct s { SARTOR_WATCHED static int counter; };
int s::counter;
namespace n { SARTOR_WATCHED int x; }
void set(s &of, int to) { of.counter = to; }
void set_x(int to) { n::x = to; }
END
compile "${both[@]}" -O2 -x c++ -S members.cpp -o members.s
for function in _Z3setR1si _Z5set_xi; do
  code $function members.s | grep -q 'sartor.armed' || fail "$function is not guarded"
done

# Fields that cannot be watched.
echo '#include <sartor/watch.h>
SARTOR_WATCHED _Thread_local int mine;' >mine.c
refused 'a variable of which there are many cannot be watched' "${both[@]}" mine.c
echo '#include <sartor/watch.h>
int next(void) { static SARTOR_WATCHED int last; return ++last; }' >local.c
refused 'variables outside of functions' "${both[@]}" local.c
echo '#include <sartor/watch.h>
SARTOR_WATCHED int next(void);' >function.c
refused 'SARTOR_WATCHED is for fields and variables' "${both[@]}" function.c
echo '#include <sartor/watch.h>
extern int other; SARTOR_WATCHED int &reference = other;' >variable.cpp
refused 'a reference cannot be watched' "${both[@]}" -x c++ variable.cpp
echo '#include <sartor/watch.h>
struct s { SARTOR_WATCHED int &reference; };' >reference.cpp
refused 'a reference cannot be watched' "${both[@]}" -x c++ reference.cpp
