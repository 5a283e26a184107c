#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""complete.py SOURCE [--try]: whether the lists of docs/reference are complete.

Errors, remarks, events, environment variables, options and macros of the sources must have a row, and a row
must have one of these. The generated pages must have all names of c_coverage.md. With --try, breaks a page
in each of these ways, and fails unless that is found.
"""

import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
PAGES = {path.stem: path.read_text() for path in (SOURCE / "docs/reference").glob("*.md")}
# Folders without events of the event log: commands, the server, the compiler, the loader.
NO_EVENTS = {"server", "tools", "frontend", "specialize", "codegen", "plugin"}
EVENT = re.compile(r'\b(?:append|append_text|failure|log_event|log_?|report_?|log_message|can_be_kept)\(\s*"([a-z]+(?:_[a-z]+)*)"')
# Variables that the program itself sets before it reads them.
INTERNAL = re.compile(r"SARTOR_(BUILD(_\w+)?|HELD_|HANDLERS|DOMAINS)$")
STRUCTS = {"options.hpp": ["Options", "CompilerServer", "Pipeline"], "explorer.hpp": ["ExplorerOptions"],
           "strategies.hpp": ["SearchOptions"], "race.hpp": ["RaceOptions"], "fleet.hpp": ["FleetOptions"],
           "quasi_invariant.hpp": ["QuasiInvariantOptions"], "economy.hpp": ["EconomyOptions"],
           "guest_programs.hpp": ["GuestLimits"], "bpf/runtime.hpp": ["BpfOptions"], "objective.hpp": ["Limits"]}


def header(name):
    return (SOURCE / "include/sartor" / name).read_text()


def sources(*suffixes, folders=("src", "loader")):
    for folder in folders:
        for path in sorted((SOURCE / folder).rglob("*")):
            if path.suffix in suffixes:
                yield path, path.read_text(errors="replace")


def section(page, title):
    """The part of a page below a heading, up to the next one."""
    found = re.search(rf"^##+ {re.escape(title)}$(.*?)(?=^##|\Z)", page, re.S | re.M)
    return found[1] if found else ""


def rows(text, column=0):
    """Names in code spans of one column of all tables."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) > column:
            yield from re.findall(r"`([^`]+)`", cells[column])


def compare(what, page, in_sources, in_page, at_least):
    if len(in_sources) < at_least:
        return [f"{what}: only {len(in_sources)} found in the sources: this check needs another pattern"]
    return [f"{page}.md: no row for the {what} {name}" for name in sorted(in_sources - in_page)] + \
           [f"{page}.md: the sources have no {what} {name}" for name in sorted(in_page - in_sources)]


def events():
    texts = [text for path, text in sources(".cpp", ".h", folders=("src",))
             if not NO_EVENTS & set(path.relative_to(SOURCE / "src").parts)]
    either = [pair for text in texts for pair in re.findall(r'append\([^;"]*\? "(\w+)" : "(\w+)"', text)]
    return {name for text in texts for name in EVENT.findall(text)} | {name for pair in either for name in pair}


def variables():
    found = set()
    for _, text in sources(".cpp", ".h"):
        found |= set(re.findall(r'(?:getenv|\bvariable|from_environment|take_variable)\(\s*"([A-Z][A-Z_]+)"', text))
    for _, text in sources(".rs", folders=("bindings/rust/sartor-build/src", "bindings/rust/sartor/src")):
        found |= set(re.findall(r'"(?:cargo:rerun-if-env-changed=)?(SARTOR_[A-Z_]+)"', text))
    for _, text in sources(".cpp", folders=("src",)):
        found |= set(re.findall(r'"(SARTOR_(?:CC|CXX))"', text))
    # Variables of the stock loader are in docs/loader/start.md.
    return {name for name in found if not INTERNAL.match(name) and not name.startswith("LD_")
            and name not in ("PATH", "SARTOR_POINTS")}


def not_compared():
    """Reasons for calls that are not compared."""
    table = (SOURCE / "src/core/compiler/comparability.cpp").read_text()
    return set(re.findall(r'About\{NotCompared::\w+, "(\w+)"', table))


def macros(name):
    return {macro for macro in re.findall(r"#\s*define (\w+)", header(name)) if not re.search(r"_$|_H$", macro)}


