#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compiler.sh STAGE WORK: runs sartor-cc with everything that a build may ask of a compiler.
set -euo pipefail
llvm=${SARTOR_LLVM:-22} # the major version that Sartor is built with
stage=$(realpath "$1") work=$2
rm -rf "$work"
mkdir -p "$work"
cd "$work"
command -v gcc >/dev/null || { echo "skipped: there is no gcc"; exit 77; }
unset SARTOR_CC SARTOR_CXX SARTOR_DECLARATIONS CPATH
export PATH=$stage/bin:$PATH TMPDIR=$work/tmp LC_ALL=C
mkdir tmp
complain() {
  echo "$*"
  exit 1
}
# An object with handlers or watched fields is compiled by clang, others by gcc.
made_by() {
  local by
  by=$(readelf -p .comment "$1" | grep -o -m1 'clang version\|GCC:')
  [[ $by == "$2" ]] || complain "$1 is made by $by ($3)"
}
by_clang() { made_by "$1" "clang version" "${2-}"; }
by_gcc() { made_by "$1" "GCC:" "${2-}"; }
refused() {
  local expected=$1
  shift
  if "$@" >out 2>&1; then complain "not refused: $*"; fi
  grep -qE -- "$expected" out || complain "$*: $(cat out)"
}

cat >handler.c <<'EOF'
#include <sartor/points.h>
SARTOR_HANDLER int twice(int x) { return 2 * sartor_generic("x", x); }
EOF
echo 'int one(void) { return 1; }' >plain.c
echo 'int twice(int); int one(void); int main(void) { return twice(21) - 42 * one(); }' >main.c

# The choice of the compiler.
sartor-cc -O2 -c plain.c && by_gcc plain.o
sartor-cc -O2 -c handler.c && by_clang handler.o
# Options for parts of clang, which a project gives for all of its files.
sartor-cc -O2 -Xclang -disable-lifetime-markers -mllvm -unroll-count=2 -c plain.c && by_gcc plain.o
echo '-Xclang -disable-lifetime-markers' >options
sartor-cc @options -c plain.c handler.c && by_gcc plain.o && by_clang handler.o
sartor-cc @options main.c plain.c handler.c -o program && ./program
echo '#include "missing.h"' >incomplete.c
refused 'missing.h: No such file' sartor-cc @options -c incomplete.c
sartor-cc -O2 -c handler.c
sartor space handler.o >found; grep -q '^x ' found || complain "the handler has no point"
mkdir headers
echo '#include "inner.h"' >headers/outer.h
echo '# /* */ include <sartor/points.h>' >headers/inner.h
echo 'int f(void) { return 1; }' >f.c
sartor-cc -c f.c -include headers/outer.h -o f.o && by_clang f.o -include
sartor-cc -c f.c -o f.o '-DX="headers/outer.h"' && by_clang f.o "a name that may be included"
printf '#include "outer.h"\nint f(void) { return 1; }\n' >g.c
sartor-cc -c g.c -Iheaders && by_clang g.o -I
CPATH=headers sartor-cc -c g.c && by_clang g.o CPATH
printf '#define A(x) <sartor/x.h>\n#define B A(points)\n#include B\nint f;\n' >h.c
sartor-cc -c h.c && by_clang h.o "a name put together"
printf '#ifdef B\n#include B\n#endif\nint f;\n' >h.c
sartor-cc -c h.c && by_gcc h.o "a macro that nobody defines"
printf '#include <sartor/c/sartor.h>\nint f;\n' >h.c
sartor-cc -c h.c && by_gcc h.o "the run time's header"
mkdir sartor
printf '#include <sartor/points.h>\n#define MINE SARTOR_HANDLER\n' >sartor/mine.h
printf '#include "sartor/mine.h"\nMINE int f(void) { return 1; }\n' >m.c
sartor-cc -c m.c && by_clang m.o "a header of the program's in a directory sartor"
echo 'MINE int f(void) { return 1; }' >m.c
sartor-cc -c m.c -include "$PWD/sartor/mine.h" && by_clang m.o "the path of such a header"
printf 'struct s { __attribute__((annotate("sartor.watched"))) int a; };\nvoid f(struct s *s) { s->a = 1; }\n' >w.c
sartor-cc -c w.c && by_clang w.o "a watched field"
sartor guards w.o >found; grep -q 's::a\|s.a' found || complain "the field is not watched"
sartor-cc --sartor-watch -c plain.c -o p.o && by_clang p.o --sartor-watch
printf '[handler.one]\n' >d.sartor
sartor-cc "--sartor-declarations=$PWD/d.sartor" -c plain.c -o p.o && by_clang p.o declarations
SARTOR_DECLARATIONS=$PWD/d.sartor sartor-cc -O2 -MD -c plain.c -o p.o
grep -q 'd\.sartor' p.d || complain "nothing depends on the declarations"
sartor-cc -E handler.c -o handler.i
sartor-cc -c handler.i -o i.o && by_clang i.o "preprocessed text"
sartor-c++ -c plain.c -o p.o && nm p.o >found && grep -q _Z3onev found || complain "sartor-c++ is no C++ compiler"
sartor-c++ -x c++ -c handler.c -o p.o && by_clang p.o

