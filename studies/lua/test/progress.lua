-- Functions whose operations are performed by metamethods, or fail, at the position where a variant was entered: code
-- that leaves a variant at once must not enter it there again.
local log = {}
local function note(...) log[#log + 1] = table.concat({...}, " ") end
local V = setmetatable({}, {
  __add = function(a, b) return b end,
  __sub = function(a, b) return a end,
  __mul = function(a, b) return 2 end,
  __div = function(a, b) error("div", 0) end,
  __unm = function() return 3 end,
  __concat = function(a, b) return "c" end,
  __lt = function() return true end,
  __le = function() return false end,
  __index = function(t, k) return k end,
  __call = function(self, x) return x end,
  __len = function() return 4 end,
})
local function add(a) return a + 1 end
local function subtract(a) return tostring(a - 1 == V) end
local function chain(a) local b = a * 2 b = b + a return tostring(b == V or b) end
local function fails(a) return a / 2 end
local function loop(a)
  local n = 0
  for i = 1, 5 do n = n + (a * i) end
  while n < 40 do n = n + a * n end
  return n
end
local function nested(a) return add(a) + chain(a):len() + loop(a) end
for i = 1, 6 do
  for _, value in ipairs({V, 1, 2.5, "7", V, math.maxinteger}) do
    for name, f in pairs({add = add}) do note(name, tostring(f(value) == value or f(value))) end
    note(subtract(value), chain(value))
    note(tostring((pcall(fails, value))), tostring(select(2, pcall(fails, value)) ~= nil))
    note(tostring(loop(value)), tostring(nested(value)))
  end
  note(tostring(pcall(add, nil)), tostring((pcall(loop, {}))))
end
-- In a coroutine, and between collections.
local co = coroutine.wrap(function(a) while true do a = coroutine.yield(add(a)) collectgarbage("step") end end)
for i = 1, 10 do note(tostring(co(i % 2 == 0 and V or i))) end
print(table.concat(log, "\n"))