def reference():
    spec = importlib.util.spec_from_file_location("reference", SOURCE / "scripts/reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def problems(pages, generator):
    errors = re.findall(r"^  (\w+)(?: = \d+)?,", re.search(r"enum class ErrorCode.*?\};", header("error.hpp"), re.S)[0], re.M)
    numbered = re.findall(r"^\| (\d+) \| `(\w+)`", pages["errors"], re.M)
    said = compare("error", "errors", set(errors), {name for _, name in numbered}, 50)
    said += [f"errors.md: {name} is {number}, not {errors.index(name) + 1}" for number, name in numbered
             if name in errors and errors.index(name) + 1 != int(number)]
    said += compare("reason", "errors", not_compared(),
                    set(rows(section(pages["errors"], "Calls that are not compared"))), 15)
    codes = re.findall(r"^  (\w+),", re.search(r"enum class RemarkCode.*?\};", header("remark.hpp"), re.S)[0], re.M)
    said += compare("remark", "remarks", set(codes), set(re.findall(r"(?m)^## `(\w+)`$", pages["remarks"])), 20)
    log = pages["events"][:pages["events"].index("## Server log")]
    said += compare("event", "events", events(), set(rows(log)), 60)
    in_page = set(rows(pages["environment"])) | set(re.findall(r"`([A-Z]{3}[A-Z_]+)`", re.sub(r"(?m)^\|.*", "", pages["environment"])))
    said += compare("variable", "environment", variables(), {name for name in in_page if re.fullmatch(r"[A-Z_]+", name)} - {"PATH"}, 20)
    for name, structs in STRUCTS.items():
        declared = {generator.name_of(each.text): each for each in generator.Parser(header(name)).scope()}
        for struct in structs:
            fields = {generator.name_of(field.text) for field in declared[struct].members
                      if not re.search(r"\(|operator", field.text.split("=")[0].split("<")[0])}
            said += compare(f"field of {struct}", "options", fields, set(rows(section(pages["options"], struct))), 2)
    named = {re.match(r"\w+", name)[0] for name in rows(pages["macros"])}
    for name in ("points.h", "watch.h", "c/sartor.h"):
        said += [f"macros.md: no row for {macro}" for macro in sorted(macros(name) - named)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SOURCE / "scripts/reference.py", folder, "--commands", folder], check=True, capture_output=True)
        generated = (pathlib.Path(folder) / "c.md").read_text()
    said += [f"scripts/reference.py: c.md has no {name}" for name in sorted(set(rows(pages["c_coverage"], 1)))
             if re.fullmatch(r"sartor_\w+", name) and not re.search(rf"\b{name}\b", generated)]
    return said


def attempts(pages):
    """Broken pages, and what must be said of each."""
    def instead(page, old, new):
        assert old in pages[page], old
        return {**pages, page: pages[page].replace(old, new, 1)}
    yield instead("errors", "| 1 | `unknown_label`", "| 1 | unknown label"), "no row for the error unknown_label"
    yield instead("errors", "| 2 | `value", "| 9 | `value"), "value_outside_choices is 9, not 2"
    yield instead("errors", "| `padding` |", "| `gaps` |"), "no row for the reason padding"
    yield instead("events", "| `switch` |", "| `swatch` |"), "the sources have no event swatch"
    yield instead("events", "| `quasi_invariant_valid` |", "| fact |"), "no row for the event quasi_invariant_valid"
    yield instead("remarks", "## `argument_unused`", "## argument"), "no row for the remark argument_unused"
    yield instead("environment", "| `SARTOR_PERF` |", "| |"), "no row for the variable SARTOR_PERF"
    yield instead("environment", "`NOTIFY_SOCKET`", "`NOTIFY_PIPE`"), "the sources have no variable NOTIFY_PIPE"
    yield instead("options", "| `quick_tier` |", "| |"), "no row for the field of Options quick_tier"
    yield instead("options", "| `patience` |", "| `patient` |"), "the sources have no field of FleetOptions patient"
    yield instead("macros", "| `sartor_one_of(x)` |", "| |"), "no row for sartor_one_of"
    yield instead("c_coverage", "`sartor_statistics`", "`sartor_statistic`"), "c.md has no sartor_statistic"


def main():
    generator = reference()
    if sys.argv[2:] == ["--try"]:
        for broken, wanted in attempts(PAGES):
            if not any(wanted in each for each in problems(broken, generator)):
                sys.exit(f"not found: {wanted}")
        print("all is well: each broken page was found")
        return
    said = problems(PAGES, generator)
    print("\n".join(said) if said else "all is well")
    sys.exit(1 if said else 0)


main()
