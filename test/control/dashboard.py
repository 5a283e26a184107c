#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dashboard.py FOLDER: the dashboard asks only for metrics that the sources write, and the reference names all of these."""

import json
import re
import sys
from pathlib import Path

folder = Path(sys.argv[1])
source = (folder / "src/runtime/control/metrics.cpp").read_text()
families = {name: kind for name, kind in re.findall(r'"(sartor_[a-z_]+)", "(counter|gauge|info)"', source)}
counters, gauges = re.search(r"kCounters\[\] = (.*?)};\n", source, re.S)[1], re.search(r"kGauges\[\] = (.*?)};\n", source, re.S)[1]
families |= {name: "counter" for name in re.findall(r'"(sartor_[a-z_]+)"', counters)}
families |= {name: "gauge" for name in re.findall(r'"(sartor_[a-z_]+)"', gauges)}
families |= {name: "gauge" for name in re.findall(r'"(sartor_gain[a-z_]*)"', source)}
suffix = {"counter": "_total", "info": "_info", "gauge": ""}
written = {name + suffix[kind] for name, kind in families.items()}

page = (folder / "docs/reference/control.md").read_text()
dashboard = json.loads((folder / "packaging/grafana/sartor.json").read_text())
expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
asked = {name for text in expressions for name in re.findall(r"sartor_[a-z_]+", text)}
problems = [f"the dashboard asks for {name}, which no source writes" for name in sorted(asked - written)]
problems += [f"docs/reference/control.md: no row for {name}" for name in sorted(written)
             if not re.search(rf"`{name}\b", page)]
problems += [f"docs/reference/control.md: no source writes {name}"
             for name in sorted(set(re.findall(r"`(sartor_[a-z_]+)\{", page)) - written)]
identifiers = [panel["id"] for panel in dashboard["panels"]]
if len(set(identifiers)) != len(identifiers):
    problems.append("two panels have the same id")
print("\n".join(problems) or f"{len(written)} metrics, {len(expressions)} expressions")
sys.exit(bool(problems) or len(written) < 20)
