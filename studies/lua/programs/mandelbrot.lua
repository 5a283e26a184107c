-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- The points of a grid that do not leave a circle within fifty steps.
return function(size)
  local inside = 0
  for y = 0, size - 1 do
    local ci = 2.0 * y / size - 1.0
    for x = 0, size - 1 do
      local cr = 2.0 * x / size - 1.5
      local zr, zi, zr2, zi2 = 0.0, 0.0, 0.0, 0.0
      local steps = 0
      while steps < 50 and zr2 + zi2 <= 4.0 do
        zi = 2.0 * zr * zi + ci
        zr = zr2 - zi2 + cr
        zr2 = zr * zr
        zi2 = zi * zi
        steps = steps + 1
      end
      if steps == 50 then
        inside = inside + 1
      end
    end
  end
  return inside
end, 200
