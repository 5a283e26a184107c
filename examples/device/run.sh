#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh SERVER BUILD [EMULATOR...]: starts the server, runs the device, and ends the server.
set -euo pipefail
server=$1 build=$2
shift 2
"$server" --listen-devices tcp://127.0.0.1:0 --key "$build/server.key" --devices "$build/devices" \
  --modules "$build/modules" 2>"$build/server.log" &
trap 'kill $!' EXIT
until address=$(grep -o 'tcp://.*' "$build/server.log"); do
  kill -0 $! || { cat "$build/server.log" >&2; exit 1; }
  sleep 0.05
done
"$@" "$build/main" "$address" "$build/server.pub" "$build/devices/device.key"
