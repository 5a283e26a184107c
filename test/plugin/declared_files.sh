#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# declared_files.sh CLANG PLUGIN INCLUDE SARTOR WORK: error messages about separate declarations and their lines; the
# output of `sartor declare`, and its checks.
set -euo pipefail
clang=$1 plugin=$2 include=$3 sartor=$4 work=$5
rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail() {
  echo "$1"
  exit 1
}

cat >stack.c <<'END'
struct file { int references; unsigned locked : 1; long offset; struct { int inner; }; };
enum mode { PLAIN, FAST };
int threaded;
struct file one;
static int limit = 64;
_Thread_local int mine;
static int hash_of(int x) { return x * 31; }
long deliver(struct file *file, enum mode mode, unsigned char size, double weight, long data) {
  if (mode == FAST || threaded || file->references)
    data += size;
  file->offset += data;
  return data + hash_of(size) + limit + (long)weight + file->inner;
}
void start_thread(void) { threaded = 1; }
void share(struct file *file) { ++file->references; }
END

# compile FLAGS...: compiles as CMake does.
compile() {
  "$clang" -O1 -DSARTOR_POINTS -I"$include" -fplugin="$plugin" -fpass-plugin="$plugin" \
    -fplugin-arg-sartor-declarations=stack.sartor -c stack.c -o stack.o "$@"
}

# refuses LINE TEXT DECLARATION...: these declarations are refused with a message about that line.
refuses() {
  local line=$1 text=$2
  shift 2
  printf '%s\n' "$@" >stack.sartor
  compile 2>said.txt && fail "is compiled: $*"
  grep -qF "stack.sartor:$line:1: error: sartor: " said.txt && grep -qF -- "$text" said.txt ||
    fail "$*: line $line with '$text' is expected: $(cat said.txt)"
}

# Unreadable files and syntax errors.
refuses 2 'there is no = after the key' '[handler.deliver]' 'direct'
refuses 3 'is there twice' '[handler.deliver]' 'direct = true' 'direct = true'
refuses 3 'the table is there twice' '[handler.deliver]' '' '[handler.deliver]'
refuses 1 'declarations are [handler.NAME]' '[handlers.deliver]'
refuses 2 'of a handler can be said' '[handler.deliver]' 'indirect = true'
refuses 2 'is true or false' '[handler.deliver]' 'direct = "yes"'
refuses 2 'of a parameter can be said' '[handler.deliver]' 'parameter.size.enmu = [1]'
refuses 2 'is not what this can be' '[handler.deliver]' 'parameter.size.is = "quasi-invariant"'
refuses 2 'is not what this can be' '[variable.threaded]' 'is = "qasi-invariant"'
refuses 2 'of a function can be said' '[function.hash_of]' 'pure = true'
refuses 1 'nothing is said of "hash_of"' '[function.hash_of]'
refuses 1 'nothing is said of "threaded"' '[variable.threaded]' 'type = "int"'

# Missing or different entities.
refuses 2 'has no parameter "length"' '[handler.deliver]' 'parameter.length.is = "static"'
refuses 1 '"file" has no field "owner"' '[field.file.owner]' 'is = "quasi-invariant"'
refuses 1 'is declared as long, and is int' '[field.file.references]' 'is = "quasi-invariant"' 'type = "long"'
refuses 1 'is declared as char, and is int' '[variable.threaded]' 'is = "static"' 'type = "char"'
refuses 2 'is declared as int, and is long' '[handler.deliver]' 'parameter.data.type = "int"' \
  'parameter.data.is = "dynamic"'
refuses 1 'is another in each thread' '[variable.mine]' 'is = "quasi-invariant"'

# Impossible points.
refuses 2 '"256" is no value of "size", which is unsigned char' '[handler.deliver]' 'parameter.size.enum = [1, 256]'
refuses 2 '"-1" is no value of "size"' '[handler.deliver]' 'parameter.size.range = [-1, 3]'
refuses 3 '"SLOW" is no value of "mode"' '[handler.deliver]' 'parameter.mode.enum = ["FAST",' '"SLOW"]'
refuses 2 'are no integers' '[handler.deliver]' 'parameter.weight.enum = [1]'
refuses 2 'a lowest and a highest value' '[handler.deliver]' 'parameter.size.range = [1]'
refuses 2 'the values are a list' '[handler.deliver]' 'parameter.size.enum = 1'
refuses 2 'and is no point' '[handler.deliver]' 'parameter.size.label = "size"' 'parameter.size.is = "dynamic"'

