#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hot.sh SARTOR_LD PROBES: with the pass `hot`, calls lead to copies of functions, and programs give the same results as
# without.
set -euo pipefail
. "$(dirname "$0")/common.sh"
ld=$1 probes=$2
planner=$(dirname "$ld")/sartor-ld-plan
heat=$(dirname "$0")/heat.py
profile=$work/profile

configure() { # OPTION...: further lines
  {
    echo 'passes = ["bind", "concat", "settle", "hot"]'
    echo '[pass.hot]'
    printf '%s\n' "profile = \"$profile\"" "$@"
  } >"$work/hot.toml"
}
hot() { "$ld" --config="$work/hot.toml" "$@"; }

# Everything is hot, at addresses that move and at fixed ones.
configure 'bytes = 100000000'
for program in hot hot_fixed; do
  "$heat" "$probes/$program" >"$profile"
  "$probes/$program" >"$work/stock"
  for passes in bind,concat,settle,hot concat,hot; do
    expect 0 hot --strict --passes=$passes "$probes/$program"
    cmp "$work/stock" "$work/out" || fail "$program gives something else with $passes"
  done
  # It finds out itself whether its code is executed elsewhere than at its address.
  expect 0 "$probes/$program" where
  says out "0 0"
  expect 0 hot --strict "$probes/$program" where
  says out "1 1"
done

# A random half of the functions is hot.
"$heat" "$probes/hot" >"$work/all"
for seed in 1 2 3 4; do
  awk -v seed=$seed 'BEGIN { srand(seed) } !/^function/ || rand() < 0.5' "$work/all" >"$profile"
  expect 0 hot --strict "$probes/hot"
  cmp "$work/stock" "$work/out" || fail "it gives something else with half of the functions, seed $seed"
done

# Only what the profile names is copied, and the report says so.
"$heat" --only hot_factorial,hot_switch,hot_goto,hot_next_malloc "$probes/libprobe_hot.so" "$probes/libprobe_hot_dl.so" \
  >"$profile"
configure 'list = true'
expect 0 "$planner" --report --config="$work/hot.toml" "$probes/hot"
says out "libprobe_hot.so: 2 of 3 hot functions, "
says out "libprobe_hot_dl.so: 0 of 1 hot functions, 0 bytes"
says out "1 that may call dlopen() or dlsym()"
says out "1 with inner addresses that others use"
says out "hot: 2 functions copied, "
grep -q "libprobe_hot.so: 0x[0-9a-f]* [0-9]* bytes$" "$work/out" || fail "no copies are listed"
grep -q "libprobe_hot.so: 0x.*, left out: with inner addresses" "$work/out" || fail "nothing is listed as left out"
expect 0 hot --strict "$probes/hot" where
says out "0 0"
# Another profile: the program is planned anew.
"$heat" --only hot_is_copied,hot_return_address "$probes/libprobe_hot.so" >"$profile"
expect 0 hot --strict "$probes/hot" where
says out "1 0"

# The counts of a function are added without wrapping: the hottest one is copied first.
configure 'list = true'
"$heat" --only hot_factorial,hot_switch "$probes/libprobe_hot.so" >"$profile"
expect 0 "$planner" --report --config="$work/hot.toml" "$probes/hot"
read -r hottest size < <(sed -n 's/.*libprobe_hot.so: \(0x[0-9a-f]*\) \([0-9]*\) bytes$/\1 \2/p' "$work/out" | sort -k2nr)
awk -v hottest="$hottest" '$3 == hottest { $4 = "9223372036854775808"; print; sub(/.$/, "1", $3) } { print }' "$profile" \
  >"$work/wrapping"
mv "$work/wrapping" "$profile"
configure 'list = true' "bytes = $size"
expect 0 "$planner" --report --config="$work/hot.toml" "$probes/hot"
says out "libprobe_hot.so: $hottest $size bytes"

# Limits.
configure 'bytes = 1'
expect 0 "$planner" --report --config="$work/hot.toml" "$probes/hot"
says out "2 beyond the limit of bytes"
says out "hot: 0 functions copied, 0 bytes"
expect 0 hot --strict "$probes/hot"
cmp "$work/stock" "$work/out"

# Profiles from several machines, of which one has another version of the library.
configure
sed "s/\(library\|function\) [0-9a-f]*/\1 0123456789abcdef/" "$profile" >"$work/other"
cp "$profile" "$work/same"
cp "$work/other" "$profile"
expect 0 "$planner" --report --config="$work/hot.toml" "$probes/hot"
says out "libprobe_hot.so: the profile is of another version of it"
says out "hot: 0 functions copied, 0 bytes"
sed -i "s|^profile.*|profile = \"$work/same:$work/other\"|" "$work/hot.toml"
expect 0 "$planner" --report --config="$work/hot.toml" "$probes/hot"
says out "hot: 2 functions copied, "

