#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""guard_ways.py CLANG PLUGIN INCLUDE SARTOR WORK: a store to a watched field is guarded, or listed as not proven.

Every way to name a field, with every way to write to it, in objects of every kind of storage, in C and C++, at -O0 and
-O2: each a function of its own, on a line of its own, whose number has to be among the places that `sartor guards`
lists.
"""

import itertools
import json
import subprocess
import sys
from pathlib import Path
from string import Template

PRELUDE = """
#include <stdint.h>
#include <string.h>
#include <sartor/watch.h>
struct Base { SARTOR_WATCHED int low; };
struct Inner { long pad; SARTOR_WATCHED int flag; SARTOR_WATCHED unsigned bit : 3; unsigned rest : 5; };
union Either { SARTOR_WATCHED int flag; float other; };
struct Config { long a; SARTOR_WATCHED int flag; long b; struct Inner in; struct Inner all[3]; union Either either; SARTOR_WATCHED struct Inner whole; };
extern struct Config config;
extern __thread struct Config own;
extern struct Config table[4];
SARTOR_WATCHED extern int variable;
void seen(void *);
int *the_flag(void);
"""

PRELUDE_CXX = (
    PRELUDE
    + """
#include <atomic>
#include <span>
#include <typeinfo>
#include <utility>
struct Derived : Base { long more; };
extern Derived derived;
struct Shape { virtual ~Shape(); };
struct Holder { int &to; }; struct Keeper { int *to; Keeper(int *p) : to(p) {} ~Keeper() { *to = 1; } };
"""
)

# Operations on an lvalue.
WRITES = {
    "assignment": "$lvalue = 3;",
    "compound": "$lvalue += 3;",
    "increment": "++$lvalue;",
    "atomic store": "__atomic_store_n(&$lvalue, 3, __ATOMIC_RELAXED);",
    "atomic update": "__atomic_fetch_or(&$lvalue, 3, __ATOMIC_SEQ_CST);",
    "exchange": "int from = 3, to; __atomic_exchange(&$lvalue, &from, &to, __ATOMIC_SEQ_CST);",
    "memcpy": "int from = 3; memcpy(&$lvalue, &from, sizeof from);",
    "memset": "memset(&$lvalue, 1, sizeof $lvalue);",
    "assembly": '__asm__ volatile("movl $3, %0" : "=m"($lvalue));',
}

# Objects. A name that begins with `static` can be the value of a constant expression.
STORAGE = {
    "static": ("", "config"),
    "heap": ("struct Config *p", "(*p)"),
    "thread": ("", "own"),
    "local": ("", "local"),
}
LOCAL = "struct Config local; memset(&local, 0, sizeof local); seen(&local); "

# Ways to reach a field of an object: the preceding declarations, and the lvalue.
WAYS_C = {
    "name": ("", "$object.flag"),
    "parentheses": ("", "($object.flag)"),
    "nested": ("", "$object.in.flag"),
    "element": ("", "$object.all[1].flag"),
    "pointer": ("int *q = &$object.flag;", "*q"),
    "constant pointer": ("int *const q = &$object.flag;", "*q"),
    "const is cast away": ("const int *const q = &$object.flag;", "*(int *)q"),
    "volatile pointer": ("volatile int *q = &$object.flag;", "*q"),
    "pointer to the object": ("struct Config *q = &$object;", "q->flag"),
    "constant pointer to the object": ("struct Config *const q = &$object;", "q->in.flag"),
    "pointer to a part": ("struct Inner *const q = &$object.in;", "q->flag"),
    "pointer of pointers": ("int *q = &$object.flag; int **const r = &q;", "**r"),
    "array of pointers": ("int *q[2] = {&$object.flag, &$object.in.flag};", "*q[1]"),
    "struct of pointers": ("const struct { int *p; } q = {&$object.flag};", "*q.p"),
    "choice": ("volatile int c = 1;", "*(c ? &$object.flag : &$object.in.flag)"),
    "offset": ("int *q = &$object.all[0].flag; q += sizeof(struct Inner) / sizeof(int);", "*q"),
    "bytes": ("char *q = (char *)&$object; q += __builtin_offsetof(struct Config, flag);", "*(int *)q"),
    "number": ("uintptr_t q = (uintptr_t)&$object.flag;", "*(int *)q"),
    "union": ("", "$object.either.flag"),
    "union by another": ("float *f = &$object.either.other;", "*(int *)f"),
    "compound literal": ("", "*(int *[]){&$object.flag}[0]"),
    "statement expression": ("", "*({ int *q = &$object.flag; q; })"),
}
WAYS_CXX = {
    **{name: way for name, way in WAYS_C.items() if name != "compound literal"},
    "reference": ("int &r = $object.flag;", "r"),
    "reference to the object": ("auto &r = $object;", "r.in.flag"),
    "reference to a part": ("Inner &r = $object.in;", "r.flag"),
    "reference to a reference": ("int &q = $object.flag; int &r = q;", "r"),
    "static reference": ("static int &r = $object.flag;", "r"),
    "static constant pointer": ("static int *const q = &$object.flag;", "*q"),
    "deduced": ("decltype(auto) r = ($object.flag);", "r"),
    "binding": ("auto &[a, f, b, in, all, e, w] = $object;", "f"),
    "range": ("for (Inner &each : $object.all)", "each.flag"),
    "pointer to member": ("int Config::*m = &Config::flag;", "($object.*m)"),
    "constant pointer to member": ("static int Config::*const m = &Config::flag;", "($object.*m)"),
    "constexpr pointer to member": ("constexpr int Inner::*m = &Inner::flag;", "($object.in.*m)"),
    "lambda": ("int &r = $object.flag; auto l = [&](auto f) { f(r); }; (void)l; int &x = r;", "x"),
    "const_cast": ("const int &r = $object.flag;", "const_cast<int &>(r)"),
    "span": ("std::span<int> s(&$object.flag, 1);", "s[0]"),
    "structure of references": ("Holder h{$object.flag};", "h.to"),
    "comma": ("int c = 0;", "(c = 1, $object.flag)"),
    "initializer": ("int *q{&$object.flag};", "*q"),
}
# Only if an address is a constant.
WAYS_STATIC = {
    "constexpr pointer": ("constexpr int *q = &$object.flag;", "*q"),
    "constexpr pointer to the object": ("constexpr Config *q = &$object;", "q->flag"),
    "constexpr reference": ("constexpr int &r = $object.flag;", "r"),
    "constexpr array": ("static constexpr int *q[] = {&$object.flag, &$object.in.flag};", "*q[1]"),
}

# Ways to reach an object as a whole: the preceding declarations, the object, and its type.
OBJECTS_C = {
    "name": ("", "$object", "Config"),
    "parentheses": ("", "($object)", "Config"),
    "nested": ("", "$object.in", "Inner"),
    "element": ("", "$object.all[1]", "Inner"),
    "pointer": ("struct Config *q = &$object;", "(*q)", "Config"),
    "constant pointer": ("struct Config *const q = &$object;", "(*q)", "Config"),
    "pointer to a part": ("struct Inner *const q = &$object.in;", "q[0]", "Inner"),
    "const is cast away": ("const struct Config *const q = &$object;", "(*(struct Config *)q)", "Config"),
    "pointer of pointers": ("struct Inner *q = &$object.in, **const r = &q;", "(**r)", "Inner"),
    "choice": ("volatile int c = 1;", "(*(c ? &$object.in : &$object.all[1]))", "Inner"),
    "bytes": ("char *q = (char *)&$object;", "(*(struct Config *)q)", "Config"),
    "number": ("uintptr_t q = (uintptr_t)&$object;", "(*(struct Config *)q)", "Config"),
}
OBJECTS_CXX = {
    **OBJECTS_C,
    "reference": ("Config &r = $object;", "r", "Config"),
    "reference to a part": ("auto &r = $object.in;", "r", "Inner"),
    "static reference": ("static Config &r = $object;", "r", "Config"),
    "static constant pointer": ("static Inner *const q = &$object.in;", "(*q)", "Inner"),
    "binding": ("auto &[a, f, b, r, all, e, w] = $object;", "r", "Inner"),
    "range": ("for (Inner &each : $object.all)", "each", "Inner"),
    "pointer to member": ("Inner Config::*m = &Config::in;", "($object.*m)", "Inner"),
    "const_cast": ("const Config &r = $object;", "const_cast<Config &>(r)", "Config"),
    "structure of references": ("struct { Config &to; } h{$object};", "h.to", "Config"),
}
OBJECTS_STATIC = {
    "constexpr pointer": ("constexpr Config *q = &$object;", "(*q)", "Config"),
    "constexpr reference": ("constexpr Inner &r = $object.in;", "r", "Inner"),
    "constexpr structure": ("static constexpr struct { Config *p; } h{&$object};", "(*h.p)", "Config"),
}

# Operations on an object of a type that has a part with bit-fields named `part`.
OBJECT_WRITES = {
    "aggregate": "struct $type fresh; memset(&fresh, 1, sizeof fresh); seen(&fresh); $lvalue = fresh;",
    "bit-field": "$part.bit = 3;",
    "bit-field beside": "$part.rest += 3;",
    "memcpy of all": "memcpy(&$lvalue, the_flag(), sizeof $lvalue);",
    "memmove of a part": "memmove(&$part, the_flag(), sizeof $part);",
    "memset of the beginning": "memset(&$part, 0, __builtin_offsetof(struct Inner, flag) + 1);",
    "wider atomic": "__atomic_fetch_add((long *)&$part.flag, 3, __ATOMIC_SEQ_CST);",
    "compare-exchange": "int old = 3; __atomic_compare_exchange_n(&$part.flag, &old, 4, 0, 5, 5);",
    "assembly": '__asm__ volatile("movq $3, %0" : "=m"($part));',
}

# Whole functions; `N` is a number.
WHOLE_C = [
    "void f_N(void) { variable = 3; }",
    "void f_N(void) { int *const q = &variable; *q = 3; }",
    "void f_N(void) { config.in.bit = 3; }",
    "void f_N(void) { config.in.rest = 3; }",
    "void f_N(void) { struct Config fresh = {0}; config = fresh; }",
    "void f_N(struct Config *p) { *p = config; }",
    "void f_N(struct Config *p) { p->whole = config.in; }",
    "void f_N(struct Config *p) { p->whole.pad = 3; }",
    "void f_N(struct Config *p) { memset(p, 0, sizeof *p); }",
    "void f_N(void *p) { memmove(&config.in, p, sizeof config.in); }",
    "void f_N(int i) { table[i].flag = 3; }",
    "void f_N(int i) { struct Config *const q = table; q[i].flag = 3; }",
    "static int *to_N(void) { return &config.flag; } void f_N(void) { *to_N() = 3; }",
    "static void put_N(int *q) { *q = 3; } void f_N(void) { put_N(&config.flag); }",
    "static int *kept_N; void f_N(void) { kept_N = &config.flag; }",
    "int *f_N(void) { return &config.flag; }",
    "void f_N(void) { seen(&config.flag); }",
    "static int *const q_N = &config.flag; void f_N(void) { *q_N = 3; }",
    "void f_N(struct Config *p) { memset((char *)p + __builtin_offsetof(struct Config, all[1]), 0, sizeof(struct Inner)); }",
    "void f_N(struct Config *p) { ((int *)p)[__builtin_offsetof(struct Config, all[2]) / sizeof(int) + 2] = 3; }",
    "void f_N(struct Config *p) { memset((char *)&p->all + sizeof(struct Inner), 0, sizeof(struct Inner)); }",
    "void f_N(struct Config *p) { char a[(p->flag = 3)]; seen(a); }",
    "void f_N(struct Config *p) { int (*a)[(p->flag = 3)] = 0; seen(a); }",
    "void f_N(struct Config *p, int (*a)[(p->flag = 3)]) { seen(a); }",
    "void f_N(struct Config *p, void *q) { seen((int (*)[(p->flag = 3)])q); }",
    "unsigned long f_N(struct Config *p) { return sizeof(char[(p->flag = 3)]); }",
    "void f_N(struct Config *p) { typedef char a[(p->flag = 3)]; a b; seen(b); }",
    "static int put_N(int *q) { return *q = 3; } void f_N(struct Config *p) { _Pragma(\"omp parallel num_threads(put_N(&p->flag))\") seen(0); }",
    "static int put_N(int *q) { return *q = 3; } void f_N(struct Config *p) { _Pragma(\"omp parallel if(put_N(&p->flag))\") seen(0); }",
    "static int put_N(int *q) { return *q = 3; } void f_N(struct Config *p) { _Pragma(\"omp task final(put_N(&p->flag))\") seen(0); }",
    "void f_N(struct Config *p, int n, int (*z)[n]) { __typeof__(*(p->flag = 3, z)) *y = 0; seen(y); }",
    "void f_N(struct Config *p, int n, int (*z)[n]) { seen((__typeof__((p->flag = 3, z)))0); }",
    "void f_N(struct Config *p, int n, int (*z)[n]) { typedef __typeof__(*(p->flag = 3, z)) t; t *y = 0; seen(y); }",
    "void f_N(long *o) { *o = (char *)&config.flag - (char *)o; }",
    "void f_N(struct Config *p, long *o) { *o = (char *)&p->flag - (char *)o; }",
    "void f_N(struct Config *p, long *o) { *(int *)((char *)o + ((char *)&p->flag - (char *)o)) = 3; }",
    "void f_N(__seg_gs struct Config *p) { p->flag = 3; }",
    "void f_N(__seg_gs struct Config *p) { int __seg_gs *q = &p->in.flag; *q = 3; }",
    "void f_N(void) { ((__seg_gs struct Config *)8)->flag += 3; }",
    "static struct { const char *n; int *w; } t_N[] = {{\"a\", &config.flag}}; void f_N(int i) { *t_N[i].w = 3; }",
]
WHOLE_CXX = [
    "template <int &R> void put_N() { R = 3; } void f_N() { put_N<config.flag>(); }",
    "template <int *R> void put_N() { *R = 3; } void f_N() { put_N<&config.flag>(); }",
    "template <Config &R> void put_N() { R.flag = 3; } void f_N() { put_N<config>(); }",
    "template <auto *R> void put_N() { R->in.flag = 3; } void f_N() { put_N<&config>(); }",
    "template <int &R> void put_N() { R = 3; } void f_N() { put_N<variable>(); }",
    "template <int Config::*M> void put_N(Config &c) { c.*M = 3; } void f_N() { put_N<&Config::flag>(config); }",
    "template <auto M> struct F_N { static void put(auto &o) { o.*M = 3; } }; void f_N() { F_N<&Config::flag>::put(config); }",
    "template <auto M> void put_N(Config *c) { c->*M += 3; } void f_N(Config *p) { put_N<&Config::flag>(p); }",
    "static int Config::*const m_N = &Config::flag; void f_N(Config *p) { p->*m_N = 3; }",
    "void f_N() { int &r = config.flag; [&] { r = 3; }(); }",
    "void f_N() { [&r = config.flag] { r = 3; }(); }",
    "void f_N() { [q = &config.flag] { *q = 3; }(); }",
    "void f_N() { constexpr auto l = [] { config.flag = 3; }; l(); }",
    "void f_N(int &r = config.flag) { r = 3; } void g_N() { f_N(); }",
    "inline int &to_N() { return config.flag; } void f_N() { to_N() = 3; }",
    "constexpr int &to_N() { return config.flag; } void f_N() { to_N() = 3; }",
    "consteval int *to_N() { return &config.flag; } void f_N() { *to_N() = 3; }",
    "void f_N() { derived.low = 3; }",
    "void f_N() { Base &b = derived; b.low = 3; }",
    "void f_N() { Base *const b = &derived; b->low = 3; }",
    "void f_N() { int &r = derived.low; r = 3; }",
    "struct M_N { SARTOR_WATCHED int f; void set(int v) { f = v; } }; void f_N(M_N *m) { m->set(3); }",
    "struct M_N { SARTOR_WATCHED int f; int &get() { return f; } }; void f_N(M_N *m) { m->get() = 3; }",
    "struct M_N { friend void set_N(M_N *, Config *c) { c->flag = 3; } }; void f_N(M_N *m) { set_N(m, &config); }",
    "struct M_N { struct I { friend void set_N(I, Config *c) { c->flag = 3; } }; }; void f_N() { set_N(M_N::I(), &config); }",
    "template <class T> struct M_N { friend void set_N(M_N, T *c) { c->flag = 3; } }; void f_N() { set_N(M_N<Config>(), &config); }",
    "void f_N(const Config &c) { const_cast<Config &>(c).in.flag = 3; }",
    "void f_N(const Config &c) { const auto *q = &c.in; ((Inner *)q)->flag = 3; }",
    "void f_N() { std::exchange(config.flag, 3); }",
    "void f_N() { int x = 3; std::swap(config.flag, x); }",
    "void f_N() { std::atomic_ref<int>(config.flag).store(3); }",
    "void f_N() { Keeper keeper(&config.flag); }",
    "void f_N() { new (&config.in) Inner{1, 2, 3, 4}; }",
    "void f_N() { config.in = {}; }",
    "void f_N() { config.in = Inner{1, 2, 3, 4}; }",
    "constinit int &r_N = config.flag; void f_N() { r_N = 3; }",
    "inline constexpr int *q_N = &config.flag; void f_N() { *q_N = 3; }",
    "struct S_N { static constexpr int *q = &config.flag; }; void f_N() { *S_N::q = 3; }",
    "void f_N(bool b) { (b ? config.flag : config.in.flag) = 3; }",
    "const std::type_info &f_N(Config *p, Shape *s) { return typeid((p->flag = 3, *s)); }",
]


def functions(language):
    ways = WAYS_CXX if language == "c++" else WAYS_C
    for (storage, (parameter, thing)), (kind, write) in itertools.product(STORAGE.items(), WRITES.items()):
        known = {**ways, **WAYS_STATIC} if storage == "static" and language == "c++" else ways
        for name, (before, lvalue) in known.items():
            if storage != "static" and name.startswith("static") and "member" not in name:
                continue
            if "volatile int" in before and kind.startswith("mem"):
                continue
            at = Template(lvalue).substitute(object=thing)
            body = Template(f"{before} {{ {write} }}").safe_substitute(lvalue=at, object=thing)
            local = LOCAL if storage == "local" else ""
            yield f"{storage}, {name}, {kind}", f"void f_N({parameter or 'void'}) {{ {local}{body} }}"
    yield from functions_of_objects(language)
    for text in WHOLE_C + (WHOLE_CXX if language == "c++" else []):
        yield "whole", text


def functions_of_objects(language):
    ways = OBJECTS_CXX if language == "c++" else OBJECTS_C
    for (storage, (parameter, thing)), (kind, write) in itertools.product(STORAGE.items(), OBJECT_WRITES.items()):
        known = {**ways, **OBJECTS_STATIC} if storage == "static" and language == "c++" else ways
        for name, (before, lvalue, type_name) in known.items():
            if storage != "static" and name.startswith("static"):
                continue
            at = Template(lvalue).substitute(object=thing)
            part = at if type_name == "Inner" else at + ".in"
            body = Template(f"{before} {{ {write} }}").safe_substitute(
                lvalue=at, object=thing, part=part, type=type_name
            )
            local = LOCAL if storage == "local" else ""
            yield f"{storage}, {name}, {kind}", f"void f_N({parameter or 'void'}) {{ {local}{body} }}"


def check(clang, plugin, include, sartor, work, language, level):
    lines, names = (PRELUDE_CXX if language == "c++" else PRELUDE).splitlines(), {}
    for number, (name, text) in enumerate(functions(language)):
        lines.append(text.replace("_N", f"_{number}"))
        names[len(lines)] = name
    source = work / f"ways{level}.{'cpp' if language == 'c++' else 'c'}"
    source.write_text("\n".join(lines) + "\n", encoding="ascii")
    made = source.with_suffix(".o")
    standard = "c++20" if language == "c++" else "gnu17"
    subprocess.run(
        [clang, "-x", language, f"-std={standard}", "-fopenmp", "-w", level, f"-I{include}", f"-fplugin={plugin}",
         f"-fpass-plugin={plugin}", "-c", source, "-o", made],
        check=True,
    )  # fmt: skip
    reported = json.loads(subprocess.run([sartor, "guards", "--json", made], check=True, capture_output=True).stdout)
    seen = {place["line"] for kind in ("guarded", "unproven") for place in reported[kind] if place["file"] == str(source)}
    missing = [line for line in names if line not in seen]
    for line in missing:
        print(f"{language} {level}: neither guarded nor listed ({names[line]}): {lines[line - 1]}")
    print(f"{language} {level}: {len(names)} stores, {len(missing)} neither guarded nor listed")
    return not missing


def main():
    clang, plugin, include, sartor, work = sys.argv[1:]
    folder = Path(work).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    well = [
        check(clang, plugin, include, sartor, folder, language, level)
        for language in ("c", "c++")
        for level in ("-O0", "-O2")
    ]
    sys.exit(0 if all(well) else 1)


if __name__ == "__main__":
    main()
