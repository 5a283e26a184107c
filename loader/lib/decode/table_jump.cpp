// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/table_jump.h"

#include <algorithm>
#include <array>
#include <vector>

#include "loader/lib/decode/instructions.h"

namespace sartor::loader {

namespace {

constexpr std::uint32_t most_entries = 4096;

ZydisRegister whole(ZydisRegister part) {
  return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
}

/// An instruction with its operands, also those that are not written down.
struct Instruction {
  std::uint64_t at = 0;
  ZydisDecodedInstruction about{};
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands{};

  [[nodiscard]] std::uint64_t end() const { return at + about.length; }
  [[nodiscard]] std::span<const ZydisDecodedOperand> all() const {
    return std::span(operands).first(about.operand_count);
  }
  [[nodiscard]] bool is_register(std::size_t index, ZydisRegister which) const {
    return operands[index].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[index].reg.value == which;
  }
  [[nodiscard]] bool is_register(std::size_t index) const {
    return operands[index].type == ZYDIS_OPERAND_TYPE_REGISTER;
  }
};

class OperandDecoder {
public:
  explicit OperandDecoder(std::span<const std::byte> code) : code_(code) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }
  [[nodiscard]] std::optional<Instruction> at(std::uint64_t at) const {
    Instruction instruction;
    instruction.at = at;
    if (at >= code_.size() ||
        !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code_.data() + at, code_.size() - at,
                                             &instruction.about, instruction.operands.data())))
      return std::nullopt;
    return instruction;
  }

private:
  const std::span<const std::byte> code_;
  ZydisDecoder decoder_{};
};

/// True if the result does not depend on the register: zero, or the carry flag.
bool is_independent(const Instruction &instruction) {
  const auto mnemonic = instruction.about.mnemonic;
  return (mnemonic == ZYDIS_MNEMONIC_XOR || mnemonic == ZYDIS_MNEMONIC_SUB ||
          mnemonic == ZYDIS_MNEMONIC_SBB) &&
         instruction.is_register(0) && instruction.is_register(1) &&
         instruction.operands[0].reg.value == instruction.operands[1].reg.value;
}

/// True if an instruction may use an address in a register. Parts of 8 or 16 bits are no addresses.
bool reads(const Instruction &instruction, ZydisRegister which) {
  constexpr unsigned least = 32;
  if (instruction.about.mnemonic == ZYDIS_MNEMONIC_NOP || is_independent(instruction))
    return false;
  return std::ranges::any_of(instruction.all(), [&](const ZydisDecodedOperand &operand) {
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY)
      return whole(operand.mem.base) == which || whole(operand.mem.index) == which;
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && whole(operand.reg.value) == which &&
           operand.size >= least && (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
  });
}

