#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""manual_test.py COMMANDS WORK: manual pages and completions name each option and command that --help lists, pages
have no markup errors, and the completion of bash proposes the right words. zsh and fish check theirs if installed."""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import manual  # noqa: E402

commands, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
subprocess.run([ROOT / "scripts" / "manual.py", commands, work], check=True)
wrong = []
pages = 0
for program, section in manual.PROGRAMS.items():
    for command in manual.all_of(manual.read(commands, [program])):
        page = work / "man" / f"man{section}" / f"{command.page}.{section}"
        pages += 1
        text = page.read_text().replace("\\-", "-")
        told = subprocess.run([commands / program, *command.path[1:], "--help"], capture_output=True, text=True)
        # Options stand at the begin of a line, after few spaces; an example may have others.
        for option in re.findall(r"^ {2,4}(?:-\w,)?(--[\w-]+)", told.stdout + told.stderr, re.M):
            if option not in text:
                wrong.append(f"{page.name} lacks {option}")
        if shutil.which("man"):
            said = subprocess.run(["man", "-l", "--warnings", page], capture_output=True, text=True,
                                  env={"MANWIDTH": "100", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"})
            if said.returncode or said.stderr.strip():
                wrong.append(f"{page.name}: {said.stderr.strip()}")
if (work / "man/man1/sartor-c++.1").read_text() != ".so man1/sartor-cc.1\n":
    wrong.append("sartor-c++.1 does not show sartor-cc.1")
if ".SH SYNOPSIS\n.B sartor\\-cc " not in (work / "man/man1/sartor-cc.1").read_text():
    wrong.append("the synopsis of sartor-cc.1 is not that of sartor-cc")


def proposed(*words):
    script = f"""source {work}/completions/bash/{words[0]}
        COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}
        _{words[0].replace('-', '_')}; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, cwd="/").stdout.split()


for words, expected in [(("sartor", "cac"), "cache"), (("sartor", "cache", "ver"), "verify"),
                        (("sartor", "cache", "--dir"), "--directory"), (("sartor", "cache", "ls", "--dir"), "--directory"),
                        (("sartor", "new", "--lang", ""), "rust"), (("sartor", "help", "cac"), "cache"), (("sartor", "explain", "--js"), "--json"),
                        (("sartor-server", "--metr"), "--metrics"), (("sartor-ld", "--stri"), "--strict")]:
    if expected not in proposed(*words):
        wrong.append(f"{' '.join(words)}: bash does not propose {expected}, but {proposed(*words)}")
for shell, suffix in (("zsh", "_*"), ("fish", "*.fish")):
    for file in (work / "completions" / shell).glob(suffix):
        if shutil.which(shell):
            said = subprocess.run([shell, "-n", file], capture_output=True, text=True)
            if said.returncode:
                wrong.append(f"{file.name}: {said.stderr.strip()}")
if not shutil.which("man"):
    print("the markup of pages is not checked: man is not installed")
print(*wrong, f"{pages} pages, {len(wrong)} mistakes", sep="\n")
sys.exit(1 if wrong or pages < 20 else 0)
