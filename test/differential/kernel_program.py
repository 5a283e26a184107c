# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random C++ programs of the kind that handlers are: loops over arrays of all types, floating point,
exceptions, atomics, calls by pointer and of virtual functions, points on bools, enumerations, pointers
and floats, fast paths, tables that are promised, in several files.

Nothing is undefined: integers are computed as u64 and then narrowed, indices are masked, loops end,
floating-point numbers are kept small and are never NaN.
"""

import random

from build import Source

INTEGERS = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"]
FLOATS = ["f32", "f64"]
ELEMENTS = 64

HEADER = """\
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>
#include "program.h"
using u8 = std::uint8_t; using i8 = std::int8_t; using u16 = std::uint16_t; using i16 = std::int16_t;
using u32 = std::uint32_t; using i32 = std::int32_t; using u64 = std::uint64_t; using i64 = std::int64_t;
using f32 = float; using f64 = double;
enum class Colour : u8 { red, green, blue, grey = 9 };
enum Plain { none = -2, some = 1, many = 70 };
struct Pair { i32 first; i64 second; };
struct Small { i16 x; i16 y; };
struct Thrown { i64 value; };
struct Visitor { virtual i64 visit(i64) const = 0; virtual ~Visitor() = default; };
extern Visitor *const visitors[2];
extern i64 shared_table[16];
extern thread_local u64 per_thread;
extern u64 mutable_state;
template <class T> T small(T x) { return x > T(-1e6) && x < T(1e6) ? x : T(1); }
u64 opaque(u64);
u64 effect(u64 tag, u64 value);
u64 may_throw(u64);
void fill(void *, u64 size, u64 seed);
using Step = u64 (*)(u64);
u64 twice(u64); u64 squared(u64); u64 flipped(u64);
"""

FIXED = """\
// fixed
#include "shared.h"
namespace {
struct Doubling final : Visitor { i64 visit(i64 x) const override { return i64(u64(x) * 2); } };
struct Adding final : Visitor { i64 visit(i64 x) const override { return i64(u64(x) + 17 + mutable_state); } };
const Doubling doubling; const Adding adding;
}
Visitor *const visitors[2] = {const_cast<Doubling *>(&doubling), const_cast<Adding *>(&adding)};
i64 shared_table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
thread_local u64 per_thread;
u64 mutable_state;
u64 opaque(u64 x) { return x; }
u64 effect(u64 tag, u64 value) { observe_number(tag); observe_number(value); return value ^ ++mutable_state; }
u64 may_throw(u64 x) { if (x % 7 == 3) throw Thrown{i64(x)}; return x + 1; }
void fill(void *memory, u64 size, u64 seed) {
  for (u64 i = 0; i < size; ++i) { seed = seed * 6364136223846793005u + 1442695040888963407u; static_cast<u8 *>(memory)[i] = u8(seed >> 56); }
}
u64 twice(u64 x) { return x * 2; }
u64 squared(u64 x) { return x * x; }
u64 flipped(u64 x) { return ~x; }
"""


class File:
    """One file with handlers. `others`: handlers of files before this one, which it may call."""

    def __init__(self, draw, name, others):
        self.draw, self.name, self.others = draw, name, others
        self.lines, self.points, self.variables, self.loops, self.temporaries = [], 0, [], [], 0
        self.handlers, self.helpers, self.shared = [], [], {}
        self.in_loop = self.in_try = False

    def pick(self, *choices):
        """One of them; what costs something, or leads here again, is given as a function."""
        chosen = self.draw.choice(choices)
        return chosen() if callable(chosen) else chosen

    def one_in(self, n):
        return self.draw.randrange(n) == 0

    def emit(self, text):
        self.lines.append(text)

    def label(self, kind):
        # Occasionally a label that exists already: such points are set together.
        if self.shared.get(kind) and self.one_in(6):
            return self.pick(*self.shared[kind])
        self.points += 1
        label = f'"{self.name}.{self.points}"'
        self.shared.setdefault(kind, []).append(label)
        return label

    def fresh(self):
        self.temporaries += 1
        return f"t{self.temporaries}"

    # ---- expressions

    def index(self):
        if self.loops and not self.one_in(3):
            return f"({self.pick(*self.loops)} + {self.draw.randrange(4)}) % {ELEMENTS}"
        return f"({self.integer(1)}) % {ELEMENTS}"

    def integer(self, depth=2):
        """Of type u64."""
        if depth <= 0 or self.one_in(4):
            return self.pick(
                *self.variables,
                lambda: f"{self.pick(0, 1, 2, 3, 5, 7, 31, 255, 65537, 1 << 40)}ull",
                lambda: f"u64({self.pick(*INTEGERS)}_{self.pick('p', 'q')}[{self.index() if depth > 0 else 5}])",
                *[f"u64({loop})" for loop in self.loops],
            )
        a, b = self.integer(depth - 1), self.integer(depth - 1)
        return self.pick(
            lambda: f"({a} {self.pick('+', '-', '*', '^', '&', '|')} {b})",
            lambda: f"({a} {self.pick('+', '-', '*', '^')} {b})",
            lambda: f"({a} {self.pick('/', '%')} ({b} % 15 + 1))",
            lambda: f"({a} {self.pick('<<', '>>')} ({b} % 64))",
            lambda: f"u64(i64({a}) / i64({b} % 9 + 1))",
            lambda: f"({self.condition(1)} ? {a} : {b})",
            lambda: f"u64({self.pick(*INTEGERS)}({a}))",
            lambda: f"u64({self.point(a)})",
        )

    def real(self, kind, depth=2):
        if depth <= 0 or self.one_in(4):
            return self.pick(
                lambda: f"{kind}_{self.pick('p', 'q')}[{self.index()}]",
                lambda: f"{kind}({self.pick('0.5', '3.0', '-1.25', '0.1')})",
                lambda: f"{kind}({self.pick(*self.variables)} % 256)",
            )
        a, b = self.real(kind, depth - 1), self.real(kind, depth - 1)
        return self.pick(
            lambda: f"({a} {self.pick('+', '-', '*')} {b})",
            f"({a} + {b} * {kind}(0.25))",
            f"small({a} / ({b} * {b} + {kind}(1)))",
            lambda: f"({self.condition(1)} ? {a} : {b})",
            lambda: f"sartor_generic({self.label(kind)}, {kind}({self.integer(1)} % 4) * {kind}(0.5))",
        )

    def condition(self, depth=2):
        a = self.integer(depth - 1)
        return self.pick(
            lambda: f"(({a}) % 4 == {self.draw.randrange(4)})",
            f"(({a}) % 5 != 1)",
            lambda: f"(i32({a}) < {self.pick(0, 9, 100)})",
            lambda: f"(({a}) > {self.integer(depth - 1)})",
            lambda: f"({self.real('f64', 1)} < {self.real('f64', 0)})",
        )

    def point(self, expression):
        """A point on an integer of any type, with few values."""
        kind, mask = self.pick(*INTEGERS, "i32", "u64"), self.pick(1, 3, 7, 15)
        value = f"{kind}({mask} & {expression})"
        how = self.draw.randrange(9)
        if how < 4:
            return f"sartor_generic({self.label(kind)}, {value})"
        if how < 6:
            return f"sartor_range({self.label(f'range {kind} {mask}')}, {value}, {kind}(0), {kind}({mask}))"
        if how < 7:
            return f"sartor_enum({self.label(f'enum {kind}')}, {value}, {kind}(0), {kind}(1), {kind}(3), {kind}(6))"
        if how < 8:
            return f"sartor_assume({self.label('assume')}, {self.condition(1)})"
        return f"sartor_generic({self.label('bool')}, bool({self.condition(1)}))"

    # ---- statements

    def block(self, depth):
        for _ in range(self.draw.randrange(1, 4)):
            self.statement(depth)

    def inside(self, opening, depth, closing="}"):
        self.emit(opening)
        self.block(depth - 1)
        self.emit(closing)

    def statement(self, depth):
        simple = [self.store, self.store, self.assign, self.assign, self.real_store, self.effects, self.pointers, self.calls,
                  self.memory, self.odd_point]  # fmt: skip
        compound = [self.branch, self.branch, self.loop, self.loop, self.kernel, self.kernel, self.switch, self.attempt, self.local, self.containers]
        self.draw.choice(simple if depth <= 0 else simple + compound)(depth)

    def store(self, _):
        kind = self.pick(*INTEGERS)
        self.emit(f"{kind}_{self.pick('p', 'q')}[{self.index()}] {self.pick('=', '=', '+=', '^=')} {kind}({self.integer()});")

    def assign(self, _):
        self.emit(f"{self.pick(*self.variables)} {self.pick('=', '+=', '^=', '-=')} {self.integer()};")

    def real_store(self, _):
        kind = self.pick(*FLOATS)
        self.emit(f"{kind}_{self.pick('p', 'q')}[{self.index()}] = small({self.real(kind)});")

    def effects(self, _):
        variable = self.pick(*self.variables)
        self.emit(self.pick(
            f"{variable} ^= effect({self.draw.randrange(9)}, {self.integer(1)});",
            f"per_thread += {self.integer(1)}; {variable} += per_thread;",
            f"counter.fetch_add({self.integer(1)}, std::memory_order_relaxed);",
            f"{{ u64 e = {self.integer(1)} % 4; if (counter.compare_exchange_strong(e, {self.integer(1)})) {variable} += e; }}",
            f"{variable} ^= counter.exchange({variable} % 1024);",
            f"unstable = {self.integer(1)}; {variable} += unstable;",
            f"own_state = own_state * 3 + {self.integer(1)};",
            f"mutable_state ^= {self.integer(1)} % 16; {variable} += mutable_state;",
        ))  # fmt: skip

    def pointers(self, _):
        kind, side = self.pick(*INTEGERS), self.pick("p", "q")
        chosen = f"({self.condition(1)} ? {kind}_a : {kind}_b)"
        if self.one_in(2):
            chosen = f"sartor_generic({self.label(f'pointer {kind}')}, {chosen})"
        self.emit(f"{kind}_{side} = {chosen};")

    def calls(self, _):
        variable, a, b = self.pick(*self.variables), self.integer(1), self.integer(1)
        choices = [
            f"{variable} += sartor_generic({self.label('visitor')}, visitors[{a} % 2])->visit(i64({b}));",
            f"{{ Step step = ({a} % 2 ? {self.pick('twice', 'squared')} : flipped); {variable} ^= sartor_generic({self.label('step')}, step)({b}); }}",
            f"{{ Step steps[] = {{twice, squared, flipped}}; {variable} += sartor_enum({self.label('steps')}, steps[{a} % 3], twice, squared)({b}); }}",
            f"{variable} ^= sartor_fast_path({self.label('fast')}, costly_{self.name}, {a} % 8);",
            f"{variable} += u64(shared_table[({a}) % 16]);",
            f"{{ const Small s = turned_{self.name}(Small{{i16({a}), i16({b})}}); {variable} += u64(s.x) * 3 + u64(s.y); }}",
        ]
        choices += [f"{variable} {self.pick('+', '^')}= {helper}({a}, {b});" for helper in self.helpers[-2:]]
        choices += [f"{variable} ^= u64((*call_{other})(i64({a} % 8), i64({b} % 8)));" for other in self.others[-1:] if not self.in_loop]
        self.emit(self.draw.choice(choices))

    def memory(self, _):
        a, b, n = self.draw.randrange(16), self.draw.randrange(16), self.draw.randrange(1, 40)
        size = self.pick(str(n), f"sartor_range({self.label('range size')}, u32({self.integer(1)} % 32), 0u, 31u)")
        self.emit(self.pick(f"std::memcpy(u8_a + {a}, u8_b + {b}, {size});", f"std::memset(u8_b + {a}, int({self.integer(1)} % 256), {size});",
                            f"std::memmove(u8_a + {a}, u8_a + {b}, {size});", f"{self.pick(*self.variables)} += u64(std::memcmp(u8_a, u8_b, {size}) < 0);"))  # fmt: skip

    def odd_point(self, _):
        variable, a = self.pick(*self.variables), self.integer(1)
        self.emit(self.pick(
            f"switch (sartor_generic({self.label('colour')}, Colour({a} % 3))) {{ case Colour::red: {variable} += 1; break; case Colour::blue: {variable} *= 3; break; default: --{variable}; }}",
            f"{variable} += u64(sartor_enum({self.label('plain')}, ({a} % 3 ? some : none), none, some, many));",
            f"{variable} += u64(sartor_generic({self.label('f64')}, f64({a} % 4) * 0.5) * 8.0);",
            f"{{ const char *word = {a} % 2 ? \"one\" : \"another\"; {variable} += std::strlen(sartor_generic({self.label('word')}, word)); }}",
            f"{{ Pair pair{{i32({a} % 8), i64({variable})}}; pair.first = sartor_generic({self.label('i32')}, pair.first); {variable} += u64(pair.first) + u64(pair.second); }}",
        ))  # fmt: skip

    def branch(self, depth):
        condition = self.condition()
        if self.one_in(2):
            condition = f"sartor_assume({self.label('assume')}, {condition})"
        self.inside(f"if ({condition}) {{", depth, "}" if self.one_in(2) else "} else {")
        if self.lines[-1] == "} else {":
            self.block(depth - 1)
            self.emit("}")

    def loop(self, depth):
        if len(self.loops) > 2:
            return self.assign(depth)
        variable, kind = self.fresh(), self.pick("int", "u32", "u64", "u8")
        most = 8 if self.loops else 32
        bound = self.pick(str(self.draw.randrange(1, most)), f"{self.integer(1)} % {most}",
                          f"sartor_generic({self.label('u32')}, u32({self.integer(1)} % {most}))",
                          f"sartor_enum({self.label('enum bound')}, u32({self.integer(1)} % 16), 1u, 4u, 8u, 15u)")  # fmt: skip
        self.emit(f"{{ const {kind} n{variable} = {kind}({bound});")
        form = self.draw.randrange(3)
        step = self.pick(1, 1, 2, 3)
        self.emit([f"for ({kind} {variable} = 0; {variable} < n{variable}; {variable} += {step}) {{",
                   f"{kind} {variable} = n{variable}; while ({variable} > 0) {{ --{variable};",
                   f"{kind} {variable} = 0; do {{"][form])  # fmt: skip
        was, self.in_loop = self.in_loop, True
        self.loops.append(variable)
        self.block(depth - 1)
        if form != 2 and self.one_in(3):
            self.emit(f"if ({self.condition(1)}) {self.pick('break', 'continue')};")
        self.loops.pop()
        self.in_loop = was
        self.emit(f"}} while (++{variable} < n{variable}); }}" if form == 2 else "} }")

    def kernel(self, _):
        """What is vectorised."""
        if len(self.loops) > 2:
            return self.assign(_)
        i, kind = self.fresh(), self.pick(*INTEGERS, *FLOATS)
        bound = self.pick("48", "64", f"sartor_generic({self.label('u32')}, u32({self.integer(1)} % 64))",
                          f"sartor_range({self.label('range bound')}, u32({self.integer(1)} % 61), 0u, 60u)")  # fmt: skip
        left, right, third = (f"{kind}_{self.pick('a', 'b', 'p')}" for _ in range(3))
        scalar = f"k{i}"
        self.emit(f"{{ const {kind} {scalar} = {kind}({self.integer(1)} % 8); for (u32 {i} = 0; {i} < {bound}; ++{i})")
        if kind in FLOATS:
            body = f"{left}[{i}] = small({right}[{i}] {self.pick('+', '-', '*')} {third}[{i}] * {scalar});"
        else:
            body = self.pick(f"{left}[{i}] = {kind}(u64({right}[{i}]) {self.pick('+', '-', '*', '^')} u64({third}[{i}]) * u64({scalar}));",
                             f"{left}[{i}] = {right}[{i}] > {third}[{i}] ? {right}[{i}] : {scalar};",
                             f"{self.pick(*self.variables)} += u64({left}[{i}]) ^ u64({scalar});")  # fmt: skip
        self.emit(body + " }")

    def switch(self, depth):
        self.emit(f"switch ({self.pick(f'int({self.point(self.integer(1))})', f'{self.integer(1)} % 5')}) {{")
        was, self.in_loop = self.in_loop, False
        for case in self.draw.sample(range(6), 3):
            self.inside(f"case {case}: {{", depth, self.pick("} break;", "} break;", "} [[fallthrough]];"))
        self.inside("default: {", depth, "} break; }")
        self.in_loop = was

    def attempt(self, depth):
        self.emit("try {")
        was, self.in_loop = self.in_loop, False
        self.block(depth - 1)
        self.emit(f"{self.pick(*self.variables)} += may_throw({self.point(self.integer(1))} * 3u);")
        self.emit(f"if ({self.condition(1)}) throw Thrown{{i64({self.integer(1)})}};")
        self.emit("} catch (const Thrown &thrown) {")
        self.emit(f"{self.pick(*self.variables)} += u64(thrown.value);")
        self.block(depth - 1)
        self.emit("}")
        self.in_loop = was

    def local(self, depth):
        name, kind = self.fresh(), self.pick(*INTEGERS)
        self.emit(f"{{ {kind} {name}[16]; for (int i = 0; i < 16; ++i) {name}[i] = {kind}(u64(i) * {self.integer(1)}); opaque(u64({name}[3]));")
        self.block(depth - 1)
        self.emit(f"{self.pick(*self.variables)} += u64({name}[({self.integer(1)}) % 16]); }}")

    def containers(self, depth):
        name, variable = self.fresh(), self.pick(*self.variables)
        if self.one_in(2):
            self.emit(f"{{ std::vector<u64> {name}({self.integer(1)} % 9 + 1, {self.integer(1)}); {name}.push_back({self.integer(1)});")
            self.block(depth - 1)
            self.emit(f"for (u64 e : {name}) {variable} = {variable} * 31 + e; }}")
        else:
            self.emit(f"{{ auto {name} = [&](u64 q) {{ {variable} += q; return u64({self.point('q')}) + {self.pick(*self.variables)}; }};")
            self.emit(f"{self.pick(*self.variables)} ^= {name}({self.integer(1)});")
            self.block(depth - 1)
            self.emit("}")

    # ---- functions

    def body(self, statements, depth):
        self.variables = ["v0", "v1", "v2", "v3"]
        self.emit("u64 v0 = u64(a), v1 = u64(b), v2 = v0 * 5 + v1, v3 = 1;")
        for kind in INTEGERS + FLOATS:
            self.emit(f"[[maybe_unused]] {kind} *{kind}_p = {kind}_a, *{kind}_q = {kind}_b;")
        for _ in range(statements):
            self.statement(depth)
        self.emit(f"v0 += u64({self.point(self.integer())});")
        if self.one_in(3):
            self.emit(f"if (sartor_assume({self.label('assume')}, {self.condition(1)})) return {{}};")

    def helper(self, number):
        name = f"helper_{self.name}_{number}"
        self.emit(f"{self.pick('[[gnu::noinline]] static', 'static', 'inline')} u64 {name}(u64 a, u64 b) {{")
        self.body(self.draw.randrange(1, 3), 1)
        self.emit("return v0 ^ v1 * 3 ^ v2 ^ v3; }")
        self.helpers.append(name)

    def handler(self, number):
        name = f"handler_{self.name}_{number}"
        self.emit(f'extern "C" SARTOR_HANDLER long {name}(long a, long b) {{')
        self.body(self.draw.randrange(2, 6), self.pick(1, 2, 2, 3))
        self.emit("return long(v0 + v1 * 3 + v2 * 5 + v3 * 7); }")
        self.emit(f"long (*call_{name})(long, long) = {name};")
        self.handlers.append(name)
        self.others = [*self.others, name]

    def write(self):
        self.emit('#include "shared.h"')
        for other in self.others:
            self.emit(f"extern long (*call_{other})(long, long);")
        for kind in INTEGERS + FLOATS:
            arrays = f"{kind} {kind}_a[{ELEMENTS}], {kind}_b[{ELEMENTS}];"
            # Each file has its own arrays among those with names that others could use.
            own = f"namespace of_{self.name} {{ {arrays} }} using namespace of_{self.name};"
            self.emit(own if self.one_in(3) else f"static {arrays}")
        names = [f"{kind}_{side}" for kind in INTEGERS + FLOATS for side in "ab"]
        self.emit("static std::atomic<u64> counter; static volatile u64 unstable; static u64 own_state;")
        self.emit(f"static Small turned_{self.name}(Small s) {{ return Small{{s.y, i16(s.x + 1)}}; }}")
        self.emit(f"[[gnu::noinline]] static u64 costly_{self.name}(u64 x) {{ u64 r = x; for (int i = 0; i < 9; ++i) r = r * 33 + x; return r; }}")
        for number in range(self.draw.randrange(1, 4)):
            self.helper(number)
        for number in range(self.draw.randrange(1, 3)):
            self.handler(number)
        self.emit(f"void begin_{self.name}(u64 seed) {{ counter = 5; unstable = 7; own_state = 9;")
        for name in names:
            if name[0] == "f":
                self.emit(f"for (int i = 0; i < {ELEMENTS}; ++i) {name}[i] = {name[:3]}(i64(seed % 9) - i) / {name[:3]}(4);")
            else:
                self.emit(f"fill({name}, sizeof {name}, seed += 77);")
        self.emit("}")
        self.emit(f"void end_{self.name}() {{ observe_number(counter); observe_number(unstable); observe_number(own_state);")
        self.emit(" ".join(f"observe({name}, sizeof {name});" for name in names) + " }")
        return "\n".join(self.lines) + "\n"


def make(seed, folder):
    """Writes a program into a folder, and gives its sources."""
    draw = random.Random(seed)
    names, handlers, sources = "xyz"[: draw.choice([1, 2, 2, 3])], [], []
    for name in names:
        file = File(draw, name, list(handlers))
        text = file.write()
        handlers += file.handlers
        (folder / f"{name}.cpp").write_text(text)
        sources.append(Source(folder / f"{name}.cpp"))
    main = ['#include "shared.h"']
    main += [f"void begin_{name}(u64); void end_{name}();" for name in names]
    main += [f"extern long (*call_{name})(long, long);" for name in handlers]
    main += ["ProgramHandler program_handlers[] = {"]
    main += [f'  {{"{name}", reinterpret_cast<void **>(&call_{name})}},' for name in handlers]
    main += ["  {nullptr, nullptr}};", "ProgramBinding program_bindings[] = {"]
    bound = [(name, draw.randrange(2), draw.randrange(5)) for name in handlers]
    main += [f'  {{"{name}", {argument}, {value}, nullptr}},' for name, argument, value in bound]
    main += ["  {nullptr, 0, 0, nullptr}};", "ProgramTable program_tables[] = {{shared_table, sizeof shared_table}, {nullptr, 0}};"]
    main += ["static long call(unsigned which, long a, long b) {", "  switch (which) {"]
    for number, (name, argument, value) in enumerate(bound):
        mine, other = ("a", "b") if argument == 0 else ("b", "a")
        main += [f"  case {number}:", f"    if ({mine} == {value} && program_bindings[{number}].bound)",
                 f"      return reinterpret_cast<long (*)(long)>(program_bindings[{number}].bound)({other});",
                 f"    return (*call_{name})(a, b);"]  # fmt: skip
    main += ["  }", "  return 0;", "}", 'extern "C" void program_run(unsigned input) {']
    main += ["  per_thread = 3; mutable_state = input / 16;"]
    main += [f"  begin_{name}(input / 8 + 1);" for name in names]
    main += [f"  for (unsigned which = 0; which < {len(handlers)}; ++which)",
             "    for (int turn = 0; turn < 2; ++turn)",
             "      try {",
             "        observe_number((unsigned long long)call(which, long(input % 8), long(input / 8 % 5) + turn));",
             "      } catch (const Thrown &thrown) {",
             "        observe_number((unsigned long long)thrown.value + 1);",
             "      }", "  observe_number(per_thread); observe_number(mutable_state);"]  # fmt: skip
    main += [f"  end_{name}();" for name in names] + ["}"]
    (folder / "shared.h").write_text(HEADER)
    (folder / "main.cpp").write_text("\n".join(main) + "\n")
    (folder / "fixed.cpp").write_text(FIXED)
    return [*sources, Source(folder / "main.cpp", fixed=True), Source(folder / "fixed.cpp", fixed=True)]
