# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what was tried, by kind of program, and says what differs."""

from collections import defaultdict

COLUMNS = ("programs", "unused", "points", "compiles", "cases", "guard failures", "compared calls")


class Tally:
    def __init__(self, known, verbose):
        self.known, self.verbose = dict(known), verbose
        self.counts = defaultdict(lambda: dict.fromkeys(COLUMNS, 0))
        self.different = []

    @property
    def cases(self):
        return sum(count["cases"] for count in self.counts.values())

    def add(self, kind, result):
        numbers = (1, result.points, result.compiles, result.cases, result.failures, result.compared)
        columns = ("unused" if result.unused else "programs", *COLUMNS[2:])
        for column, number in zip(columns, numbers):
            self.counts[kind][column] += number
        name = result.program.name
        if result.unused and self.verbose:
            print(f"unused {name}: {result.unused[:600]}", flush=True)
        for text in sorted(result.refused):
            print(f"refused by {name}: {text}", flush=True)
        if result.difference and name in self.known:
            print(f"KNOWN {name}: {self.known[name]}", flush=True)
        elif result.difference or name in self.known:
            self.different.append(name)
            print(f"DIFFERENT {name}: {result.difference[:600] or 'no more, take it off known.txt'}", flush=True)

    def print(self, seed, seconds, folder):
        print(f"{'':8}" + "".join(f"{column:>15}" for column in COLUMNS))
        for kind, count in self.counts.items():
            print(f"{kind:8}" + "".join(f"{count[column]:15}" for column in COLUMNS))
        programs = sum(count["programs"] for count in self.counts.values())
        print(f"seed {seed}: {programs} programs, {self.cases} cases, {len(self.different)} differences, {seconds:.0f} s")
        if self.different:
            print(f"left in {folder}: " + " ".join(self.different))
