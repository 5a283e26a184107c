# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what differs small: as few settings as show it, one input, and a script that runs it."""

import json
import shutil
import subprocess


def fails(tools, executable, folder, trial, *arguments):
    """What the driver says of one trial; empty if nothing differs."""
    file = folder / "trial.json"
    file.write_text(json.dumps(trial))
    command = [str(executable), "once", str(folder / "expected"), str(file), *map(str, arguments)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=tools.patience, cwd=folder
        )
    except subprocess.TimeoutExpired:
        return "difference: does not end"
    said = [line for line in done.stdout.split("\n") if line.startswith("difference: ")]
    return (said or [f"difference: ended with {done.returncode}"])[0] if done.returncode else ""


def without(trial):
    """Trials that ask for a little less."""
    for part in ("configuration", "instrumented"):
        for label in list(trial[part]):
            yield {**trial, part: {other: value for other, value in trial[part].items() if other != label}}
    for index in range(len(trial["bound"])):
        yield {**trial, "bound": trial["bound"][:index] + trial["bound"][index + 1 :]}
    for part, none in (("passes", ""), ("promised", False), ("meanwhile", False)):
        if trial[part]:
            yield {**trial, part: none}


def halves(trial):
    """Trials that ask for much less."""
    labels = list(trial["configuration"])
    half = len(labels) // 2
    for some in (labels[:half], labels[half:]):
        if half:
            yield {**trial, "configuration": {label: trial["configuration"][label] for label in some}}


def reduce(tools, executable, folder, trial):
    smaller = True
    while smaller:
        smaller = False
        for other in [*halves(trial), *without(trial)]:
            if fails(tools, executable, folder, other):
                trial, smaller = other, True
                break
    return trial


def leave(tools, program, folder, executable, last_trial, difference):
    """Leaves sources, expected results, a trial and a script in the folder."""
    for source in program.sources:
        if folder not in source.path.parents:
            place = folder / "sources" / source.path.parent.name / source.path.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source.path, place)
    arguments = ["vary", "expected", str(program.seed), str(program.configurations)]
    if last_trial:
        trial = json.loads(last_trial)
        if fails(tools, executable, folder, trial):
            trial = reduce(tools, executable, folder, trial)
            arguments = ["once", "expected", "trial.json"]
            said = fails(tools, executable, folder, trial)
            number = said.rpartition(", input ")[2]
            if number.isdigit() and fails(tools, executable, folder, trial, number):
                arguments.append(number)
            fails(tools, executable, folder, trial)  # writes the file
    script = folder / "reproduce.sh"
    script.write_text(
        "#!/bin/sh\n"
        f"# {difference.splitlines()[0][:200]}\n"
        "# Built by `run.py`; to compile it again after a change: run.py --only, or with the same seed.\n"
        f'cd "$(dirname "$0")" && exec ./{executable.name} {" ".join(arguments)}\n'
    )
    script.chmod(0o755)
