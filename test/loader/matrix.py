#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compatibility matrix of the loader: programs and features, with the stock loader and with each set
of passes. A cell passes if everything that its programs give is what the stock loader's gave. Exits with
1 if a cell fails.

    matrix.py --ld sartor-ld --probes DIRECTORY [--output FILE] [--features-only] [--only PATTERN]
              [--passes-column LIST]... [--option OPTION]... [--lenient] [--show]
"""

import argparse
import collections
import difflib
import os
import pathlib
import platform
import pwd
import re
import resource
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True

import features  # noqa: F401, E402: fills the rows
import programs  # noqa: F401, E402
import servers  # noqa: F401, E402
from cell import Cell, Skip, Wrong  # noqa: E402
from rows import ROWS  # noqa: E402
from signing import Signing  # noqa: E402

Column = collections.namedtuple("Column", "name passes kinds")
Column.is_signed = property(lambda column: "verify" in (column.passes or "").split(","))
ALL = ("program", "feature")
Outcome = collections.namedtuple("Outcome", "word why", defaults=("",))

PASSES = ("bind", "concat", "bind,concat", "settle", "bind,concat,settle", "prune,bind,concat,settle",
          "verify,bind,concat,settle", "handlers,bind,concat,settle")
PATH = "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
LEGEND = """\
Programs and features that run with the loader. `make test-loader` runs them and writes this page.

A cell compares exit status and output under the stock loader with those under `sartor-ld` and the passes of its column.
`sartor-ld` runs with `--strict`, except in rows about programs that it leaves to the stock loader.

| word | meaning |
|---|---|
| passed | the same as with the stock loader |
| FAILED | not the same; see below the table |
| skipped | cannot be tried on this machine; see below the table |
| broken | fails with the stock loader too |
"""


def unprivileged_user():
    """For programs that root must not run."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


def differences(expected, seen, most=4):
    lines = []
    for line in difflib.unified_diff("\n".join(expected).splitlines(), "\n".join(seen).splitlines(),
                                     "stock", "sartor", n=0, lineterm=""):
        if line[:3] not in ("---", "+++") and line[:2] != "@@":
            lines.append(("stock gave " if line[0] == "-" else "gave ") + line[1:].strip())
    return "; ".join(lines[:most]) or "other output"


class Matrix:
    def __init__(self, setting, columns):
        self.setting = setting
        self.columns = columns

    def outcome(self, row, column, expected, shared):
        """The outcome of one cell, and what was seen in it."""
        cache = self.setting.work / ("cache-" + re.sub(r"\W", "_", column.name))
        cache.mkdir(exist_ok=True)
        cache.chmod(0o755)
        directory = self.setting.work / "cell"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        cell = Cell(column, row, self.setting, directory, cache, shared)
        try:
            row.run(cell)
        except Skip as reason:
            return Outcome("skipped", str(reason)), None
        except Wrong as reason:
            return Outcome("broken" if cell.stock else "FAILED", str(reason)), None
        except OSError as error:
            return Outcome("broken" if cell.stock else "FAILED", str(error)), None
        finally:
            cell.close()
        if expected is not None and cell.seen != expected:
            return Outcome("FAILED", differences(expected, cell.seen)), None
        return Outcome("passed"), cell.seen

    def columns_of(self, kind):
        return [column for column in self.columns if kind in column.kinds]

    def run_row(self, row):
        columns = self.columns_of(row.kind)
        missing = [name for name in row.needs if not shutil.which(name, path=PATH)]
        if missing:
            return [Outcome("skipped", f"there is no {missing[0]}")] * len(columns)
        shared = {}
        stock, expected = self.outcome(row, columns[0], None, shared)
        if self.setting.show and expected:
            print("\n".join(expected))
        if stock.word != "passed":
            return [stock] + [Outcome(stock.word)] * (len(columns) - 1)
        return [stock] + [self.outcome(row, column, expected, shared)[0] for column in columns[1:]]

    def run(self, rows):
        results = []
        width = max(len(row.name) for row in rows)
        for row in rows:
            outcomes = self.run_row(row)
            results.append((row, outcomes))
            print(f"{row.name:{width}}  " + "  ".join(f"{outcome.word:7}" for outcome in outcomes),
                  flush=True)
            for column, outcome in zip(self.columns_of(row.kind), outcomes):
                if outcome.why:
                    print(f"    {column.name}: {self.clean(outcome.why)}", flush=True)
        return results

    def clean(self, text):
        """Without this machine's paths, and not too long; fit for a table."""
        for path, name in ((self.setting.work / "cell", "DIRECTORY"), (self.setting.work, "WORK"),
                           (self.setting.probes, "PROBES"), (self.setting.ld.parent, "BIN"),
                           (pathlib.Path(__file__).parents[2], "SOURCE")):
            text = text.replace(str(path), name)
        text = re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", text).replace("|", "\\|").replace("\n", " ")
        return text if len(text) < 240 else text[:240] + "..."

    def page(self, results):
        release = pathlib.Path("/etc/debian_version")
        glibc = " ".join(platform.libc_ver())
        where = (f"Debian {release.read_text().strip().split('.')[0]}" if release.exists()
                 else platform.system())
        kernel = platform.release().split(".")[0]
        counts = collections.Counter(
            outcome.word for _, outcomes in results for outcome in outcomes[1:])
        lines = ["# Compatibility of the loader", "", LEGEND, f"On {where}, Linux {kernel}, {glibc}: "
                 + ", ".join(f"{count} {word}" for word, count in sorted(counts.items())) + "."]
        for kind, title in (("program", "Programs"), ("feature", "Features")):
            some = [(row, outcomes) for row, outcomes in results if row.kind == kind]
            if not some:
                continue
            columns = self.columns_of(kind)
            lines += ["", f"## {title}", "",
                      "| | " + " | ".join(column.name for column in columns) + " |",
                      "|---|" + "---|" * len(columns)]
            lines += [f"| {row.name} | " + " | ".join(outcome.word for outcome in outcomes) + " |"
                      for row, outcomes in some]
        reasons = [f"| {row.name} | {column.name} | {outcome.word} | {self.clean(outcome.why)} |"
                   for row, outcomes in results
                   for column, outcome in zip(self.columns_of(row.kind), outcomes)
                   if outcome.why]
        if reasons:
            lines += ["", "## What did not pass", "", "| row | column | | why |", "|---|---|---|---|",
                      *reasons]
        return "\n".join(lines) + "\n"


