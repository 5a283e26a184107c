-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- The largest singular value of an infinite matrix, by the power method.
local function a(i, j)
  local ij = i + j - 1
  return 1.0 / (ij * (ij - 1) * 0.5 + i)
end

local function times(x, y, n)
  for i = 1, n do
    local sum = 0.0
    for j = 1, n do
      sum = sum + x[j] * a(i, j)
    end
    y[i] = sum
  end
end

local function times_transposed(x, y, n)
  for i = 1, n do
    local sum = 0.0
    for j = 1, n do
      sum = sum + x[j] * a(j, i)
    end
    y[i] = sum
  end
end

return function(n)
  local u, v, t = {}, {}, {}
  for i = 1, n do
    u[i] = 1.0
  end
  for _ = 1, 4 do
    times(u, t, n)
    times_transposed(t, v, n)
    times(v, t, n)
    times_transposed(t, u, n)
  end
  local uv, vv = 0.0, 0.0
  for i = 1, n do
    uv = uv + u[i] * v[i]
    vv = vv + v[i] * v[i]
  end
  return (uv / vv) ^ 0.5
end, 220
