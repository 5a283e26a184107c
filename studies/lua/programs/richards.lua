-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- A small operating system: tasks that pass packets to each other, and who runs next (after M. Richards).
local IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = 1, 2, 3, 4, 5, 6
local DEVICE, WORK = 1, 2

local function packet(link, to, kind)
  return {link = link, to = to, kind = kind, datum = 0, data = {0, 0, 0, 0}}
end

local function append(packet_, queue)
  packet_.link = nil
  if not queue then
    return packet_
  end
  local last = queue
  while last.link do
    last = last.link
  end
  last.link = packet_
  return queue
end

local Task = {}
Task.__index = Task

local Scheduler = {}
Scheduler.__index = Scheduler

function Scheduler.new()
  return setmetatable({tasks = {}, list = nil, current = nil, queued = 0, held = 0}, Scheduler)
end

function Scheduler:add(class, id, priority, queue, waiting, state)
  local task = setmetatable(state, class)
  task.id, task.priority, task.input, task.link = id, priority, queue, self.list
  task.packet_pending, task.task_waiting, task.task_holding = queue ~= nil, waiting, false
  task.scheduler = self
  self.list = task
  self.tasks[id] = task
end

function Scheduler:run()
  self.current = self.list
  while self.current do
    local task = self.current
    if task:is_held_or_waiting() then
      self.current = task.link
    else
      self.current = task:run()
    end
  end
end

function Scheduler:release(id)
  local task = self.tasks[id]
  task.task_holding = false
  if task.priority > self.current.priority then
    return task
  end
  return self.current
end

function Scheduler:hold()
  self.held = self.held + 1
  self.current.task_holding = true
  return self.current.link
end

function Scheduler:wait()
  self.current.task_waiting = true
  return self.current
end

function Scheduler:queue(packet_)
  local task = self.tasks[packet_.to]
  self.queued = self.queued + 1
  packet_.link = nil
  packet_.to = self.current.id
  return task:take(packet_, self.current)
end

function Task:is_held_or_waiting()
  return self.task_holding or (not self.packet_pending and self.task_waiting)
end

function Task:take(packet_, current)
  if not self.input then
    self.input = packet_
    self.packet_pending = true
    if self.priority > current.priority then
      return self
    end
  else
    self.input = append(packet_, self.input)
  end
  return current
end

function Task:run()
  local message
  if self.packet_pending and self.task_waiting and not self.task_holding then
    message = self.input
    self.input = message.link
    self.task_waiting = false
    self.packet_pending = self.input ~= nil
  end
  return self:work(message)
end

local function class()
  local made = setmetatable({}, Task)
  made.__index = made
  return made
end

local Idle, Worker, Handler, Device = class(), class(), class(), class()

function Idle:work()
  self.count = self.count - 1
  if self.count == 0 then
    return self.scheduler:hold()
  end
  if self.control & 1 == 0 then
    self.control = self.control >> 1
    return self.scheduler:release(DEVICE_A)
  end
  self.control = (self.control >> 1) ~ 0xd008
  return self.scheduler:release(DEVICE_B)
end

function Worker:work(message)
  if not message then
    return self.scheduler:wait()
  end
  self.destination = self.destination == HANDLER_A and HANDLER_B or HANDLER_A
  message.to = self.destination
  message.datum = 1
  for i = 1, 4 do
    self.letter = self.letter % 26 + 1
    message.data[i] = self.letter + 64
  end
  return self.scheduler:queue(message)
end

function Handler:work(message)
  if message then
    if message.kind == WORK then
      self.work_in = append(message, self.work_in)
    else
      self.device_in = append(message, self.device_in)
    end
  end
  local work = self.work_in
  if work then
    local count = work.datum
    if count > 4 then
      self.work_in = work.link
      return self.scheduler:queue(work)
    end
    local device = self.device_in
    if device then
      self.device_in = device.link
      device.datum = work.data[count]
      work.datum = count + 1
      return self.scheduler:queue(device)
    end
  end
  return self.scheduler:wait()
end

function Device:work(message)
  if message then
    self.pending = message
    return self.scheduler:hold()
  end
  local pending = self.pending
  if not pending then
    return self.scheduler:wait()
  end
  self.pending = nil
  return self.scheduler:queue(pending)
end

return function(count)
  local scheduler = Scheduler.new()
  scheduler:add(Idle, IDLE, 0, nil, false, {control = 1, count = count})
  local queue = packet(packet(nil, WORKER, WORK), WORKER, WORK)
  scheduler:add(Worker, WORKER, 1000, queue, true, {destination = HANDLER_A, letter = 0})
  queue = packet(packet(packet(nil, DEVICE_A, DEVICE), DEVICE_A, DEVICE), DEVICE_A, DEVICE)
  scheduler:add(Handler, HANDLER_A, 2000, queue, true, {})
  queue = packet(packet(packet(nil, DEVICE_B, DEVICE), DEVICE_B, DEVICE), DEVICE_B, DEVICE)
  scheduler:add(Handler, HANDLER_B, 3000, queue, true, {})
  scheduler:add(Device, DEVICE_A, 4000, nil, true, {})
  scheduler:add(Device, DEVICE_B, 5000, nil, true, {})
  scheduler:run()
  return scheduler.queued * 100000 + scheduler.held
end, 12000
