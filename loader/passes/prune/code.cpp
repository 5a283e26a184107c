// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prune/code.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/raw_bytes.h"
#include "loader/lib/decode/instructions.h"
#include "loader/lib/file/hexadecimal.h"

namespace sartor::prune {

namespace {

/// Limit of bytes outside of functions: for each byte, more than a hundred bytes are stored.
constexpr std::uint64_t most_between = std::uint64_t{4} << 20;

class Decoder {
public:
  explicit Decoder(const Library &library) : library_(library) {}

  Code decode();
  bool is_padding(const Range &gap) const;

private:
  bool decode(const Range &function, Uses &uses);
  void look_for_large_model(const Uses &uses, const std::vector<std::uint64_t> &numbers,
                            std::uint64_t address);
  void check_branches();
  [[nodiscard]] bool is_beginning(std::uint64_t address) const {
    return std::ranges::binary_search(beginnings_, address);
  }
  void doubt(const char *what, std::uint64_t address) {
    if (code_.doubt.empty())
      code_.doubt = std::string(what) + " at " + loader::hexadecimal(address);
  }

  const Library &library_;
  const loader::InstructionDecoder decoder_;
  Code code_;
  std::vector<std::uint64_t> beginnings_; ///< Addresses of instructions, sorted.
  std::vector<std::uint64_t> inner_;      ///< Targets of branches within functions.
};

Code Decoder::decode() {
  code_.functions.resize(library_.functions().size());
  for (std::size_t i = 0; i < code_.functions.size(); ++i)
    if (!decode(library_.functions()[i], code_.functions[i])) {
      doubt("a function cannot be decoded", library_.functions()[i].begin);
      return std::move(code_);
    }
  check_branches();
  return std::move(code_);
}

bool Decoder::decode(const Range &function, Uses &uses) {
  const auto from = library_.from(function.begin);
  if (from.size() < function.end - function.begin)
    return false;
  const auto code = from.first(function.end - function.begin);
  std::vector<std::uint64_t> numbers;
  for (std::size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction instruction;
    if (!decoder_.decode(code.subspan(at), instruction))
      return false;
    const std::uint64_t address = function.begin + at;
    beginnings_.push_back(address);
    at += instruction.length;
    const auto &immediate = instruction.raw.imm[0];
    if (immediate.is_relative) {
      const std::uint64_t target = loader::target_of(instruction, address);
      (function.holds(target) ? inner_ : uses.branches).push_back(target);
    } else if (immediate.size == 64) {
      numbers.push_back(immediate.value.u);
    }
    if (loader::is_relative(instruction))
      uses.operands.push_back(loader::operand_of(instruction, address));
    uses.runs_on = !loader::ends(instruction);
  }
  look_for_large_model(uses, numbers, function.begin);
  return true;
}

/// Detects code of the large and the medium model, which adds numbers of 64 bits to a base address.
/// Other code does not need 64 bits for such a near distance.
void Decoder::look_for_large_model(const Uses &uses, const std::vector<std::uint64_t> &numbers,
                                   std::uint64_t address) {
  for (const std::uint64_t number : numbers)
    for (const std::uint64_t operand : uses.operands)
      if (library_.segment_at(operand + number) != nullptr)
        doubt("code of the large model", address);
}

/// Checks the targets of branches. A branch into the middle of an instruction indicates data in the
/// code, which was then not decoded as it executes. Jumping over a prefix is common.
void Decoder::check_branches() {
  const auto check = [&](std::uint64_t target) {
    if (!library_.is_executable(target))
      doubt("a branch leads out of the code", target);
    if (!library_.function_at(target) || is_beginning(target))
      return;
    const auto before = library_.from(target - 1);
    const bool is_after_prefix = !before.empty() && is_beginning(target - 1) &&
                                 (before[0] == std::byte{0xf0} || before[0] == std::byte{0xf2} ||
                                  before[0] == std::byte{0xf3});
    if (!is_after_prefix)
      doubt("a branch leads into the middle of an instruction", target);
  };
  std::ranges::for_each(inner_, check);
  for (const Uses &uses : code_.functions)
    std::ranges::for_each(uses.branches, check);
}

bool Decoder::is_padding(const Range &gap) const {
  const auto code = library_.from(gap.begin).first(gap.end - gap.begin);
  for (std::size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction instruction;
    if (code[at] == std::byte{0} || code[at] == std::byte{0xcc}) {
      ++at;
      continue;
    }
    if (!decoder_.decode(code.subspan(at), instruction))
      return false;
    if (instruction.mnemonic != ZYDIS_MNEMONIC_NOP)
      return false;
    at += instruction.length;
  }
  return true;
}

/// True if a byte is the opcode of a jump with a displacement of one byte.
bool is_short_jump(std::byte opcode) {
  return opcode == std::byte{0xeb} || (opcode & std::byte{0xf0}) == std::byte{0x70} ||
         (opcode & std::byte{0xfc}) == std::byte{0xe0};
}

} // namespace

Code decode(const Library &library) { return Decoder(library).decode(); }

GapUses look_between(const Library &library) {
  const Decoder decoder(library);
  GapUses uses;
  std::uint64_t looked_at = 0;
  for (const Range &gap : library.gaps()) {
    if (decoder.is_padding(gap))
      continue;
    looked_at += gap.end - gap.begin;
    if (looked_at > most_between)
      return {{}, "too much of its code has no unwind information"};
    uses.targets.push_back(gap.end); // execution may continue after it
    const auto code = library.from(gap.begin).first(gap.end - gap.begin);
    for (std::size_t at = 0; at < code.size(); ++at) {
      const std::uint64_t address = gap.begin + at;
      if (is_short_jump(code[at]) && at + 1 < code.size())
        uses.targets.push_back(
            address + 2 + static_cast<std::uint64_t>(base::value_at<std::int8_t>(code, at + 1)));
      if (at + 4 <= code.size())
        // An instruction may have an immediate after its displacement.
        for (const unsigned behind : {4U, 5U, 6U, 8U})
          uses.targets.push_back(
              address + behind +
              static_cast<std::uint64_t>(base::value_at<std::int32_t>(code, at)));
      if (at + 8 <= code.size())
        uses.targets.push_back(base::value_at<std::uint64_t>(code, at));
    }
  }
  return uses;
}

} // namespace sartor::prune
