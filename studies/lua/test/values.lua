-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Arithmetic of integers, floats and strings; comparisons; metamethods; loops of all kinds; goto; variables that are closed.
local function show(...)
  local out = table.pack(...)
  for i = 1, out.n do
    local v = out[i]
    out[i] = math.type(v) and string.format("%s:%.14g", math.type(v), v) or tostring(v)
  end
  print(table.concat(out, " "))
end
local function arithmetic(a, b)
  return a + b, a - b, a * b, a / b, a // b, a % b, a ^ 2, -a, a + 1, a - 1, 3 * a, a // 3, a % 3, a / 3
end
local pairs_of = {{7, 2}, {7.5, 2}, {7, 2.5}, {-7, 2}, {7, -2}, {-7.5, 2}, {"10", 3}, {10, "3"}, {"0x10", "2.5"}, {math.maxinteger, 1}, {math.mininteger, -1}, {1e308, 10}, {-0.0, 5}}
for _ = 1, 3 do
  for _, p in ipairs(pairs_of) do
    show(arithmetic(p[1], p[2]))
  end
end
local function bits(a, b)
  return a & b, a | b, a ~ b, ~a, a << b, a >> b, a & 15, a | 3, a ~ 1, a << 1, a >> 1, 1 << a, -1 >> 1
end
for _ = 1, 3 do
  show(bits(5, 3)) show(bits(5.0, 3)) show(bits(-1, 63)) show(bits(1, 64)) show(bits(1, -1)) show(bits(math.mininteger, 1))
end
local function compare(a, b)
  return a < b, a <= b, a > b, a >= b, a == b, a ~= b
end
local values = {1, 1.0, 2, 1.5, -1, math.huge, -math.huge, 0 / 0, math.maxinteger, math.maxinteger + 0.0, 2 ^ 53, (1 << 53) + 1}
for _ = 1, 2 do
  for _, a in ipairs(values) do
    for _, b in ipairs(values) do
      show(compare(a, b))
    end
  end
end
for _ = 1, 3 do
  show(compare("a", "b")) show(compare("a", "a")) show(compare("a\0b", "a\0c")) show(compare("", "a"))
end
local function immediates(a)
  return a < 5, a <= 5, a > 5, a >= 5, a == 5, a ~= 5, 5 < a, 5 <= a, 5 > a, 5 >= a, a == 5.0, a == "5", a == nil, a == true
end
for _ = 1, 3 do
  show(immediates(5)) show(immediates(5.0)) show(immediates(4.5)) show(immediates(0 / 0)) show(immediates(-3))
end
local function truth(a, b)
  local r = {}
  if a then r[1] = "a" else r[1] = "not a" end
  r[2] = tostring(a and b)
  r[3] = tostring(a or b)
  r[4] = tostring(not a)
  r[5] = tostring(a == b)
  r[6] = tostring(a == nil or b == false)
  while a do a = not a end
  return table.concat(r, " ")
end
for _ = 1, 3 do
  for _, a in ipairs({1, true, false, "x"}) do
    show(truth(a, nil)) show(truth(nil, a)) show(truth(a, a)) show(truth(a, 0))
  end
end

