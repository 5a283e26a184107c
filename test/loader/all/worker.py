#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Examines what it reads the names of, line by line, in namespaces of its own, and writes reports as JSON."""

import json
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).parents[1]))

import sandbox  # noqa: E402
from cell import free_port  # noqa: E402
from examiner import Examiner  # noqa: E402
from jobs import JOBS  # noqa: E402
from setting import Setting  # noqa: E402
from signing import Signing  # noqa: E402
from trial import Ended  # noqa: E402
from ways import named  # noqa: E402


def report(examiner, kind, name):
    if kind == "job":
        return examiner.examine(next(job for job in JOBS if job.name == name))
    try:
        job = examiner.question(name)
    except (Ended, OSError) as reason:
        return {"name": name, "word": "not comparable", "why": str(reason), "ways": {}, "varies": {}}
    return examiner.examine(job)


def main():
    ld, witness, names = sys.argv[1:]
    sandbox.raise_loopback()
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="sartor-all-", dir="/tmp") as work:
        os.chmod(work, 0o755)
        setting = Setting(
            ld=pathlib.Path(ld),
            witness=pathlib.Path(witness),
            work=pathlib.Path(work),
            user=sandbox.unprivileged(),
            signing=Signing(pathlib.Path(ld).parent / "sartor", pathlib.Path(work)),
            port=free_port(),
            postgres=max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), default=None),
            kept=(os.open(os.devnull, os.O_RDONLY), os.open(os.devnull, os.O_WRONLY)),
            end_all=sandbox.end_all,
        )
        examiner = Examiner(setting, named(names.split("/")))
        for line in sys.stdin:
            kind, name = json.loads(line)
            try:
                result = report(examiner, kind, name)
            except Exception as error:  # pylint: disable=broad-except
                # The other programs are still examined; this one counts as a failure.
                result = {
                    "name": name,
                    "word": "error",
                    "why": f"{type(error).__name__}: {error}",
                    "ways": {},
                    "varies": {},
                }
            print(json.dumps(result | {"kind": kind}), flush=True)


if __name__ == "__main__":
    main()
