-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- One-way constraints between variables, of which the strongest are satisfied first, in the manner of DeltaBlue: a plan is
-- extracted and executed.
local REQUIRED, STRONG, NORMAL, WEAKEST = 1, 2, 3, 4

local Variable = {}
Variable.__index = Variable
function Variable.new(value)
  return setmetatable({value = value, constraints = {}, count = 0, by = nil, mark = 0, strength = WEAKEST, stays = true}, Variable)
end
function Variable:add(constraint)
  self.count = self.count + 1
  self.constraints[self.count] = constraint
end
function Variable:remove(constraint)
  local all, kept = self.constraints, 0
  for i = 1, self.count do
    if all[i] ~= constraint then
      kept = kept + 1
      all[kept] = all[i]
    end
  end
  all[self.count] = nil
  self.count = kept
  if self.by == constraint then
    self.by = nil
  end
end

local Constraint = {}
Constraint.__index = Constraint

local function class(parent)
  local made = setmetatable({}, parent)
  made.__index = made
  return made
end

local Edit = class(Constraint)
local Equal = class(Constraint)
local Scale = class(Equal)

local function weaker(a, b)
  return a > b
end

function Edit.new(variable, strength)
  local made = setmetatable({out = variable, strength = strength, satisfied = false}, Edit)
  variable:add(made)
  return made
end
function Edit:choose(mark)
  self.satisfied = self.out.mark ~= mark and weaker(self.out.strength, self.strength)
end
function Edit:is_ready()
  return true
end
function Edit:recalculate()
  self.out.strength = self.strength
  self.out.stays = false
end
function Edit:execute() end
function Edit:output()
  return self.out
end
function Edit:unhook()
  self.out:remove(self)
end

function Equal.make(of_class, a, b, strength, scale, offset)
  local made = setmetatable({a = a, b = b, strength = strength, forward = nil, satisfied = false, scale = scale, offset = offset}, of_class)
  a:add(made)
  b:add(made)
  return made
end
function Equal:choose(mark)
  local a, b = self.a, self.b
  if a.mark == mark then
    self.satisfied = b.mark ~= mark and weaker(b.strength, self.strength)
    self.forward = true
  elseif b.mark == mark then
    self.satisfied = a.mark ~= mark and weaker(a.strength, self.strength)
    self.forward = false
  elseif weaker(a.strength, b.strength) then
    self.satisfied = weaker(a.strength, self.strength)
    self.forward = false
  else
    self.satisfied = weaker(b.strength, self.strength)
    self.forward = true
  end
end
function Equal:input()
  if self.forward then
    return self.a
  end
  return self.b
end
function Equal:output()
  if self.forward then
    return self.b
  end
  return self.a
end
function Equal:is_ready(mark)
  local input = self:input()
  return input.mark == mark or input.stays or input.by == nil
end
function Equal:recalculate()
  local input, output = self:input(), self:output()
  output.strength = input.strength > self.strength and input.strength or self.strength
  output.stays = input.stays
  if output.stays then
    self:execute()
  end
end
function Equal:execute()
  self:output().value = self:input().value
end
function Equal:unhook()
  self.a:remove(self)
  self.b:remove(self)
end

function Scale:execute()
  if self.forward then
    self.b.value = self.a.value * self.scale + self.offset
  else
    self.a.value = (self.b.value - self.offset) / self.scale
  end
end

local Planner = {}
Planner.__index = Planner
function Planner.new()
  return setmetatable({mark = 0}, Planner)
end
function Planner:next_mark()
  self.mark = self.mark + 1
  return self.mark
end
function Planner:satisfy(constraint, mark)
  constraint:choose(mark)
  if not constraint.satisfied then
    return nil
  end
  local output = constraint:output()
  local overridden = output.by
  if overridden then
    overridden.satisfied = false
  end
  output.by = constraint
  self:propagate(constraint)
  output.mark = mark
  return overridden
end
function Planner:add(constraint)
  local mark = self:next_mark()
  local overridden = self:satisfy(constraint, mark)
  while overridden do
    overridden = self:satisfy(overridden, mark)
  end
end
function Planner:propagate(constraint)
  local todo, count = {constraint}, 1
  while count > 0 do
    local c = todo[count]
    todo[count] = nil
    count = count - 1
    c:recalculate()
    local output = c:output()
    for i = 1, output.count do
      local other = output.constraints[i]
      if other ~= output.by and other.satisfied and other:output() ~= output then
        count = count + 1
        todo[count] = other
      end
    end
  end
end
function Planner:plan(sources)
  local mark = self:next_mark()
  local plan, size = {}, 0
  local todo, count = {}, 0
  for i = 1, #sources do
    count = count + 1
    todo[count] = sources[i]
  end
  while count > 0 do
    local c = todo[count]
    todo[count] = nil
    count = count - 1
    local output = c:output()
    if output.mark ~= mark and c:is_ready(mark) then
      size = size + 1
      plan[size] = c
      output.mark = mark
      for i = 1, output.count do
        local other = output.constraints[i]
        if other ~= output.by and other.satisfied then
          count = count + 1
          todo[count] = other
        end
      end
    end
  end
  return plan, size
end
function Planner:remove(constraint)
  local output = constraint.satisfied and constraint:output()
  constraint:unhook()
  if output then
    constraint.satisfied = false
    output.by = nil
    output.strength = WEAKEST
    output.stays = true
    for i = 1, output.count do
      local other = output.constraints[i]
      if not other.satisfied then
        self:add(other)
      end
    end
  end
end

local function chain(length)
  local planner = Planner.new()
  local variables = {}
  for i = 1, length + 1 do
    variables[i] = Variable.new(0)
  end
  for i = 1, length do
    local of_class = i % 3 == 0 and Scale or Equal
    planner:add(Equal.make(of_class, variables[i], variables[i + 1], REQUIRED, 2, 1))
  end
  local edit = Edit.new(variables[1], STRONG)
  planner:add(edit)
  local sum = 0
  for value = 1, 40 do
    local plan, size = planner:plan({edit})
    variables[1].value = value
    for i = 1, size do
      plan[i]:execute()
    end
    sum = (sum + variables[length + 1].value) % 1000003
  end
  planner:remove(edit)
  return sum
end

return function(length)
  local sum = 0
  for _ = 1, 5 do
    sum = sum + chain(length)
  end
  return sum
end, 150
