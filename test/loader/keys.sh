#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# keys.sh SARTOR_LD PROBES: runs isolate.sh on a CPU with protection keys, which few development machines have: an
# emulated one, on which a kernel of the distribution runs from memory, with nothing else in it. KERNEL names another
# kernel than the newest one that is installed.
set -euo pipefail
ld=$(realpath "$1") probes=$(realpath "$2") here=$(realpath "$(dirname "$0")")
kernel=${KERNEL:-$(ls -t /boot/vmlinuz-* 2>/dev/null | head -n 1)}
for tool in qemu-system-x86_64 cpio ldd; do
  command -v $tool >/dev/null || missing+=" $tool"
done
[ -n "$kernel" ] || missing+=" kernel"
if [ -n "${missing:-}" ]; then
  echo "keys: not tested, there is no$missing: scripts/deps.sh keys" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/{proc,dev,tmp,root}

# add FILE...: copies files to the same paths, with the libraries that they need.
add() {
  for file; do
    cp --parents -Lf "$file" "$root"
    { ldd "$file" 2>/dev/null || true; } | { grep -o '/[^ ]*' || true; } | while read -r library; do
      cp --parents -Lf "$library" "$root"
    done
  done
}
ln -s usr/bin "$root/bin"
for tool in bash cat cmp cp cut diff dirname grep head mkdir mktemp mount realpath rm seq openssl xz; do
  if path=$(command -v $tool); then
    mkdir -p "$root/usr/bin"
    add "/usr${path#/usr}"
  fi
done
add "$ld" "$(dirname "$ld")/sartor-ld-plan" "$probes"/{,lib*}{vault,copied,exceptions}* \
  "$here"/isolate.sh "$here"/common.sh
for part in passes/bind passes/concat passes/isolate passes/settle agents/isolate; do
  add "$(dirname "$(dirname "$ld")")/lib/sartor/$part.so"
done
cat >"$root/init" <<END
#!/bin/bash
mount -t proc proc /proc
mount -t devtmpfs dev /dev
export PATH=/usr/bin HOME=/root
grep -qw ospke /proc/cpuinfo || echo "keys: this CPU has none"
status=0
bash $here/isolate.sh $ld $probes 2>&1 || status=\$?
echo "keys: status \$status"
END
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet | gzip -1) >"$work/root.gz"

# When init exits, the kernel stops.
timeout 1200 qemu-system-x86_64 -accel tcg -cpu max -smp 2 -m 2048 -display none -serial stdio -no-reboot -nic none \
  -kernel "$kernel" -initrd "$work/root.gz" -append "console=ttyS0 panic=-1 quiet" </dev/null |
  tr -d '\r' | tee "$work/out" | grep -a --line-buffered -v '^\[' || true
grep -q '^keys: this CPU has none' "$work/out" && exit 1
grep -q '^keys: status 0$' "$work/out"
