# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs: compilers and interpreters."""

from job import Job

_C = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv) {
  int n[1000];
  for (int i = 0; i < 1000; ++i) n[i] = i * 7919 % 1009;
  qsort(n, 1000, sizeof *n, compare);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += sin(n[i]) * 0x1p-3 + 1e-300L;
  printf("%d %d %.12f\n", n[1], n[999], sum);
  return argc - 1 + (argv[0] == 0);
}
"""
_CPP = r"""
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>
int main() {
  std::map<std::string, std::vector<int>> words;
  for (int i = 0; i < 500; ++i) words["w" + std::to_string(i * 31 % 17)].push_back(i);
  try { std::vector<int>().at(3); } catch (const std::out_of_range &error) { std::cout << error.what() << '\n'; }
  for (auto &[word, n] : words) std::cout << word << ' ' << *std::max_element(n.begin(), n.end()) << '\n';
  std::cout << std::regex_replace(std::string("a1b22"), std::regex("[0-9]+"), "#") << '\n';
}
"""
_FORTRAN = """
program main
  real(8) :: a(50, 50), b(50, 50)
  integer :: i, j
  do i = 1, 50
    do j = 1, 50
      a(i, j) = mod(i * 7 + j * 13, 11) / 3d0
    end do
  end do
  b = matmul(a, transpose(a))
  print '(f18.9)', sum(b), maxval(b)
end program
"""
_ADA = """
with Ada.Text_IO; use Ada.Text_IO;
procedure Main is
   Sum : Long_Long_Integer := 0;
