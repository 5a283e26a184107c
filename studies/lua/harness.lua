-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- lua harness.lua PROGRAM [TIMES]: runs a program of programs/ some times, and then once for each line that it is sent. Tells what it
-- computes once, and the processor time of each further run in seconds.
local run, size = dofile(arg[1])
local times = tonumber(arg[2] or 10)
local result
for _ = 1, times do
  result = run(size)
end
io.write(string.format("%.14g", result), "\n")
io.flush()
for _ in io.lines() do
  local began = os.clock()
  local again = run(size)
  local ended = os.clock()
  assert(again == result, "another result")
  io.write(string.format("%.6f", ended - began), "\n")
  io.flush()
end
