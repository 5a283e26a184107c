-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- All places of queens on a board, as objects of a class.
local Queens = {}
Queens.__index = Queens

function Queens.new(size)
  local self = setmetatable({size = size, found = 0, rows = {}, up = {}, down = {}}, Queens)
  for i = 1, 2 * size do
    self.rows[i], self.up[i], self.down[i] = true, true, true
  end
  return self
end

function Queens:is_free(row, column)
  return self.rows[row] and self.up[row + column - 1] and self.down[row - column + self.size]
end

function Queens:set(row, column, free)
  self.rows[row] = free
  self.up[row + column - 1] = free
  self.down[row - column + self.size] = free
end

function Queens:place(column)
  if column > self.size then
    self.found = self.found + 1
    return
  end
  for row = 1, self.size do
    if self:is_free(row, column) then
      self:set(row, column, false)
      self:place(column + 1)
      self:set(row, column, true)
    end
  end
end

return function(size)
  local queens = Queens.new(size)
  queens:place(1)
  return queens.found
end, 9