# A precompiled header, of gcc, which clang does not read.
echo '#define PRECOMPILED 2' >headers/first.h
sartor-cc headers/first.h -o headers/first.h.gch && [[ -s headers/first.h.gch ]] || complain "no precompiled header"
sartor-cc -x c-header headers/first.h -o headers/first.h.gch || complain "no precompiled header by -x"
sed 's/2 \*/PRECOMPILED */' handler.c >precompiled.c
sartor-cc -Werror -include headers/first.h -c precompiled.c && by_clang precompiled.o || complain "with a precompiled header"

# Output files and dependencies.
sartor-cc -O2 -MD -c handler.c -o sub.o && grep -q '^sub.o:' sub.d && grep -q SartorPlugin.so sub.d || complain "sub.d"
sartor-cc -MMD -MF named.d -MT target -c handler.c && grep -q '^target:' named.d || complain "named.d"
sartor-cc -MM handler.c >found; grep -q '^handler.o:' found && grep -q ' handler\.c' found || complain -MM
sartor-cc -S -O2 handler.c && grep -q twice handler.s || complain -S
sartor-cc -O2 -pipe -c handler.c plain.c && by_clang handler.o && by_gcc plain.o
refused 'cannot specify .-o. with .-c.' sartor-cc -c handler.c plain.c -o both.o
printf '%s\n' '-O2 -o "a program"' main.c "handler.c plain.c" >words
sartor-cc @words && "./a program" || complain "a response file"
sartor-cc -MMD -o program -x c main.c handler.c plain.c && ./program || complain "three sources"
[[ -s program-handler.d ]] && grep -q '^program:' program-handler.d || complain "no dependencies of a program's source"
sartor-cc -fPIC -shared -MMD -MF named.d -o libhandler.so handler.c
grep -q '^libhandler.so:' named.d || complain "dependencies of a temporary file: $(cat named.d)"
sartor-cc -fPIC -shared -MMD -MTother -o libhandler.so handler.c
[[ $(grep -o '^[^:]*:' libhandler.d | head -n 1) == other: ]] || complain "dependencies of another target: $(cat libhandler.d)"
sartor-cc -fPIC -shared -MMD handler.c && [[ -s a-handler.d ]] || complain "no dependencies of a program without a name"
sartor-cc -o program main.c plain.c -x c - <handler.c && ./program || complain "standard input"
sartor-cc -c -x c - -o p.o <handler.c && by_clang p.o "standard input"
sartor-cc -c -x c - -o p.o <plain.c && by_gcc p.o "standard input"
# shellcheck disable=SC2002 # a pipe
{
  cat handler.c | sartor-cc -c -x c /dev/stdin -o p.o && by_clang p.o /dev/stdin
  cat plain.c | sartor-cc -c -x c /dev/stdin -o p.o && by_gcc p.o /dev/stdin
}
sartor-cc -c -x c <(cat handler.c) -o p.o && by_clang p.o "a pipe, which can be read only once"
sartor-cc -c -x c /dev/null -o p.o && by_gcc p.o /dev/null
sartor-cc -O2 -flto -ffat-lto-objects -o program main.c handler.c plain.c && ./program || complain -flto
sartor-cc --sartor-cc=clang-$llvm -fuse-ld=lld -O2 -flto -o program main.c handler.c plain.c && ./program || complain "clang -flto"
sartor-cc --sartor-cc=clang-$llvm -fprofile-instr-generate -fcoverage-mapping -c plain.c handler.c && by_clang handler.o ||
  complain "coverage by clang"
sartor-cc --sartor-cc=clang-$llvm -MJ commands -c handler.c -o p.o && by_clang p.o -MJ
grep -q '"file": "handler.c"' commands || complain "no compilation database"
sartor-cc -g -gsplit-dwarf -o program main.c handler.c plain.c && ./program || complain -gsplit-dwarf
readelf --debug-dump=info program >found && grep -q 'DW_AT_name.*handler[.]c' found || complain "no debug information with -gsplit-dwarf"
sartor-cc -O2 -static -o program main.c handler.c plain.c && ./program || complain -static
# Clang's check of calls through pointers needs a library that gcc does not link with.
sed 's/int x)/int x, int (*f)(int))/; s/"x", x)/"x", f(x))/' handler.c >calling.c
printf 'int twice(int, int (*)(int));\nstatic int same(int x) { return x; }\nint main(void) { return twice(21, same) - 42; }\n' >calls.c
if echo 'int main(void) { return 0; }' | gcc -fsanitize=undefined -x c - -o program 2>/dev/null; then
  sartor-cc -fsanitize=undefined -o program calls.c calling.c && ./program || complain -fsanitize=undefined
