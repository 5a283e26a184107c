-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Errors: messages with names of variables, lines, tracebacks; from hot code, through pcall and xpcall.
local function try(name, f, ...)
  for _ = 1, 3 do
    print(name, pcall(f, ...))
  end
  print(xpcall(f, debug.traceback, ...))
end

local upvalue = {}
local function index_local(t, n)
  local sum = 0
  for i = 1, n do
    sum = sum + t[i].x
  end
  return sum
end
try("index", index_local, {{x = 1}, {x = 2}}, 2)
try("index", index_local, {{x = 1}}, 2)
try("index", index_local, 5, 2)
try("nil field", function(n) local a = 0; for i = 1, n do a = a + upvalue.missing.field end return a end, 4)
try("upvalue call", function() return upvalue.none() end)
try("method", function(o) return o:missing(1, 2) end, {})
try("method of string", function(o) return o:missing(1, 2) end, "text")
try("global", function() return no_such_function(1) end)
try("global arithmetic", function() return no_such_number + 1 end)
try("arithmetic", function(a, b) return a + b end, {}, 1)
try("arithmetic", function(a, b) return a + b end, "a", 1)
try("arithmetic", function(a) return 2 ^ a end, false)
try("arithmetic", function(a) return -a end, {})
try("arithmetic", function(a) return a.x * 2 end, {x = "no number"})
try("bits", function(a) return a | 1 end, 1.5)
try("bits", function(a) return a & 1 end, "1.5")
try("bits", function(a) return ~a end, {})
try("bits", function(a, b) return a << b end, 1, "x")
try("concat", function(a, b) return a .. b .. "x" end, {}, 1)
try("concat", function(a, b) return a .. b end, "x", nil)
try("length", function(a) return #a end, 12)
try("compare", function(a, b) return a < b end, 1, "1")
try("compare", function(a, b) return a <= b end, {}, {})
try("compare", function(a) return a < 10 end, "9")
try("compare", function(a) return a >= 10 end, nil)
try("division", function(a, b) return a // b end, 1, 0)
try("modulo", function(a, b) return a % b end, 1, 0)
try("modulo", function(a) return 7 % a end, 0)
try("division", function(a, b) return a // b, a % b, a / b end, 1.5, 0)
try("for", function(a) for i = 1, a do end end, "x")
try("for", function(a) for i = 1, 10, a do end end, 0)
try("for", function(a) for i = a, 10 do end end, {})
try("for in", function(a) for i in a do end end, 7)
try("nan index", function(t) t[0 / 0] = 1 end, {})
try("nil index", function(t, k) t[k] = 1 end, {}, nil)
try("error with table", function() error({}) end == nil and print or function() error("as it is", 0) end)
try("error level", function() error("level 2", 2) end)
try("nested", function(n)
  local function inner(m)
    if m == 0 then
      error("the bottom")
    end
    return inner(m - 1) + 1
  end
  return inner(n)
end, 5)
try("tail", function(n)
  local function inner(m)
    if m == 0 then
      error("the bottom")
    end
    return inner(m - 1)
  end
  return inner(n)
end, 5)

-- Many errors in a hot function, which continues.
local function sometimes(i)
  if i % 7 == 0 then
    error("seven: " .. i)
  end
  return i
end
local good, bad, last = 0, 0, nil
for i = 1, 2000 do
  local ok, what = pcall(sometimes, i)
  if ok then
    good = good + what
  else
    bad, last = bad + 1, what
  end
end
print(good, bad, last)

-- Errors in the error handler, and errors that are not strings.
print(xpcall(function() error("first") end, function(m) return "handled " .. m end))
print(select("#", xpcall(function() error() end, function(m) error("again") end)))
local object = setmetatable({}, {__tostring = function() return "an object" end})
for _ = 1, 5 do
  local ok, what = pcall(error, object)
  print(ok, tostring(what), what == object)
end

-- Integer divisions by zero, after loops and calls in other lines.
local function divided(a, b, how)
  local sum = 0
  for i = 1, 60 do
    sum = sum + i
  end
  while sum > 1800 do
    sum = sum - 1
    tostring(sum)
  end
  if how == 1 then
    return a // b
  elseif how == 2 then
    return a % b
  elseif how == 3 then
    return a // 0
  end
  return
    a %
    0
end
for how = 1, 4 do
  for _ = 1, 3 do print(pcall(divided, how, 0, how)) end
  print(pcall(divided, 1.5, 0.0, how))
end
