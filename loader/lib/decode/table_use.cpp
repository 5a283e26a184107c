// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/table_use.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <Zydis/Zydis.h>

#include "loader/lib/decode/instructions.h"

namespace sartor::loader {

namespace {

/// The content of a register or stack slot. Copies have the same number.
struct Value {
  std::uint64_t number = 0;
  std::optional<std::uint64_t> address; ///< The address, if it is known.
  std::optional<std::uint64_t> near;    ///< The address that it was computed from.
  /// Numbers of the registers whose sum is the address that it was read from, and the address near
  /// that sum.
  std::array<std::uint64_t, 2> read_from{};
  std::optional<std::uint64_t> read_near;
  unsigned size = 0; ///< Size of the read in bytes.
};

ZydisRegister whole(ZydisRegister part) {
  return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
}

class Follower {
public:
  Follower(const ElfFile &file,
           const std::function<std::optional<std::uint64_t>(std::uint64_t)> &in_slot)
      : file_(file), in_slot_(in_slot) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }

  TableUse follow(const CodeRange &function);

private:
  using Operands = std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT>;

  void look_at();
  bool look_at_move();
  bool look_at_sum();
  std::optional<std::uint64_t> look_at_memory(const ZydisDecodedOperand &operand);
  void look_at_ends();
  void forget_written();
  std::optional<std::uint64_t> add(const Value &one, const Value &other);
  void compute(const Value &from, std::uint64_t number);
  Value read(const ZydisDecodedOperand &memory);
  std::optional<std::uint64_t> near(const ZydisDecodedOperand &memory);
  void hand_on(const Value &value) {
    if (value.address)
      use_.handed_on.insert(*value.address);
  }

  [[nodiscard]] bool is_register(std::size_t index) const {
    return operands_[index].type == ZYDIS_OPERAND_TYPE_REGISTER;
  }
  [[nodiscard]] bool is_memory(std::size_t index) const {
    return operands_[index].type == ZYDIS_OPERAND_TYPE_MEMORY;
  }
  /// True for a stack slot, which is identified by register and distance.
  [[nodiscard]] static bool is_on_stack(const ZydisDecodedOperand &operand) {
    return (operand.mem.base == ZYDIS_REGISTER_RSP || operand.mem.base == ZYDIS_REGISTER_RBP) &&
           operand.mem.index == ZYDIS_REGISTER_NONE;
  }
  Value fresh(std::optional<std::uint64_t> near = std::nullopt) {
    Value value;
    value.number = ++last_;
    value.near = near;
    return value;
  }
  Value known(std::uint64_t address) {
    auto &number = known_[address];
    if (number == 0)
      number = ++last_;
    Value value;
    value.number = number;
    value.address = value.near = address;
    return value;
  }
  /// Extends a value: it is no address any more, but keeps the address that it was read from.
  void lengthen(Value &value) {
    value.number = ++last_;
    value.address.reset();
    value.near.reset();
  }
  Value &in(ZydisRegister part) {
    Value &value = registers_[whole(part)];
    if (value.number == 0)
      value = fresh();
    return value;
  }
  [[nodiscard]] std::uint64_t next() const { return address_ + instruction_.length; }
  [[nodiscard]] bool is_code(std::uint64_t address) const {
    return std::ranges::any_of(file_.segments(), [&](const Segment &segment) {
      return segment.protection.execute && segment.holds(address);
    });
  }

  const ElfFile &file_;
  const std::function<std::optional<std::uint64_t>(std::uint64_t)> &in_slot_;
  ZydisDecoder decoder_{};
  ZydisDecodedInstruction instruction_{};
  Operands operands_{};
  std::uint64_t address_ = 0;
  std::uint64_t last_ = 0;
  std::map<ZydisRegister, Value> registers_;
  std::map<std::pair<ZydisRegister, std::int64_t>, Value> stack_;
  std::map<std::uint64_t, std::uint64_t> known_;
  /// The sums that are searched for, by number.
  std::map<std::uint64_t, DistanceReading> sums_;
  std::optional<std::uint64_t>
      called_next_; ///< Return address pushed by a call of the next instruction.
  TableUse use_;
};

/// Follows the function twice, so that values that loops carry back are seen at the loops' begin.
TableUse Follower::follow(const CodeRange &function) {
  const auto code = file_.at(function.begin, function.end - function.begin);
  for (int round = 0; code && round < 2; ++round)
    for (std::size_t at = 0; at < code->size(); at += instruction_.length) {
      if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code->data() + at, code->size() - at,
                                               &instruction_, operands_.data())))
        break;
      address_ = function.begin + at;
      look_at();
      if (instruction_.raw.imm[0].is_relative && instruction_.meta.category != ZYDIS_CATEGORY_CALL)
        if (const auto target = target_of(instruction_, address_); !function.holds(target))
          use_.leads_to.insert(target);
    }
  for (const auto &[number, reading] : sums_)
    use_.readings.insert(reading);
  return std::move(use_);
}

