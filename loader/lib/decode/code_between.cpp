// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/code_between.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include <elf.h>

#include "loader/lib/decode/instructions.h"

namespace sartor::loader {

namespace {

class CodeBetween {
public:
  /// `entries` must be sorted.
  CodeBetween(const ElfFile &file, const std::vector<std::uint64_t> &entries, DataOperands &data)
      : file_(file), entries_(entries), data_(data) {}

  void look_into(CodeRange gap);

private:
  void follow(CodeRange gap, std::span<const std::byte> code);
  void decode_all(CodeRange gap, std::span<const std::byte> code);
  [[nodiscard]] std::vector<std::uint64_t> may_refer_to_data(std::uint64_t address,
                                                             std::span<const std::byte> code) const;
  [[nodiscard]] bool may_be_code(std::span<const std::byte> code, std::size_t displacement) const;
  bool decode_one(std::span<const std::byte> code, ZydisDecodedInstruction &instruction) const;

  const ElfFile &file_;
  const std::vector<std::uint64_t> &entries_;
  DataOperands &data_;
  const InstructionDecoder decoder_;
};

/// Code that branches lead to is decoded as code; of the rest, parts that decode completely.
/// Remaining bytes are ignored as long as none of them could be an instruction that refers to data.
void CodeBetween::look_into(CodeRange gap) {
  const auto code = file_.at(gap.begin, gap.end - gap.begin);
  if (!code || std::ranges::all_of(*code, [](std::byte byte) {
        return byte == std::byte{0} || byte == std::byte{0x90} || byte == std::byte{0xcc};
      }))
    return;
  const std::size_t before = data_.places().size();
  follow(gap, *code);
  const auto is_known = [&](std::uint64_t place) {
    return std::find(data_.places().begin() + static_cast<std::ptrdiff_t>(before),
                     data_.places().end(), place) != data_.places().end();
  };
  const auto others = may_refer_to_data(gap.begin, *code);
  if (std::ranges::all_of(others, is_known))
    return;
  decode_all(gap, *code);
  if (const auto other = std::ranges::find_if_not(others, is_known); other != others.end())
    data_.doubt("bytes may be code or data", *other);
}

/// Decodes along the code from the targets of branches.
void CodeBetween::follow(CodeRange gap, std::span<const std::byte> code) {
  std::vector<bool> seen(code.size());
  std::vector<std::uint64_t> next;
  const auto add = [&](std::uint64_t address) {
    if (address >= gap.begin && address < gap.end)
      next.push_back(address - gap.begin);
  };
  for (auto entry = std::ranges::lower_bound(entries_, gap.begin);
       entry != entries_.end() && *entry < gap.end; ++entry)
    add(*entry);
  while (!next.empty()) {
    std::uint64_t at = next.back();
    next.pop_back();
    while (at < code.size() && !seen[at]) {
      seen[at] = true;
      ZydisDecodedInstruction instruction;
      if (!decode_one(code.subspan(at), instruction))
        break; // later references to data are in doubt
      data_.look_at(instruction, gap.begin + at);
      if (instruction.raw.imm[0].is_relative)
        add(target_of(instruction, gap.begin + at));
      if (ends(instruction))
        break;
      at += instruction.length;
    }
  }
}

/// Decodes the range from beginning to end; collects nothing unless all of it is instructions.
void CodeBetween::decode_all(CodeRange gap, std::span<const std::byte> code) {
  std::vector<std::pair<std::uint64_t, ZydisDecodedInstruction>> decoded;
  for (std::size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction instruction;
    if (code[at] == std::byte{0} || code[at] == std::byte{0xcc}) { // padding between functions
      ++at;
      continue;
    }
    if (!decoder_.decode(code.subspan(at), instruction))
      return;
    if (is_relative(instruction) || instruction.raw.imm[0].size == 64)
      decoded.emplace_back(gap.begin + at, instruction);
    at += instruction.length;
  }
  for (const auto &[address, instruction] : decoded)
    data_.look_at(instruction, address);
}

/// Returns the positions of possible displacements to data.
std::vector<std::uint64_t> CodeBetween::may_refer_to_data(std::uint64_t address,
                                                          std::span<const std::byte> code) const {
  std::vector<std::uint64_t> places;
  for (std::size_t at = 1; at + 4 <= code.size(); ++at) {
    // This byte (ModRM) marks a displacement as relative to the instruction, after which an
    // immediate may follow.
    if ((code[at - 1] & std::byte{0xc7}) != std::byte{0x05})
      continue;
    std::int32_t displacement;
    std::memcpy(&displacement, &code[at], sizeof displacement);
    const std::uint64_t target = address + at + 4 + static_cast<std::uint64_t>(displacement);
    const bool is_data = std::ranges::any_of(std::array{0U, 1U, 2U, 4U}, [&](unsigned immediate) {
      return data_.is_data(target + immediate);
    });
    if (is_data && may_be_code(code, at))
      places.push_back(address + at);
  }
  return places;
}

/// True if a displacement could belong to an instruction that is followed by more instructions.
/// Tables rarely decode as instructions for long.
bool CodeBetween::may_be_code(std::span<const std::byte> code, std::size_t displacement) const {
  constexpr std::size_t longest_prefix = 10;
  constexpr int far_enough = 32;
  for (std::size_t before = 2; before <= std::min(displacement, longest_prefix); ++before) {
    std::size_t at = displacement - before;
    ZydisDecodedInstruction instruction;
    if (!decode_one(code.subspan(at), instruction) || !is_relative(instruction) ||
        instruction.raw.disp.offset != before)
      continue;
    for (int i = 0;; ++i) {
      at += instruction.length;
      if (ends(instruction) || i == far_enough || at >= code.size())
        return true;
      if (!decode_one(code.subspan(at), instruction))
        break;
    }
  }
  return false;
}

/// Decodes one instruction that is not privileged.
bool CodeBetween::decode_one(std::span<const std::byte> code,
                             ZydisDecodedInstruction &instruction) const {
  return decoder_.decode(code, instruction) &&
         (instruction.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) == 0;
}

} // namespace

void look_between(const ElfFile &file, const std::vector<CodeRange> &functions,
                  std::vector<std::uint64_t> entries, DataOperands &data) {
  for (const Symbol &symbol : file.symbols())
    if (symbol.is_defined && symbol.type == STT_FUNC)
      entries.push_back(symbol.address);
  std::ranges::sort(entries);
  CodeBetween looker(file, entries, data);
  std::vector<CodeRange> executable;
  for (const Section &section : file.sections())
    if (section.protection.execute)
      executable.push_back({section.address, section.address + section.size});
  if (executable.empty())
    for (const Segment &segment : file.segments())
      if (segment.protection.execute)
        executable.push_back({segment.address, segment.address + segment.file_size});
  std::ranges::sort(executable);
  for (const CodeRange &range : executable)
    for (const CodeRange &gap : between(functions, range))
      looker.look_into(gap);
}

} // namespace sartor::loader
