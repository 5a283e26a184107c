#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build.sh SOURCE DIRECTORY SARTOR_CC INCLUDE LIBRARIES: builds the provider sartor_jit.so in DIRECTORY with the
# interpreter of PostgreSQL's source and the installed server's headers. Sartor is in INCLUDE and LIBRARIES.
set -euo pipefail
source=$(realpath "$1") directory=$(realpath -m "$2") cc=$3 include=$4 libraries=$5
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$directory"
mkdir -p "$directory"
cd "$directory"
exec 3>&2 >log 2>&1
trap 'cat log >&3' ERR
version=$(sed -n "s/^PACKAGE_VERSION='\(.*\)'/\1/p" "$source/configure")
pg_config=/usr/lib/postgresql/15/bin/pg_config
# Fixes to security change the server, not the source that source.sh fetches; the steps are the same in all of 15.
[[ $("$pg_config" --version) == "PostgreSQL ${version%.*}."* ]] || { echo "the server is not ${version%.*}, as its source is"; false; }

interpreter=$source/src/backend/executor/execExprInterp.c
steering='s/op->d\.(boolexpr|qualexpr|jump|sbsref_subscript)\.jumpdone/known->jump_or_number/g
s/op->d\.fetch\.last_var|op->d\.(var|assign_var)\.attnum|op->d\.constval\.isnull|op->d\.func\.nargs/known->jump_or_number/g
s/op->d\.rowcompare_step\.jumpdone|op->d\.assign_(var|tmp)\.resultnum|op->d\.agg_strict_input_check\.nargs|op->d\.agg_plain_pergroup_nullcheck\.setoff/known->second/g
s/op->d\.[a-z_]*\.jumpnull/known->jump_or_number/g
s/op->d\.agg_trans\.transno/known->jump_or_number/g
s/op->d\.agg_trans\.setoff/known->second/g
s/\*op->resvalue/RESVALUE/g
s/\*op->resnull/RESNULL/g
s/slot_getsomeattrs\(inner/fetch_known(0, inner/
s/slot_getsomeattrs\(outer/fetch_known(1, outer/
s/slot_getsomeattrs\(scan/fetch_known(2, scan/
s/fetch_known\(([012]), (\w+), known->jump_or_number\)/fetch_some(\2, known->jump_or_number, known->second, shape->attributes[\1])/
s/^(.*)CheckOpSlotCompatibility.*$//
s/op->d\.func\.fn_addr\(fcinfo\)/call(known->function, op->d.func.fn_addr, fcinfo)/
s/ExecAggPlainTransByVal\(aggstate/ExecAggPlainTransByVal(known->function, aggstate/'
sed -n '/^ExecInterpExpr(/,/^out:/p' "$interpreter" | sed -n '/^\tEEO_SWITCH()/,/^\t}/p' | sed -E "$steering" >pgsartor_loop.h
for kind in Val Ref; do
  echo 'static pg_attribute_always_inline void'
  sed -n "/^ExecAggPlainTransBy$kind(/,/^}/p" "$interpreter" | sed 's/ByVal(AggState/ByVal(int code, AggState/'
done | sed '/ByVal/,/^}/s/FunctionCallInvoke(fcinfo)/call(code, fcinfo->flinfo->fn_addr, fcinfo)/' >pgsartor_transition.h
grep -q 'fetch_some(scanslot' pgsartor_loop.h
grep -q 'call(code' pgsartor_transition.h

options=(-fPIC -fwrapv -DNDEBUG "-I$directory" "-I$here" "-I$("$pg_config" --includedir-server)" "-I$include" -D_GNU_SOURCE)
# Lifetime markers would merge many jumps into one block.
"$cc" -O2 -w "${options[@]}" -Xclang -disable-lifetime-markers -c "$here/pgsartor_run.c" -o pgsartor_run.o
for file in pgsartor pgsartor_known pgsartor_sets pgsartor_table; do
  gcc -O2 -Wall "${options[@]}" -c "$here/$file.c" -o $file.o
done
gcc -shared -pthread -o sartor_jit.so ./*.o "-L$libraries" -lsartor "-Wl,-rpath,$libraries"
