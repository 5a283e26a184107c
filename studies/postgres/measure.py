#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""measure.py OUTPUT STOCK_HOST OURS_HOST ROUNDS WARM QUERY...: runs each query WARM times with the provider, then
times it in rounds of random order with the stock server with jit = off and jit = on, and with the server that has the
provider, each in one session that has run the query before. Times are processor times of the backend's main thread,
because the machine may be shared. Writes OUTPUT/queries.tsv and prints it as a table with intervals of 95 % (bootstrap
of medians)."""
import pathlib
import random
import statistics
import subprocess
import sys

MARK = "done"


class Session:
    def __init__(self, host, settings):
        self.process = subprocess.Popen(
            ["psql", "-X", "-q", "-At", "-h", host], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask("SET max_parallel_workers_per_gather = 0;" + settings)
        self.schedule = pathlib.Path(f"/proc/{self.ask('SELECT pg_backend_pid();')[0]}/schedstat")

    def ask(self, text):
        self.process.stdin.write(f"{text}\n\\echo {MARK}\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.strip() == MARK:
                break
            lines.append(line.rstrip("\n"))
        return lines

    def time(self):
        return int(self.schedule.read_text().split()[0]) / 1e6

    def run(self, query):
        before = self.time()
        lines = self.ask(query)
        return self.time() - before, lines


def ratio(slow, fast):
    seen = sorted(statistics.median(random.choices(slow, k=len(slow))) / statistics.median(random.choices(fast, k=len(fast)))
                  for _ in range(1000))
    return statistics.median(slow) / statistics.median(fast), seen[25], seen[974]


def main():
    output, stock, ours, rounds = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
    rows = []
    failed = False
    for path in sys.argv[6:]:
        query = pathlib.Path(path).read_text()
        sessions = {"off": Session(stock, "SET jit = off;"), "on": Session(stock, "SET jit = on;"), "sartor": Session(ours, "")}
        times = {name: [] for name in sessions}
        results = {name: session.run(query)[1] for name, session in sessions.items()}
        if len({str(sorted(result)) for result in results.values()}) != 1 and "float" not in query and "price *" not in query:
            print(f"{path}: results differ", file=sys.stderr)
            failed = True
        for _ in range(int(sys.argv[5])):  # until what is hot has been compiled and measured
            sessions["sartor"].run(query)
        for _ in range(rounds):
            for name in random.sample(list(sessions), len(sessions)):
                times[name].append(sessions[name].run(query)[0])
        against_off = ratio(times["off"], times["sartor"])
        best = min(("off", "on"), key=lambda name: statistics.median(times[name]))
        rows.append((pathlib.Path(path).stem, *(statistics.median(times[name]) for name in sessions), against_off, ratio(times[best], times["sartor"])))
    print("| query | jit=off, ms | jit=on, ms | Sartor, ms | off ÷ Sartor | better ÷ Sartor |\n|---|---|---|---|---|---|")
    with open(output / "queries.tsv", "w", encoding="utf-8") as file:
        for name, off, on, sartor, against_off, against_best in rows:
            def text(r):
                return f"{r[0]:.2f} [{r[1]:.2f}, {r[2]:.2f}]"
            print(f"| {name} | {off:.1f} | {on:.1f} | {sartor:.1f} | {text(against_off)} | {text(against_best)} |")
            print(name, off, on, sartor, *against_off, *against_best, sep="\t", file=file)
    sys.exit(failed)


main()
