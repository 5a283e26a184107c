-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- The sun and four planets, symplectic Euler steps.
local sqrt = math.sqrt
local pi = 3.141592653589793
local solar_mass = 4 * pi * pi
local days = 365.24

local function body(x, y, z, vx, vy, vz, mass)
  return {x = x, y = y, z = z, vx = vx * days, vy = vy * days, vz = vz * days, mass = mass * solar_mass}
end

local function system()
  return {
    body(0, 0, 0, 0, 0, 0, 1),
    body(4.8414314424647209, -1.16032004402742839, -0.103622044471123109, 0.00166007664274403694,
         0.00769901118419740425, -0.0000690460016972063023, 0.000954791938424326609),
    body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -0.00276742510726411,
         0.00499852801234917238, 0.0000230417297573763929, 0.000285885980666130812),
    body(12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 0.00296460137564761618,
         0.0023784717395948095, -0.0000296589568540237556, 0.0000436624404335156298),
    body(15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.00268067772490389322,
         0.00162824170038242295, -0.0000951592254519715870, 0.0000515138902046611451),
  }
end

local function advance(bodies, dt)
  for i = 1, #bodies do
    local a = bodies[i]
    for j = i + 1, #bodies do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      local square = dx * dx + dy * dy + dz * dz
      local magnitude = dt / (square * sqrt(square))
      local of_a, of_b = a.mass * magnitude, b.mass * magnitude
      a.vx = a.vx - dx * of_b
      a.vy = a.vy - dy * of_b
      a.vz = a.vz - dz * of_b
      b.vx = b.vx + dx * of_a
      b.vy = b.vy + dy * of_a
      b.vz = b.vz + dz * of_a
    end
  end
  for i = 1, #bodies do
    local a = bodies[i]
    a.x = a.x + dt * a.vx
    a.y = a.y + dt * a.vy
    a.z = a.z + dt * a.vz
  end
end

local function energy(bodies)
  local sum = 0
  for i = 1, #bodies do
    local a = bodies[i]
    sum = sum + 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
    for j = i + 1, #bodies do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      sum = sum - a.mass * b.mass / sqrt(dx * dx + dy * dy + dz * dz)
    end
  end
  return sum
end

return function(steps)
  local bodies = system()
  for _ = 1, steps do
    advance(bodies, 0.01)
  end
  return energy(bodies)
end, 8000