void Follower::look_at() {
  for (std::size_t i = 0; i < instruction_.operand_count_visible; ++i)
    if (is_memory(i) && instruction_.mnemonic != ZYDIS_MNEMONIC_LEA)
      look_at_memory(operands_[i]);
  look_at_ends();
  if (!look_at_move() && !look_at_sum())
    forget_written();
}

/// Examines the sum that forms an address; returns its number if the sum is searched for.
std::optional<std::uint64_t> Follower::look_at_memory(const ZydisDecodedOperand &operand) {
  const auto &memory = operand.mem;
  if (memory.base == ZYDIS_REGISTER_NONE || memory.base == ZYDIS_REGISTER_RIP)
    return std::nullopt;
  if (instruction_.raw.disp.size == 32)
    compute(in(memory.base), static_cast<std::uint64_t>(memory.disp.value));
  if (memory.index == ZYDIS_REGISTER_NONE || memory.scale != 1)
    return std::nullopt;
  return add(in(memory.base), in(memory.index));
}

std::optional<std::uint64_t> Follower::add(const Value &one, const Value &other) {
  constexpr std::uint64_t far = 4096; // in a table, always the same word
  for (const auto &[base, distance] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    const bool is_same =
        std::ranges::find(distance->read_from, base->number) != distance->read_from.end();
    const bool is_near =
        base->address && distance->read_near && *distance->read_near - *base->address < far;
    if (is_same || is_near) {
      sums_.emplace(++last_, DistanceReading{base->near, distance->size, false});
      return last_;
    }
  }
  return std::nullopt;
}

/// Records the sum of an address in code and a distance that is known at link time.
void Follower::compute(const Value &from, std::uint64_t number) {
  if (from.address && is_code(*from.address))
    use_.sums.insert(*from.address + number);
}

/// Returns the value of an operand that is read, with the address that it was read from.
Value Follower::read(const ZydisDecodedOperand &operand) {
  const auto &memory = operand.mem;
  Value value = fresh();
  if (memory.base == ZYDIS_REGISTER_RIP) {
    const std::uint64_t from = next() + static_cast<std::uint64_t>(memory.disp.value);
    if (const auto address = in_slot_(from); address && operand.size == 64)
      return known(*address);
    value.read_from = {known(from).number, 0};
    value.read_near = from;
    value.size = operand.size / 8;
    return value;
  }
  if (is_on_stack(operand))
    if (const auto kept = stack_.find({memory.base, memory.disp.value}); kept != stack_.end())
      return kept->second;
  if (memory.base != ZYDIS_REGISTER_NONE)
    value.read_from[0] = in(memory.base).number;
  if (memory.index != ZYDIS_REGISTER_NONE && memory.scale == 1)
    value.read_from[1] = in(memory.index).number;
  value.read_near = near(operand);
  value.size = operand.size / 8;
  return value;
}

/// Returns the address that an operand's address is computed from.
std::optional<std::uint64_t> Follower::near(const ZydisDecodedOperand &operand) {
  const auto &memory = operand.mem;
  for (const ZydisRegister part : {memory.base, memory.index})
    if (part != ZYDIS_REGISTER_NONE && in(part).near)
      return in(part).near;
  return std::nullopt;
}

