# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random C++ programs with memory that sartor_local() names, and pointers into it that are derived, stored and
given away in all the ways that C++ is written with: lambdas, spans, iterators, objects with destructors, cursors
that helpers move, structures by pointer and by value, pointers one past the end, numbers made of pointers,
pointers in unions, arrays, other objects, and in the memory itself.

In half of the programs nothing is published, since nothing accesses the memory but by derived pointers; in the
others, code that has pointers of its own looks after each sartor_publish(). Nothing is undefined: memory is
accessed as characters or by memcpy(), and indices are masked."""

import random

from build import Source

BYTES = 64
TYPES = [("char", 1), ("short", 2), ("int", 4), ("long", 8), ("double", 8), ("float", 4), ("__int128", 16)]

HEADER = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdint.h>
#include <string.h>
#include <array>
#include <span>
#include <vector>
#include "shape.h"
#define APART __attribute__((noinline))
typedef unsigned long u64;
alignas(16) static char memory[96];
static char buffer[64];
static char *saved;
template <class T> static inline T get(const char *from) { T t; memcpy(&t, from, sizeof t); return t; }
template <class T> static inline void put(char *to, T t) { memcpy(to, &t, sizeof t); }
template <class T> static inline u64 number(T t) { return (u64)t; }
template <> inline u64 number(float t) { u64 x = 0; memcpy(&x, &t, sizeof t); return x; }
template <> inline u64 number(double t) { u64 x = 0; memcpy(&x, &t, sizeof t); return x; }
struct Two { char *begin, *end; };
struct Named { int number; char *at; long other; };
union Either { char *pointer; u64 number; };
struct Cursor { char *at; char next() { return *at++; } void put(char c) { *at++ = c; } };
APART static void touch(char *p) { p[0] ^= 3; p[5] += p[1]; }
APART static u64 peek(const char *p) { return (u64)(p[0] * 3 + p[7]); }
APART static void reach_back(char *end) { end[-2] += end[-1]; end[-3] ^= 5; }
APART static void reach_back_by(char *end, int n) { end[-n] += (char)n; }
APART static void fill_between(Two *two) { for (char *p = two->begin; p < two->end; ++p) *p += 1; }
APART static u64 sum_between(Two two) { u64 s = 0; for (char *p = two.begin; p < two.end; ++p) s = s * 3 + *p; return s; }
APART static char next_of(char **cursor) { return *(*cursor)++; }
APART static char *forward(char *p, int n) { return p + n; }
APART static Two halves(char *p) { return {p + 8, p + 16}; }
APART static u64 as_number(char *p) { return (u64)p + 8; }
APART static void keep(char *p) { saved = p; }
APART static void keep_in(Named *named, char *p) { named->at = p; }
APART static void change_kept() { if (saved) saved[1] += 7; }
APART static u64 read_kept() { return saved ? (u64)saved[2] : 1; }
APART static void change_named(Named *named) { *named->at += (char)named->number; }
APART static u64 variadic(int n, ...) {
  __builtin_va_list list; __builtin_va_start(list, n); char *p = __builtin_va_arg(list, char *); __builtin_va_end(list);
  p[n & 7] ^= 9; return (u64)p[1];
}
APART static void no_matter(u64 x) { observe_number(x); }
APART static void look(u64 k) { observe(memory, sizeof memory); memory[k & 63] += 1; }
APART static void may_throw(u64 s) { if ((s * 2654435761u >> 7) % 3 == 0) throw (int)(s & 255); }
struct Apart { char *at; APART Apart(char *at) : at(at) {} APART ~Apart() { *at += 5; } };
struct Guard { char *at; char by; Guard(char *at, char by) : at(at), by(by) {} ~Guard() { *at += by; } };
"""