def arguments():
    parser = argparse.ArgumentParser(description="The compatibility matrix of the loader.")
    parser.add_argument("--ld", required=True, type=pathlib.Path, help="the loader to try")
    parser.add_argument("--probes", type=pathlib.Path, help="where the probes are; beside the loader's "
                        "directory, if not given")
    parser.add_argument("--output", type=pathlib.Path, help="the page to write")
    parser.add_argument("--features-only", action="store_true", help="no programs")
    parser.add_argument("--only", default="", help="rows whose names match this regular expression")
    parser.add_argument("--part", nargs=2, type=int, default=(1, 1), metavar=("PART", "PARTS"),
                        help="of these rows, every so many-th")
    parser.add_argument("--passes-column", action="append", default=[], metavar="LIST",
                        help="one more column, with these passes")
    parser.add_argument("--option", action="append", default=[], help="give the loader this one too, as in "
                        "--option=--in-place")
    parser.add_argument("--lenient", action="store_true", help="without --strict")
    parser.add_argument("--show", action="store_true", help="print what the stock loader gives")
    return parser.parse_args()


def main():
    setting = arguments()
    setting.ld = setting.ld.absolute()
    setting.probes = (setting.probes or setting.ld.parents[1] / "loader_probes").resolve()
    setting.strict = not setting.lenient
    setting.unprivileged = unprivileged_user()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.umask(0o022)
    columns = [Column("stock", None, ALL), Column("none", "", ALL)]
    # Files that probes make and copy have no signature; looking for libraries with handlers is the same in each
    # probe.
    columns += [Column(passes.replace(",", "+"), passes,
                       ("program",) if {"verify", "handlers"} & set(passes.split(",")) else ALL)
                for passes in (*PASSES, *setting.passes_column)]
    rows = [row for row in ROWS
            if (row.kind == "feature" or not setting.features_only)
            and re.search(setting.only, row.name, re.IGNORECASE)]
    rows = rows[setting.part[0] - 1::setting.part[1]]
    if not rows:
        sys.exit("no such row")
    with tempfile.TemporaryDirectory(prefix="sartor-matrix-", dir="/tmp") as work:
        os.chmod(work, 0o755)  # for programs that root must not run
        setting.work = pathlib.Path(work)
        setting.signing = Signing(setting.ld.parent / "sartor", setting.work)
        matrix = Matrix(setting, columns)
        results = matrix.run(rows)
        page = matrix.page(results)
    if setting.output:
        setting.output.parent.mkdir(parents=True, exist_ok=True)
        setting.output.write_text(page, encoding="utf-8")
    words = collections.Counter(outcome.word for _, outcomes in results for outcome in outcomes[1:])
    print(", ".join(f"{count} {word}" for word, count in sorted(words.items())))
    sys.exit(1 if words["FAILED"] else 0)


if __name__ == "__main__":
    main()