# Contradictions.
refuses 3 'is declared twice: it is a point already' '[handler.deliver]' 'parameter.size.enum = [1]' \
  'parameter.size.range = [1, 2]'
refuses 3 'cannot be both dynamic and a point' '[handler.deliver]' 'parameter.size.is = "dynamic"' \
  'parameter.size.enum = [1]'
refuses 2 'both a handler and a function to fold' '[handler.deliver]' '[function.deliver]' 'fold = true'
refuses 4 'has two answers to writes' '[variable.threaded]' 'is = "quasi-invariant"' 'refuse = true' \
  'reinforce = "do_otherwise"'
refuses 1 'which only what is quasi-invariant has' '[variable.threaded]' 'is = "static"' 'refuse = true'
refuses 3 'where the program declares the quasi-invariant' '[field.file.references]' 'is = "quasi-invariant"' 'refuse = true'
refuses 1 'only the program knows the object' '[field.file.references]' 'is = "static"'

refuses 1 'nothing to say of its fields' '[variable.one]' 'is = "dynamic"' 'fields = ["offset"]'
refuses 1 '"one" has no field "owner"' '[variable.one]' 'is = "static"' 'fields = ["owner"]'
refuses 1 '"threaded" has no field "owner"' '[variable.threaded]' 'is = "static"' 'fields = ["owner"]'
refuses 3 'are a list of names' '[variable.one]' 'is = "static"' 'fields = "offset"'
refuses 1 'declare [field.file.offset] quasi-invariant, too' '[variable.one]' 'is = "quasi-invariant"' \
  'fields = ["offset"]'
refuses 2 'of a field can be said' '[field.file.offset]' 'fields = ["offset"]'

# Conflicts between two files.
printf '%s\n' '' '[handler.deliver]' >other.sartor
printf '%s\n' '[handler.deliver]' >stack.sartor
compile -fplugin-arg-sartor-declarations=other.sartor 2>said.txt && fail "is declared twice"
grep -qF 'other.sartor:2:1: error: sartor: "deliver" is declared twice: also at stack.sartor:1' said.txt ||
  fail "two files are refused with: $(cat said.txt)"
compile -fplugin-arg-sartor-declarations=none.sartor 2>said.txt && fail "a file that is not there is read"
grep -qF 'error: sartor: none.sartor cannot be read' said.txt || fail "is refused with: $(cat said.txt)"

# The source contradicts the declaration.
mv stack.c plain.c
{
  echo '#include <sartor/points.h>'
  sed 's/^long deliver/SARTOR_HANDLER long deliver/' plain.c
} >stack.c
refuses 1 'the source says otherwise' '[handler.deliver]' 'direct = true'
{
  echo '#include <sartor/watch.h>'
  sed 's/int references/SARTOR_WATCHED int references/' plain.c
} >stack.c
refuses 1 'is watched, says the source' '[field.file.references]' 'is = "dynamic"'
mv plain.c stack.c

# A declaration may be about another file, but the entity has to exist somewhere.
printf '%s\n' '[handler.deliver]' '[handler.receive]' '[variable.elsewhere]' 'is = "static"' >stack.sartor
compile || fail "a handler of another file is refused"
"$sartor" declare --check stack.o 2>said.txt && fail "nobody misses a handler"
for text in 'bad_settings: "stack.sartor:2": no handler "receive" is defined' \
  'stack.sartor:3: no variable "elsewhere" is defined'; do
  grep -qF -- "$text" said.txt || fail "'$text' is not said: $(cat said.txt)"
done
echo 'long receive(void) { return 0; } int elsewhere;' >other.c
other=("$clang" -O1 -fplugin="$plugin" -fpass-plugin="$plugin" -fplugin-arg-sartor-declarations=stack.sartor -c other.c -o other.o)
"${other[@]}"
"$sartor" declare --check stack.o other.o 2>said.txt && fail "a handler is found in a file that has no handlers"
"${other[@]}" -DSARTOR_POINTS
"$sartor" declare --check stack.o other.o || fail "what another file has is missed"
"$sartor" declare --check none.o 2>said.txt && fail "a file that is not there is checked"
grep -q 'file_error: "none.o"' said.txt || fail "a file that is not there is: $(cat said.txt)"

