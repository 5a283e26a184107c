# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random C programs that make the compiler copy code: interpreters with computed gotos by static tables of
all kinds, which call themselves, stand behind fast paths, within blocking sections and where the address of
a watched field leads; and structures of all sizes that are passed on by value and changed by those who get
them, out of objects that are promised, as a whole or in part.

Nothing is undefined: integers are computed as u64, indices are masked, guest programs and recursion end.
"""

import random

from build import Source

HEADER = """\
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>
#include <sartor/watch.h>
#include "shape.h"
typedef unsigned long u64;
__attribute__((noinline)) static void wait_for(u64 x) { observe_number(x); }
struct File { int plain; SARTOR_WATCHED u64 number; u64 offset; };
struct Program { u64 k[4]; unsigned char code[24]; const struct Program *inner; };
"""

OPERATORS = ["+", "-", "*", "^", "|", "&"]
TABLES = ["constant", "changeable", "differences", "structures", "tables", "changeable tables", "local"]


class Structure:
    """A type, and what its fields that hold numbers are called. Of arrays, the element at `$`."""

    def __init__(self, name, fields, inner):
        self.name, self.fields, self.inner = name, fields, inner

    def definition(self):
        return f"struct {self.name} {{ " + " ".join(f"{declared};" for declared, _ in self.fields) + " };"


class Writer:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.lines, self.handlers, self.points = [], [], 0
        self.structures, self.objects, self.programs = [], [], []
        self.workers, self.interpreters = [], []

    def pick(self, *choices):
        return self.draw.choice(choices)

    def one_in(self, n):
        return self.draw.randrange(n) == 0

    def emit(self, text):
        self.lines.append(text)

    # ---- types and objects

    def structure(self, number):
        fields, inner = [], []
        for i in range(self.draw.randrange(2, 7)):
            kind = self.draw.randrange(8)
            if kind == 0 and self.structures:
                nested = self.pick(*self.structures)
                fields.append((f"struct {nested.name} f{i}", None))
                inner.append((f"f{i}", nested))
            else:
                of = self.pick("u64", "u64", "int", "unsigned char", "short", "double", "float", "unsigned")
                size = self.pick(0, 0, 2, 4, 8, 16, 32)
                array, element = (f"[{size}]", f"[$ % {size}]") if size else ("", "")
                fields.append((f"{of} f{i}{array}", (f"f{i}{element}", of)))
        fields.append(("u64 count", ("count", "u64")))
        made = Structure(f"S{number}", fields, inner)
        self.structures.append(made)
        self.emit(made.definition())

    def field(self, structure, at, index):
        """The place of a number in an object, and its type."""
        numbers = [number for _, number in structure.fields if number]
        if structure.inner and self.one_in(3):
            name, nested = self.pick(*structure.inner)
            return self.field(nested, f"{at}.{name}", index)
        place, of = self.pick(*numbers)
        return f"{at}.{place.replace('$', f'({index})')}", of

    def read(self, structure, at, index):
        return f"(u64)(long){self.field(structure, at, index)[0]}"

    def write(self, structure, at, index, value):
        place, of = self.field(structure, at, index)
        return f"{place} = ({of})(({value}) % 100);" if of in ("double", "float") else f"{place} = ({of})({value});"

    def object(self, number):
        structure = self.pick(*self.structures)
        self.emit(f"static struct {structure.name} o{number};")
        # All of the object, or a part of it while the rest is written.
        self.objects.append((f"o{number}", structure, self.pick("whole", "part", "nothing")))

    def program(self, number):
        code = [self.draw.randrange(1, 7) for _ in range(self.draw.randrange(3, 20))]
        inner = f"&p{self.draw.randrange(number)}" if number and not self.one_in(3) else "0"
        numbers = ", ".join(str(self.draw.randrange(9)) for _ in range(4))
        listed = ", ".join(map(str, code))
        self.emit(f"static const struct Program p{number} = {{{{{numbers}}}, {{{listed}, 0}}, {inner}}};")
        self.programs.append(f"p{number}")

    def free_fields(self, structure):
        """Numbers that are not promised where a part of an object is: their names and places."""
        numbers = [(declared, number) for declared, number in structure.fields[1:-1] if number]
        return [(declared.split()[-1].split("[")[0], number[0], number[1]) for declared, number in numbers]

    def change(self, structure):
        """Of an object, behind `p`, while parts of it are promised."""
        free = self.free_fields(structure)
        if not free:
            return ""
        _, place, of = self.pick(*free)
        return f"p->{place.replace('$', '(x + s)')} = ({of})((x ^ s) % 100);"

    # ---- functions

    def value(self, *names):
        if self.one_in(3):
            return f"{self.draw.randrange(1, 99)}ul"
        one, other = self.pick(*names), self.pick(*names, f"{self.draw.randrange(1, 9)}ul")
        return f"({one} {self.pick(*OPERATORS)} {other})"

    def point(self, value):
        self.points += 1
        kind = self.draw.randrange(4)
        label = f'"point {self.points}"'
        if kind == 0:
            return f"sartor_generic({label}, {value})"
        if kind == 1:
            return f"sartor_range({label}, ({value}) & 7, 0, 7)"
        if kind == 2:
            return f"sartor_enum({label}, ({value}) & 3, 0, 1, 2)"
        return f"(u64)sartor_assume({label}, (({value}) & 3) != 1)"

    def maybe_point(self, value):
        return self.point(value) if self.one_in(4) else value

    def worker(self, number):
        """Gets a structure by value, and changes it."""
        structure = self.pick(*self.structures)
        name = f"work{number}"
        body = ["u64 s = x, i = 0;"]
        turns = self.draw.randrange(1, 6)
        body.append(f"for (; i < {turns} + (r.count & 3); ++i) {{")
        for _ in range(self.draw.randrange(1, 6)):
            body.append("  " + self.write(structure, "r", self.value("s", "i", "x"), self.value("s", "i", "x")))
            read = self.read(structure, "r", "i + s")
            body.append(f"  s = s * {self.draw.randrange(3, 40)} {self.pick('+', '-', '^')} {read};")
        body.append("}")
        if self.one_in(2):
            body.append("--r.count;")
            given = self.pick("r", "r", "*same")
            body.append(f"if (depth) s ^= {name}({given}, same, {self.maybe_point('s')} + 1, depth - 1);")
        fitting = [w for w in self.workers if w[1] is structure]
        if fitting and self.one_in(2):
            body.append(f"s += {self.pick(*fitting)[0]}(r, same, s, 0);")
        for field, nested in structure.inner:
            for worker, of, _ in self.workers:
                if of is nested and self.one_in(2):
                    body.append(f"s -= {worker}(r.{field}, &same->{field}, s, depth);")
        body.append(f"s += {self.read(structure, 'r', 's')} - {self.read(structure, '(*same)', 'x')};")
        body.append("return s;")
        noinline = self.pick("", "", "__attribute__((noinline)) ")
        taken = f"struct {structure.name} r, const struct {structure.name} *same, u64 x, u64 depth"
        self.emit(f"{noinline}static u64 {name}({taken}) {{")
        self.lines += ["  " + line for line in body]
        self.emit("}")
        self.workers.append((name, structure, number))

    def table(self, labels):
        """Definitions of a table, and how it is jumped by the operation that is read."""
        kind = self.pick(*TABLES)
        given = [f"&&{label}" for label in labels]
        static = "static " if kind != "local" else ""
        if kind in ("constant", "changeable", "local"):
            const = "" if kind == "changeable" else "const "
            return f"{static}{const}void *{const}ops[] = {{{', '.join(given)}}};", "goto *ops[*pc++ & 7]"
        if kind == "differences":
            of = self.pick("int", "long")
            listed = ", ".join(f"{label} - {given[0]}" for label in given)
            go = f"goto *((char *){given[0]} + ops[*pc++ & 7])"
            return f"static {self.pick('', 'const ')}{of} ops[] = {{{listed}}};", go
        if kind == "structures":
            listed = ", ".join(f"{{{i}, {{{{{label}}}, {i}}}}}" for i, label in enumerate(given))
            of = "struct { int n; struct { const void *to[1]; char m; } in; }"
            return f"static {self.pick('', 'const ')}{of} ops[] = {{{listed}}};", "goto *ops[*pc++ & 7].in.to[0]"
        const = "" if kind == "changeable tables" else "const "
        halves = [f"static {const}void *{const}half{i}[] = {{{', '.join(given[i * 4:i * 4 + 4])}}};" for i in (0, 1)]
        tables = f" static {const}void *{const}*{const}ops[] = {{half0, half1}};"
        return " ".join(halves) + tables, "++pc; goto *ops[pc[-1] >> 2 & 1][pc[-1] & 3]"

    def operation(self, name, writes):
        kind = self.draw.randrange(8)
        if kind == 0:
            return f"x += {self.maybe_point('p->k[x & 3]')};"
        if kind == 1:
            factor, number = self.draw.randrange(3, 30), self.draw.randrange(4)
            return f"cells[x & 3] {self.pick('+', '^', '-')}= x; x = x * {factor} + p->k[{number}];"
        if kind == 2:
            return f"x += depth ? {name}({'number, ' if writes else ''}p, x + 1, depth - 1) * 3 : cells[x & 3];"
        if kind == 3:
            return f"x ^= depth && p->inner ? {name}({'number, ' if writes else ''}p->inner, x, depth - 1) : 5;"
        if kind == 4 and self.objects and self.workers:
            worker, structure, _ = self.pick(*self.workers)
            fitting = [o for o, of, invariant in self.objects if of is structure and invariant == "whole"]
            if fitting:
                return f"x -= {worker}({fitting[0]}, &{fitting[0]}, x & 15, depth & 1);"
        if kind == 5 and writes:
            return f"*number {self.pick('+', '^', '*')}= x | 1;"
        return f"x = {self.value('x', 'cells[x & 3]', 'p->k[1]')};"

    def interpreter(self, number):
        """By a table of labels. Now and then it writes through a pointer, of a watched field."""
        name, writes = f"interpret{number}", self.one_in(3)
        place = "u64 *number, " if writes else ""
        labels = ["done"] + [f"op{i}" for i in range(1, 8)]
        table, go = self.table(labels)
        const = "" if writes else "__attribute__((const)) "
        noinline = self.pick("", "__attribute__((noinline)) ")
        self.emit(f"{const}{noinline}static u64 {name}({place}const struct Program *p, u64 x, u64 depth) {{")
        self.emit(f"  {table}")
        self.emit("  const unsigned char *pc = p->code; u64 cells[4] = {x, x + 1, 2, 3};")
        self.emit(f"  {go};")
        for label in labels[1:]:
            self.emit(f"{label}: {self.operation(name, writes)} {go};")
        self.emit(f"done: return x + cells[{self.draw.randrange(4)}]{' + *number' if writes else ''};")
        self.emit("}")
        self.interpreters.append((name, writes))

    # ---- handlers

    def handler(self, kind):
        name = f"h{len(self.handlers)}"
        if kind == "interpreter":
            self.of_interpreter(name)
        else:
            self.of_structure(name)
        self.emit(f"CALLED({name});")

    def of_interpreter(self, name):
        interpreter, writes = self.pick(*self.interpreters)
        how = self.pick("plain", "fast", "blocking", "recursive")
        place, file = ("&file->number, ", "struct File *file, ") if writes else ("", "")
        call = f"{interpreter}({place}p, {self.maybe_point('x')}, {self.draw.randrange(3)})"
        self.emit(f"SARTOR_HANDLER u64 {name}(const struct Program *p, {file}u64 x) {{")
        if how == "fast" and not writes:
            self.points += 1
            self.emit(f'  u64 s = sartor_fast_path("fast {self.points}", {interpreter}, p, x & 7, 1);')
            self.emit(f"  return s + {interpreter}(p, {self.maybe_point('s')} & 7, 1);")
        elif how == "blocking":
            self.emit(f"  u64 s = 0; sartor_blocking {{ wait_for(x); s = {call}; }}")
            self.emit(f"  return s * p->k[2] + {call};")
        elif how == "recursive":
            table, go = self.table(["done"] + [f"op{i}" for i in range(1, 8)])
            self.emit(f"  {table}")
            self.emit("  const unsigned char *pc = p->code; u64 cells[4] = {x, x + 1, 2, 3}; const u64 depth = 1;")
            self.emit(f"  {go};")
            again = f"{name}(p->inner, {'file, ' if writes else ''}x + 1)"
            for i in range(1, 8):
                operation = "x = x * 5 + p->k[0];" if writes else self.operation(interpreter, False)
                if i % 3 == 0:
                    operation = f"x += p->inner ? {again} : {call};"
                self.emit(f"op{i}: {operation} {go};")
            self.emit("done: return x + cells[1];")
        else:
            self.emit(f"  u64 s = {call}; return s * 7 + {call} + {self.maybe_point('s')};")
        self.emit("}")
        self.handlers.append((name, "program", [f"&{p}" for p in self.programs], writes))

    def of_structure(self, name):
        worker, structure, _ = self.pick(*self.workers)
        of = [(o, invariant) for o, each, invariant in self.objects if each is structure]
        how = self.pick("plain", "twice", "twice", "blocking", "recursive", "loop", "by value")

        def call(x):
            return f"{worker}(*p, {self.pick('p', 'p', '&other')}, {x}, {self.draw.randrange(3)})"

        taken = f"struct {structure.name} {'r' if how == 'by value' else '*p'}"
        self.emit(f"SARTOR_HANDLER u64 {name}({taken}, u64 x) {{")
        if how == "by value":
            self.emit(f"  const struct {structure.name} *p = &r; u64 s = {self.maybe_point('x')};")
        else:
            self.emit("  u64 s = 0;")
        self.emit(f"  struct {structure.name} other = *p; other.count = x & 3;")
        changes = how != "by value" and of and all(invariant != "whole" for _, invariant in of) and self.one_in(2)
        change = self.change(structure) if changes else ""
        self.emit(f"  {change}")
        if how == "blocking":
            self.emit(f"  sartor_blocking {{ wait_for(x); s = {call('x')}; }}")
        elif how == "loop":
            self.emit(f"  for (u64 i = 0; i < 3; ++i) s += {call('i + ' + self.maybe_point('x'))};")
        elif how == "recursive":
            self.emit(f"  if ((x & 7) > 2) s = {name}({self.pick('p', 'p', '&other')}, (x & 7) - 1);")
        self.emit(f"  s = s * 3 + {call('x')};")
        self.emit(f"  {change}")
        if how != "plain":
            self.emit(f"  s ^= {call(self.maybe_point('s'))};")
        if how == "by value":
            self.emit(f"  r.count += s; s += {worker}(r, p, s, 1);")
        self.emit(f"  return s + {self.read(structure, '(*p)', 'x')};")
        self.emit("}")
        objects = [] if how == "by value" else [f"&{o}" for o, _ in of]
        self.handlers.append((name, structure, objects, how == "by value"))

    # ---- the program

    def write_program(self):
        self.emit(HEADER)
        for i in range(self.draw.randrange(1, 4)):
            self.structure(i)
        for i in range(self.draw.randrange(2, 5)):
            self.object(i)
        for i in range(self.draw.randrange(1, 4)):
            self.program(i)
        for i in range(self.draw.randrange(1, 4)):
            self.worker(i)
        for i in range(self.draw.randrange(1, 4)):
            self.interpreter(i)
        for _ in range(self.draw.randrange(1, 4)):
            self.handler("interpreter")
        for _ in range(self.draw.randrange(1, 4)):
            self.handler("structure")
        self.write_lists()
        self.write_run()

    def write_lists(self):
        self.emit(f"HANDLERS({', '.join(f'LISTED({name})' for name, *_ in self.handlers)});")
        self.bindings = []
        for name, _, objects, _ in self.handlers:
            if objects:
                self.bindings.append((name, self.pick(*objects)))
        listed = ", ".join(f'{{"{name}", 0, (long){of}, 0}}' for name, of in self.bindings)
        if listed:
            self.emit(f"BINDINGS({listed});")
        invariants = [f"{{&{p}, sizeof {p}}}" for p in self.programs]
        for name, structure, invariant in self.objects:
            if invariant == "whole":
                invariants.append(f"{{&{name}, sizeof {name}}}")
            elif invariant == "part":
                declared = structure.fields[0][0].split()[-1].split("[")[0]
                invariants += [f"{{&{name}.{field}, sizeof {name}.{field}}}" for field in (declared, "count")]
        self.emit(f"struct ProgramTable program_tables[] = {{{', '.join(invariants)}, {{0, 0}}}};")

    def write_run(self):
        self.emit("static void fill(void *memory, u64 size, u64 seed) {")
        self.emit("  unsigned char *bytes = memory;")
        self.emit("  for (u64 i = 0; i < size; ++i) bytes[i] = (unsigned char)((seed += 7 * i + 3) % 53);")
        self.emit("}")
        self.emit("__attribute__((constructor)) static void fill_all(void) {")
        for i, (name, structure, _) in enumerate(self.objects):
            self.emit(f"  {self.fill_fields(structure, name, i)}")
        self.emit("}")
        self.emit("void program_run(unsigned input) {")
        self.emit("  const u64 x = (u64)(LOW(input) * 3 + HIGH(input));")
        self.emit("  struct File file = {3, x, 5}; u64 result;")
        for name, structure, invariant in self.objects:
            if invariant != "whole":
                for field, *_ in self.free_fields(structure):
                    self.emit(f"  memset(&{name}.{field}, 1, sizeof {name}.{field});")
        bound = {name: (i, of) for i, (name, of) in enumerate(self.bindings)}
        for name, kind, objects, special in self.handlers:
            if kind != "program" and special:
                fitting = [o for o, each, _ in self.objects if each is kind]
                given = fitting[0] if fitting else f"(struct {kind.name}){{0}}"
                self.emit(f"  result = call_{name}({given}, x); observe_number(result);")
                continue
            rest = "&file, x" if kind == "program" and special else "x"
            if kind == "program":
                types, first = ("struct File *, u64" if special else "u64"), "const struct Program *"
            else:
                types, first = "u64", f"struct {kind.name} *"
            for given in objects or [f"&(struct {kind.name}){{0}}"]:
                index, of = bound.get(name, (0, None))
                call = f"call_{name}(({first}){given}, {rest})"
                if of == given:
                    there = f"program_bindings[{index}].bound"
                    call = f"{there} ? ((u64 (*)({types})){there})({rest}) : {call}"
                self.emit(f"  result = {call};")
                self.emit("  observe_number(result);")
        self.emit("  observe_number(file.number);")
        for name, *_ in self.objects:
            self.emit(f"  observe(&{name}, sizeof {name});")
        self.emit("}")

    def fill_fields(self, structure, at, seed):
        lines = [f"memset(&{at}, 0, sizeof {at});"] if "." not in at else []
        for declared, number in structure.fields:
            name = declared.split()[-1].split("[")[0]
            if number is None:
                nested = dict(structure.inner)[name]
                lines.append(self.fill_fields(nested, f"{at}.{name}", seed))
            elif number[1] in ("double", "float"):
                whole = f"(sizeof {at}.{name} / sizeof({number[1]}))"
                element = f"(({number[1]} *)&{at}.{name})[i]"
                lines.append(f"for (u64 i = 0; i < {whole}; ++i) {element} = (int)(i * 3 + {seed}) - 7;")
            else:
                lines.append(f"fill(&{at}.{name}, sizeof {at}.{name}, {seed + len(lines)});")
        lines.append(f"{at}.count = {self.draw.randrange(1, 9)};")
        return " ".join(lines)


def make(seed, folder):
    """Writes a program into a folder. Gives its sources."""
    writer = Writer(seed)
    writer.write_program()
    file = folder / "copies.c"
    file.write_text("\n".join(writer.lines) + "\n")
    return [Source(file)]
