#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# services.sh SARTOR SARTOR_LD: `sartor ld enable` and `disable`, by the files that they write.
set -euo pipefail
. "$(dirname "$0")/common.sh"
sartor=$1 ld=$2
root=$work/root units=$work/root/usr/lib/systemd/system own=$work/root/etc/systemd/system
mkdir -p "$units" "$own" "$root/usr/bin"
cp /bin/true "$root/usr/bin/true"

cat >"$units/plain.service" <<'END'
[Unit]
Description=ExecStart=/not/this
DefaultDependencies=no
[Service]
Type=oneshot
ExecStart=-/usr/bin/true one \
  # a comment
  "two words"
ExecStart=+/usr/bin/true three
END
expect 0 "$sartor" ld enable --root "$root" plain
drop_in=$own/plain.service.d/zzz-sartor-ld.conf
says out "$drop_in: written"
wanted="# Written by sartor ld enable. sartor ld disable removes it.
[Service]
ExecStart=
ExecStart=-$ld -- /usr/bin/true one  \"two words\"
ExecStart=+$ld -- /usr/bin/true three"
[ "$(cat "$drop_in")" = "$wanted" ] || fail "the drop-in file is: $(cat "$drop_in")"
expect 0 "$sartor" ld enable --root "$root" plain.service
[ "$(cat "$drop_in")" = "$wanted" ] || fail "the second time it is: $(cat "$drop_in")"

# The command may be set by another drop-in file; a template's instance has the template's.
cat >"$units/worker@.service" <<'END'
[Service]
User=worker
ExecStart=/usr/bin/true %i
END
mkdir -p "$own/worker@.service.d"
printf '[Service]\nExecStart=\nExecStart=/usr/bin/true of %%i\n' >"$own/worker@.service.d/override.conf"
expect 0 "$sartor" ld enable --root "$root" worker@1.service
drop_in=$own/worker@1.service.d/zzz-sartor-ld.conf
grep -qxF "ExecStart=$ld -- /usr/bin/true of %i" "$drop_in" || fail "the drop-in file is: $(cat "$drop_in")"
! grep -q Paths "$drop_in" || fail "another user gets root's directory of images"

# Images of root's services can be written where ProtectSystem= forbids it.
printf '[Service]\nProtectSystem=strict\nExecStart=/usr/bin/true "; "\n' >"$units/strict.service"
expect 0 "$sartor" ld enable --root "$root" strict
grep -qxF "ReadWritePaths=-/var/cache/sartor/ld" "$own/strict.service.d/zzz-sartor-ld.conf" ||
  fail "the drop-in file is: $(cat "$own/strict.service.d/zzz-sartor-ld.conf")"
[ -d "$root/var/cache/sartor/ld" ] || fail "there is no directory of images"

if command -v systemd-analyze >/dev/null; then
  install -D "$ld" "$root$ld"
  expect 0 systemd-analyze verify --root="$root" --man=no plain.service
  ! grep -F plain.service "$work/err" || fail "systemd objects to the unit"
fi

expect 0 "$sartor" ld disable --root "$root" plain.service
[ ! -e "$own/plain.service.d" ] || fail "the directory of the drop-in file is left"
expect 0 "$sartor" ld disable --root "$root" plain.service
says out "is not there"
printf '[Service]\n' >"$own/worker@1.service.d/other.conf"
expect 0 "$sartor" ld disable --root "$root" worker@1.service
[ -e "$own/worker@1.service.d/other.conf" ] || fail "another drop-in file is gone"

# Units that cannot start so.
expect 1 "$sartor" ld enable --root "$root" missing.service
says err "there is no such unit"
expect 1 "$sartor" ld enable --root "$root" plain.timer
says err "is no service"
printf '[Service]\nExecStart=@/usr/bin/true other-name\n' >"$units/named.service"
expect 1 "$sartor" ld enable --root "$root" named.service
says err "gives its program another name"
printf '[Service]\nType=oneshot\nExecStart=/usr/bin/true a ; /usr/bin/true b\n' >"$units/several.service"
expect 1 "$sartor" ld enable --root "$root" several.service
says err "has several commands in one line"
mkdir -p "$own/strict.service.d"
printf '[Service]\nExecStart=\nExecStart=/usr/bin/true\n' >"$own/strict.service.d/zzzz.conf"
expect 1 "$sartor" ld enable --root "$root" strict.service
says err "zzzz.conf\": sets ExecStart= after zzz-sartor-ld.conf"
printf '[Service]\nType=oneshot\nExecStop=/usr/bin/true\n' >"$units/none.service"
expect 1 "$sartor" ld enable --root "$root" none.service
says err "starts no program"
[ ! -e "$own/none.service.d" ] || fail "something is written for a unit that is refused"
echo "services: as they should be"
