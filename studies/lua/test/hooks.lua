-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Hooks that are set before and in the middle of hot functions; changes that the debug library makes in them.
local function work(n)
  local s = 0
  for i = 1, n do
    s = s + i
    if s > 1000 then
      s = s - 1000
    end
  end
  return s
end
local function calls(n)
  local s = 0
  for i = 1, n do
    s = s + work(3)
  end
  return s
end
for _ = 1, 4 do print(calls(20)) end
local function count_with(mask, count, f, ...)
  local events = {}
  local lines = {}
  debug.sethook(function(event, line)
    events[event] = (events[event] or 0) + 1
    if line then
      lines[#lines + 1] = line
    end
  end, mask, count)
  local result = f(...)
  debug.sethook()
  local names = {}
  for name in pairs(events) do
    names[#names + 1] = name
  end
  table.sort(names)
  for i, name in ipairs(names) do
    names[i] = name .. "=" .. events[name]
  end
  print(result, table.concat(names, " "), #lines, table.concat(lines, ",", 1, math.min(#lines, 60)))
end
for _ = 1, 2 do
  count_with("c", 0, calls, 10)
  count_with("r", 0, calls, 10)
  count_with("crl", 0, calls, 4)
  count_with("l", 0, work, 10)
  count_with("", 7, calls, 20)
  count_with("crl", 3, calls, 5)
end

-- Set and removed by a function that the hot one calls.
local seen
local function switch(i)
  if i == 10 then
    seen = 0
    debug.sethook(function() seen = seen + 1 end, "l")
  elseif i == 20 then
    debug.sethook()
  end
end
local function switched(n)
  local s = 0
  for i = 1, n do
    switch(i)
    s = s + i
  end
  return s
end
for _ = 1, 3 do print(switched(30), seen) end

-- A loop that only a hook ends.
local function endless()
  local i = 0
  while true do
    i = i + 1
  end
end
for _ = 1, 3 do
  debug.sethook(function() error("ended by the hook", 0) end, "", 10000)
  print(pcall(endless))
  debug.sethook()
end
-- A loop at the very start of a function.
local flag = 0
local function ready() flag = flag + 1 return flag % 50 ~= 0 end
local function at_start() while ready() do end return flag end
for _ = 1, 3 do print(at_start()) end
count_with("cl", 0, at_start)

-- Locals that are read and written from outside.
local function set_caller(name, value)
  local i = 1
  while true do
    local found, v = debug.getlocal(2, i)
    if not found then
      return
    end
    if found == name then
      debug.setlocal(2, i, value)
      return v
    end
    i = i + 1
  end
end
local function changed(n)
  local total, step = 0, 1
  for i = 1, n do
    if i == 5 then
      set_caller("step", 10)
    elseif i == 8 then
      set_caller("step", 0.5)
    elseif i == 9 then
      set_caller("total", "12")
    end
    total = total + step
  end
  return total, step
end
for _ = 1, 4 do print(changed(20)) end

-- Upvalues that are joined with variables that a running function has captured.
local function joins()
  local mine = 1
  local function captures() return mine end
  local function other() return 0 end
  local self = debug.getinfo(1, "f").func
  return mine, captures, other
end
local shared = 0
local function accumulate(n)
  local own = 100
  local function reads() return own end
  local this = debug.getinfo(1, "f").func
  for u = 1, 10 do
    local name = debug.getupvalue(this, u)
    if name == "shared" then
      debug.upvaluejoin(this, u, reads, 1)
    end
  end
  for i = 1, n do
    shared = shared + 1
    own = own + 1
  end
  return own, reads(), shared
end
for _ = 1, 3 do print(accumulate(10)) end
print(debug.getinfo(work, "S").short_src == debug.getinfo(calls, "S").short_src, debug.getinfo(work, "L").activelines ~= nil)
local function where() return debug.getinfo(2, "l").currentline end
local function lines(n)
  local s = {}
  for i = 1, n do
    s[#s + 1] = where()
    s[#s + 1] =
      where()
  end
  return table.concat(s, " ")
end
for _ = 1, 3 do print(lines(3)) end