fi
sartor-cc --sartor-cc=clang-$llvm -fsanitize=undefined -c calling.c -o p.o && nm p.o >found
grep -q function_type_mismatch found || complain "clang does not check calls through pointers"
[[ -z $(ls tmp) ]] || complain "left behind: $(ls tmp)"

# Queries are answered by the compiler.
for words in --version -dumpmachine -dumpversion -print-search-dirs -print-prog-name=ld "-v" "-E -dM plain.c" \
  "-### -c handler.c"; do
  # shellcheck disable=SC2086 # words
  diff <(cc $words 2>&1 | sed 's/cc[A-Za-z0-9]\{6\}\./cc./') <(sartor-cc $words 2>&1 | sed 's/cc[A-Za-z0-9]\{6\}\./cc./') >/dev/null ||
    complain "is answered otherwise: $words"
done

# All options that control gcc's optimizer; options that take a value have their own list.
gcc -Q --help=optimizers | grep -oE '^ +-f[a-z0-9-]+ ' | tr -d ' ' | sed 'p;s/^-f/-fno-/' >steering
grep -vE -- '-f(no-)?(handle-exceptions|harden-.*|non-call-exceptions|reg-struct-return|stack-protector-explicit|strict-volatile-bitfields|toplevel-reorder|split-stack)$|-fno-(no|stack-protector)-|-fno-trapv$' steering |
  tr '\n' ' ' >accepted
sartor-cc -c handler.c "@accepted" 2>out || complain "$(head -n 3 out)"
refused 'bad_argument: "-fabi-version=3"' sartor-cc -fabi-version=3 -c handler.c
refused 'bad_argument: "-ffixed-r12"' sartor-cc -o program -ffixed-r12 main.c handler.c plain.c
refused "unknown argument.*-funheard-of" sartor-cc -funheard-of -c handler.c
sartor-cc -fabi-version=3 -c plain.c || complain "an option of gcc's own"

# Errors.
refused 'bad_argument: "--sartor-wach"' sartor-cc --sartor-wach -c plain.c
refused 'is sartor-cc itself' env SARTOR_CC=sartor-cc sartor-cc -c plain.c
refused 'file_error: "gcc-99": cannot be executed' env SARTOR_CC=gcc-99 sartor-cc -c plain.c
refused 'file_error: "none.sartor"' sartor-cc --sartor-declarations=none.sartor -c plain.c
refused 'error: ' sartor-cc -c -x c - <<<'SARTOR_HANDLER int'
mkdir empty
ln -s "$(command -v gcc)" empty/cc
ln -s "$(command -v as)" empty/as
refused "no_clang: \"clang-$llvm\".*apt-get install clang-$llvm" env "PATH=$PWD/empty" "$stage/bin/sartor-cc" -c handler.c
PATH=$PWD/empty "$stage/bin/sartor-cc" -c plain.c || complain "without clang"
mkdir -p moved/bin
cp "$stage/bin/sartor-cc" moved/bin
refused 'file_error: ".*/moved/lib/sartor/SartorPlugin.so"' moved/bin/sartor-cc -c handler.c
echo 'int broken(' >broken.c
if sartor-cc -o program main.c handler.c broken.c 2>/dev/null; then complain "a broken file"; fi
[[ -z $(ls tmp) ]] || complain "left behind: $(ls tmp)"

# A compiler cache in front notices another plugin and other declarations.
if command -v ccache >/dev/null; then
  # Settings of the user, such as CCACHE_DISABLE, would count.
  for setting in "${!CCACHE_@}"; do unset "$setting"; done
  export CCACHE_DIR=$work/cache
  cached() {
    ccache -z >/dev/null
    ccache sartor-cc "$@" -O2 -c handler.c
    ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { n += $2 } END { print n + 0 }'
  }
  [[ $(cached) == 0 && $(cached) == 1 ]] || complain "ccache keeps nothing"
  printf '[function.twice]\nfold = true\n' >d.sartor
  more=--sartor-declarations=$PWD/d.sartor
  [[ $(cached "$more") == 0 && $(cached "$more") == 1 ]] || complain "ccache keeps nothing with declarations"
  printf '# Another.\n[function.twice]\nfold = true\n' >d.sartor
  [[ $(cached "$more") == 0 ]] || complain "ccache does not notice other declarations"
  echo twice >hot
  more=-fsartor-auto=$PWD/hot
  [[ $(cached "$more") == 0 && $(cached "$more") == 1 ]] || complain "ccache keeps nothing with a list of hot functions"
  echo one >>hot
  [[ $(cached "$more") == 0 ]] || complain "ccache does not notice other hot functions"
fi
echo done
