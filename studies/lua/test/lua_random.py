#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Lua programs, by stock Lua and by Lua with Sartor: what they print, and how they end, must be the same.

    lua_random.py LUAS PROGRAMS [SEED]

LUAS has gcc/lua and sartor/lua (studies/lua). Programs mix metatables, coroutines, errors, goto, closures, integer and
float edges, and collections between calls. Each function is specialized at its first call, and each program runs in
two ways: with room for all functions, and for three of them. A program hangs if it takes more than 100 s of processor
time, or an hour.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

MODES = ["LUA_SARTOR=heat=1,wait", "LUA_SARTOR=heat=1,wait,functions=3"]
SECONDS_OF_PROCESSOR = 100
SECONDS = 3600

PRELUDE = """
local function show(x)
  if x ~= x then return "nan" end
  if math.type(x) == "float" then return string.format("%a", x) end
  if type(x) == "table" then return "table" .. tostring(rawget(x, "v")) end
  if type(x) == "function" or type(x) == "thread" then return type(x) end
  return tostring(x)
end
local function line(...)
  local words = {}
  for i = 1, select("#", ...) do words[i] = show((select(i, ...))) end
  print(table.concat(words, " "))
end
local meta = {}
local function object(v) return setmetatable({v = v}, meta) end
local function number(x) if type(x) == "table" then return rawget(x, "v") end return tonumber(x) or 0 end
meta.__add = function(a, b) return number(a) + number(b) end
meta.__sub = function(a, b) return b end
meta.__mul = function(a, b) return object(number(a)) end
meta.__div = function(a, b) return number(a) / 2 end
meta.__mod = function(a, b) return a end
meta.__idiv = function(a, b) error("idiv") end
meta.__unm = function(a) return object(1) end
meta.__concat = function(a, b) return "c" .. number(a) .. number(b) end
meta.__lt = function(a, b) return number(a) < number(b) end
meta.__le = function(a, b) return number(a) <= number(b) end
meta.__eq = function(a, b) return true end
meta.__len = function(a) return 3 end
meta.__call = function(self, x) return x, self end
meta.__index = function(t, k) return k end
meta.__band = function(a, b) return 7 end
local calls = 0
local T = {1, 2.5, "3", object(4), x = 5, y = object(6)}
local function fuel() calls = calls + 1 if calls > 3000 then error("fuel", 0) end end
"""

# The usual operands of arithmetic, the values that cause errors, and how often they are chosen.
NUMBERS = ["0", "1", "-1", "2", "3", "7", "0.0", "-0.0", "0.5", "2.0", "1e308", "1/0", "-1/0", "0/0", "math.maxinteger",
           "math.mininteger", "9007199254740993", "1 << 62", "object(5)", "object(-2)", '"10"']
OTHERS = ['"x"', '""', "nil", "true", "false", "T", "{1,2,3}"]
OTHERS_SHARE = 0.03
ARITHMETIC = ["+", "-", "*", "/", "+", "-", "*", "%", "//"]
SELDOM = ["..", "&", "|", "~", "<<", ">>"]
COMPARISONS = ["<", "<=", "==", "~=", ">", ">="]


