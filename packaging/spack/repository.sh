#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# repository.sh TARBALL FOLDER: makes a repository of Spack 1.0 in FOLDER, with a recipe that builds Sartor from the source
# tarball TARBALL (sartor_VERSION.orig.tar.gz). `spack repo add FOLDER/spack_repo/sartor` adds it.
set -euo pipefail
tarball=$(realpath "${1:?usage: packaging/spack/repository.sh TARBALL FOLDER}")
repository=${2:?usage: packaging/spack/repository.sh TARBALL FOLDER}/spack_repo/sartor
[[ ${tarball##*/} =~ ^sartor_([0-9.]+)\.orig\.tar\.gz$ ]] || { echo "repository.sh: $tarball is no sartor_VERSION.orig.tar.gz" >&2; exit 2; }
version=${BASH_REMATCH[1]}
sum=$(sha256sum "$tarball")
mkdir -p "$repository/packages/sartor"
printf 'repo:\n  namespace: sartor\n  api: v2.0\n' >"$repository/repo.yaml"
sed "s|@TARBALL@|$tarball|; s|@VERSION@|$version|; s|@SHA256@|${sum%% *}|" "$(dirname "$0")/package.py" >"$repository/packages/sartor/package.py"