class Writer:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.published = self.draw.randrange(2) == 0
        # sartor_local_saved() relies on the program to publish saved pointers, so it is used only where the program
        # publishes.
        self.saved = self.published and self.draw.randrange(3) == 0
        self.names = 0

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def pick(self, *choices):
        return self.draw.choice(choices)

    def number(self, low, high):
        return self.draw.randrange(low, high)

    def pointer(self, room, low=0):
        """An expression of a pointer with `room` bytes behind it, and `low` before it, in the memory."""
        offset = self.number(low, BYTES - room + 1)
        return self.pick(
            f"m + {offset}", f"m + {offset}", f"m + {offset}", f"q + {offset}", f"&m[{offset}]",
            f"m + {BYTES} - {BYTES - offset}", f"(char *)((u64)m + {offset})", f"(char *)((intptr_t)m - -{offset})",
            f"((s & 1) ? m + {offset} : q + {offset})", f"std::span<char>(m, {BYTES}).subspan({offset}).data()",
            f"forward(m, {offset})", f"(char *)(as_number(m) - 8) + {offset}", f"m + (({self.pick('a', 's')}) & 0) + {offset}",
        )  # fmt: skip

    def read(self):
        kind, size = self.draw.choice(TYPES)
        return f"number(get<{kind}>({self.pointer(size)}))"

    def value(self):
        return self.pick("a", "b", "s", "a * 3 + s", "s >> 3", "7", self.read())

    def body(self, depth):
        return " ".join(self.statement(depth) for _ in range(self.number(1, 4)))

    def statement(self, depth):
        kinds = [self.write, self.write, self.write, self.accumulate, self.accumulate, self.given, self.given, self.object,
                 self.object, self.indexed, self.transfer, self.unrelated]  # fmt: skip
        if depth < 3:
            kinds += [self.loop, self.branch, self.destroyed]
        if not self.saved:
            kinds += [self.escape]
        if self.published:
            kinds += [self.publish]
        return self.draw.choice(kinds)(depth)

    def write(self, _):
        kind, size = self.draw.choice(TYPES)
        return f"put<{kind}>({self.pointer(size)}, ({kind})({self.value()}));"

    def accumulate(self, _):
        return self.pick(
            f"s = s * 31 + {self.read()};",
            f"s += *(volatile unsigned char *)({self.pointer(1)});",
            f"s += __atomic_fetch_add((unsigned char *)({self.pointer(1)}), 3, __ATOMIC_SEQ_CST);",
        )

    def indexed(self, _):
        return self.pick(
            f"m[({self.pick('a', 's', 'b')}) & 63] ^= {self.pick('1', '(char)s')};",
            "s += (unsigned char)m[s & 63];",
            "q = (s & 1) ? m : q;",
            "*((s & 1) ? m + 3 : buffer + 3) += 2;",
        )

    def transfer(self, _):
        n = self.pick(1, 3, 8, 16, 24)
        return self.pick(
            f"memcpy(buffer, {self.pointer(n)}, {n});", f"memcpy({self.pointer(n)}, buffer, {n});",
            f"memmove(m + {self.number(0, BYTES - n)}, m + {self.number(0, BYTES - n)}, {n});",
            f"memset({self.pointer(n)}, (int)a, {n});", "memcpy(buffer, m + (s & 7), 1 + (s & 15));",
        )  # fmt: skip

    def given(self, _):
        two = f"{{m + {self.number(0, 16)}, m + {self.number(17, BYTES + 1)}}}"
        return self.pick(
            f"touch({self.pointer(8)});", f"s += peek({self.pointer(8)});", f"reach_back({self.pointer(0, 3)});",
            f"reach_back(m + {BYTES});", f"reach_back_by(m + {BYTES}, {self.number(1, BYTES)});",
            f"{{ Two two = {two}; fill_between(&two); }}", f"s += sum_between({two});", f"s += variadic(3, {self.pointer(8)});",
        )  # fmt: skip

    def object(self, _):
        n, name = self.number(0, 48), self.name("x")
        return self.pick(
            f"{{ auto add = [&](int i, char x) {{ m[i] += x; }}; add({n}, (char)a); }}",
            f"{{ auto {name} = [=] {{ return m[{n}]; }}; m[{n}] = (char)s; s += {name}(); }}",
            f"for (char &each : std::span<char>(m + {n}, 8)) each += 2;",
            f"{{ Cursor c{{m + {n}}}; c.put((char)s); s += c.next(); c.put(4); }}",
            f"{{ char *c = m + {n}; s += next_of(&c); s += next_of(&c) * 10; *c = (char)s; }}",
            f"{{ Two two = halves(m + {n % 32}); *two.begin += 1; s += *two.end; }}",
            f"{{ Named n{{3, m + {n}, 1}}; change_named(&n); s += m[{n}]; }}",
            f"{{ Named n{{4, nullptr, 2}}; keep_in(&n, m + {n}); m[{n}] += 1; change_named(&n); s += m[{n}]; }}",
            f"{{ Named n{{5, m + {n}, 2}}, other; memcpy(&other, &n, sizeof n); *other.at ^= 6; s += m[{n}]; }}",
            f"{{ Either e; e.pointer = m; e.number += {n}; *e.pointer += 1; m[{n}] ^= 2; s += *e.pointer; }}",
            f"{{ char *all[3] = {{m, m + {n}, m + 9}}; *all[s % 3] += 1; s += m[{n}]; }}",
            f"{{ char *all[2] = {{m, m + {n}}}; char **at = all; no_matter(s & 1); **++at += 3; s += m[{n}]; }}",
            f"{{ std::array<char *, 2> all{{m, m + {n}}}; for (char *each : all) *each += 3; }}",
        )  # fmt: skip

    def destroyed(self, depth):
        kind, extra = self.pick(("Guard", ", 3"), ("Apart", ""))
        inner, place = self.body(depth + 1), f"m + {self.number(0, BYTES)}"
        name = self.name("guard")
        if self.draw.randrange(2):
            return f"{{ {kind} {name}({place}{extra}); {inner} }}"
        after = self.pick("", "throw;", "if (s & 1) return s;", "may_throw(x);")
        return f"try {{ {kind} {name}({place}{extra}); {inner} may_throw(s + a); }} catch (int x) {{ s ^= x; {after} }}"

    def escape(self, _):
        n = self.number(0, 48)
        return self.pick(
            f"saved = m + {n};", f"keep(m + {n});", "change_kept();", "s += read_kept();", "if (saved) saved[3] ^= 1;",
            "{ char *kept = saved; if (kept) { m[5] = (char)s; s += kept[0]; kept[1] += 2; } }",
            f"{{ std::vector<char *> v; v.push_back(m + {n}); *v.back() += 1; s += m[{n}]; }}",
            f"{{ put<char *>(m + 8, m + {n}); char *own = get<char *>(m + 8); *own += 3; put<long>(m + 8, 5); }}",
            "saved = nullptr;",
        )  # fmt: skip

    def unrelated(self, _):
        return self.pick(
            "no_matter(s & 15);", "s += b;", "if (s % 17 == 3) return s;", "may_throw(s);",
            's += sartor_range("k", (int)(a & 3), 0, 3);',
        )  # fmt: skip

    def publish(self, _):
        mark = "sartor_local_saved" if self.saved else "sartor_local"
        return f"sartor_publish(); look(s & 7); m = {mark}(memory, {BYTES}); q = m;"

    def loop(self, depth):
        i = self.name("i")
        return f"for (u64 {i} = 0; {i} < ({self.pick('a', 'b', 's')} & 3); ++{i}) {{ {self.body(depth + 1)} }}"

    def branch(self, depth):
        condition = self.pick("a & 1", "s & 2", "b > 2", f'sartor_assume("p{self.number(0, 6)}", s & 4)')
        return f"if ({condition}) {{ {self.body(depth + 1)} }} else {{ {self.body(depth + 1)} }}"

    def program(self):
        mark = "sartor_local_saved" if self.saved else "sartor_local"
        body = " ".join(self.statement(0) for _ in range(self.number(4, 12)))
        return f"""{HEADER}
SHAPE_C SARTOR_HANDLER u64 run(u64 a, u64 b) {{
  char *m = {mark}(memory, {BYTES}); char *q = m; u64 s = a * 7 + b;
  for (int round = 0; round < 3; ++round) {{ {body} }}
  saved = nullptr;
  return s;
}}
CALLED(run);
HANDLERS(LISTED(run));
SHAPE_C void program_run(unsigned input) {{
  for (int i = 0; i < 96; ++i) memory[i] = (char)(i * 7 + input);
  for (int i = 0; i < 64; ++i) buffer[i] = (char)i;
  saved = nullptr;
  try {{ observe_number(call_run(LOW(input), HIGH(input))); }} catch (int x) {{ observe_number(x + 1000); }}
  observe(memory, sizeof memory);
  observe(buffer, sizeof buffer);
}}
"""


def make(seed, folder):
    """Writes a program into a folder. Gives its sources."""
    file = folder / "locals.cpp"
    file.write_text(Writer(seed).program())
    return [Source(file, flags=["-fno-strict-aliasing", "-fwrapv"])]
