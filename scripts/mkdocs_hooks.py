# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks of MkDocs.

A fenced block that names a file (```cpp examples/hello/main.cpp) is shown under that name;
test/e2e/page_examples.sh compares such blocks with their files. Pages that scripts/reference.py has
written into build/docs/reference become a part of the book.
"""

import pathlib
import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

GENERATED = pathlib.Path(__file__).resolve().parent.parent / "build" / "docs" / "reference"
# Languages of the pages that Pygments knows by another name, or not at all.
LANGUAGES = {"ac": "m4", "acl": "text", "automake": "make"}


def _fence(match: re.Match[str]) -> str:
    language, file = match.groups()
    return f'```{{.{LANGUAGES.get(language, language)} filename="{file}"}}'


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for page in sorted(GENERATED.glob("*.md")):
        files.append(File.generated(config, f"reference/{page.name}", abs_src_path=str(page)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    return re.sub(r"^```([a-z]+) (\S+)$", _fence, markdown, flags=re.MULTILINE)
