#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# packages.sh [OUTPUT [SUITE...]]: makes the source tarball and the Debian packages of the commit that is checked out in
# OUTPUT (build/packages), and checks them by lintian; its errors fail. Changes that are not committed are not packaged.
# OUTPUT/spack is a repository of Spack for the tarball.
# With SUITEs (trixie), builds the packages of each in OUTPUT/SUITE instead, in a root file system that pbuilder makes:
# as root.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-build/packages}"
output=$(realpath "${1:-build/packages}")
version=$(sed -nE 's/^project\(Sartor VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
name=sartor-$version
suites=("${@:2}")
rm -rf "${output:?}/$name" "$output"/sartor_*
((${#suites[@]})) || rm -f "$output"/*.deb

# The tarball has the book as pages, and the page of `sartor report`, so that building packages needs no network.
git archive --prefix="$name/" HEAD | tar -x -C "$output"
if scripts/docs.sh >"$output/docs.log" 2>&1; then
  cp -r build/docs/site "$output/$name/book"
else
  echo "packages.sh: the book is left out: see $output/docs.log" >&2
fi
src/tools/view/page/build.sh node npm "$PWD/docs/reference" "$output/page" "$output/$name/page.html"
[[ -s $output/$name/page.html ]]
date=$(git log -1 --format=%ct)
tar -C "$output" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$date" -c "$name" |
  gzip -n >"$output/sartor_$version.orig.tar.gz"
packaging/spack/repository.sh "$output/sartor_$version.orig.tar.gz" "$output/spack"
cp -r "$output/$name/packaging/debian" "$output/$name/debian"

check() { # CHANGES
  lintian --fail-on error --tag-display-limit 0 "$1" >lintian.log || { grep '^E:' lintian.log; exit 1; }
  echo "packages.sh: lintian: $(grep -c '^W:' lintian.log || true) warnings, no errors"
  ls -1 ./*.deb
}

if ((${#suites[@]})); then
  cd "$output"
  dpkg-source -b "$name" >source.log
  mirror=$(sed -nE 's/^(URIs:|deb) *([^ ]+).*/\2/p' /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null | head -n 1 || true)
  mkdir -p roots/build roots/apt roots/ccache
  echo "CCACHEDIR=$output/roots/ccache" >roots/settings
  export DEB_BUILD_OPTIONS="parallel=$(nproc)"
  for suite in "${suites[@]}"; do
    options=(--configfile "$output/roots/settings" --basetgz "$output/roots/$suite.tgz" --buildplace "$output/roots/build" --aptcache "$output/roots/apt")
    [[ -e roots/$suite.tgz ]] ||
      pbuilder create "${options[@]}" --distribution "$suite" --mirror "$mirror" --components main --extrapackages ccache >"$suite.log" 2>&1 ||
      { tail -n 40 "$suite.log"; exit 1; }
    mkdir -p "$suite"
    # The Python interface is made with nanobind, which Debian 12 does not have as a package.
    pbuilder build "${options[@]}" --extrapackages "nanobind-dev python3-nanobind" --buildresult "$output/$suite" ./sartor_*.dsc >"$suite.log" 2>&1 ||
      { tail -n 40 "$suite.log"; exit 1; }
    (cd "$suite" && check ./sartor_*.changes)
  done
  exit
fi

# Debian 12 has no nanobind, which the Python interface is compiled with.
nanobind=$output/nanobind
if [[ ! -d $nanobind/nanobind ]]; then
  python=$(scripts/venv.sh)
  "$python" -m pip install --quiet --target "$nanobind" "$(grep -E '^nanobind' bindings/requirements.txt)"
fi

cd "$output/$name"
export SOURCE_DATE_EPOCH=$date NANOBIND=$nanobind
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true CCACHE_SLOPPINESS=pch_defines,time_macros
dpkg-buildpackage --unsigned-source --unsigned-changes >"$output/build.log" 2>&1 || { tail -n 40 "$output/build.log"; exit 1; }
cd "$output"
check ./sartor_*.changes
