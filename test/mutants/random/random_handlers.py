#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a C file of random handlers to which most kinds of mutants apply: SEED COUNT FILE.

A third of the handlers is pure, a third writes to its argument `out`, and a third calls a function of
another file, so that calls are compared in each of the three ways. Integers wrap around (-fwrapv).
"""

import random
import sys
from pathlib import Path

HEAD = """\
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Written by random_handlers.py. */
#include "mutants/random/random_handlers.h"

#include <string.h>

#include <sartor/points.h>

static __attribute__((noinline)) long mix(long one, long other) { return one * 31 + (other ^ (one >> 7)); }
static __attribute__((noinline)) void stir(char *bytes, long count) {
  for (long i = 0; i < count; ++i)
    bytes[i] = (char)(bytes[i] * 5 + i);
}
"""

# Each works on `s`, from the arguments a and b, and ends where it began.
PIECES = [
    "{{ const int narrow = (int)(a * {k} - b * {big}); s += (long)narrow * {k}; }}",
    "s += ((unsigned)a & {mask}u) + ((b << (a & 7)) >> {small}) + (a >> 3);",
    "s ^= a < b ? a * {k} : b - {k};",
    "if (a < b + {k}) s = mix(s, {k}); else s -= {k} - a * b;",
    "for (long i = 0; i < (b & 31); ++i) {{ s = mix(s, i + table->scale); if (s % 3 == 0) s += {k}; }}",
    "{{ long values[16]; for (int i = 0; i < 16; ++i) values[i] = a * i + {k}; stir((char *)values, {small}); "
    "values[b & 15] = s; s += values[a & 15] + values[(a + b) & 15] * 3; }}",
    "{{ char from[64], to[64]; memset(from, (int)a, 64); memset(to, {small}, 64); stir(from, 32 + (b & 15)); "
    "memcpy(to, from, 40 + (b & 7)); stir(to, 64); for (int i = 0; i < 64; ++i) s = s * 3 + to[i]; }}",
    "{{ const double x = (double)a * 0.5 + (double)b; s += (long)(x * {k}.0 + table->scale); }}",
    "{{ unsigned cells[16]; for (int i = 0; i < 16; ++i) cells[i] = (unsigned)(a * i) - {k}u; "
    "stir((char *)cells, {small}); for (int i = 0; i < 16; ++i) cells[i] = cells[i] * 5 + (unsigned)b; "
    "for (int i = 0; i < 16; ++i) s = s * 31 + cells[i]; }}",
    "{{ long tag = {k}; if (a & 4) s = mix(mix(s, b), a); else tag = {small}; s *= tag; }}",
    "s += table->limit > 9 ? {k} : b; s += table->weights[b & 7];",
    "s += (short)(a + b) - (unsigned char)(a * 3) - table->scale;",
]
GUARDED = "{{ const long mode = sartor_generic(\"{name}.mode\", (a >> 1) & 3); s += mode * b + mode * {k}; }}"
WRITES = [
    "out[b & 7] = 1; out[a & 7] = 2; s += out[b & 7] * {k};",
    "{{ unsigned char *cells = (unsigned char *)out; for (int i = 0; i < 32; ++i) cells[i] = (unsigned char)(cells[i] * 5 + a); }}",
]
CALLS = "for (long i = 0; i < (a & 3); ++i) s = random_handlers_outside(s, i + {k});"


def handler(draw, number):
    name = f"random_{number}"
    pieces = draw.sample(PIECES, len(PIECES) - draw.randrange(3)) + [GUARDED]
    pieces += WRITES if number % 3 else []
    pieces += [CALLS] if number % 3 == 2 else []
    draw.shuffle(pieces)
    lines = [
        piece.format(
            name=name, k=draw.randrange(5, 99), big=draw.randrange(100_000, 2_000_000), small=draw.randrange(1, 8),
            mask=draw.randrange(1 << 14, 1 << 16),
        )
        for piece in pieces
    ]  # fmt: skip
    body = "\n".join("  " + line for line in lines)
    return f"""
SARTOR_HANDLER long {name}(const struct Weights *table, char *out, long a, long b) {{
  (void)out;
  long s = table->scale + a;
{body}
  return s;
}}
"""


def main():
    seed, count, file = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    draw = random.Random(seed)
    names = ", ".join(f'{{"random_{i}", random_{i}}}' for i in range(count))
    file.write_text(
        HEAD
        + "".join(handler(draw, i) for i in range(count))
        + f"\nconst struct RandomHandler random_handlers[] = {{{names}, {{0, 0}}}};\n"
    )


if __name__ == "__main__":
    main()
