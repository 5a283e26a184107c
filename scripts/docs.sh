#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# docs.sh: builds the book into build/docs/site, with MkDocs and the exact package versions of
# docs/requirements.txt, in build/docs/venv. Dead links and anchors are errors. The reference of the
# commands is complete after a build of build/release. Exits with 77 if the packages cannot be
# installed, for example without a network. With --check, installs nothing and builds into
# build/docs/checked.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/docs
venv=$work/venv
mkdir -p "$work"
exec 8>"$work/venv.lock"
flock 8 # concurrent builds would damage the environment

site=$work/site
[[ ${1:-} == --check ]] && site=$work/checked

requirements=$(sha256sum <docs/requirements.txt)
if [[ ! -f $venv/requirements || $(<"$venv/requirements") != "$requirements" ]]; then
  if [[ ${1:-} == --check ]]; then
    echo "SKIPPED: MkDocs is not in build/docs/venv; \`make docs\` installs it" >&2
    exit 77
  fi
  rm -rf "$venv"
  if ! { /usr/bin/python3 -m venv "$venv" &&
    "$venv/bin/python" -m pip install --quiet --no-deps -r docs/requirements.txt; } \
    >"$work/venv.log" 2>&1 8>&-; then
    cat "$work/venv.log" >&2
    rm -rf "$venv"
    echo "SKIPPED: the packages of docs/requirements.txt cannot be installed" >&2
    exit 77
  fi
  echo "$requirements" >"$venv/requirements"
fi
rm -rf "$work/reference"
mkdir "$work/reference"
"$venv/bin/python" scripts/reference.py "$work/reference" # from the headers and the commands' --help
"$venv/bin/python" -m mkdocs build --quiet --strict --site-dir "$site"
echo "all is well: ${site#"$PWD/"}/index.html"