# Profiles that cannot be used: the pass fails, and programs start all the same, unless that is not wanted.
refused() { # MESSAGE
  expect 0 "$planner" --report --config="$work/hot.toml" "$probes/hot"
  says out "hot: failed"
  says err 'bad_pass: "hot": '
  says err "$1"
  expect 0 hot "$probes/hot"
  cmp "$work/stock" "$work/out"
  status=0
  hot --strict "$probes/hot" >/dev/null 2>&1 || status=$?
  [ $status -ne 0 ] || fail "it starts with --strict and a wrong profile"
}
configure
for damaged in 'nothing' '' 'sartor-profile 2' $'sartor-profile 1\nfunction xyz 0x10 5' \
               $'sartor-profile 1\n\nfunction 00ff 0x10' $'sartor-profile 1\ncall 00ff 1 00ff 2 -1'; do
  printf '%s' "$damaged" >"$profile"
  refused "$profile:"
done
head -c 3000 /dev/urandom >"$profile"
refused "$profile:1 is no profile of this version"
rm "$profile"
refused "$profile "
mkdir "$profile"
refused "$profile is no file"
rmdir "$profile"
configure 'bytes = "many"'
refused '`bytes` must be a number'
sed -i '/^profile/d' "$work/hot.toml"
refused '`profile` must name a profile'
# Profiles that are cut off anywhere, or name what is not there.
configure 'bytes = 100000000'
"$heat" "$probes/hot" >"$profile"
for size in 0 5 16 17 40 100 19999; do
  head -c $size "$profile" >"$work/cut"
  sed -i "s|^profile.*|profile = \"$work/cut\"|" "$work/hot.toml"
  expect 0 hot "$probes/hot"
  cmp "$work/stock" "$work/out" || fail "it gives something else with $size bytes of a profile"
done
id=$(awk '/^library/ { print $2; exit }' "$profile")
{
  echo 'sartor-profile 1'
  printf 'function %s %s 9\n' "$id" 0xffffffffffffffff "$id" 0x0 "$id" 0x1001 "$id" 0x7fffffff
} >"$work/cut"
expect 0 hot --strict "$probes/hot"
cmp "$work/stock" "$work/out"

# Copies lie next to packed libraries.
sed -i "s|^profile.*|profile = \"$work/same\"|" "$work/hot.toml"
expect 0 "$planner" --report --config="$work/hot.toml" --passes=bind,hot "$probes/hot"
says out " that no packed library can take"
expect 0 "$ld" --strict --config="$work/hot.toml" --passes=bind,hot "$probes/hot"
cmp "$work/stock" "$work/out"

# The pass of docs/loader/image.md that copies functions by name.
mkdir "$work/passes"
here=$(cd "$(dirname "$0")/../.." && pwd)
cc -shared -fPIC -I "$here/include" "$here/test/load/passes/together.c" -o "$work/passes/together.so"
cat >"$work/together.toml" <<END
passes = ["bind", "concat", "together"]
directories = ["$work/passes"]
[pass.together]
hot_is_copied = true
hot_return_address = true
hot_next_malloc = true
END
expect 0 "$planner" --report --config="$work/together.toml" "$probes/hot"
says out "libprobe_hot.so: copied"
says out "libprobe_hot_dl.so: that may call dlopen() or dlsym()"
expect 0 "$ld" --strict --config="$work/together.toml" "$probes/hot" where
says out "1 0"

# Installed programs, as far as they exist, with everything hot.
configure 'bytes = 100000000'
same() { # COMMAND...
  local program
  program=$(command -v "$1") || return 0
  "$heat" "$program" >"$profile"
  "$program" "${@:2}" >"$work/stock" 2>&1 || true
  hot --strict "$program" "${@:2}" >"$work/hot" 2>&1 || true
  cmp -s "$work/stock" "$work/hot" || fail "$*: $(diff "$work/stock" "$work/hot")"
}
seq 3000 >"$work/numbers"
same ls -la /usr
same grep -n '9[0-4]*$' "$work/numbers"
same sed -n 's/\(1.\)0/<\1>/p' "$work/numbers"
same git --version
same git diff --no-index /dev/null "$work/numbers"
same sqlite3 :memory: "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
  select sum(i), avg(i), json_array(count(*)), printf('%.3f', sqrt(2)) from n where i like '%4'"
same perl -e 'print map { "$_\n" } sort { $a <=> $b } map { $_ * 7919 % 1000 } 1 .. 500; eval { die "caught\n" }; print $@'
same /usr/bin/python3 -c 'import ctypes, json, re, zlib
print(json.dumps({"a": [1.5, None]}), re.sub("b+", "x", "abbc"), zlib.crc32(b"abc"), sum(i * i for i in range(10000)))
try:
    raise ValueError("caught")
except ValueError as error:
    print(error)'
echo "hot: as it should be"
