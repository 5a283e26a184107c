#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# plugin_mistakes.sh CLANGXX PLUGIN INCLUDE WORK: what the compiler says of a handler file that cannot
# be understood, and where.
set -euo pipefail
clang=$1 plugin=$2 include=$3 work=$4
rm -rf "$work"
mkdir -p "$work"

# refuses NAME PATTERN...: compiling the standard input as NAME fails, and says each PATTERN.
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
