#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tidy.py BUILD: clang-tidy over the sources that a built tree compiles, two at a time on two processors.

A source that was found clean is not looked at again until something that it is made of changes: itself, a
header that it includes (as the build has noted), its command, the settings, or clang-tidy. What is known to
be clean is in the user's cache (sartor-tidy), for all clones of the tree, as ccache keeps objects; BUILD/tidy
has the compile commands that count. It begins with no source after TIDY_UNTIL (seconds since 1970), and says
how many it has left.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from ninja_record import recorded_headers, united_sources

TIDY = "clang-tidy-22"
ROOT = Path(__file__).resolve().parent.parent
COMPONENTS = tuple(str(ROOT / component) + "/" for component in ("src", "loader", "bench", "studies", "examples", "test"))


@functools.cache
def content(path):
    try:
        return hashlib.sha256(Path(path).read_bytes()).digest()
    except OSError:
        return b"missing"


def sources(build):
    """Those that the build compiles, each alone, also where it is compiled together with others. Handler files have
    flags that only the compiler plugin explains, and are seen by the compiler itself."""
    seen = set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        for source in united_sources(entry["file"]):
            if source not in seen and source.startswith(COMPONENTS):
                seen.add(source)
                command = entry["command"].replace(f"-c {entry['file']}", f"-Wshadow -c {source}")
                yield {"directory": entry["directory"], "command": command, "file": source}
        file = entry["file"]
        if "-fpass-plugin" in entry["command"] or file in seen or file.endswith(".S") or not file.startswith(COMPONENTS):
            continue
        seen.add(file)
        yield entry


@functools.cache
def settings_of(directory):
    """Its own and those of all above it."""
    above = [each for each in (directory, *directory.parents) if each.is_relative_to(ROOT)]
    return b"".join(content(each / ".clang-tidy") for each in above)


def key(entry, headers, version):
    """Null where it is not known what the source is made of."""
    compiler, _, output = entry["command"].rpartition(" -o ")
    output, _, rest = output.partition(" ")
    made_of = headers.get(output)
    if not made_of:
        return None
    # An object of several sources has the headers of all. Their sources do not matter.
    made_of = [each for each in made_of if not each.endswith((".cpp", ".cxx"))] + [entry["file"]]
    precompiled = re.search(r"-include-pch -Xclang (\S+)", entry["command"])
    if precompiled:
        made_of = made_of + headers.get(os.path.relpath(precompiled[1], entry["directory"]), [])
    digest = hashlib.sha256(version + (compiler + rest).replace(str(ROOT), "").encode())
    for path in sorted(made_of):
        digest.update(content(path))
        digest.update(settings_of(Path(os.path.normpath(path)).parent))
    return digest.hexdigest()


def main():
    build = Path(sys.argv[1]).resolve()
    clean = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sartor-tidy"
    clean.mkdir(parents=True, exist_ok=True)
    (build / "tidy").mkdir(exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    headers = recorded_headers(build)
    entries = list(sources(build))
    (build / "tidy" / "compile_commands.json").write_text(json.dumps(entries))
    todo = [(entry, key(entry, headers, version)) for entry in entries]
    known = [mark for _, mark in todo if mark and (clean / mark).exists()]
    for old in clean.iterdir():
        if old.name in known:
            old.touch()
        elif time.time() - old.stat().st_mtime > 30 * 24 * 3600:
            old.unlink()
    todo = [(entry, mark) for entry, mark in todo if mark not in known]
    print(f"lint: {len(todo)} sources to look at, {len(known)} known to be clean", flush=True)

    end = float(os.environ.get("TIDY_UNTIL") or "inf")
    left = []

    def look(task):
        entry, mark = task
        if time.time() > end:
            left.append(entry["file"])
            return 0, ""
        command = [TIDY, "-quiet", "-p", str(build / "tidy"), entry["file"]]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode == 0 and mark:
            (clean / mark).touch()
        return done.returncode, done.stdout + (done.stderr if done.returncode else "")

    bad = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for code, text in pool.map(look, todo):
            if code:
                print(text.strip(), flush=True)
                bad = True
    if left:
        print(f"lint: {len(left)} sources were not looked at: the time was over (TIDY_UNTIL)", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
