-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- All permutations, by recursion.
local Permute = {}
Permute.__index = Permute

function Permute:swap(i, j)
  local v = self.v
  v[i], v[j] = v[j], v[i]
end

function Permute:run(n)
  self.count = self.count + 1
  if n > 0 then
    local last = n - 1
    self:run(last)
    for i = last, 0, -1 do
      self:swap(last + 1, i + 1)
      self:run(last)
      self:swap(last + 1, i + 1)
    end
  end
end

return function(n)
  local v = {}
  for i = 1, n do
    v[i] = i
  end
  local permute = setmetatable({v = v, count = 0}, Permute)
  permute:run(n)
  return permute.count
end, 8
