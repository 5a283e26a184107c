# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is told of all reports: on the terminal, and as a page."""

import collections
import pathlib
import re

from known import reason

HERE = pathlib.Path(__file__).parent
_INTRODUCTION = """\
# Every program in the path

Each dynamically linked program in the path of a Debian, with the packages of `test/loader/all/packages.txt` ({packages} of them)
and those that they need. `make test-loader-all` tries them and writes this page.

A program is asked for its version or its help. Jobs are real work: something is compiled and run, converted, fetched,
searched. Output, exit status and written files are compared with those under the stock loader. A witness also compares
the state at the start: descriptors, signals, limits, arguments, environment, libraries in their order, and the like.

| word | meaning |
|---|---|
| same | no difference to the stock loader |
| aside | not planned, with a reason: refused with `--strict`, else started by the stock loader |
| known | a difference that this way of starting implies; see below |
| **differs** | another difference; must be 0 |

"""


def _ways(reports):
    """(kind, way, report, word, why) for each."""
    for report in reports:
        for name, way in report["ways"].items():
            word, why = way["word"], way.get("why", "")
            known = reason(name, report["name"], why) if word == "differs" else None
            yield report["kind"], name, report, "known" if known else word, known or why


def _counts(reports):
    counts = collections.Counter()
    for kind, name, _, word, _ in _ways(reports):
        counts[kind, name, word] += 1
    return counts


def _cell(text, most=240):
    return re.sub(r"[\s|]+", " ", text).strip()[:most]


def _general(why):
    """A reason without the program that it is about."""
    return re.sub(r"^/\S+: ", "", why)


def summary(reports, missing, seconds):
    """A few lines, and whether all is alike."""
    lines = [f"{len(reports)} tried in {seconds:.0f} s"]
    lines += [f"{kind}s, {way}: {word}: {count}" for (kind, way, word), count in sorted(_counts(reports).items())]
    lines += [f"job {name}: skipped: there is no {program}" for name, program in sorted(missing.items())]
    bad = [
        f"{report['name']}: {report['why']}"
        for report in reports
        if report["word"] == "error" or report["word"] != "tried" and report["kind"] == "job"
    ]
    bad += [f"{report['name']}: {way}: {why}" for _, way, report, word, why in _ways(reports) if word == "differs"]
    return "\n".join([*lines, f"{len(bad)} differ or fail", *bad]), not bad


def _table(kind, reports, ways):
    words = ("same", "aside", "known", "differs")
    counts = _counts(reports)
    lines = [f"| {kind}s | " + " | ".join(words) + " |", "|---|" + "---|" * len(words)]
    for way in ways:
        if any(counts[kind, way.name, word] for word in words):
            witness = " (witness)" if way.is_watched else ""
            lines.append(
                f"| {way.name}{witness} | " + " | ".join(str(counts[kind, way.name, word]) for word in words) + " |"
            )
    return lines


def _grouped(title, head, rows):
    """Rows (what, why, program), as a table of what is alike."""
    groups = collections.defaultdict(set)
    for what, why, program in rows:
        groups[what, why].add(pathlib.Path(program).name)
    if not groups:
        return []
    lines = ["", f"## {title}", "", f"| {head} | why | |", "|---|---|---|"]
    for (what, why), names in sorted(groups.items()):
        some = ", ".join(sorted(names)[:8])
        lines.append(f"| {what} | {_cell(why)} | {len(names)}: {some}{', ...' if len(names) > 8 else ''} |")
    return lines


def page(reports, missing, ways):
    packages = sum(bool(line.strip()) and line[0] != "#" for line in (HERE / "packages.txt").read_text().splitlines())
    lines = [_INTRODUCTION.format(packages=packages).rstrip("\n"), ""]
    kinds = collections.Counter(report["kind"] for report in reports)
    lines += [f"Tried here: {kinds['program']} programs and {kinds['job']} jobs.", ""]
    lines += [*_table("program", reports, ways), "", *_table("job", reports, ways)]
    reported = list(_ways(reports))
    lines += _grouped(
        "What differs", "way", [(way, why, report["name"]) for _, way, report, word, why in reported if word == "differs"]
    )
    lines += _grouped(
        "Known", "way", [(way, why, report["name"]) for _, way, report, word, why in reported if word == "known"]
    )
    lines += _grouped(
        "What is not planned",
        "",
        [("", _general(why), report["name"]) for _, _, report, word, why in reported if word == "aside"],
    )
    rest = [("not at all", report["why"], report["name"]) for report in reports if report["word"] != "tried"]
    rest += [("", f"there is no {program}", name) for name, program in missing.items()]
    for report in reports:
        facts = {
            re.sub(r"^(file) .*|^\d+: ", lambda m: m[1] or "", fact): what for fact, what in report["varies"].items()
        }
        rest += [
            (f"{what} of: {fact}", "not the same at each start by the stock loader", report["name"])
            for fact, what in facts.items()
        ]
    lines += _grouped("What is not compared", "compared", rest)
    return "\n".join(lines) + "\n"
