#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# all.sh BUILT SOURCES: runs the test suites of other projects with the studies' programs in the build tree BUILT
# (build/studies), where all executed code is specialized at once. SOURCES is the directory in which scripts/source.sh puts
# sources. This takes hours.
set -uo pipefail
built=$1 sources=$2
here=$(dirname "$0")
failed=0
suite() {
  "$@"
  case $? in
    0) ;;
    77) echo "$(basename "$1"): not run" ;;
    *) failed=1 ;;
  esac
}
suite "$here/lua_testes.py" "$built" "$sources/lua5.4-tests"
suite "$here/sqlite_random.py" "$built" --keep build/suites
suite "$here/pcre2_testdata.py" "$built" "$sources/pcre2/testdata"
suite "$here/quickjs_tests.py" "$built" "$sources/quickjs"
exit $failed
