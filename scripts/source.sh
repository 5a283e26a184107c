#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# source.sh PACKAGE DIRECTORY: fetches the upstream source of a Debian package to DIRECTORY/PACKAGE,
# unless it is there. Does not change this machine's apt configuration.
set -euo pipefail
[ $# = 2 ] || { echo "usage: scripts/source.sh PACKAGE DIRECTORY" >&2; exit 2; }
package=$1 directory=$2
[ ! -d "$directory/$package" ] || exit 0

fail() {
  echo "The source of Debian's package $package cannot be had: $*" >&2
  echo "Unpack it yourself into $directory/$package" >&2
  exit 1
}
command -v apt-get >/dev/null || fail "there is no apt-get"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # apt's own user fetches
mkdir -p "$work"/{lists/partial,archives/partial,source}

# The mirrors that packages come from have their sources, too. Fixes to security change Debian's part only.
# shellcheck disable=SC2016 # the variables are apt's
apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
  sort -u | { grep -v -- '-security ' || true; } | sed 's/^/deb-src /' >"$work/sources.list"
[ -s "$work/sources.list" ] || fail "apt knows no mirror of Debian's"
own=(-q -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
  -o "Dir::Cache=$work" -o APT::Sandbox::User=root)
apt-get "${own[@]}" update >"$work/log" 2>&1 || fail "$(tail -n 3 "$work/log")"
(cd "$work/source" && apt-get "${own[@]}" source --download-only --tar-only "$package") >"$work/log" 2>&1 ||
  fail "$(tail -n 3 "$work/log")"
mkdir -p "$work/unpacked"
tar -xf "$work"/source/*.orig.tar.* -C "$work/unpacked" --strip-components=1
mkdir -p "$directory"
mv "$work/unpacked" "$directory/$package"
