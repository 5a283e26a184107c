#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants each kind of mistake that components.py has to find in a small tree, and one tree without mistakes."""

import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).with_name("components.py")
TREE = {
    "CONTRIBUTING.md": "| component | folder | includes |\n|---|---|---|\n| base | src/base | |\n| core | src/core | base |\n"
    "| compiler | src/compiler | core, base |\n| tools | src/tools | all |\n",
    "docs/pictures/components.svg": '<path id="compiler-core" d=""/> <path id="core-base" d=""/>',
    "src/base/README.md": "Errors.\n",
    "src/core/README.md": "Data.\n",
    "src/compiler/README.md": "LLVM.\n",
    "src/tools/README.md": "Commands.\n",
    "src/base/error.h": "#ifndef SARTOR_BASE_ERROR_H\n#define SARTOR_BASE_ERROR_H\nnamespace sartor::base {\nclass Error {};\n}\n#endif\n",
    "src/core/space.h": '#ifndef SARTOR_CORE_SPACE_H\n#define SARTOR_CORE_SPACE_H\n#include "base/error.h"\n#endif\n',
    "src/compiler/plugin/mark.cpp": '#include <llvm/IR/Module.h>\n#include "core/space.h"\n',
    "src/tools/main.cpp": '#include "compiler/plugin/mark.cpp"\n',
    "src/core/CMakeLists.txt": "target_link_libraries(sartor_core PUBLIC sartor_base)\n",
    **{f"src/core/many/{i}.cpp": "" for i in range(25)},
}
PLANTED = {
    "a crowded folder": ("src/core/many/25.c", "", "src/core/many: has 26 source files"),
    "an include upward": ("src/base/error.cpp", '#include "core/space.h"\n', "src/base/error.cpp:1"),
    "LLVM outside of the compiler": ("src/core/space.cpp", "\n#include <llvm/IR/Module.h>\n", "src/core/space.cpp:2"),
    "a guard of another path": ("src/core/other.h", "#ifndef SARTOR_SPACE_H\n#endif\n", "SARTOR_CORE_OTHER_H"),
    "a namespace of another component": (
        "src/core/name.h",
        "#ifndef SARTOR_CORE_NAME_H\n#define SARTOR_CORE_NAME_H\nnamespace sartor::base {\nclass Name {};\n}\n#endif\n",
        "src/core/name.h",
    ),
    "a retired word": ("src/core/fact.cpp", '// a fact\nint facts_known;\n', "src/core/fact.cpp:2"),
    "a link upward": ("src/core/CMakeLists.txt", "target_link_libraries(sartor_core PUBLIC sartor_compiler)\n", "sartor_compiler"),
    "a long README": ("src/core/README.md", "word " * 401, "401 words"),
    "a README that is missing": ("src/core/README.md", "", "0 words"),
    "a missing arrow": ("docs/pictures/components.svg", '<path id="compiler-core" d=""/>', "from core, arrows reach []"),
    "an arrow too many": (
        "docs/pictures/components.svg",
        TREE["docs/pictures/components.svg"].replace('"compiler-core"', '"compiler-core"/> <path id="base-tools"'),
        "from base, arrows reach ['tools']",
    ),
    "a cycle in the table": (
        "CONTRIBUTING.md",
        TREE["CONTRIBUTING.md"].replace("| base | src/base | |", "| base | src/base | core |"),
        "include itself",
    ),
}


def look(tree: dict[str, str]) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as root:
        for name, text in tree.items():
            path = Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        ended = subprocess.run([SCRIPT, root], capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout + ended.stderr


def main() -> int:
    code, text = look(TREE)
    bad = [f"the tree without mistakes: {text}"] if code else []
    for what, (path, content, expected) in PLANTED.items():
        code, text = look({**TREE, path: content})
        if code != 1 or expected not in text:
            bad.append(f"{what}: not found: {text}")
    print("\n".join(bad) or f"{len(PLANTED)} mistakes found")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
