-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- The towers of Hanoi, whose disks are linked objects.
local Disk = {}
Disk.__index = Disk
function Disk.new(size)
  return setmetatable({size = size, next = nil}, Disk)
end

local Towers = {}
Towers.__index = Towers

function Towers:push(disk, pile)
  local top = self.piles[pile]
  if top and disk.size >= top.size then
    error("a disk cannot lie on a smaller one")
  end
  disk.next = top
  self.piles[pile] = disk
end

function Towers:pop(pile)
  local top = self.piles[pile]
  if not top then
    error("there is no disk")
  end
  self.piles[pile] = top.next
  top.next = nil
  return top
end

function Towers:move_top(from, to)
  self:push(self:pop(from), to)
  self.moved = self.moved + 1
end

function Towers:move(disks, from, to)
  if disks == 1 then
    self:move_top(from, to)
  else
    local other = 6 - from - to
    self:move(disks - 1, from, other)
    self:move_top(from, to)
    self:move(disks - 1, other, to)
  end
end

return function(disks)
  local towers = setmetatable({piles = {}, moved = 0}, Towers)
  for size = disks, 1, -1 do
    towers:push(Disk.new(size), 1)
  end
  towers:move(disks, 1, 2)
  return towers.moved
end, 16
