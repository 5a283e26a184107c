#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# whole.sh SQLITE3_C OBJECT SARTOR_CC INCLUDE: compiles all of SQLite as one handler file: a handler is its virtual
# machine, which nearly every other function reaches, and is reached by. A point is the text encoding of the database.
set -euo pipefail
source=$1 object=$2 compiler=$3 include=$4
awk '/^SQLITE_PRIVATE int sqlite3VdbeExec\($/ { print "#include <sartor/points.h>"; sub(/^SQLITE_PRIVATE/, "SARTOR_HANDLER"); inside = 1 }
  inside && sub(/= ENC\(db\);/, "= sartor_generic(\"encoding\", ENC(db));") { inside = 0; found = 1 }
  { print } END { exit !found }' "$source" >"$object.c"
"$compiler" -w -O2 -fPIC -DNDEBUG "-I$include" -c "$object.c" -o "$object"
