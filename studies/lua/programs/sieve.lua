-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Primes by the sieve of Eratosthenes, again and again.
local function sieve(most)
  local is_prime, count = {}, 0
  for i = 1, most do
    is_prime[i] = true
  end
  for i = 2, most do
    if is_prime[i] then
      count = count + 1
      for k = i + i, most, i do
        is_prime[k] = false
      end
    end
  end
  return count
end

return function(times)
  local count = 0
  for _ = 1, times do
    count = count + sieve(5000)
  end
  return count
end, 60
