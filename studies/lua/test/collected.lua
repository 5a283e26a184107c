-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Functions that are collected while they are hot, also from within hot functions; effects of finalizers; weak tables.
local function make(i)
  return load("local n = ... local s = 0 for i = 1, n do s = s + i * " .. i .. " end return s")
end
local sum = 0
for i = 1, 60 do
  local f = make(i)
  for n = 1, 8 do
    sum = sum + f(n)
  end
  f = nil
  if i % 5 == 0 then
    collectgarbage()
  end
end
print(sum)
local function inside(rounds)
  local wrong = 0
  for i = 1, rounds do
    local f = load("local a = ... return function(b) return a + b * " .. i .. " end")(i)
    for b = 1, 5 do
      if f(b) ~= i + b * i then
        wrong = wrong + 1
      end
    end
    f = nil
    collectgarbage("step")
    if i % 10 == 0 then
      collectgarbage()
    end
  end
  return wrong
end
print(inside(60))

-- Finalizers that run in the middle of a hot function and change what its closures have captured.
local function finalizers(n)
  local seen, other = 0, 0
  local function set(v) seen = v end
  for i = 1, n do
    setmetatable({}, {__gc = function() other = other + 1 set(i) end})
    local before = seen
    collectgarbage()
    if seen == before then
      other = other + 1000
    end
  end
  return seen, other
end
print(finalizers(20))
local weak = setmetatable({}, {__mode = "k"})
local function fill(n)
  for i = 1, n do
    weak[{}] = i
  end
  collectgarbage()
  local left = 0
  for _ in pairs(weak) do
    left = left + 1
  end
  return left
end
print(fill(100), fill(100))
for _, mode in ipairs({"generational", "incremental"}) do
  collectgarbage(mode)
  local t = {}
  local function churn(n)
    for i = 1, n do
      t[i % 50 + 1] = {i, {tostring(i)}}
    end
    local s = 0
    for i = 1, #t do
      s = s + t[i][1] + #t[i][2][1]
    end
    return s
  end
  print(mode, churn(3000), churn(3000))
end
-- The amount of memory does not depend on how functions are executed.
collectgarbage() collectgarbage()
local before = collectgarbage("count")
local function allocate(n) local t = {} for i = 1, n do t[i] = {} end return #t end
allocate(1000)
collectgarbage() collectgarbage()
print(collectgarbage("count") - before)
local kept, coroutines = {}, {}
for i = 1, 200 do
  kept[i] = load("return function(a) return a + " .. i .. " end")()
  coroutines[i] = coroutine.wrap(function() coroutine.yield(kept[i](i)) end)
  coroutines[i]()
end
print(collectgarbage("count") - before)

-- The collector frees constants before the function that has them. In between, other functions use their memory again.
local function source(name)
  local unused, fields = {}, {}
  for i = 1, 250 do -- many objects between a function and its last constants
    unused[i] = string.format("%q", ("u"):rep(45) .. name .. i)
  end
  for i = 1, 8 do
    fields[i] = "t." .. ("f"):rep(36) .. name .. i
  end
  return "local t = ... local function unused() return {" .. table.concat(unused, ",") .. "} end return " ..
    table.concat(fields, " + ")
end
local function of_all(name)
  local t = {}
  for i = 1, 8 do
    t[("f"):rep(36) .. name .. i] = i
  end
  for i = 1, 100 do -- a wrong hash leads elsewhere
    t[name .. i] = 100
  end
  return t
end
local function reused(rounds)
  local wrong = 0
  collectgarbage("incremental", 100, 1, 1)
  for round = 1, rounds do
    collectgarbage()
    collectgarbage("stop")
    local sources = {}
    for i = 1, 5 do
      sources[i] = source(string.char(96 + round) .. i)
    end
    local old = setmetatable({load(sources[1])}, {__mode = "v"})
    if old[1](of_all(string.char(96 + round) .. 1)) ~= 36 then
      wrong = wrong + 1
    end
    for _ = 1, 1000000 do -- until the old function is dead
      collectgarbage("step", 0)
      if not old[1] then
        break
      end
    end
    for i = 2, 5 do
      collectgarbage("step", 0)
      if load(sources[i])(of_all(string.char(96 + round) .. i)) ~= 36 then
        wrong = wrong + 1
      end
    end
    collectgarbage("restart")
  end
  collectgarbage("incremental", 200, 100, 13)
  return wrong
end
print(reused(4))
