-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- A parser of JSON, which goes through a text byte by byte, and a writer.
local byte, sub, format, concat = string.byte, string.sub, string.format, table.concat

local Parser = {}
Parser.__index = Parser

function Parser:fail(what)
  error(format("%s at %d", what, self.at))
end

function Parser:skip()
  local text, at = self.text, self.at
  while true do
    local c = byte(text, at)
    if c ~= 32 and c ~= 10 and c ~= 9 and c ~= 13 then
      break
    end
    at = at + 1
  end
  self.at = at
  return byte(text, at)
end

function Parser:string()
  local text = self.text
  local first = self.at + 1
  local at = first
  local parts
  while true do
    local c = byte(text, at)
    if c == 34 then
      break
    elseif c == 92 then
      parts = parts or {}
      parts[#parts + 1] = sub(text, first, at - 1)
      local escaped = byte(text, at + 1)
      parts[#parts + 1] = escaped == 110 and "\n" or escaped == 116 and "\t" or sub(text, at + 1, at + 1)
      at = at + 2
      first = at
    elseif not c then
      self:fail("an open string")
    else
      at = at + 1
    end
  end
  self.at = at + 1
  local last = sub(text, first, at - 1)
  if parts then
    parts[#parts + 1] = last
    return concat(parts)
  end
  return last
end

function Parser:number()
  local text, at = self.text, self.at
  local first = at
  local c = byte(text, at)
  while c and (c >= 48 and c <= 57 or c == 45 or c == 43 or c == 46 or c == 101 or c == 69) do
    at = at + 1
    c = byte(text, at)
  end
  self.at = at
  return tonumber(sub(text, first, at - 1)) or self:fail("not a number")
end

function Parser:array()
  local result, n = {}, 0
  self.at = self.at + 1
  if self:skip() == 93 then
    self.at = self.at + 1
    return result
  end
  while true do
    n = n + 1
    result[n] = self:value()
    local c = self:skip()
    self.at = self.at + 1
    if c == 93 then
      return result
    elseif c ~= 44 then
      self:fail("neither , nor ]")
    end
  end
end

function Parser:object()
  local result = {}
  self.at = self.at + 1
  if self:skip() == 125 then
    self.at = self.at + 1
    return result
  end
  while true do
    if self:skip() ~= 34 then
      self:fail("no key")
    end
    local key = self:string()
    if self:skip() ~= 58 then
      self:fail("no :")
    end
    self.at = self.at + 1
    result[key] = self:value()
    local c = self:skip()
    self.at = self.at + 1
    if c == 125 then
      return result
    elseif c ~= 44 then
      self:fail("neither , nor }")
    end
  end
end

function Parser:word(word, value)
  if sub(self.text, self.at, self.at + #word - 1) ~= word then
    self:fail("an unknown word")
  end
  self.at = self.at + #word
  return value
end

function Parser:value()
  local c = self:skip()
  if c == 123 then
    return self:object()
  elseif c == 91 then
    return self:array()
  elseif c == 34 then
    return self:string()
  elseif c == 116 then
    return self:word("true", true)
  elseif c == 102 then
    return self:word("false", false)
  elseif c == 110 then
    return self:word("null", nil)
  end
  return self:number()
end

local function write(value, out)
  local kind = type(value)
  if kind == "table" then
    if value[1] ~= nil then
      out[#out + 1] = "["
      for i = 1, #value do
        if i > 1 then
          out[#out + 1] = ","
        end
        write(value[i], out)
      end
      out[#out + 1] = "]"
    else
      local keys = {}
      for key in pairs(value) do
        keys[#keys + 1] = key
      end
      table.sort(keys)
      out[#out + 1] = "{"
      for i = 1, #keys do
        out[#out + 1] = (i > 1 and ',"' or '"') .. keys[i] .. '":'
        write(value[keys[i]], out)
      end
      out[#out + 1] = "}"
    end
  elseif kind == "string" then
    out[#out + 1] = '"' .. value .. '"'
  else
    out[#out + 1] = tostring(value)
  end
end

local function make(orders)
  local lines = {}
  for i = 1, orders do
    lines[i] = format('{"id": %d, "name": "customer number %d", "paid": %s,\n "items": [%d, %.2f, -3e2, []], "note": "a \\"word\\" and\\ta tab", "to": {"street": "Long lane", "number": %d}}',
                      i, i * 7, i % 3 == 0 and "true" or "false", i * 31, i / 7, i % 90)
  end
  return "[" .. concat(lines, ",\n") .. "]"
end

local text
return function(orders)
  text = text or make(orders)
  local value = setmetatable({text = text, at = 1}, Parser):value()
  local out = {}
  write(value, out)
  local sum = 0
  for i = 1, #out do
    sum = (sum * 31 + #out[i] + byte(out[i])) % 1000003
  end
  return sum
end, 800
