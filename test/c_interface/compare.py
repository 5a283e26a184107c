#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare.py SOURCE CLANG LLVM_HEADERS [--try]: whether C has what C++ has.

Clang reads the public headers of both languages; docs/reference/c_coverage.md has a row for each public entity of
the C++ interface, with what C has instead, or why C needs nothing. Fails when an entity has no row, when a
row names what there is not, and when a function of the C interface is in no row. With --try, it breaks the
table in each of these ways, and fails unless that is found.

The columns of a row: C++ entities, what C has, and a remark. `Name::*` stands for all members of Name that
have no row of their own. Where C's column is `PREFIX_*`, it has a PREFIX_MEMBER for each; where the
remark ends with "fields of `file`", the file has each name as a text.
"""

import json
import pathlib
import re
import subprocess
import sys

TABLE = "docs/reference/c_coverage.md"
CPP_HEADERS = ["sartor.hpp", "bpf/runtime.hpp"]
C_HEADERS = [
    "c/sartor.h", "c/customize.h", "c/explorer.h", "c/generator.h", "c/search_space.h", "guest_program.h", "c/guest_programs.h", "c/json.h",
    "c/error.h", "bpf/bpf.h"]
# Reasons for which C needs no counterpart.
REASONS = {"text", "struct", "sugar", "C++"}


def syntax_trees(clang, source, headers, language, filter_by):
    """What clang makes of the headers: a tree for each declaration that the filter lets through."""
    includes = "".join(f"#include <sartor/{header}>\n" for header in headers)
    command = [clang, "-fsyntax-only", f"-I{source}/include", *language, "-Xclang", "-ast-dump=json"]
    if filter_by:
        command += ["-Xclang", f"-ast-dump-filter={filter_by}"]
    output = subprocess.run([*command, "-"], input=includes, capture_output=True, text=True, check=False)
    if output.returncode != 0:
        sys.exit(f"clang cannot read the headers:\n{output.stderr}")
    decoder, at = json.JSONDecoder(), 0
    while at < len(output.stdout):
        if output.stdout[at].isspace():
            at += 1
            continue
        tree, at = decoder.raw_decode(output.stdout, at)
        yield tree


def entities(node, scope, found):
    """Adds the public entities below a declaration to `found`."""
    kind, name, inner = node.get("kind"), node.get("name", ""), node.get("inner", [])
    if node.get("isImplicit"):
        return
    if kind == "NamespaceDecl":
        if name not in ("detail", "invariant"):
            for each in inner:
                entities(each, scope if name == "sartor" else [*scope, name], found)
    elif kind in ("ClassTemplateDecl", "FunctionTemplateDecl"):
        for each in inner:
            if each["kind"].endswith(("RecordDecl", "FunctionDecl", "MethodDecl", "ConstructorDecl")):
                entities(each, scope, found)
                break
    elif kind in ("CXXRecordDecl", "ClassTemplatePartialSpecializationDecl"):
        if not name or not node.get("completeDefinition"):
            return
        found.add("::".join([*scope, name]))
        public = node.get("tagUsed") != "class"
        for each in inner:
            if each["kind"] == "AccessSpecDecl":
                public = each["access"] == "public"
            elif public:
                entities(each, [*scope, name], found)
    elif kind == "EnumDecl":
        found.add("::".join([*scope, name]))
        for each in inner:
            # kLast is another name of the last enumerator.
            if each["kind"] == "EnumConstantDecl" and each["name"] != "kLast":
                found.add("::".join([*scope, name, each["name"]]))
    elif kind in ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXConversionDecl", "FieldDecl",
                  "VarDecl", "TypedefDecl", "TypeAliasDecl") and name:
        # The name of a constructor of a partial specialization includes the arguments.
        found.add("::".join([*scope, name if name.startswith("operator") else name.split("<")[0]]))


def of_cpp(clang, source, llvm_headers):
    found = set()
    language = ["-x", "c++", "-std=c++20", "-isystem", llvm_headers]
    for tree in syntax_trees(clang, source, CPP_HEADERS, language, "sartor"):
        if tree["kind"] == "NamespaceDecl":
            entities(tree, [], found)
    return found


def of_c(clang, source):
    """Functions, and all other names, of the C interface."""
    functions, names = set(), set()
    (unit,) = syntax_trees(clang, source, C_HEADERS, ["-x", "c", "-std=c11"], None)

    def collect(node, scope):
        name = node.get("name")
        if name and name.lower().startswith("sartor_"):
            (functions if node["kind"] == "FunctionDecl" else names).add(name)
        if name and node["kind"] == "FieldDecl" and scope:
            names.add(f"{scope}::{name}")
        for each in node.get("inner", []):
            if node["kind"] != "FunctionDecl":
                collect(each, name if node["kind"] == "RecordDecl" else scope)

    collect(unit, None)
    for header in (pathlib.Path(source) / "include/sartor").rglob("*.h"):
        names |= set(re.findall(r"#define (\w+)", header.read_text()))
    # Functions for the plugin and the loader, and files shared with them, are not part of the interface.
    own = set()
    for header in C_HEADERS:
        text = (pathlib.Path(source) / "include/sartor" / header).read_text()
        own |= {name for name in functions if re.search(rf"\b{name}\(", text)}
    return own, names | functions


def rows(table):
    """(line, C++ names, C names, reason, remark) of each row."""
    for number, line in enumerate(table.splitlines(), 1):
        if line.startswith("|") and "`" in line:
            cpp, c, remark = [cell.strip() for cell in line.split("|")[1:4]]
            names = re.findall(r"`([^`]+)`", c)
            yield number, re.findall(r"`([^`]+)`", cpp), names, "" if names else c, remark


def problems(cpp, functions, names, table, source):
    said, named, stars = [], set(), []
    exact = {name for _, entities_, *_ in rows(table) for name in entities_ if not name.endswith("::*")}
    covered = set()
    for line, entities_, in_c, reason, remark in rows(table):
        def complain(what, line=line):
            said.append(f"{TABLE}:{line}: {what}")
        if not in_c and reason not in REASONS:
            complain(f"C has nothing, and {reason!r} is no reason: {', '.join(sorted(REASONS))}")
        members = set()
        for entity in entities_:
            if entity.endswith("::*"):
                prefix = entity.removesuffix("*")
                inside = {name for name in cpp - exact
                          if name.startswith(prefix) and "::" not in name.removeprefix(prefix)}
                if not inside:
                    complain(f"{entity} stands for nothing")
                members |= {name.removeprefix(prefix) for name in inside}
                covered |= inside
                stars.append(entity)
            elif entity in cpp:
                covered.add(entity)
            else:
                complain(f"C++ has no {entity}")
        for name in in_c:
            if name.endswith("*"):
                for member in members:
                    if name[:-1] + member.upper() not in names:
                        complain(f"C has no {name[:-1] + member.upper()}")
            elif name in names:
                named.add(name)
            else:
                complain(f"C has no {name}")
        listed = re.search(r"fields of `([^`]+)`$", remark)
        if listed:
            file = pathlib.Path(source) / listed[1]
            text = file.read_text() if file.exists() else ""
            for member in sorted(members):
                if not re.search(rf'"{member}"|\b{member}\b[;,)]', text):
                    complain(f"{listed[1]} does not tell of {member}")
    said += [f"{TABLE}: no row for {name}" for name in sorted(cpp - covered)]
    said += [f"{TABLE}: in no row: {name}()" for name in sorted(functions - named)]
    return said


def attempts(table):
    """The table, broken in different ways, and what must be said of it."""
    def without(line):
        assert line in table, line
        return "\n".join(each for each in table.splitlines() if not each.startswith(line))
    def instead(old, new):
        assert old in table, old
        return table.replace(old, new, 1)
    yield without("| `Runtime::statistics` |"), "no row for Runtime::statistics"
    yield without("| `Statistics::*` |"), "no row for Statistics::compiles"
    yield instead("`sartor_statistics`", "`sartor_statistic`"), "C has no sartor_statistic"
    yield instead("`Runtime::statistics`", "`Runtime::statistic`"), "C++ has no Runtime::statistic"
    yield instead("`SARTOR_ERROR_*`", "`SARTOR_FAILURE_*`"), "C has no SARTOR_FAILURE_UNKNOWN_LABEL"
    yield instead("fields of `src/core/report_json.cpp`", "fields of `src/runtime/entry_table.cpp`"), "does not tell of"
    yield instead("`sartor_free`", "`sartor_close`"), "in no row: sartor_free()"
    yield instead("`ExplorerOptions` | text |", "`ExplorerOptions` | nobody asked |"), "is no reason"


def main():
    source, clang, llvm_headers = sys.argv[1:4]
    table = (pathlib.Path(source) / TABLE).read_text()
    cpp = of_cpp(clang, source, llvm_headers)
    functions, names = of_c(clang, source)
    if len(cpp) < 300 or len(functions) < 100:
        sys.exit(f"{len(cpp)} entities of C++ and {len(functions)} functions of C: too few to be all")
    if sys.argv[4:] == ["--try"]:
        for broken, wanted in attempts(table):
            if not any(wanted in said for said in problems(cpp, functions, names, broken, source)):
                sys.exit(f"not found: {wanted}")
        print("all is well: each broken table was found")
        return
    said = problems(cpp, functions, names, table, source)
    print("\n".join(said) if said else
          f"all is well: {len(cpp)} entities of C++, {len(functions)} functions of C")
    sys.exit(1 if said else 0)


if __name__ == "__main__":
    main()