/// Handles copies, loads and stores, including 32-bit values, which may be extended.
bool Follower::look_at_move() {
  switch (instruction_.mnemonic) {
  case ZYDIS_MNEMONIC_MOV:
  case ZYDIS_MNEMONIC_MOVSXD:
    break;
  case ZYDIS_MNEMONIC_CDQE: {
    Value value = in(ZYDIS_REGISTER_RAX);
    lengthen(value);
    registers_[ZYDIS_REGISTER_RAX] = value;
    return true;
  }
  default:
    return false;
  }
  const auto &to = operands_[0], &from = operands_[1];
  if (is_register(0) && from.size >= 32 && whole(to.reg.value) != ZYDIS_REGISTER_NONE) {
    if (is_register(1)) {
      Value value = in(from.reg.value);
      if (from.size == 32)
        lengthen(value);
      registers_[whole(to.reg.value)] = value;
      return true;
    }
    if (is_memory(1)) {
      registers_[whole(to.reg.value)] = read(from);
      return true;
    }
    return false;
  }
  if (is_memory(0) && is_register(1) && from.size >= 32) {
    const Value value = in(from.reg.value);
    if (is_on_stack(to))
      stack_[{to.mem.base, to.mem.disp.value}] = value;
    if (from.size == 64)
      hand_on(value);
    return true;
  }
  return false;
}

/// Handles additions and address computations.
bool Follower::look_at_sum() {
  if (!is_register(0) || operands_[0].size != 64)
    return false;
  Value &to = in(operands_[0].reg.value);
  const auto &from = operands_[1];
  std::optional<std::uint64_t> sum, nearest;
  switch (instruction_.mnemonic) {
  case ZYDIS_MNEMONIC_LEA:
    if (from.mem.base == ZYDIS_REGISTER_RIP) {
      to = known(next() + static_cast<std::uint64_t>(from.mem.disp.value));
      return true;
    }
    sum = look_at_memory(from);
    nearest = near(from);
    break;
  case ZYDIS_MNEMONIC_ADD:
    nearest = to.near;
    if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
      compute(to, from.imm.value.u);
      break;
    }
    sum = add(to, is_register(1) ? in(from.reg.value) : read(from));
    if (is_register(1) && !nearest)
      nearest = in(from.reg.value).near;
    break;
  case ZYDIS_MNEMONIC_SUB:
    if (from.type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
      return false;
    nearest = to.near;
    break;
  case ZYDIS_MNEMONIC_POP:
    if (called_next_) {
      to = known(*called_next_);
      called_next_.reset();
      return true;
    }
    return false;
  default:
    return false;
  }
  to = fresh(nearest);
  if (sum)
    to.number = *sum;
  return true;
}

/// Handles branches, calls and returns, which leave the function or continue elsewhere in it.
void Follower::look_at_ends() {
  constexpr std::array arguments = {ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDX,
                                    ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9};
  constexpr std::array changed = {ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11};
  const bool is_call = instruction_.meta.category == ZYDIS_CATEGORY_CALL;
  const bool is_jump = instruction_.mnemonic == ZYDIS_MNEMONIC_JMP;
  if (is_jump && is_register(0))
    if (const auto sum = sums_.find(in(operands_[0].reg.value).number); sum != sums_.end()) {
      sum->second.jumps = true;
      return;
    }
  if (is_call || is_jump)
    for (const ZydisRegister argument : arguments)
      hand_on(in(argument));
  if (instruction_.mnemonic == ZYDIS_MNEMONIC_RET)
    hand_on(in(ZYDIS_REGISTER_RAX));
  if (instruction_.mnemonic == ZYDIS_MNEMONIC_PUSH && is_register(0))
    hand_on(in(operands_[0].reg.value));
  if (!is_call)
    return;
  if (instruction_.raw.imm[0].is_relative && target_of(instruction_, address_) == next()) {
    called_next_ = next();
    return;
  }
  for (const ZydisRegister argument : arguments)
    registers_[argument] = fresh();
  for (const ZydisRegister each : changed)
    registers_[each] = fresh();
}

void Follower::forget_written() {
  for (std::size_t i = 0; i < instruction_.operand_count; ++i)
    if (is_register(i) && (operands_[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0)
      registers_[whole(operands_[i].reg.value)] = fresh();
}

} // namespace

TableUse look_at_use(const ElfFile &file, const CodeRange &function,
                     const std::function<std::optional<std::uint64_t>(std::uint64_t)> &in_slot) {
  return Follower(file, in_slot).follow(function);
}

} // namespace sartor::loader