# C++ names: namespaces, members, overloaded functions, references that are followed.
cat >net.cpp <<'END'
namespace net {
enum class Kind { plain, fast = 7 };
struct Route {
  int hops = 0;
  static int count;
  int age(Kind kind) { return kind == Kind::fast ? ++hops : hops; }
};
int Route::count = 0;
static bool threaded;
int send(Route &route, long size) { return route.age(Kind::plain) + int(size) + threaded; }
int send(Route *route, long size) { return route->age(Kind::fast) + (size > 0); }
void start(bool on) { threaded = on; ++Route::count; }
void set(Route &route, int to) { int &hops = route.hops; hops = to; }
template <class T> T twice(T x) { return x + x; }
int four() { return twice(2); }
} // namespace net
END
compile_cxx() {
  "$clang" -O1 -DSARTOR_POINTS -std=c++20 -I"$include" -fplugin="$plugin" -fpass-plugin="$plugin" \
    -fplugin-arg-sartor-declarations=net.sartor -c net.cpp -o net.o
}
cat >net.sartor <<'END'
[handler."net::send"]
parameter.size.is = "static"
[handler.'net::Route::age']
parameter.kind.enum = ["plain", "fast"]
parameter.kind.type = "Kind"
[variable."net::threaded"]
is = "quasi-invariant"
type = "bool"
[variable."net::Route::count"]
is = "quasi-invariant"
[field."net::Route".hops]
is = "quasi-invariant"
END
compile_cxx || fail "names of C++ are not understood"
"$sartor" declare --check net.o || fail "names of C++ are not found"
"$sartor" guards net.o >guards.txt
for text in 'net::threaded .*1 ' 'net::Route::count .*1 ' 'net::Route::hops .*2 '; do
  grep -qE "^$text" guards.txt || fail "'$text' is not guarded: $(cat guards.txt)"
done
"$sartor" declare net.cpp:net::send -- -std=c++20 >net.sartor || fail "no draft is written for C++"
grep -qF "[handler.'net::send']" net.sartor || fail "the draft is: $(cat net.sartor)"
compile_cxx || fail "a draft for C++ is not understood"
"$sartor" declare net.cpp:net::Route::age -- -std=c++20 >net.sartor || fail "no draft is written for a member"
grep -qF "parameter.kind.type = 'Kind'" net.sartor || fail "the draft is: $(cat net.sartor)"
compile_cxx || fail "a draft for a member is not understood"
printf '%s\n' '[function."net::twice"]' 'fold = true' >net.sartor
compile_cxx 2>said.txt && fail "a template is declared"
grep -qF 'net.sartor:1:1: error: sartor: "net::twice" is a template' said.txt || fail "a template is: $(cat said.txt)"
printf '%s\n' '[handler."net::Route::age"]' 'parameter.kind.enum = ["plain", "slow"]' >net.sartor
compile_cxx 2>said.txt && fail "a value that is none is declared"
grep -qF '"slow" is no value of "kind", which is Kind' said.txt || fail "a value is: $(cat said.txt)"

# A program needs no run time.
printf '%s\n' '[handler.deliver]' 'direct = true' '[variable.threaded]' 'is = "quasi-invariant"' 'refuse = true' \
  >stack.sartor
compile -fPIE
cat >main.c <<'END'
extern int threaded;
void start_thread(void);
int main(void) {
  start_thread();
  return !threaded;
}
END
"$clang" main.c stack.o -pie -o program
./program || fail "the program without a run time refuses what its declarations say"

# A draft can be used unchanged, and names the places where each variable that is read is written.
"$sartor" declare stack.c:deliver -- -I"$include" >stack.sartor || fail "no draft is written"
for text in "parameter.size.type = 'unsigned char'" '# Read; written at stack.c:14 in start_thread()' \
  '[field.file.references]' '# Read; not written in this file.'; do
  grep -qF -- "$text" stack.sartor || fail "'$text' is not in the draft: $(cat stack.sartor)"
done
grep -A1 -F '[field.file.offset]' stack.sartor | grep -q dynamic || fail "what the handler writes is not dynamic"
compile || fail "a draft is not understood"
"$sartor" declare --check stack.o || fail "a draft is of something else"
"$sartor" declare stack.c:deliver_all 2>said.txt >/dev/null && fail "a draft of nothing is written"
grep -qF 'no function "deliver_all" is defined' said.txt || fail "no function is: $(cat said.txt)"
"$sartor" declare stack.c 2>said.txt && fail "a draft of a file is written"
grep -qF 'names no function' said.txt || fail "a file alone is: $(cat said.txt)"
