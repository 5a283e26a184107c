#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# reproducible.sh [OUTPUT]: makes the packages of the commit that is checked out twice, in OUTPUT/one and OUTPUT/another/one
# (OUTPUT is build/reproducible), and compares them byte for byte. The second time, no compiler cache is used, and time
# zone, language and file mode mask are others. Prints the packages that differ, and fails if there are any.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-build/reproducible}"
output=$(realpath "${1:-build/reproducible}")
rm -rf "${output:?}/one" "${output:?}/another"
scripts/packages.sh "$output/one"
(
  export CCACHE_DISABLE=1 TZ=Pacific/Kiritimati LC_ALL=C.UTF-8
  umask 027
  scripts/packages.sh "$output/another/one"
)
same=0 differ=0
for package in "$output"/one/*.deb "$output"/one/*.orig.tar.gz; do
  if cmp -s "$package" "$output/another/one/$(basename "$package")"; then
    ((++same))
  else
    echo "differs: $(basename "$package")"
    ((++differ))
  fi
done
echo "reproducible.sh: $same same, $differ differ"
((differ == 0 && same > 0))
