#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sends the metrics of a running program to OpenTelemetry.

    pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
    SARTOR_CONTROL=1 ./server &
    bridge.py --otlp http://localhost:4318/v1/metrics $!

Without --otlp, writes them as JSON. Asks the program with `sartor metrics`; the program itself needs
no OpenTelemetry.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import time

from opentelemetry.metrics import Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource

SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
UNITS = {"_seconds": "s", "_bytes": "By", "_ratio": "1"}


class Family:
    """The samples of one metric."""

    def __init__(self, kind, help_text):
        self.kind = kind
        self.help = help_text
        self.samples = []

    def observe(self, _options):
        return [Observation(value, labels) for labels, value in self.samples]


def read(text):
    """Returns the families in an OpenMetrics text, by name."""
    kinds, helps, families = {}, {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ", 3)
            kinds[name] = kind
        elif line.startswith("# HELP "):
            _, _, name, helps[name] = line.split(" ", 3)
        elif sample := SAMPLE.match(line):
            full, labels, value = sample.groups()
            name = full if full in kinds else re.sub(r"_(total|info)$", "", full)
            family = families.setdefault(name, Family(kinds.get(name, "gauge"), helps.get(name, "")))
            pairs = {key: re.sub(r'\\[\\"n]', lambda found: ESCAPES[found[0]], text)
                     for key, text in LABEL.findall(labels or "")}
            family.samples.append((pairs, float(value)))
    return families


class Bridge:
    """Instruments that report what the program has said last."""

    def __init__(self, meter):
        self.meter = meter
        self.families = {}

    def take(self, text):
        found = read(text)
        for name, family in self.families.items():
            family.samples = found[name].samples if name in found else []
        for name, family in found.items():
            if name not in self.families:
                self.families[name] = family
                self.make(name, family)

    def make(self, name, family):
        make = (self.meter.create_observable_counter if family.kind == "counter"
                else self.meter.create_observable_gauge)
        unit = next((unit for suffix, unit in UNITS.items() if name.endswith(suffix)), "")
        make(name, callbacks=[family.observe], unit=unit, description=family.help)


def exporter(endpoint):
    if not endpoint:
        return ConsoleMetricExporter()
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    return OTLPMetricExporter(endpoint=endpoint)


def main():
    parser = argparse.ArgumentParser(description="Sends the metrics of a running program to OpenTelemetry.")
    parser.add_argument("process", help="its number; it has a control socket (SARTOR_CONTROL=1)")
    parser.add_argument("--otlp", metavar="URL", help="an OTLP endpoint, instead of standard output")
    parser.add_argument("--every", type=float, default=10, metavar="SECONDS")
    parser.add_argument("--times", type=int, default=0, metavar="N", help="ends after N times; 0: with the program")
    parser.add_argument("--sartor", default="sartor", help="the command")
    chosen = parser.parse_args()
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", "sartor"),
                                "process.pid": int(chosen.process)})
    # Exports when it is asked to: then the values are those of one answer.
    reader = PeriodicExportingMetricReader(exporter(chosen.otlp), export_interval_millis=math.inf)
    provider = MeterProvider(resource=resource, metric_readers=[reader], shutdown_on_exit=False)
    bridge = Bridge(provider.get_meter("sartor"))
    done = 0
    while True:
        asked = subprocess.run([chosen.sartor, "metrics", chosen.process], capture_output=True, text=True, check=False)
        if asked.returncode != 0:
            break
        bridge.take(asked.stdout)
        provider.force_flush()
        done += 1
        if done == chosen.times:
            break
        time.sleep(chosen.every)
    if done == 0:
        sys.exit(asked.stderr.strip())


if __name__ == "__main__":
    main()
