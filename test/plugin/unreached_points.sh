#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# unreached_points.sh CLANGXX PLUGIN INCLUDE LIBRARY SARTOR WORK: points that no handler reaches are listed with a
# reason, and definitions of an inline function that differ in their points are an error that names both files.
set -euo pipefail
clang=$1 plugin=$2 include=$3 library=$4 sartor=$5 work=$6
rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail() {
  echo "$@"
  exit 1
}

handlers() { # SOURCE OBJECT FLAGS...
  local source=$1 object=$2
  shift 2
  "$clang" -std=c++20 -O1 -fPIC -DSARTOR_POINTS=1 -I"$include" -fpass-plugin="$plugin" "$@" -c "$source" -o "$object"
}

link() { # PROGRAM OBJECTS...
  local program=$1
  shift
  "$clang" -std=c++20 -I"$include" main.cpp "$@" -o "$program" "$library" -Wl,-rpath,"$(dirname "$library")"
}

cat > main.cpp <<'END'
#include <cstdio>
#include <sartor/sartor.hpp>
int main(int, char **argv) {
  try {
    sartor::Runtime runtime;
    runtime.specialize({{argv[1], 1}});
    std::puts("no error");
  } catch (const sartor::Error &error) {
    std::puts(error.what());
  }
}
END

cat > reasons.cpp <<'END'
#include <sartor/points.h>
extern "C" {
struct Base {
  virtual int by_virtual(int x);
};
int Base::by_virtual(int x) { return sartor_generic("virtual", x) + 1; }
__attribute__((noinline)) int in_table(int x) { return sartor_generic("table", x) + 2; }
int (*functions[])(int) = {in_table};
int given_away(int x) { return sartor_generic("given", x) + 3; }
void keep(int (*function)(int));
void keep_it() { keep(given_away); }
int called_by_none(int x) { return sartor_generic("uncalled", x) + 4; }
int below(int x) { return sartor_generic("below", x) + 5; }
int above(int x) { return below(x); }
SARTOR_HANDLER int handler(Base *base, int x) {
  return base->by_virtual(x) + functions[x & 0](x) + sartor_generic("reached", x);
}
}
void keep(int (*)(int)) {}
END
handlers reasons.cpp reasons.o
link reasons reasons.o
"$sartor" space reasons > listed
while IFS='|' read -r label reason; do
  grep -E "^$label +generic.*no handler reaches it: .*$reason" listed > /dev/null || fail "$label: no \"$reason\" in $(cat listed)"
  ./reasons "$label" > said
  grep -E "point_not_specializable.*$reason.*reasons.cpp:" said > /dev/null || fail "$label: $(cat said)"
done <<'END'
virtual|is virtual, and no handler calls it on an object whose type is known
table|nothing in the files with handlers calls in_table\(\) by name
given|the address of given_away\(\) is stored or given to other code
uncalled|nothing in the files with handlers calls called_by_none\(\) by name
below|below\(\) is called by above\(\), which no handler reaches
END
[[ $(./reasons reached) == "no error" ]] || fail "a point that is reached: $(./reasons reached)"

# One-definition rule: the same inline function, with its point and without.
cat > shared.hpp <<'END'
#include <sartor/points.h>
#ifdef MARKED
#define POINT(x) sartor_generic("shared", x)
#else
#define POINT(x) (x)
#endif
template <class T> __attribute__((noinline)) T twice(T x) { return POINT(x) * 2; }
END
for name in first second; do
  printf '#include "shared.hpp"\nextern "C" SARTOR_HANDLER int %s(int x) { return twice(x); }\n' $name > $name.cpp
done
handlers first.cpp first.o -DMARKED
handlers second.cpp second.o
for order in "first.o second.o" "second.o first.o"; do
  # shellcheck disable=SC2086
  link odr $order
  ./odr shared > said
  grep "conflicting_label.*twice<int>" said | grep "first.cpp" | grep -q "second.cpp" || fail "$order: $(cat said)"
done
handlers second.cpp second.o -DMARKED
link same first.o second.o
[[ $(./same shared) == "no error" ]] || fail "the same definition twice: $(./same shared)"
