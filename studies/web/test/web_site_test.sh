#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# web_site_test.sh DIRECTORY LOADER: a small site is the same with both loaders, all answers are right, and all processes
# run as planned. No process is left.
. "$(dirname "$0")/site.sh"

status=0
"$study" "$directory" "$loader" "${small[@]}" || status=$?
((status == 0)) || exit "$status" # 77: skipped
expect_gone
python3 - "$directory/samples.json" <<'END'
import json
import sys
turns = {turn["way"]: turn["samples"] for turn in json.load(open(sys.argv[1]))["turns"]}
# MariaDB; nginx and a worker for each processor; PHP-FPM and four workers.
assert turns["loader"]["planned"] >= 8, turns
assert turns["stock"]["planned"] == 0, turns
for samples in turns.values():
    for name in ("throughput", "processor", "p99.all", "mean.publish", "start.nginx", "restart.mariadbd"):
        assert samples[name] > 0, samples
END
echo "the site is the same with both loaders; no process is left"
