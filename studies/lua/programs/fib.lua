-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Fibonacci numbers, by two calls each.
local function fib(n)
  if n < 2 then
    return n
  end
  return fib(n - 1) + fib(n - 2)
end

return fib, 28
