#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the components of a tree with the table in its CONTRIBUTING.md.

    components.py ROOT            prints each difference with file and line; fails if there is one
    components.py ROOT --graph    prints the graph of includes between components in the DOT language

Checked are: each include of a header of another component is in the table; the table has no cycle; a component's CMake
target links only targets of components that it may include; LLVM's headers are included by the compiler alone; the
namespace of a header is its component's; its guard is its path; no identifier has a retired word
(scripts/retired_words.txt); each component has a README.md of at most 400 words; no folder of a component has more
than 25 source files; the arrows of docs/pictures/components.svg, with those that follow from them, are the table's.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

HEADERS_OF_ALL = {
    # C headers without dependencies, which devices and the library share.
    ("device", "base/contain.h"),
    ("device", "core/compiler/device_protocol.h"),
}
PROGRAMS = {"cc", "cli", "server", "tls", "front", "planner", "passes", "prune", "isolate", "agents"}
SOURCES = {".h", ".hpp", ".cpp", ".c"}
WORDS = 400
SOURCES_OF_FOLDER = 25
# One term for each concept. `promise` alone may be the standard library's.
RETIRED = [
    re.compile(pattern)
    for pattern, _, *marks in (
        line.split("\t") for line in (Path(__file__).parents[2] / "scripts/retired_words.txt").read_text().splitlines() if line[0] != "#"
    )
    if "identifiers" in marks
]
NOT_CODE = re.compile(
    r'//(?:\\\n|[^\n])*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"', re.S
)


def table(root: Path) -> dict[str, tuple[str, set[str]]]:
    """Component → its folder and the components that it may include."""
    rows = re.findall(r"^\|\s*([a-z]+)\s*\|\s*`?([a-z/]+)`?\s*\|([^|]*)\|\s*$", (root / "CONTRIBUTING.md").read_text(), re.M)
    rows = [row for row in rows if row[0] != "component"]
    names = {name for name, _, _ in rows}
    found = {}
    for name, folder, allowed in rows:
        words = set(re.findall(r"[a-z]+", allowed)) if "(" not in allowed else set()
        found[name] = (folder, names - {name} if words == {"all"} else words)
    return found


def component_of(path: str, components: dict[str, tuple[str, set[str]]]) -> str | None:
    return next((name for name, (folder, _) in components.items() if path.startswith(folder + "/")), None)


def included(root: Path, source: Path, name: str) -> Path | None:
    for place in (root / "src", source.parent, root, root / "loader"):
        if (place / name).is_file():
            return (place / name).resolve()
    return None


def guard_of(path: str) -> str:
    return "SARTOR_" + re.sub(r"[^A-Za-z0-9]", "_", path.removeprefix("src/")).upper()


def retired_word(identifier: str) -> str | None:
    words = " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", identifier)).lower()
    found = (pattern.search(words) for pattern in RETIRED)
    return next((match[0] for match in found if match), None) if identifier != "promise" else None


def look_at_identifiers(path: str, text: str) -> list[str]:
    plain = NOT_CODE.sub(lambda match: "\n" * match[0].count("\n"), text)
    return [
        f"{path}:{number}: {identifier} has the retired word '{word}'"
        for number, line in enumerate(plain.splitlines(), 1)
        for identifier in re.findall(r"[A-Za-z_]\w*", line)
        if (word := retired_word(identifier))
    ]


def look_at_source(root: Path, source: Path, components: dict, found: Counter) -> list[str]:
    path = source.relative_to(root).as_posix()
    own = component_of(path, components)
    if own is None:
        return []
    text = source.read_text(errors="replace")
    wrong = []
    for number, line in enumerate(text.splitlines(), 1):
        quoted = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if re.match(r"\s*#\s*include\s+<(llvm|clang)/", line) and own != "compiler":
            wrong.append(f"{path}:{number}: {own} includes LLVM's headers; only the compiler may")
        target = quoted and included(root, source, quoted[1])
        other = target and component_of(target.relative_to(root.resolve()).as_posix(), components)
        if not other or other == own:
            continue
        found[(own, other)] += 1
        if other not in components[own][1] and (own, quoted[1]) not in HEADERS_OF_ALL:
            wrong.append(f"{path}:{number}: {own} includes {quoted[1]} of {other}, which CONTRIBUTING.md does not allow")
    wrong += look_at_identifiers(path, text)
    if path.endswith(".h"):
        guard = re.search(r"^#ifndef (\w+)$", text, re.M)
        if not guard or guard[1] != guard_of(path):
            wrong.append(f"{path}: the header's guard is not {guard_of(path)}")
        for namespace in re.findall(r"^(?:inline )?namespace sartor::(\w+)", text, re.M):
            folders = set(path.split("/")[:-1])
            if namespace in components and namespace != own and re.search(r"^(class|struct|enum)[^;]*\{", text, re.M):
                wrong.append(f"{path}: the namespace sartor::{namespace} is another component's")
            if namespace not in components and namespace in PROGRAMS and namespace not in folders:
                wrong.append(f"{path}: the namespace sartor::{namespace} is another folder's")
    return wrong