class Program:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.functions: list[str] = []
        self.names = 0

    def name(self) -> str:
        self.names += 1
        return f"n{self.names}"

    def value(self) -> str:
        return self.random.choice(OTHERS if self.random.random() < OTHERS_SHARE else NUMBERS)

    def expression(self, known: list[str], depth: int) -> str:
        r = self.random
        if depth == 0 or r.random() < 0.25:
            return r.choice(known) if known and r.random() < 0.7 else f"({self.value()})"
        kind = r.random()
        sub = lambda: self.expression(known, depth - 1)  # noqa: E731
        if kind < 0.60:
            return f"({sub()} {r.choice(SELDOM if r.random() < 0.05 else ARITHMETIC)} {sub()})"
        if kind < 0.65:
            return f"(-{sub()})"
        if kind < 0.72:
            return f"({self.condition(known, depth - 1)} and {sub()} or {sub()})"
        if kind < 0.82:
            return f"(T[{sub()}] or 1)"
        if kind < 0.85:
            return f"#{{{sub()}, {sub()}}}"
        if kind < 0.93 and self.functions:
            return f"({r.choice(self.functions)}({sub()}, {sub()}) or 2)"
        if kind < 0.98:
            return f"select(2, pcall(function() return {sub()} end))"
        return f"({r.choice(['tonumber', 'math.tointeger'])}({sub()}) or 3)"

    def condition(self, known: list[str], depth: int) -> str:
        one, other = self.expression(known, depth), self.expression(known, depth)
        return f"{one} {self.random.choice(COMPARISONS)} {other}"

    def block(self, known: list[str], depth: int, in_loop: bool, indent: str) -> list[str]:
        r = self.random
        known = list(known)
        lines: list[str] = []
        for _ in range(r.randint(1, 4)):
            lines += self.statement(known, depth, in_loop, indent)
        return lines

    def statement(self, known: list[str], depth: int, in_loop: bool, indent: str) -> list[str]:
        r = self.random
        kind = r.random()
        deeper = indent + "  "
        if depth == 0 or kind < 0.30:
            if known and r.random() < 0.5:
                return [f"{indent}{r.choice(known)} = {self.expression(known, 2)}"]
            fresh = self.name()
            lines = [f"{indent}local {fresh} = {self.expression(known, 2)}"]
            known.append(fresh)
            return lines
        if kind < 0.45:
            other = self.block(known, depth - 1, in_loop, deeper) if r.random() < 0.5 else []
            return [f"{indent}if {self.condition(known, 2)} then", *self.block(known, depth - 1, in_loop, deeper),
                    *([f"{indent}else", *other] if other else []), f"{indent}end"]
        if kind < 0.60:
            i = self.name()
            bounds = r.choice(["1, 5", "3, 1, -1", "0.0, 1.0, 0.25", "math.maxinteger - 2, math.maxinteger",
                               "math.mininteger + 1, math.mininteger, -1", "1, 3, 1", "2, 1"])
            label = self.name()
            body = self.block([*known, i], depth - 1, True, deeper)
            skip = [f"{deeper}if {self.condition([*known, i], 1)} then goto {label} end"] if r.random() < 0.4 else []
            return [f"{indent}for {i} = {bounds} do fuel()", *skip, f"{deeper}do", *body, f"{deeper}end",
                    f"{deeper}::{label}::", f"{indent}end"]
        if kind < 0.68:
            i = self.name()
            return [f"{indent}local {i} = 0", f"{indent}while {i} < {r.randint(1, 6)} do fuel()",
                    f"{deeper}{i} = {i} + 1", *self.block([*known, i], depth - 1, True, deeper), f"{indent}end"]
        if kind < 0.74:
            fresh, value = self.name(), self.name()
            known.append(fresh)
            body = self.block([value], depth - 1, False, deeper)
            return [f"{indent}local {fresh} = function({value})", f"{deeper}fuel()", *body,
                    f"{deeper}return {self.expression([value, *known[:-1]], 2)}", f"{indent}end",
                    f"{indent}{fresh} = {fresh}({self.expression(known[:-1], 1)})"]
        if kind < 0.80:
            i = self.name()
            fresh = self.name()
            known.append(fresh)
            return [f"{indent}local {fresh} = 0",
                    f"{indent}for {i} in coroutine.wrap(function()",
                    f"{deeper}for k = 1, 3 do fuel() coroutine.yield({self.expression(known[:-1] + ['k'], 1)} or k) end",
                    f"{indent}end) do", f"{deeper}fuel() {fresh} = {i}", f"{indent}end"]
        if kind < 0.86:
            return [f"{indent}T[{r.choice(['1', '2', '3', '8', self.key()])}] = {self.expression(known, 1)}"]
        if kind < 0.90:
            return [f"{indent}line({', '.join(self.expression(known, 1) for _ in range(r.randint(1, 3)))})"]
        if kind < 0.94:
            return [f'{indent}collectgarbage("{r.choice(["step", "collect"])}")']
        if kind < 0.97 and in_loop:
            return [f"{indent}if {self.condition(known, 1)} then break end"]
        return [f"{indent}if {self.condition(known, 1)} then error({self.expression(known, 1)}) end"]

    def key(self) -> str:
        return self.random.choice(['"x"', '"y"', '"z"', "2.0"])

    def text(self) -> str:
        r = self.random
        lines = [PRELUDE]
        for n in range(r.randint(2, 6)):
            name = f"f{n}"
            lines += [f"local function {name}(a, b, ...)", "  fuel()", *self.block(["a", "b"], 3, False, "  ")]
            last = self.expression(["a", "b"], 2)
            if self.functions and r.random() < 0.3:
                last = f"{r.choice(self.functions)}({last}, b)"  # a tail call
            lines += [f"  return {last}" + (", ..." if r.random() < 0.2 else ""), "end"]
            self.functions.append(name)
        for _ in range(12):
            name = r.choice(self.functions)
            lines.append(f"calls = 0 line(pcall({name}, {self.value()}, {self.value()}, {self.value()}))")
        # The same calls repeatedly, as in hot code.
        name = r.choice(self.functions)
        lines.append(f"for i = 1, 20 do calls = 0 line(pcall({name}, i, {self.value()})) end")
        return "\n".join(lines) + "\n"


def run(lua: Path, script: Path, mode: str | None) -> str:
    environment = dict(os.environ)
    for name in ("LUA_SARTOR", "SARTOR"):
        environment.pop(name, None)
    if mode:
        name, _, value = mode.partition("=")
        environment[name] = value
    limit = (SECONDS_OF_PROCESSOR, SECONDS_OF_PROCESSOR + 1)
    try:
        ended = subprocess.run([lua, script], env=environment, capture_output=True, timeout=SECONDS, check=False,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit))
    except subprocess.TimeoutExpired:
        return f"does not end within {SECONDS} s"
    if ended.returncode == -signal.SIGXCPU:
        return f"takes more than {SECONDS_OF_PROCESSOR} s of processor time"
    # Messages contain the name with which the program was called.
    said = ended.stderr.decode(errors="replace").replace(str(lua), "lua")
    return ended.stdout.decode(errors="replace") + said + f"ended with {ended.returncode}"


def main() -> int:
    luas, count = Path(sys.argv[1]), int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        script = Path(work) / "program.lua"
        for n in range(seed, seed + count):
            script.write_text(Program(n).text())
            wanted = run(luas / "gcc" / "lua", script, None)
            for mode in MODES:
                got = run(luas / "sartor" / "lua", script, mode)
                if got == wanted:
                    continue
                failed += 1
                print(f"the program of seed {n} differs with {mode}:")
                for one, other in zip(wanted.splitlines(), [*got.splitlines(), ""], strict=False):
                    if one != other:
                        print(f"  stock: {one}\n  ours:  {other}")
                        break
    print(f"{count} programs, {len(MODES)} ways each: {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