-- Loops.
local function loop(first, last, step)
  local out = {}
  for i = first, last, step do
    out[#out + 1] = i
    if #out > 12 then break end
    local kept = i
    i = i * 2
  end
  return table.unpack(out)
end
for _ = 1, 3 do
  show(loop(1, 5, 1)) show(loop(5, 1, -2)) show(loop(1, 0, 1)) show(loop(1.0, 3, 1)) show(loop(1, 3.5, 1)) show(loop(1, 2, 0.25))
  show(loop(math.maxinteger - 2, math.maxinteger, 1)) show(loop(math.mininteger, math.mininteger + 2, 1)) show(loop(3, -math.huge, -1)) show(loop(1, math.huge, 100))
  show(loop(-1, -5, -1.5)) show(loop(0.1, 1, 0.3))
end
local function loops(n)
  local s, i = 0, 0
  repeat
    local j = i
    i = i + 1
    if j % 2 == 1 then goto continue end
    s = s + j
    ::continue::
  until i >= n
  while i > 0 do
    i = i - 1
    if i == 3 then break end
    for k = 1, 3 do
      for l = k, 3 do
        if l == 2 then goto next end
        s = s + k * l
        ::next::
      end
    end
  end
  do
    local k = 0
    ::top::
    k = k + 1
    if k < n then goto top end
    s = s + k
  end
  return s
end
for n = 1, 12 do show(loops(n)) end
local function each(t)
  local keys, sum = 0, 0
  for k, v in pairs(t) do keys = keys + 1 sum = sum + v end
  for i, v in ipairs(t) do sum = sum + i * v end
  for k, v in next, t do t[k] = v + 1 end
  return keys, sum
end
local t = {1, 2, 3, x = 4, y = 5, [10] = 6, [2.5] = 7}
for _ = 1, 4 do show(each(t)) end
local function nested(n)
  local closures = {}
  for i = 1, n do
    local j = i
    closures[i] = function(d) j = j + d i = i + d return i * 100 + j end
  end
  local s = 0
  for i = 1, n do s = s + closures[i](1) + closures[i](2) end
  return s
end
for _ = 1, 4 do show(nested(20)) end
local function counter()
  local c, calls = 0, 0
  local function up() c = c + 1 return c end
  for i = 1, 10 do
    up()
    c = c * 2 % 1000
    calls = calls + 1
    up()
  end
  return c, calls
end
for _ = 1, 4 do show(counter()) end

-- Metamethods in hot loops.
local V = {}
V.__index = V
V.__add = function(a, b) return setmetatable({x = a.x + b.x}, V) end
V.__mul = function(a, b) return setmetatable({x = (type(a) == "number" and a or a.x) * (type(b) == "number" and b or b.x)}, V) end
V.__unm = function(a) return setmetatable({x = -a.x}, V) end
V.__eq = function(a, b) return a.x == b.x end
V.__lt = function(a, b) return a.x < b.x end
V.__le = function(a, b) return a.x <= b.x end
V.__len = function(a) return a.x end
V.__concat = function(a, b) return (type(a) == "string" and a or a.x) .. (type(b) == "string" and b or b.x) end
V.__call = function(self, y, ...) return self.x + y, ... end
V.__idiv = function(a, b) return "idiv" end
V.__band = function(a, b) return "band" end
V.__shl = function(a, b) return "shl" end
V.__bnot = function(a) return "bnot" end
V.__mod = function(a, b) return "mod" end
V.__pow = function(a, b) return "pow" end
V.__div = function(a, b) return "div" end
function V:get() return self.x end
local function meta(n)
  local a, b = setmetatable({x = 1}, V), setmetatable({x = 2}, V)
  local s = 0
  for i = 1, n do
    a = a + b
    b = 2 * b * 1
    if a < b then s = s + #a else s = s + #-b end
    if a == b then s = s + 1 end
    if a <= b then s = s + 1 end
    s = (s + a(i) + b:get()) % 100003
    b.x = b.x % 1000
  end
  return s, a .. "x" .. b, a // 1, a & 1, a << 1, ~a, a % 2, a ^ 2, a / 2, 1 // a, 2 & a, 2 ^ a
end
for n = 1, 6 do show(meta(n)) end
local Base = {} Base.__index = Base
function Base.hello(self) return "base " .. self.name end
local Derived = setmetatable({}, Base) Derived.__index = Derived
function Derived.own(self) return "derived " .. self.name end
local proxied = setmetatable({}, {__index = function(_, k) return k .. "?" end, __newindex = function(t, k, v) rawset(t, k, v .. "!") end})
local function objects(n)
  local o = setmetatable({name = "o"}, Derived)
  local out = {}
  for i = 1, n do
    out[#out + 1] = o:hello() .. o:own() .. tostring(o.none) .. proxied[i]
    proxied["k" .. i] = i
    out[#out + 1] = proxied["k" .. i]
    o["f" .. i] = i
    o[i] = i
    o.name = o.name .. #o
  end
  return table.concat(out, ",")
end
for n = 1, 4 do show(objects(n)) end
local env = setmetatable({}, {__index = _G, __newindex = function(t, k, v) rawset(t, k, v + 1) end})
local globals = load("for i = 1, 5 do count = (count or 0) + i end return count, tostring(count)", "globals", "t", env)
for _ = 1, 4 do show(globals()) end

-- Strings.
local function strings(n)
  local s = ""
  for i = 1, n do
    s = s .. i .. "," .. i / 2 .. ";"
    if #s > 60 then s = s:sub(-20) end
  end
  return s, #s, ("x"):rep(3), s == s .. "", s < s .. "a", "10" + 5, "3" * "4", 10 .. 20
end
for n = 8, 11 do show(strings(n)) end
local long = ("long key "):rep(10)
local function keys(n)
  local t = {[long] = 0}
  for i = 1, n do t[long] = t[long] + i t[long .. i] = i end
  return t[long], t[long .. n], t[("long key "):rep(10)]
end
for n = 1, 4 do show(keys(n)) end

-- Variables that are closed.
local function closes(n, fail)
  local log = {}
  local function closing(name) return setmetatable({}, {__close = function(_, e) log[#log + 1] = name .. (e and ("/" .. tostring(e):gsub("^.-:%d+: ", "")) or "") end}) end
  local ok, what = pcall(function()
    for i = 1, n do
      local a <close> = closing("a" .. i)
      local b <const> = i
      if i == 3 then goto continue end
      do
        local c <close> = closing("c" .. b)
      end
      if fail and i == 4 then error("at four") end
      if i == 5 then return "returned" end
      ::continue::
    end
    local last <close> = closing("last")
    for k, v in next, {1, 2}, nil, closing("for") do
      log[#log + 1] = "k" .. k
    end
    return "through"
  end)
  return tostring(what):gsub("^.-:%d+: ", ""), table.concat(log, " ")
end
for n = 1, 6 do show(closes(n)) show(closes(n, true)) end
local function many_constants(x)
  local t = {1.5, 2.5, "a", "b", nil, true, {1, 2, 3, {4}}, x, [10] = 1, k = {}, [x] = 2}
  t.a, t.b, t.c = t[1], t[2], t[3]
  return #t[7], t[7][4][1], t.a + t.b, t.c, t[8], t[x]
end
for x = 21, 24 do show(many_constants(x)) end

-- The remainder of an integer and a number that is none.
local function remainder(a, ...)
  local function of_nan() return a % (a - (0 / 0)) end
  return of_nan()
end
for _, number in ipairs { 3, 1 << 62, 2.5, 0 } do
  local rest = remainder(number, 0)
  assert(rest ~= rest, "the remainder is " .. tostring(rest))
end