def below(components: dict[str, tuple[str, set[str]]]) -> dict[str, set[str]]:
    """Component → those that it may include; without components that may include all."""
    return {name: allowed for name, (_, allowed) in components.items() if len(allowed) < len(components) - 1}


def reach(arrows: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    todo = [start]
    while todo:
        for other in arrows.get(todo.pop(), set()) - seen:
            seen.add(other)
            todo.append(other)
    return seen


def cycles(components: dict[str, tuple[str, set[str]]]) -> list[str]:
    """A component that may include all is a top; among the others there must be no way back."""
    arrows = below(components)
    return [f"CONTRIBUTING.md: {name} may include itself by way of others" for name in arrows if name in reach(arrows, name)]


def look_at_picture(root: Path, components: dict) -> list[str]:
    """An arrow of the picture has the id FROM-TO; arrows that follow from others may be left out."""
    picture = "docs/pictures/components.svg"
    drawn: dict[str, set[str]] = {}
    for own, other in re.findall(r'<path id="([a-z]+)-([a-z]+)"', (root / picture).read_text()):
        drawn.setdefault(own, set()).add(other)
    listed = below(components)
    for own, header in HEADERS_OF_ALL:
        if own in listed:
            listed[own] = listed[own] | {header.split("/")[0]}
    return [
        f"{picture}: from {name}, arrows reach {sorted(reach(drawn, name))}, not {sorted(reach(listed, name))}"
        for name in sorted(listed.keys() | drawn)
        if reach(drawn, name) != reach(listed, name)
    ]


def look_at_links(root: Path, components: dict) -> list[str]:
    wrong = []
    for name, (folder, allowed) in components.items():
        lists = root / folder / "CMakeLists.txt"
        if not lists.is_file() or allowed | {name} == set(components):
            continue
        for linked in re.findall(rf"target_link_libraries\(sartor_{name}\s([^)]*)\)", lists.read_text()):
            for other in re.findall(r"\bsartor_(\w+)", linked):
                if other in components and other not in allowed:
                    wrong.append(f"{folder}/CMakeLists.txt: sartor_{name} links sartor_{other}, which is not allowed")
    return wrong


def look_at_readmes(root: Path, components: dict) -> list[str]:
    wrong = []
    for folder, _ in components.values():
        readme = root / folder / "README.md"
        words = len(readme.read_text().split()) if readme.is_file() else 0
        if not 0 < words <= WORDS:
            wrong.append(f"{folder}/README.md: has {words} words, not 1 to {WORDS}")
    return wrong


def look_at_folders(root: Path, components: dict) -> list[str]:
    count = Counter(
        source.parent.relative_to(root).as_posix()
        for folder, _ in components.values()
        for source in (root / folder).rglob("*.c*")
        if source.suffix in {".c", ".cpp"} and "templates" not in source.parts
    )
    return [
        f"{folder}: has {sources} source files, more than {SOURCES_OF_FOLDER}"
        for folder, sources in count.items()
        if sources > SOURCES_OF_FOLDER
    ]


def main() -> int:
    root = Path(sys.argv[1])
    components = table(root)
    if len(components) < 3:
        print("CONTRIBUTING.md: has no table of components")
        return 1
    found: Counter = Counter()
    wrong = cycles(components)
    for header in sorted((root / "include").rglob("*.h*")):
        wrong += look_at_identifiers(header.relative_to(root).as_posix(), header.read_text())
    for folder, _ in components.values():
        for source in sorted((root / folder).rglob("*")):
            # Templates are files of programs that a command writes.
            if source.suffix in SOURCES and "templates" not in source.parts:
                wrong += look_at_source(root, source, components, found)
    if "--graph" in sys.argv:
        print("digraph components {")
        for (own, other), count in sorted(found.items()):
            print(f'  {own} -> {other} [label="{count}"];')
        print("}")
        return 0
    wrong += look_at_links(root, components) + look_at_readmes(root, components) + look_at_folders(root, components)
    wrong += look_at_picture(root, components)
    print("\n".join(wrong) or f"{len(components)} components, {len(found)} arrows: all as in the table")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
