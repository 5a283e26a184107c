# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of csmith, made into handlers with points at random places.

csmith writes C whose result is the same whatever its global integers begin with, as long as nothing
hangs: operations are checked when they are executed, arrays are indexed by loops of constant bounds. So
an input is a number that those begin with. Functions become handlers at random, and are then called by
the pointer that the driver leads to their entries.
"""

import random
import re
import subprocess
import tempfile

INTEGER = re.compile(r"u?int(8|16|32|64)_t$")
PROTOTYPE = re.compile(r"^static (.+?)\s*\b(func_\d+)\((.*)\);$")
DEFINITION = re.compile(r"^static (.+?)\s*\b(func_\d+)\((.*)\)$")
GLOBAL = re.compile(r"^static (.*?)\b(g_\d+)((?:\[\d+\])*) = (.*);$")
CLOSES = {"(": ")", "[": "]", "{": "}"}


class Unusable(Exception):
    """A program that csmith does not make, or that is of a shape that is not understood."""


def generate(seed):
    """The text of a program; the same for a seed."""
    draw = random.Random(seed)
    options = ["--seed", str(seed), "--no-argc", "--concise", "--max-block-size", "4"]
    options += ["--max-funcs", str(draw.choice([2, 3, 4, 6]))]
    options += ["--max-block-depth", str(draw.choice([2, 3, 3, 4]))]
    if draw.random() < 0.3:
        options.append("--no-volatiles")
    if draw.random() < 0.2:
        options.append("--float")
    if draw.random() < 0.3:
        options.append("--no-packed-struct")
    try:
        with tempfile.TemporaryDirectory() as folder:  # csmith writes a file of its own there
            command = ["csmith", *options]
            return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True, cwd=folder).stdout
    except subprocess.SubprocessError as error:
        raise Unusable("csmith") from error


def partner(text, opening):
    """The place of the bracket that closes the one at `opening`."""
    depth = 0
    for place in range(opening, len(text)):
        if text[place] in CLOSES:
            depth += 1
        elif text[place] in CLOSES.values():
            depth -= 1
            if depth == 0:
                return place
    raise Unusable("brackets")


def split(text, separator):
    """The parts of a text between separators that are in no brackets."""
    parts, depth, begin = [], 0, 0
    for place, character in enumerate(text):
        if character in CLOSES:
            depth += 1
        elif character in CLOSES.values():
            depth -= 1
        elif character == separator and depth == 0:
            parts.append(text[begin:place])
            begin = place + 1
    return parts + [text[begin:]]


class Handlers:
    """Writes a program's lines again, with points in them."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.density = self.draw.choice([0.05, 0.1, 0.25])
        self.points = 0
        self.handlers = {}

    def chance(self, share=1.0):
        return self.draw.random() < self.density * share

    def label(self):
        self.points += 1
        return f'"p{self.points}"'

    def point(self, expression, only_generic=False):
        kind = "generic" if only_generic else self.draw.choice(["generic"] * 3 + ["enum", "range"])
        tail = {"generic": "", "enum": ", 0, 1, 2, 3, 5", "range": f", 0, {self.draw.choice([3, 12, 100])}"}[kind]
        return f"sartor_{kind}({self.label()}, {expression}{tail})"

    def condition(self, expression):
        if self.draw.random() < 0.6:
            return f"sartor_assume({self.label()}, {expression})"
        return f"sartor_generic({self.label()}, !!({expression}))"

    # Macros name their argument twice, so points are nested at most two deep.
    def expression(self, text, nested=0):
        written, place = "", 0
        for call in re.finditer(r"\b(safe_\w+)\(", text):
            if call.start() < place:
                continue
            end = partner(text, call.end() - 1)
            floating = "float" in call.group(1) or "double" in call.group(1)
            arguments = []
            for argument in split(text[call.end() : end], ","):
                if nested < 2 and self.chance():
                    arguments.append(self.point(self.expression(argument.strip(), nested + 1), floating))
                else:
                    arguments.append(self.expression(argument.strip(), nested))
            written += text[place : call.end()] + ", ".join(arguments)
            place = end
        return written + text[place:]

    def places(self, text):
        """Points on pointers that are followed, and on what arrays are indexed by."""
        def pointer(match):
            return f"(*sartor_generic({self.label()}, {match[1]}))" if self.chance(0.5) else match[0]

        def index(match):
            return f"[sartor_range({self.label()}, {match[1]}, 0, 9)]" if self.chance() else match[0]

        text = re.sub(r"\(\*([lgp]_\d+)\)", pointer, text)
        return re.sub(r"\[([lg]_\d+|[ijk])\]", index, text)

    def statement(self, line, result):
        indent = line[: len(line) - len(line.lstrip())]
        text = line.strip()
        control = re.match(r"(if|for) \(", text)
        if control and partner(text, control.end() - 1) == len(text) - 1:
            inside = text[control.end() : -1]
            if control.group(1) == "if":
                inside = self.expression(inside, 1)
                inside = self.condition(inside) if self.chance(2) else inside
            else:
                first, test, step = split(inside, ";")
                test = " " + self.condition(test.strip()) if self.chance(2) else test
                inside = ";".join([first, test, step])
            return f"{indent}{control.group(1)} ({inside})"
        returned = re.match(r"return (.*);$", text)
        if returned:
            scalar = result.endswith("*") or INTEGER.match(result)
            value = self.expression(returned.group(1), 1)
            value = self.point(value, only_generic=True) if scalar and self.chance(2) else value
            return f"{indent}return {value};"
        # A declaration's brackets contain types.
        declares = re.match(r"(const |volatile |register |static )*(u?int\d+_t|union|struct|float|double|int) ", text)
        if declares or not text.endswith(";"):
            return line if "{" in text or not declares else indent + self.expression(text)
        return indent + self.places(self.expression(text))

    def parameters(self, parameters):
        """Parameters that go through a point at the function's start."""
        lines = []
        for parameter in parameters.split(","):
            name = re.match(r"^\s*(.*?)(p_\d+)$", parameter)
            if not name or "const" in name[1].rsplit("*", 1)[-1]:
                continue
            if ("*" in name[1] or INTEGER.match(name[1].strip())) and self.chance(2):
                lines.append(f"    {name[2]} = sartor_generic({self.label()}, {name[2]});")
        return lines

    def calls(self, text):
        """Calls of handlers by their pointers, most of the time."""
        def call(match):
            through = match[1] in self.handlers and self.draw.random() < 0.8
            return f"(*call_{match[1]})(" if through else match[0]

        return re.sub(r"\b(func_\d+)\(", call, text)

    def choose(self, lines):
        for line in lines:
            prototype = PROTOTYPE.match(line)
            if prototype and (prototype[2] == "func_1" or self.draw.random() < 0.4):
                # Functions that other files could call are bound by their names.
                self.handlers[prototype[2]] = prototype[1], prototype[3], self.draw.random() < 0.5
        if "func_1" not in self.handlers:
            raise Unusable("no func_1")


