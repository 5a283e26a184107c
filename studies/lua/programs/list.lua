-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Takeuchi's function of lists' lengths.
local Element = {}
Element.__index = Element

function Element:length()
  local length = 0
  while self do
    length = length + 1
    self = self.next
  end
  return length
end

local function make(length)
  if length == 0 then
    return nil
  end
  return setmetatable({value = length, next = make(length - 1)}, Element)
end

local function is_shorter(x, y)
  while y do
    if not x then
      return true
    end
    x, y = x.next, y.next
  end
  return false
end

local function tail(x, y, z)
  if is_shorter(y, x) then
    return tail(tail(x.next, y, z), tail(y.next, z, x), tail(z.next, x, y))
  end
  return z
end

return function(times)
  local sum = 0
  for _ = 1, times do
    sum = sum + tail(make(15), make(10), make(6)):length()
  end
  return sum
end, 60
