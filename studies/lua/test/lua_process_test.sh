#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lua_process_test.sh LUAS: a process that runs variants reacts like one with stock Lua: to an interrupt from the
# keyboard, to fork(), and to an exit in the middle of a loop. Functions that are not specialized are reported on
# request.
set -uo pipefail
luas=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
complain() { echo "$*"; failed=1; }

cat >fork.c <<'END'
#include <sys/wait.h>
#include <unistd.h>

#include "lauxlib.h"

static int l_fork(lua_State *L) { lua_pushinteger(L, fork()); return 1; }
static int l_wait(lua_State *L) {
  int status = 0;
  waitpid((pid_t)luaL_checkinteger(L, 1), &status, 0);
  lua_pushinteger(L, status);
  return 1;
}
int luaopen_fork(lua_State *L) {
  lua_newtable(L);
  lua_pushcfunction(L, l_fork);
  lua_setfield(L, -2, "fork");
  lua_pushcfunction(L, l_wait);
  lua_setfield(L, -2, "wait");
  return 1;
}
END
cc -shared -fPIC -I"$luas/gcc" fork.c -o fork.so || exit 1

cat >forks.lua <<'END'
package.cpath = "./?.so"
local process = require "fork"
local function sum(n) local s = 0 for i = 1, n do s = s + i % 7 end return s end
local function square(n) local s = 0 for i = 1, n do s = s + i * i end return s end
for _ = 1, 20 do sum(1000) end
io.stdout:setvbuf "no"
local child = process.fork()
if child == 0 then -- what has a variant, and what becomes hot here
  for _ = 1, 20 do sum(1000) square(1000) end
  io.write("child ", sum(1000), " ", square(1000), "\n")
  collectgarbage()
  os.exit(3, true)
end
io.write("status ", process.wait(child), "\n")
for _ = 1, 20 do square(1000) end
io.write("parent ", sum(1000), " ", square(1000), "\n")
END
cat >exits.lua <<'END'
local function leave(n) for i = 1, n do if i == 900 then os.exit(7) end end end
for i = 1, 20 do leave(100) end
leave(1000)
END
for script in forks exits; do
  timeout 300 "$luas/gcc/lua" $script.lua >stock 2>&1
  echo "ended with $?" >>stock
  for how in heat=1,wait heat=5 heat=100; do
    LUA_SARTOR=$how timeout 300 "$luas/sartor/lua" $script.lua >ours 2>&1
    echo "ended with $?" >>ours
    cmp -s stock ours || { complain "$script.lua differs with LUA_SARTOR=$how:"; diff stock ours; }
  done
done

cat >spins.lua <<'END'
local function spin() local s = 0 while true do s = s + 1 if s == 1000000 then io.write "begun\n" io.flush() end end end
spin()
END
interrupted() { # LUA OUTPUT: with the signal's default action, which background jobs do not have
  perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' bash -c 'exec -a lua "$0" spins.lua' "$1" >"$2" 2>&1 &
  local program=$!
  for _ in $(seq 600); do grep -qs begun "$2" && break; sleep 0.1; done
  sleep 0.2
  kill -INT $program
  for _ in $(seq 600); do kill -0 $program || break; sleep 0.1; done
  kill -KILL $program && echo "not at its end" >>"$2"
  wait $program
  echo "ended with $?" >>"$2"
}
(
  interrupted "$luas/gcc/lua" stock
  LUA_SARTOR=heat=50,wait interrupted "$luas/sartor/lua" ours
) 2>/dev/null
grep -q interrupted stock || complain "stock Lua was not interrupted"
cmp -s stock ours || { complain "an interrupt differs:"; diff stock ours; }

{
  echo "local function large(n) local x, y = n, 1"
  for i in $(seq 800); do echo "if x > $i then y = y * 0.5 + x - $i end x = x + y % 3"; done
  echo "return x end"
  echo "local function small(n) local s = 0 for i = 1, n do s = s + i end return s end"
  echo "for i = 1, 10 do large(i) small(i) end print(large(3), small(3))"
} >large.lua
"$luas/gcc/lua" large.lua >stock
LUA_SARTOR=heat=2,wait,report timeout 300 "$luas/sartor/lua" large.lua >ours 2>reported
cmp -s stock ours || complain "large.lua differs"
grep -q "large.lua:1: stays interpreted: not_constant" reported || { complain "what stays interpreted was not reported:"; cat reported; }
grep -q "large.lua:803: has a variant" reported || { complain "what has a variant was not reported:"; cat reported; }
exit $failed
