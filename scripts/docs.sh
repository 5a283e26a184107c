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
mkdir -p "$work"
exec 8>"$work/lock"
flock 8 # concurrent builds would write the same files

site=$work/site
[[ ${1:-} == --check ]] && site=$work/checked
python=$(scripts/venv.sh docs/requirements.txt build/docs "$@")
rm -rf "$work/reference"
mkdir "$work/reference"
"$python" scripts/reference.py "$work/reference" # from the headers and the commands' --help
"$python" -m mkdocs build --quiet --strict --site-dir "$site"
echo "all is well: ${site#"$PWD/"}/index.html"
