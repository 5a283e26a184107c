#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""turns.py LOADER OUTPUT: measures the site in turns, with all servers started by the stock loader and by sartor-ld
(LOADER), and writes a number for each quantity, way and round to OUTPUT (JSON). Runs within web.sh."""
import argparse
import asyncio
import difflib
import json
import os
import signal
import statistics
import subprocess
import sys

import servers
from load import Wrong, closed_loop, open_loop, percentile
from visitors import MIX, Visitors

EVENTS = ["instructions", "cycles", "branch-misses", "iTLB-load-misses", "dTLB-load-misses"]
SHARE = 0.6  # of the throughput of the slower way, for the open loop


class Counters:
    """Counts events of processes with perf, where the machine has them."""

    def __init__(self, processes):
        self.perf = subprocess.Popen(
            ["perf", "stat", "-x,", "-e", ",".join(EVENTS), "-p", ",".join(map(str, processes))],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.perf.kill()
        self.perf.wait()

    def read(self):
        self.perf.send_signal(signal.SIGINT)
        counts = {}
        for line in self.perf.communicate()[1].splitlines():
            fields = line.split(",")
            if len(fields) > 2 and fields[0].isdigit():
                counts[f"count.{fields[2].split(':')[0]}"] = int(fields[0])
        return counts


def expect_right(load, what):
    if load.wrong:
        shown = "\n  ".join(load.wrong[:10])
        raise servers.Failed(f"{len(load.wrong)} wrong answers in the {what}:\n  {shown}")


class Turns:
    def __init__(self, options):
        self.options, self.rate, self.pages, self.counters = options, options.rate, {}, True

    async def compare(self, visitors, way):
        """Checks that pages are those of the first turn."""
        for path in visitors.pages():
            page = (await visitors.client.fetch(path)).expect(200).body
            first = self.pages.setdefault(path, page)
            if page != first:
                lines = difflib.unified_diff(first.decode(errors="replace").splitlines(),
                                             page.decode(errors="replace").splitlines(), "first", way, n=0, lineterm="")
                raise servers.Failed(f"{path} is another page ({way}):\n" + "\n".join(list(lines)[:20]))

    async def load(self, site, number):
        """Returns the numbers of the loads of one turn."""
        visitors, found = Visitors(self.options.posts), {}
        try:
            await visitors.begin()
            await self.compare(visitors, site.way)
            warm = await closed_loop(visitors.operations(self.options.operations // 4, f"warm{number}"), self.options.clients)
            expect_right(warm, "first operations")
            with Counters(site.processes()) as counters:
                before = site.processor_time()
                closed = await closed_loop(visitors.operations(self.options.operations, f"closed{number}"), self.options.clients)
                found["processor"] = (site.processor_time() - before) / self.options.operations
                found.update(counters.read())
            expect_right(closed, "closed loop")
            found["throughput"] = self.options.operations / closed.seconds
            if self.rate:
                opened = await open_loop(visitors.operations(round(self.rate * self.options.seconds), f"open{number}"), self.rate)
                expect_right(opened, "open loop")
                for kind, values in {**opened.milliseconds, "all": opened.all()}.items():
                    found[f"mean.{kind}"] = statistics.fmean(values)
                    found[f"p99.{kind}"] = percentile(values, 0.99)
                    found[f"operations.{kind}"] = len(values)
        finally:
            visitors.close()
        site.check()
        return found

    def turn(self, way, number):
        """Takes all samples of one way in one round."""
        found = {}
        servers.restore()
        if way == "loader":  # plans anew: where an image's pages lie has an effect of its own
            servers.run("rm", "-rf", servers.CACHE)
            with servers.Site(way, self.options.loader) as site:
                found.update({f"first.{name}": server.milliseconds for name, server in site.servers.items()})
            servers.restore()
        with servers.Site(way, self.options.loader) as site:
            found.update({f"start.{name}": server.milliseconds for name, server in site.servers.items()})
            found["start.all"] = sum(server.milliseconds for server in site.servers.values())
            found["planned"] = len(site.processes()) if way == "loader" else 0
            found.update(asyncio.run(self.load(site, number)))
            times = site.restart()
            found.update({f"restart.{name}": time for name, time in times.items()})
            found["restart.all"] = sum(times.values())
        return found

    def measure(self):
        turns = []
        print(f"{servers.versions()}{self.options.posts} posts, {self.options.clients} clients", flush=True)
        if not self.rate:  # a round that is not counted finds it
            self.rate = SHARE * min([self.turn(way, "first")["throughput"] for way in servers.WAYS])
        print(f"open loop: {self.rate:.3g} operations/s", flush=True)
        for number in range(self.options.rounds):
            for way in servers.WAYS if number % 2 == 0 else reversed(servers.WAYS):
                found = self.turn(way, number)
                turns.append({"round": number, "way": way, "samples": found})
                print(f"round {number + 1} of {self.options.rounds}, {way}: {found['throughput']:.2f} operations/s, "
                      f"mean {found['mean.all']:.1f} ms, p99 {found['p99.all']:.1f} ms, all answers right", flush=True)
        if not any(key.startswith("count.") for turn in turns for key in turn["samples"]):
            print("perf counts no branch or TLB misses on this machine")
        return {"versions": servers.versions().splitlines(), "rate": self.rate, "clients": self.options.clients,
                "posts": self.options.posts, "kinds": list(MIX), "turns": turns}


def stop(*_):
    raise servers.Failed("stopped by a signal")


def main():
    processors = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("loader")
    parser.add_argument("output")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--posts", type=int, default=400)
    parser.add_argument("--operations", type=int, default=800, help="of a closed loop")
    parser.add_argument("--seconds", type=float, default=60, help="of an open loop")
    parser.add_argument("--rate", type=float, default=0, help="of an open loop; by default %(default)s, measured")
    parser.add_argument("--clients", type=int, default=2 * processors, help="of a closed loop")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, stop)
    try:
        servers.prepare(options.posts)
        measured = Turns(options).measure()
        with open(options.output, "w") as output:
            json.dump(measured, output, indent=1)
    except (servers.Failed, Wrong) as failed:
        sys.exit(f"studies/web: {failed}")


main()
