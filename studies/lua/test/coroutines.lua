-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Coroutines that yield from hot functions, metamethods, iterators, pcall and sort; that are closed and wrapped.
local function generate(n)
  for i = 1, n do
    local x = coroutine.yield(i)
    if x then
      i = i + x
    end
  end
  return "end"
end
for round = 1, 5 do
  local co = coroutine.create(generate)
  local all = {}
  for i = 1, 30 do
    local ok, v = coroutine.resume(co, 10, i)
    all[#all + 1] = tostring(v)
  end
  print(round, table.concat(all, " "), coroutine.status(co), coroutine.resume(co))
end

local function deep(n)
  if n == 0 then
    coroutine.yield("bottom")
    return 0
  end
  local below = deep(n - 1)
  coroutine.yield(n)
  return below + 1
end
for _ = 1, 4 do
  local sum, co = 0, coroutine.wrap(function() return deep(40) end)
  while true do
    local v = co()
    if type(v) == "number" then
      sum = sum + v
      if v == 40 then
        break
      end
    end
  end
  print(sum, co())
end

-- Yields from metamethods.
local mt = {}
mt.__add = function(a, b) return coroutine.yield("add") or a.v + (type(b) == "number" and b or b.v) end
mt.__index = function(t, k) return coroutine.yield("index " .. tostring(k)) end
mt.__newindex = function(t, k, v) coroutine.yield("newindex " .. tostring(k)) rawset(t, k, v) end
mt.__lt = function(a, b) return coroutine.yield("lt") end
mt.__le = function(a, b) return coroutine.yield("le") end
mt.__eq = function(a, b) return coroutine.yield("eq") end
mt.__concat = function(a, b) return coroutine.yield("concat") .. "!" end
mt.__len = function() return coroutine.yield("len") end
mt.__call = function(self, ...) return coroutine.yield("call"), ... end
mt.__unm = function() return coroutine.yield("unm") end
mt.__close = function() coroutine.yield("close") end
local function all(o, p)
  local r = {}
  r[#r + 1] = o + 1
  r[#r + 1] = o + p
  r[#r + 1] = o.field
  o.new = 5
  r[#r + 1] = o.new
  r[#r + 1] = tostring(o < p)
  r[#r + 1] = tostring(o <= p)
  r[#r + 1] = tostring(o == p)
  r[#r + 1] = tostring(o ~= p)
  r[#r + 1] = o .. "x" .. "y"
  r[#r + 1] = "x" .. "y" .. o
  r[#r + 1] = #o
  r[#r + 1] = select("#", o(1, 2, 3))
  r[#r + 1] = -o
  if o < p then
    r[#r + 1] = "less"
  else
    r[#r + 1] = "not less"
  end
  do
    local c <close> = o
    r[#r + 1] = "in block"
  end
  return table.concat(r, ",")
end
for round = 1, 4 do
  local o, p = setmetatable({v = 3}, mt), setmetatable({v = 4}, mt)
  local co = coroutine.create(all)
  local args = table.pack(o, p)
  local log = {}
  for i = 1, 40 do
    local ok, what = coroutine.resume(co, table.unpack(args, 1, args.n))
    log[#log + 1] = tostring(what)
    args = table.pack(i % 3 == 0 and 7 or 8 * i)
    if coroutine.status(co) == "dead" then
      break
    end
  end
  print(round, table.concat(log, "; "))
end

-- Yields across iterators, pcall and errors.
local function range(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i, i * i) end end) end
local function total(n)
  local s = 0
  for i, square in range(n) do
    s = s + i + square
  end
  return s
end
for _ = 1, 5 do print(total(50)) end
local function protected()
  local ok, what = pcall(function()
    for i = 1, 3 do
      coroutine.yield(i)
    end
    error("after three")
  end)
  coroutine.yield(tostring(what))
  return ok
end
for _ = 1, 3 do
  local co = coroutine.wrap(protected)
  print(co(), co(), co(), co(), co())
end
for _ = 1, 3 do
  local co = coroutine.create(function()
    local x <close> = setmetatable({}, {__close = function(_, e) print("closed", e) end})
    for i = 1, 100 do
      coroutine.yield(i)
    end
  end)
  coroutine.resume(co)
  coroutine.resume(co)
  print(coroutine.close(co), coroutine.status(co))
end
print(pcall(table.sort, {3, 1, 2}, function(a, b) coroutine.yield() end))
local outside = coroutine.wrap(function() return pcall(table.sort, {3, 1, 2}, function(a, b) coroutine.yield() end) end)
print(outside())
print(pcall(coroutine.wrap(function() local function f(n) if n == 0 then error("in a coroutine") end return f(n - 1) + 1 end return f(10) end)))
local co = coroutine.create(function() local function f(n) if n == 0 then local t = nil; return t.x end return f(n - 1) + 1 end return f(6) end)
print(coroutine.resume(co))
print(debug.traceback(co))
