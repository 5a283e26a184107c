#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# opentelemetry.sh SARTOR SERVER BRIDGE: the bridge of examples/opentelemetry, with the matrix server as the program.
set -euo pipefail
sartor=$1 server=$2 bridge=$3
python=${SARTOR_TEST_PYTHON:-python3}
"$python" -c 'import opentelemetry.sdk.metrics' 2>/dev/null || { echo "skipped: no opentelemetry-sdk (pip install opentelemetry-sdk)"; exit 77; }
work=$(mktemp -d)
export XDG_RUNTIME_DIR=$work
pid=
trap 'kill -9 $pid 2>/dev/null || true; rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
SARTOR_CONTROL=1 "$server" --configuration '{"B":16}' >"$work/out" & pid=$!
for _ in $(seq 600); do "$sartor" variants $pid 2>/dev/null | grep -q 'B=16' && break; sleep 0.1; done
"$python" "$bridge" $pid --sartor "$sartor" --times 2 --every 0.1 >"$work/metrics" || fail "the bridge has failed"
"$python" - "$work/metrics" "$pid" <<'END'
import json, sys
text, at, exports = open(sys.argv[1]).read(), 0, []
while at < len(text.rstrip()):
    export, at = json.JSONDecoder().raw_decode(text, at)
    exports.append(export)
    at += len(text) - at - len(text[at:].lstrip())
assert len(exports) == 2, len(exports)
resource = exports[-1]["resource_metrics"][0]
assert resource["resource"]["attributes"]["process.pid"] == int(sys.argv[2])
metrics = {each["name"]: each for each in resource["scope_metrics"][0]["metrics"]}
compiles = metrics["sartor_compiles"]["data"]
assert compiles["is_monotonic"] and compiles["data_points"][0]["value"] >= 1, compiles
assert metrics["sartor_code_bytes"]["unit"] == "By" and metrics["sartor_code_bytes"]["data"]["data_points"][0]["value"] > 0
handlers = [each["attributes"]["handler"] for each in metrics["sartor_handler_specialized"]["data"]["data_points"]]
assert any("multiply_stripe" in each for each in handlers), handlers
END
kill $pid; wait $pid 2>/dev/null || true
if said=$("$python" "$bridge" $pid --sartor "$sartor" 2>&1); then fail "no error without the program"; fi
[[ $said == *"file_error"* ]] || fail "without the program: $said"
echo "all is well"
