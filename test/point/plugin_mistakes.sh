#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# plugin_mistakes.sh CLANGXX PLUGIN INCLUDE WORK: compiler messages about invalid handler files, and their positions.
set -euo pipefail
clang=$1 plugin=$2 include=$3 work=$4
rm -rf "$work"
mkdir -p "$work"

# refuses NAME PATTERN...: compiling the standard input as NAME fails, and the output matches each PATTERN.
refuses() {
  local source=$work/$1.cpp
  shift
  cat >"$source"
  if output=$("$clang" -std=c++20 -O2 -DSARTOR_POINTS=1 -I"$include" -fplugin="$plugin" -fpass-plugin="$plugin" \
    -c "$source" -o "$source.o" 2>&1); then
    echo "$source was compiled"
    exit 1
  fi
  echo "$output"
  for pattern in "$@"; do
    grep -q "$pattern" <<<"$output" || {
      echo "does not say: $pattern"
      exit 1
    }
  done
}

refuses label 'error: sartor: label_not_constant' 'label.cpp:3' 'string literal' <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER int f(int x, const char *label) {
  return sartor_enum(label, x, 1, 2);
}
EOF2

refuses empty_label 'error: sartor: label_not_constant' 'empty_label.cpp:3' 'string literal' <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER int f(int x) {
  return sartor_enum("", x, 1, 2);
}
EOF2

refuses structure 'error: sartor: bad_value_type: "pair"' 'structure.cpp:4' 'member' <<'EOF2'
#include <sartor/points.h>
struct Pair { int a, b; };
SARTOR_HANDLER int f(Pair x) {
  return sartor_generic("pair", x).a;
}
EOF2

refuses nul 'error: sartor: bad_value_type' 'nul.cpp:3' 'NUL' <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER int f(int x) {
  return sartor_generic("first\0second", x);
}
EOF2

refuses bytes 'error: sartor: bad_value_type' 'bytes.cpp:3' 'UTF-8' <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER int f(int x) {
  return sartor_generic("caf\xe9", x);
}
EOF2

refuses inverted 'error: sartor: bad_choices: "r"' 'inverted.cpp:3' 'from 9 to 1' <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER int f(int x) {
  return sartor_range("r", x, 9, 1);
}
EOF2

refuses inverted_signed 'error: sartor: bad_choices: "r"' 'inverted_signed.cpp:3' 'from 1 to -1' <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER long f(signed char x) {
  return sartor_range("r", x, 1, -1);
}
EOF2

refuses inverted_float 'error: sartor: bad_choices: "r"' 'inverted_float.cpp:3' <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER double f(double x) {
  return sartor_range("r", x, 0.5, __builtin_nan(""));
}
EOF2

refuses no_number 'error: sartor: bad_choices: "e"' 'no_number.cpp:3' 'NaN' <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER double f(double x) {
  return sartor_enum("e", x, 1.0, __builtin_nan(""));
}
EOF2

refuses no_choices 'error: sartor: bad_choices: "e"' 'no_choices.cpp:3' 'sartor_generic' <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER int f(int x) {
  return sartor_enum("e", x);
}
EOF2

refuses choices_differ 'error: sartor: conflicting_label: "e"' 'choices_differ.cpp:3' 'choices_differ.cpp:6' 'choices' <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER int f(int x) {
  return sartor_enum("e", x, 1, 2);
}
SARTOR_HANDLER int g(int x) {
  return sartor_enum("e", x, 1, 3);
}
EOF2

refuses kinds_differ 'error: sartor: conflicting_label: "e"' 'differ in their kind' <<'EOF2'
#include <sartor/points.h>
static inline int twice(int x) { return 2 * sartor_range("e", x, 0, 9); }
SARTOR_HANDLER int f(int x) {
  return sartor_enum("e", x, 1, 2) + twice(x);
}
EOF2

refuses types_differ 'error: sartor: conflicting_label: "e"' 'differ in their type' <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER long f(int x, long y) {
  return sartor_generic("e", x) + sartor_generic("e", y);
}
EOF2

# accepts NAME: compiling the standard input as NAME succeeds.
accepts() {
  cat >"$work/$1.cpp"
  "$clang" -std=c++20 -O2 -DSARTOR_POINTS=1 -I"$include" -fplugin="$plugin" -fpass-plugin="$plugin" \
    -c "$work/$1.cpp" -o "$work/$1.o"
}

accepts one_value <<'EOF2'
#include <sartor/points.h>
SARTOR_HANDLER unsigned long f(unsigned long x) {
  return sartor_range("r", x, 5, 5) + sartor_range("all", x, 0, ~0UL) + sartor_range("r", x, 5, 5);
}
EOF2

accepts instances <<'EOF2'
#include <sartor/points.h>
template <class T> T twice(T x) { return 2 * sartor_generic("x", x); }
SARTOR_HANDLER long f(int x, long y) { return twice(x) + twice(y); }
EOF2
