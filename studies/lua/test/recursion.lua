-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Deep recursion of Lua's stack, of C's, and of both alternately; tail calls; variable numbers of arguments.
local function down(n) if n == 0 then return 0 end return 1 + down(n - 1) end
for _ = 1, 3 do print(down(100), down(5000), down(150000)) end
local function forever(n) return 1 + forever(n + 1) end
for _ = 1, 3 do
  local ok, what = pcall(forever, 1)
  print(ok, (what:gsub("\n.*", "")))
end
local t = setmetatable({}, {})
getmetatable(t).__index = function(_, k) return t[k + 1] end
for _ = 1, 2 do
  local ok, what = pcall(function() return t[1] end)
  print(ok, (what:gsub("\n.*", "")))
end
local function even(n) if n == 0 then return true end return odd(n - 1) end
function odd(n) if n == 0 then return false end return even(n - 1) end
for _ = 1, 3 do print(even(200001), odd(200001)) end
local function through(n) if n == 0 then return 0 end return 1 + select(2, pcall(through, n - 1)) end
for _ = 1, 3 do print(through(50), through(150)) end
print((pcall(through, 250)))
local function mutual_a(n, f) if n <= 0 then return 0 end return f(n - 1, f) + 1 end
local cold = load("local n, f = ... if n <= 0 then return 0 end return f(n - 1, f) + 1")
for _ = 1, 3 do
  print(mutual_a(300, mutual_a), mutual_a(3000, cold))
end
local function ackermann(m, n)
  if m == 0 then return n + 1 end
  if n == 0 then return ackermann(m - 1, 1) end
  return ackermann(m - 1, ackermann(m, n - 1))
end
print(ackermann(2, 30), ackermann(2, 60))

local function variable(...)
  local n = select("#", ...)
  local a, b, c = ...
  local all = {...}
  local packed = table.pack(...)
  if n > 4 then
    return n, a, b, c, #all, packed.n, ...
  end
  return variable(n, ...)
end
for _ = 1, 4 do
  print(variable())
  print(variable(1, nil, 3))
  print(variable(1, 2, 3, 4, 5, nil))
end
local function pass(...) return ... end
local function sum(...)
  local s = 0
  for i = 1, select("#", ...) do
    s = s + (select(i, ...))
  end
  return s
end
local function spread(n)
  if n == 0 then return end
  return n, spread(n - 1)
end
for _ = 1, 4 do
  print(sum(pass(1, 2, pass(3, 4))), sum(spread(100)), (pass(7, 8)), #{spread(50)}, #{pass(), spread(3)})
  print(pass(spread(3), spread(2)), ({spread(300)})[300])
end
