#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every program in the path with the loader: asked a question, in all ways; and jobs. What it gives, how it ends,
which files it makes and what it is started with must be as with the stock loader. Exits with 1 if something differs, and with 77 where
programs that nobody knows cannot be started without harm.

    run.py --ld sartor-ld [--results FILE] [--output PAGE] [--sets LIST] [--jobs N] [--shard I/N] [--sample N]
           [--only PATTERN] [--fresh]
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import shutil
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).parents[1]))

import found  # noqa: E402
import sandbox  # noqa: E402
from worker_pool import WorkerPool  # noqa: E402
from jobs import JOBS  # noqa: E402
from ledger import Ledger, fingerprint  # noqa: E402
from page import page, summary  # noqa: E402
from trial import PATH  # noqa: E402
from ways import WAYS  # noqa: E402

CANNOT_TRY = 77


def arguments():
    parser = argparse.ArgumentParser(description="Every program in the path with the loader.")
    parser.add_argument("--ld", required=True, type=pathlib.Path, help="the loader to try")
    parser.add_argument("--results", type=pathlib.Path, help="where reports are kept (default: beside the probes)")
    parser.add_argument("--output", type=pathlib.Path, help="the page to write")
    parser.add_argument(
        "--sets",
        default="/".join(way.name for way in WAYS),
        metavar="WAY/...",
        help="ways to start programs (default: %(default)s)",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="workers (default: %(default)s)")
    parser.add_argument("--shard", default="0/1", metavar="I/N", help="only each Nth, from the Ith on")
    parser.add_argument("--sample", type=int, metavar="N", help="only N programs, the same each time, and no jobs")
    parser.add_argument("--only", default="", metavar="PATTERN", help="only what matches this regular expression")
    parser.add_argument("--fresh", action="store_true", help="forget what was found out before")
    return parser.parse_args()


def tasks_of(setting):
    """[(kind, name)] to look at, and {job: program that is missing}."""
    tasks, missing = [], {}
    for job in JOBS:
        lacks = [program for program in job.needs if not shutil.which(program, path=PATH)]
        if lacks:
            missing[job.name] = lacks[0]
        else:
            tasks.append(("job", job.name))
    tasks += [("program", path) for path in found.programs()]
    tasks = [task for task in tasks if re.search(setting.only, task[1])]
    if setting.sample:
        tasks = [task for task in tasks if task[0] == "program"]
        tasks = sorted(random.Random(1).sample(tasks, min(setting.sample, len(tasks))))
    first, each = (int(number) for number in setting.shard.split("/"))
    return tasks[first::each], missing


def main():
    setting = arguments()
    ld = setting.ld.resolve()
    witness = ld.parents[1] / "loader_probes" / "libprobe_witness.so"
    if not witness.exists():
        sys.exit(f"{witness} is not built: make test-loader-all does it")
    unknown = set(setting.sets.split("/")) - {way.name for way in WAYS}
    if unknown:
        sys.exit(f"there is no way {min(unknown)}")
    prefix = sandbox.prefix()
    if prefix is None:
        print("no namespaces can be had here; without them, programs that nobody knows are not started")
        sys.exit(CANNOT_TRY)
    user = sandbox.unprivileged()
    if user and subprocess.run(["test", "-x", ld], user=user.pw_uid, extra_groups=[], check=False).returncode != 0:
        print(f"programs run for the user {user.pw_name}, who may not run {ld}: build it where others may look")
        sys.exit(CANNOT_TRY)
    tasks, missing = tasks_of(setting)
    results = setting.results or witness.parent / "programs.jsonl"
    ledger = Ledger(results, {"loader": fingerprint(ld), "ways": setting.sets}, setting.fresh)
    left = [task for task in tasks if not ledger.has(task)]
    print(
        f"{len(tasks)} to try, {len(tasks) - len(left)} of them known; {len(missing)} jobs lack a program", flush=True
    )
    done = 0
    begun = time.monotonic()

    def each(report):
        nonlocal done
        done += 1
        ledger.add(report)
        why = report.get("why", "")
        bad = [
            f"    {name}: {way['word']}: {way['why']}" for name, way in report["ways"].items() if way["word"] != "same"
        ]
        print(
            f"{done}/{len(left)} {report['kind']} {report['name']}: {report['word']} {why}", *bad, sep="\n", flush=True
        )

    WorkerPool(prefix, [str(ld), str(witness), setting.sets], setting.jobs).work(left, each)
    reports = [ledger.reports[task] for task in tasks]
    text, is_alike = summary(reports, missing, time.monotonic() - begun)
    print(text)
    if setting.output:
        setting.output.write_text(
            page(reports, missing, [way for way in WAYS if way.name in setting.sets.split("/")]), encoding="utf-8"
        )
    sys.exit(0 if is_alike else 1)


if __name__ == "__main__":
    main()