def state(lines):
    """A function that gives all global variables what they begin with; `input` changes integers."""
    firsts, resets = [], []
    for number, line in enumerate(lines):
        match = GLOBAL.match(line)
        if not match:
            continue
        kind, name, dimensions, value = match.groups()
        if re.search(r"\bconst\b", kind.rsplit("*", 1)[-1]):
            continue
        firsts.append(f"static {kind}first_{name}{dimensions} = {value};")
        resets.append(f"    memcpy((void *)&{name}, (const void *)&first_{name}, sizeof {name});")
        plain = kind.replace("volatile", "").strip()
        if INTEGER.match(plain):
            element = f"(({plain} *)&{name})[(input / 3) % (sizeof {name} / sizeof({plain}))]"
            # Input 0 keeps csmith's values; most others change a part.
            resets.append(f"    if (input && (input * 2654435761u >> {number % 24}) % 4 == 0)")
            resets.append(f"        {element} = ({plain})(input % 2 ? input / 2 : input * 0x9e3779b97f4a7c15u >> 7);")
    return firsts + ["static void begin(unsigned input)", "{", *resets, "}"]


def make(seed):
    """The text of a C file: a program as program.h describes it."""
    lines = generate(seed).split("\n")
    writer = Handlers(seed)
    writer.choose(lines)
    last = max(number for number, line in enumerate(lines) if PROTOTYPE.match(line))
    first_function = min(number for number, line in enumerate(lines) if DEFINITION.match(line))
    out, result, main = [], "", lines.index("int main (void)")
    for number, line in enumerate(lines[:main]):
        prototype, definition = PROTOTYPE.match(line), DEFINITION.match(line)
        if prototype:
            chosen = writer.handlers.get(prototype[2])
            out.append(line.removeprefix("static ") if chosen and chosen[2] else line)
            if number == last:
                for name, (kind, parameters, _) in writer.handlers.items():
                    out.append(f"static {kind} (*call_{name})({parameters}) = {name};")
                out += state(lines)
        elif definition:
            result = definition[1]
            chosen = writer.handlers.get(definition[2])
            if chosen:
                out.append("SARTOR_HANDLER " + (line.removeprefix("static ") if chosen[2] else line))
            else:
                noinline = writer.draw.random() < 0.3
                out.append(("__attribute__((noinline)) " if noinline else "") + line)
            parameters = definition[3]
        elif number < first_function:
            out.append(line)
        elif re.match(r"^    int i(, [jk])*;$|^\{ ?$", line) and parameters is not None:
            # The statements follow the declarations; parameters are first.
            out.append(line)
            if line.startswith("{"):
                out += writer.parameters(parameters)
                parameters = None
        else:
            out.append(writer.calls(writer.statement(line, result)))
    out += ["void program_run(unsigned input)", "{", "    int print_hash_value = 0;", "    begin(input);"]
    for line in lines[main + 2 :]:
        if not re.search(r"platform_main|crc32_gentab|int print_hash_value|return 0;|if \(print_hash_value\)", line):
            out.append(re.sub(r"\bfunc_1\(\);", "(*call_func_1)();", line))
    table = [f'    {{"{name}", (void **)&call_{name}}},' for name in writer.handlers]
    out += ["struct ProgramHandler program_handlers[] = {", *table, "    {0, 0}};"]
    return "\n".join(out) + "\n"
