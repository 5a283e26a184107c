#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""abi.py SOURCE CLANG LIBRARIES [--write | --try]: compares the binary interface of C with the released one.

The interface is that of the public C headers: clang reads them, each function gets an empty body, and abidw describes
the result, with all types that the functions use. abidiff compares it with test/c_interface/released.abi. New functions
are no difference; a function, structure or enumeration that programs are compiled with must stay. Each function must
also be in one of the built libraries in the directory LIBRARIES. --write replaces released.abi, which is to be done with
a release, or, before the first one, with a change that is meant. --try breaks the interface in several ways, and fails
unless each is found.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from compare import C_HEADERS

IN_THE_LOADER = {"sartor_register_modules"}  # loader/agents/handlers.cpp

BREAKS = {
    "another parameter": (r"sartor_close\(sartor_runtime \*runtime\)", "sartor_close(sartor_runtime *runtime, int how)"),
    "another result": (r"const char \*sartor_version\(", "int sartor_version("),
    "a function that is gone": (r"const char \*sartor_version\(", "const char *sartor_versions("),
    "a structure with another member": (r"struct sartor_module \{", "struct sartor_module { long added;"),
}


def run(*command: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False)


def checked(*command: str, given: str | None = None) -> str:
    done = run(*command, given=given)
    if done.returncode != 0:
        raise SystemExit(f"abi.py: {command[0]} failed:\n{done.stderr}")
    return done.stdout


def declarations(source: Path, clang: str) -> str:
    includes = "".join(f"#include <sartor/{header}>\n" for header in C_HEADERS)
    return checked(clang, f"-I{source}/include", "-fsyntax-only", "-Xclang", "-ast-print", "-x", "c", "-", given=includes)


FUNCTION = re.compile(r"^(?=\w)(?!typedef|static|extern|inline)[^\n{}=]*?\b(sartor_\w+)\([^\n]*\)(?=;$)", re.MULTILINE)


def described(text: str, clang: str, directory: Path) -> tuple[Path, list[str]]:
    """The description of the interface, and the functions in it."""
    text = re.sub(r" __attribute__\(\((?:[^()]|\([^()]*\))*\)\)(?=[^\n]*;$)", "", text, flags=re.MULTILINE)
    names = [match[1] for match in FUNCTION.finditer(text)]
    defined = FUNCTION.sub(lambda match: match[0] + " { __builtin_trap(); }", text)
    library, description = directory / "interface.so", directory / "interface.abi"
    checked(clang, "-g", "-w", "-fno-builtin", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library), given=defined)
    checked("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--drop-private-types", "--out-file",
            str(description), str(library))
    return description, names


def difference(released: Path, now: Path) -> str:
    done = run("abidiff", "--no-added-syms", "--no-show-locs", str(released), str(now))
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main() -> None:
    source, clang, libraries = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    released = source / "test/c_interface/released.abi"
    with tempfile.TemporaryDirectory() as name:
        text = declarations(source, clang)
        now, functions = described(text, clang, Path(name))
        if "--write" in sys.argv:
            released.write_bytes(now.read_bytes())
            return
        if "--try" in sys.argv:
            for what, (pattern, put) in BREAKS.items():
                broken, count = re.subn(pattern, put, text)
                if count == 0:
                    raise SystemExit(f"abi.py: nothing to break for {what}")
                if not difference(released, described(broken, clang, Path(name))[0]):
                    raise SystemExit(f"abi.py: {what} is not found")
            print(f"all is well: {len(BREAKS)} breaks are found")
            return
        symbols = "".join(checked("nm", "-D", "--defined-only", str(library)) for library in libraries.glob("libsartor*.so"))
        built = set(re.findall(r" T (\w+)", symbols)) | IN_THE_LOADER
        if missing := [function for function in functions if function not in built]:
            raise SystemExit(f"abi.py: no library has {', '.join(missing)}")
        if found := difference(released, now):
            raise SystemExit(f"{found}\nabi.py: programs that are compiled against the released headers would break. If that is "
                             "meant, raise SOVERSION, say so in CHANGELOG.md, and run abi.py with --write")
        print(f"all is well: {len(functions)} functions")


if __name__ == "__main__":
    main()
