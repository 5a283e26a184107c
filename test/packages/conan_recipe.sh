#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# conan_recipe.sh SOURCE WORK: has Conan read and export packaging/conan, and write the settings of a build; compiles
# nothing, asks no server. The recipe names the system packages that the Debian packages are built with. Exits with 77 if
# Conan cannot be installed.
set -euo pipefail
source=$(realpath "$1") work=$(realpath -m "$2")
python=$("$source/scripts/venv.sh" packaging/conan/requirements.txt build/conan)
rm -rf "$work"
mkdir -p "$work"
export CONAN_HOME=$work/home
conan() { "$python" -m conans.conan "$@" >"$work/out" 2>"$work/log" || { cat "$work/log"; exit 1; }; }

version=$(sed -nE 's/^project\(Sartor VERSION ([0-9.]+).*/\1/p' "$source/CMakeLists.txt")
cat >"$work/profile" <<'end'
[settings]
os=Linux
arch=x86_64
build_type=Release
compiler=gcc
compiler.version=12
compiler.cppstd=gnu20
compiler.libcxx=libstdc++11
end
conan inspect "$source/packaging/conan" --no-remote
grep -qx "version: $version" "$work/out"
conan export "$source/packaging/conan" --no-remote
conan cache path "sartor/$version" --folder export_source
sources=$(<"$work/out")
for file in CMakeLists.txt LICENSE cmake/SartorLlvm.cmake src/runtime/CMakeLists.txt loader/CMakeLists.txt bindings/rust/Cargo.toml scripts/sbom.py; do
  [[ -s $sources/$file ]] || { echo "does not export $file"; exit 1; }
done
[[ ! -e $sources/test && ! -e $sources/build ]]
conan install "$source/packaging/conan" --no-remote --profile:all "$work/profile" --output-folder "$work/build"
grep -q '"SARTOR_BUILD_TESTS": "OFF"' "$work/build/build/Release/generators/CMakePresets.json"

# Needs the same packages as the Debian packages, without those that make packages.
conan graph info "$source/packaging/conan" --no-remote --profile:all "$work/profile" -c tools.system.package_manager:mode=report --format json
"$python" - "$work/out" "$source/packaging/debian/control" <<'end'
import json, re, sys
graph, control = (open(path).read() for path in sys.argv[1:])
given = {name for node in json.loads(graph)["graph"]["nodes"].values() for way in node["system_requires"].values() for name in way.get("install", [])}
needed = set(re.findall(r"[a-z0-9][\w.+-]+(?=\s*[,(]|\s*$)", re.search(r"^Build-Depends:(.*?)^\S", control, re.M | re.S)[1], re.M))
needed -= {"debhelper-compat", "dh-sequence-installsysusers", "dh-python", "python3-dev"}
assert given == needed, (given ^ needed)
end
for wrong in os=Windows arch=armv8 compiler.libcxx=libc++; do
  sed -E "s/^${wrong%%=*}=.*/$wrong/; s/^compiler=gcc/compiler=clang/; s/^compiler.version=12/compiler.version=17/" "$work/profile" >"$work/wrong"
  if (conan install "$source/packaging/conan" --no-remote --profile:all "$work/wrong" -c tools.system.package_manager:mode=report --output-folder "$work/wrong.build" >/dev/null); then
    echo "takes $wrong"
    exit 1
  fi
  grep -qE 'Invalid: (Sartor|Programs with Sartor)' "$work/log"
done
echo "all is well"