begin
   for I in 1 .. 10_000 loop
      Sum := Sum + Long_Long_Integer (I * I mod 97);
   end loop;
   Put_Line (Sum'Image);
   raise Constraint_Error;
exception
   when Constraint_Error => Put_Line ("caught");
end Main;
"""
_RUST = """
use std::collections::BTreeMap;
fn main() {
    let mut seen: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for i in 0..5000u64 { seen.entry(i * i % 101).or_default().push(i); }
    let caught = std::panic::catch_unwind(|| { let v: Vec<i32> = vec![]; v[1] });
    println!("{} {:?} {}", seen.len(), seen.iter().next(), caught.is_err());
}
"""
_GO = """
package main
import ("fmt"; "math/big"; "sort")
func main() {
	ch := make(chan int, 10)
	for i := 0; i < 10; i++ { go func(n int) { ch <- n * n }(i) }
	var all []int
	for i := 0; i < 10; i++ { all = append(all, <-ch) }
	sort.Ints(all)
	fmt.Println(all, new(big.Int).Exp(big.NewInt(7), big.NewInt(300), nil))
}
"""
_HASKELL = """
import qualified Data.Map as M
import Data.List (sortOn)
main :: IO ()
main = do
  let m = M.fromListWith (+) [(i * i `mod` 31, i) | i <- [1 .. 5000 :: Integer]]
  mapM_ print (take 5 (sortOn (negate . snd) (M.toList m)))
  print (product [1 .. 200 :: Integer])
"""
_OCAML = """
let () =
  let table = Hashtbl.create 10 in
  for i = 1 to 5000 do Hashtbl.replace table (i * i mod 97) i done;
  let keys = List.sort compare (Hashtbl.fold (fun k _ l -> k :: l) table []) in
  Printf.printf "%d %s\\n" (List.length keys) (String.concat "," (List.map string_of_int keys));
  try ignore (List.find (fun k -> k > 1000) keys) with Not_found -> print_endline "none"
"""
_PASCALIAN_LISP = (
    '(print (loop for i below 20 collect (expt i i))) (handler-case (error "x") (error () (print \'caught)))'
)
_JAVA = """
import java.util.*; import java.util.stream.*;
public class Main {
  public static void main(String[] a) {
    Map<Integer, Long> m = IntStream.range(0, 200000).boxed()
        .collect(Collectors.groupingBy(i -> i * 31 % 17, TreeMap::new, Collectors.counting()));
    System.out.println(m);
    try { Object o = null; o.hashCode(); } catch (NullPointerException e) { System.out.println("caught"); }
  }
}
"""
_ERLANG = (
    "P = self(), [spawn(fun() -> P ! {N, N * N} end) || N <- lists:seq(1, 50)], "
    'io:format("~p~n", [lists:sort([receive X -> X end || _ <- lists:seq(1, 50)])]), halt().'
)
# Replacements for the start scripts of these programs.
_START_ERLANG = """set -- "$@" /usr/lib/erlang/erts-*/bin
export ROOTDIR=/usr/lib/erlang BINDIR="$3"
exec "$1" "$3/beam.smp" -- -root $ROOTDIR -bindir $BINDIR -progname erl -- -home . -- -noshell -eval "$2"
"""
_START_R = """export R_HOME=/usr/lib/R R_SHARE_DIR=/usr/share/R/share LD_LIBRARY_PATH=/usr/lib/R/lib
exec "$1" /usr/lib/R/bin/exec/R --vanilla --quiet --no-echo -f main.R
"""

LANGUAGES = (
    Job("gcc", ("gcc -O2 -g -o main main.c -lm -wrapper {ld}", "./main", "- ./main one two"), {"main.c": _C}, ("gcc",)),
    Job("g++", ("g++ -O1 -std=c++20 -o main main.cpp -wrapper {ld}", "./main"), {"main.cpp": _CPP}, ("g++",)),
    Job("gfortran", ("gfortran -O3 -o main main.f90", "./main"), {"main.f90": _FORTRAN}, ("gfortran",)),
    Job("gnat", ("gnatmake -q main.adb", "./main"), {"main.adb": _ADA}, ("gnatmake",)),
    Job(
        "clang",
        (
            "clang-14 -O2 -o main main.c -lm",
            "./main",
            "clang-14 -O2 -S -emit-llvm -o - main.c",
            "- clang-14 -fsyntax-only wrong.c",
        ),
        {"main.c": _C, "wrong.c": "int main( { return x; }\n"},
        ("clang-14",),
    ),
    Job("clang++", ("clang++-14 -O1 -std=c++20 -o main main.cpp", "./main"), {"main.cpp": _CPP}, ("clang++-14",)),
    Job(
        "LLVM's tools",
        (
            "! clang-14 -O1 -c -emit-llvm -o main.bc main.c",
            "opt-14 -O3 -o better.bc main.bc",
            "llvm-dis-14 -o - better.bc",
            "llc-14 -filetype=obj -relocation-model=pic -o main.o better.bc",
            "llvm-objdump-14 -d main.o",
            "lli-14 better.bc",
        ),
        {"main.c": _C},
        ("clang-14", "opt-14", "lli-14"),
    ),
    Job("rustc", ("rustc -O -C debuginfo=0 -o main main.rs", "./main"), {"main.rs": _RUST}, ("rustc",)),
    Job("go", ("go run main.go", "go vet main.go"), {"main.go": _GO}, ("go",), 600),
    Job(
        "ghc",
        ("/usr/lib/ghc/bin/ghc -B/usr/lib/ghc -v0 -O1 -o main main.hs", "./main"),
        {"main.hs": _HASKELL},
        ("ghc",),
        600,
    ),
    Job(
        "ocaml",
        ("ocamlopt -o main main.ml", "./main", "ocamlrun /usr/bin/ocaml main.ml"),
        {"main.ml": _OCAML},
        ("ocamlopt",),
    ),
    Job("sbcl", ("sbcl --script main.lisp",), {"main.lisp": _PASCALIAN_LISP}, ("sbcl",)),
    Job(
        "java",
        ("javac Main.java", "java -Xshare:auto Main", "java -Xint Main"),
        {"Main.java": _JAVA},
        ("java", "javac"),
    ),
    Job("erlang", (["sh", "erl.sh", "{ld}", _ERLANG],), {"erl.sh": _START_ERLANG}, ("erl",)),
    Job(
        "guile",
        (
            [
                "guile",
                "--no-auto-compile",
                "-c",
                "(use-modules (srfi srfi-1)) (display (fold + 0 (iota 1000))) "
                "(display (expt 3 1000)) (display (catch #t (lambda () (car 1)) (lambda e (car e))))",
            ],
        ),
        needs=("guile",),
    ),
    Job(
        "ruby",
        (
            [
                "ruby",
                "-rjson",
                "-rdigest",
                "-e",
                "puts (1..300).group_by { |i| i * i % 7 }.to_json, 7**999, "
                "Digest::SHA256.hexdigest('x' * 99), [3, 1, 2].sort.inspect; begin; raise 'no'; rescue => e; p e; end; "
                "p Fiber.new { Fiber.yield 1; 2 }.then { |f| [f.resume, f.resume] }",
            ],
        ),
        needs=("ruby",),
    ),
    Job(
        "gawk -M",
        (["gawk", "-M", "BEGIN { print 2^500, 7^5000 % 10^60; PREC = 200; print sqrt(2), exp(1) }"],),
        needs=("gawk",),
    ),
    Job(
        "R",
        ("sh r.sh {ld}",),
        {
            "r.sh": _START_R,
            "main.R": """
        set.seed(1); x <- rnorm(500); y <- 3 * x + rnorm(500) / 5
        print(summary(lm(y ~ x + I(x^2)))); print(solve(matrix(c(2, 1, 1, 3), 2))); print(svd(outer(1:6, 1:6))$d[1])
        print(tryCatch(stop("no"), error = conditionMessage)); print(table(cut(x, 5)))
        """,
        },
        ("R",),
    ),
    Job(
        "Octave",
        ("octave-cli --norc --no-history main.m",),
        {"main.m": """
        A = reshape(mod((1:400) * 7, 23), 20, 20) + 5 * eye(20); b = (1:20)';
        printf("%.8f ", A \\ b); printf("%.6f ", sort(abs(eig(A)))); printf("%.6f ", abs(fft(b)));
        try; error("no"); catch e; disp(e.message); end
        """},
        ("octave-cli",),
    ),
    Job(
        "PHP",
        ("php -n main.php",),
        {"main.php": """<?php
        $a = []; for ($i = 0; $i < 3000; $i++) $a[$i * $i % 37][] = $i;
        ksort($a); echo json_encode(array_map('count', $a)), hash('sha512', 'x'), preg_replace('/[0-9]+/', '#', 'a12b3');
        try { intdiv(1, 0); } catch (DivisionByZeroError $e) { echo $e->getMessage(); } echo serialize($a[1]);
        """},
        ("php",),
    ),
    Job(
        "Perl",
        (
            [
                "perl",
                "-MList::Util=sum",
                "-MPOSIX",
                "-MData::Dumper",
                "-MStorable=dclone",
                "-e",
                "$Data::Dumper::Sortkeys = 1; my %h; push @{$h{$_ ** 2 % 13}}, $_ for 1 .. 200; print Dumper(dclone(\\%h)); "
                "print sum(map { length } keys %h), floor(3.7), eval { die 'no' } // $@; printf '%.15g', atan2(1, 3)",
            ],
        ),
        {},
        ("perl",),
    ),
    Job(
        "Python",
        ("/usr/bin/python3 -I main.py",),
        {"main.py": """
import ctypes, decimal, hashlib, json, re, sqlite3, ssl, zlib, lzma, concurrent.futures as f
print(json.dumps({i: str(decimal.Decimal(i).sqrt()) for i in range(20)}), hashlib.blake2b(b"x").hexdigest())
print(zlib.crc32(b"abc"), len(lzma.compress(b"a" * 9999)), re.sub(r"(\\d+)", r"<\\1>", "a12b3"))
print(sqlite3.connect(":memory:").execute("select sqrt(2), sqlite_version()").fetchall(), ssl.OPENSSL_VERSION)
print(sum(f.ThreadPoolExecutor(4).map(lambda i: i * i, range(1000))), ctypes.CDLL(None).abs(-3))
try:
    [][1]
except IndexError as error:
    print(error)
"""},
        ("python3",),
    ),
    Job(
        "numpy",
        ("/usr/bin/python3 -I main.py",),
        {"main.py": """
import numpy as n
a = (n.arange(3600).reshape(60, 60) * 7 % 23).astype(float) + 9 * n.eye(60)
print(n.round(n.linalg.solve(a, n.arange(60)), 8), n.round(n.abs(n.fft.fft(a[0])), 6), n.round(n.linalg.svd(a)[1], 6))
print(n.sort(n.random.default_rng(1).normal(size=50)), a.sum(axis=1)[::7], n.einsum("ij,ji->", a, a))
"""},
        ("python3",),
    ),
    Job(
        "Node.js",
        (
            [
                "node",
                "-e",
                "const c = require('crypto'), z = require('zlib'); console.log(c.createHash('sha256').update('x')"
                ".digest('hex'), 7n ** 300n, z.gzipSync('a'.repeat(9999)).length, [3, 1, 2].sort(), 'ä'.localeCompare('z')); "
                "try { null.x } catch (e) { console.log(e.message) }; Promise.resolve(3).then(console.log); "
                "let s = 0; for (let i = 0; i < 3e6; i++) s += i % 7; console.log(s)",
            ],
        ),
        needs=("node",),
    ),
    Job(
        "Lua",
        (
            [
                "lua5.4",
                "-e",
                "t = {} for i = 1, 100 do t[i] = i * 7919 % 101 end table.sort(t) print(table.concat(t, ',')) "
                "print(pcall(error, 'no'), ('x1y2'):gsub('%d', '#'), math.pi)",
            ],
            ["luajit", "-e", "local s = 0 for i = 1, 1e6 do s = s + i % 7 end print(s, require('ffi').C, jit.arch)"],
        ),
        needs=("lua5.4", "luajit"),
    ),
    Job(
        "Tcl",
        ("tclsh main.tcl",),
        {
            "main.tcl": "foreach i {1 2 3} { puts [expr {2 ** ($i * 99)}] }\n"
            "puts [regsub -all {[0-9]+} a1b22 #] ; catch {error no} e ; puts $e\n"
        },
        ("tclsh",),
    ),
    Job(
        "bc and PARI",
        ("bc -l < sums", "gp -q -f < sums.gp"),
        {
            "sums": "scale = 60; a(1) * 4; 7 ^ 300; sqrt(2)\n",
            "sums.gp": "factor(2^101-1)\nellap(ellinit([1,2]),101)\nPi\n",
        },
        ("bc", "gp"),
    ),
    Job(
        "bison, flex and m4",
        ("bison -o parser.c parser.y", "flex -o lexer.c lexer.l", "m4 text.m4"),
        {
            "parser.y": "%token N\n%left '+'\n%%\ne: e '+' e | N;\n%%\n",
            "lexer.l": "%option noyywrap\n%%\n[0-9]+ return 1;\n. return *yytext;\n%%\n",
            "text.m4": "define(`f', `ifelse($1, 0, 1, `eval($1 * f(decr($1)))')')f(10)\n",
        },
        ("bison", "flex", "m4"),
    ),
)
