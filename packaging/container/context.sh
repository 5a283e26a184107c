#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# context.sh PACKAGES FOLDER: collects in FOLDER all that the two Containerfiles need, as a source for apt: the Debian
# packages in PACKAGES (build/packages), and the packages of Debian that they depend on. The images are then built without
# a network. Needs apt with the package lists of the release that the images are based on.
set -euo pipefail
packages=$(realpath "${1:?usage: packaging/container/context.sh PACKAGES FOLDER}")
folder=$(realpath -m "${2:?usage: packaging/container/context.sh PACKAGES FOLDER}")
mkdir -p "$folder/partial"
rm -f "$folder"/sartor*.deb "$folder"/libsartor*.deb
cp "$packages"/{sartor,libsartor}*.deb "$folder"
rm -f "$folder"/*-dbgsym_*.deb
# Nothing counts as installed, so that everything is downloaded.
: >"$folder/status"
cd "$folder"
for wanted in "./sartor-server_*.deb systemd-standalone-sysusers" "./libsartor-dev_*.deb ./sartor-ld_*.deb cmake make g++"; do
  # shellcheck disable=SC2086 # several words
  apt-get --option Dir::State::status="$folder/status" --option Dir::Cache::archives="$folder" --option APT::Sandbox::User=root \
    --yes --quiet --no-install-recommends --download-only install ./{libsartor*,sartor-tools}_*.deb $wanted
done
rm -rf partial lock status
dpkg-scanpackages --multiversion . >Packages
echo 'deb [trusted=yes] file:/packages ./' >sources.list