bool may_write(const Instruction &instruction, ZydisRegister which) {
  return std::ranges::any_of(instruction.all(), [&](const ZydisDecodedOperand &operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && whole(operand.reg.value) == which &&
           (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
  });
}

/// True if the instruction replaces the whole register, whatever it is.
bool overwrites(const Instruction &instruction, ZydisRegister which) {
  return std::ranges::any_of(instruction.all(), [&](const ZydisDecodedOperand &operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && whole(operand.reg.value) == which &&
           (operand.actions & ZYDIS_OPERAND_ACTION_WRITE) != 0 && operand.size >= 32;
  });
}

/// True for registers that calls may change.
bool is_lost_in_calls(ZydisRegister which) {
  constexpr std::array kept = {ZYDIS_REGISTER_RBX, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_R12,
                               ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14, ZYDIS_REGISTER_R15};
  return std::ranges::find(kept, which) == kept.end();
}

/// True for `mov` or `movzx` of a register to another, which keeps its value if that is not
/// negative.
bool is_copy(const Instruction &instruction) {
  const auto mnemonic = instruction.about.mnemonic;
  return (mnemonic == ZYDIS_MNEMONIC_MOV || mnemonic == ZYDIS_MNEMONIC_MOVZX) &&
         instruction.is_register(0) && instruction.is_register(1) &&
         instruction.operands[0].size >= 32;
}

/// Recognizes the instructions of a table jump from the last one to the first one.
class Recognizer {
public:
  Recognizer(const OperandDecoder &decoder, std::span<const std::uint64_t> run)
      : decoder_(decoder), run_(run) {}

  std::optional<TableJump> recognize();

private:
  /// Goes back to the previous instruction; returns false at the begin, and at calls.
  bool back() {
    if (left_ == 0)
      return false;
    const auto instruction = decoder_.at(run_[--left_]);
    if (!instruction || instruction->about.meta.category == ZYDIS_CATEGORY_CALL)
      return false;
    now_ = *instruction;
    return true;
  }
  [[nodiscard]] bool is_branch() const {
    return now_.about.raw.imm[0].is_relative || ends(now_.about);
  }
  bool find_sum();
  bool find_reading();
  bool find_base_and_bound();
  bool look_at_bound();

  const OperandDecoder &decoder_;
  const std::span<const std::uint64_t> run_;
  std::size_t left_ = 0; ///< Number of instructions before the present one.
  Instruction now_;
  TableJump jump_{};
  ZydisRegister index_ = ZYDIS_REGISTER_NONE;
  bool has_base_ = false, is_bounded_ = false;
};

std::optional<TableJump> Recognizer::recognize() {
  left_ = run_.size();
  if (!back() || now_.about.mnemonic != ZYDIS_MNEMONIC_JMP || !now_.is_register(0))
    return std::nullopt;
  jump_.end = static_cast<std::uint32_t>(now_.end());
  jump_.sum = now_.operands[0].reg.value;
  if (!find_sum() || !find_reading() || !find_base_and_bound())
    return std::nullopt;
  return jump_;
}

/// Finds `add base, sum`.
bool Recognizer::find_sum() {
  while (back()) {
    if (now_.about.mnemonic == ZYDIS_MNEMONIC_ADD && now_.is_register(0, jump_.sum) &&
        now_.is_register(1) && now_.operands[1].size == 64) {
      jump_.base = now_.operands[1].reg.value;
      return jump_.base != jump_.sum;
    }
    if (is_branch() || reads(now_, jump_.sum) || may_write(now_, jump_.sum))
      return false;
  }
  return false;
}

/// Finds `movslq (base, index, 4), sum`.
bool Recognizer::find_reading() {
  constexpr std::uint8_t size_of_entry = 4;
  while (back()) {
    const auto &memory = now_.operands[1].mem;
    if (now_.about.mnemonic == ZYDIS_MNEMONIC_MOVSXD && now_.is_register(0, jump_.sum) &&
        now_.operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY && memory.base == jump_.base &&
        memory.scale == size_of_entry && memory.disp.value == 0 &&
        now_.operands[1].size == 8 * size_of_entry && memory.index != jump_.base &&
        memory.index == whole(memory.index) &&
        (memory.segment == ZYDIS_REGISTER_DS || memory.segment == ZYDIS_REGISTER_SS)) {
      index_ = memory.index;
      return index_ != ZYDIS_REGISTER_NONE;
    }
    if (is_branch() || reads(now_, jump_.sum) || may_write(now_, jump_.sum) ||
        reads(now_, jump_.base) || may_write(now_, jump_.base))
      return false;
  }
  return false;
}

/// Finds `lea table(%rip), base` and the comparison of the index, in any order.
bool Recognizer::find_base_and_bound() {
  while (back()) {
    if (!has_base_) {
      if (now_.about.mnemonic == ZYDIS_MNEMONIC_LEA && now_.is_register(0, jump_.base) &&
          is_relative(now_.about) && now_.about.address_width == 64) {
        has_base_ = true;
        jump_.place = static_cast<std::uint32_t>(now_.at + now_.about.raw.disp.offset);
        jump_.from = static_cast<std::uint32_t>(now_.end());
        jump_.table = static_cast<std::int64_t>(now_.end()) + now_.about.raw.disp.value;
      } else if (reads(now_, jump_.base) || may_write(now_, jump_.base)) {
        return false;
      }
    }
    if (!is_bounded_) {
      if (now_.about.mnemonic == ZYDIS_MNEMONIC_JNBE) {
        if (!look_at_bound())
          return false;
      } else if (is_branch()) {
        return false;
      } else if (may_write(now_, index_)) {
        if (!is_copy(now_))
          return false;
        index_ = whole(now_.operands[1].reg.value);
      }
    } else if (is_branch()) {
      return false;
    }
    jump_.begin = static_cast<std::uint32_t>(now_.at);
    if (has_base_ && is_bounded_)
      return true;
  }
  return false;
}

/// Looks at the comparison right before `ja`. The register may be wider than what is compared: the
/// rest is zero, or the original would read beyond its table.
bool Recognizer::look_at_bound() {
  if (!back() || now_.about.mnemonic != ZYDIS_MNEMONIC_CMP || !now_.is_register(0) ||
      whole(now_.operands[0].reg.value) != index_ ||
      now_.operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
    return false;
  const std::uint64_t last = now_.operands[1].imm.value.u;
  if (last >= most_entries)
    return false;
  jump_.count = static_cast<std::uint32_t>(last) + 1;
  is_bounded_ = true;
  return true;
}

} // namespace

std::optional<TableJump> table_jump_at_end_of(std::span<const std::byte> code,
                                              std::span<const std::uint64_t> run) {
  return Recognizer(OperandDecoder(code), run).recognize();
}

bool is_unread(std::span<const std::byte> code, ZydisRegister whole_register,
               std::span<const std::uint64_t> offsets,
               std::span<const std::uint64_t> landing_pads) {
  const OperandDecoder decoder(code);
  std::vector<bool> seen(code.size());
  std::vector<std::uint64_t> pending(offsets.begin(), offsets.end());
  while (!pending.empty()) {
    std::uint64_t at = pending.back();
    pending.pop_back();
    while (true) {
      const auto instruction = decoder.at(at);
      if (!instruction)
        return false;
      if (seen[at])
        break;
      seen[at] = true;
      if (reads(*instruction, whole_register))
        return false;
      if (overwrites(*instruction, whole_register))
        break;
      const auto &branch = instruction->about.raw.imm[0];
      if (instruction->about.meta.category == ZYDIS_CATEGORY_CALL) {
        pending.insert(pending.end(), landing_pads.begin(), landing_pads.end());
        if (is_lost_in_calls(whole_register))
          break;
      } else if (branch.is_relative) {
        const auto target = static_cast<std::int64_t>(instruction->end()) + branch.value.s;
        if (target >= 0 && static_cast<std::uint64_t>(target) < code.size())
          pending.push_back(static_cast<std::uint64_t>(target));
      }
      at = instruction->end();
      if (ends(instruction->about) || at == code.size())
        break;
    }
  }
  return true;
}

} // namespace sartor::loader
