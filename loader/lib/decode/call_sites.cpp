// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <elf.h>

#include "loader/lib/decode/call_sites.h"
#include "loader/lib/decode/data_operands.h"
#include "loader/lib/decode/instructions.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/unwind_info.h"

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

/// Finds operands in writable memory in code without unwind information: hand-written code and the
/// start and end code of programs. `functions`: functions with unwind information, in order.
/// `entries`: targets of branches out of them.
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

constexpr std::array landing_pad = {std::byte{0xf3}, std::byte{0x0f}, std::byte{0x1e},
                                    std::byte{0xfa}}; // endbr64
constexpr std::byte bnd_prefix{0xf2};
constexpr std::size_t size_of_jump = 6; ///< `jmp *slot(%rip)`.

/// Index of the relocation that fills a word, by the word's address.
using Slots = std::unordered_map<std::uint64_t, std::uint32_t>;

Slots slots_of(const ElfFile &file) {
  Slots slots;
  const auto &relocations = file.relocations();
  for (std::size_t i = 0; i < relocations.size(); ++i)
    switch (relocations[i].type) {
    case R_X86_64_JUMP_SLOT:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_IRELATIVE:
      slots.emplace(relocations[i].address, static_cast<std::uint32_t>(i));
      break;
    default:
      break;
    }
  return slots;
}

/// Decodes functions one after the other.
class Decoder {
public:
  explicit Decoder(const ElfFile &file) : file_(file), slots_(slots_of(file)), data_(file) {}

  Decoded decode(Unwinding unwinding) {
    for (const CodeRange &function : unwinding.functions) {
      const std::size_t before = decoded_.sites.size();
      if (!decode(function)) {
        decoded_.sites.resize(before);
        decoded_.undecoded.push_back(function);
      }
    }
    forget_stubs();
    if (!decoded_.undecoded.empty())
      data_.doubt("a function cannot be decoded", decoded_.undecoded.front().begin);
    look_between(file_, unwinding.functions, std::move(entries_), data_);
    decoded_.data_references = data_.take_places();
    decoded_.operands = data_.take_operands();
    decoded_.doubt = data_.doubt();
    decoded_.unwinding = std::move(unwinding);
    return std::move(decoded_);
  }

private:
  bool decode(const CodeRange &function);
  void look_at(const ZydisDecodedInstruction &instruction, std::uint64_t address,
               const CodeRange &function);
  void look_at_branch(const ZydisDecodedInstruction &instruction, std::uint64_t address,
                      const CodeRange &function);
  void look_at_operand(const ZydisDecodedInstruction &instruction, std::uint64_t address);
  std::optional<std::uint64_t> slot_of_stub(std::uint64_t address);
  void forget_stubs();
  void add(const ZydisDecodedInstruction &instruction, std::uint64_t address, std::uint64_t slot,
           CallSite::Kind kind) {
    if (const auto found = slots_.find(slot); found != slots_.end())
      decoded_.sites.push_back({address, slot, found->second, kind, instruction.length});
  }

  const ElfFile &file_;
  const Slots slots_;
  DataOperands data_;
  const InstructionDecoder decoder_;
  Decoded decoded_;
  std::vector<std::uint64_t> entries_; ///< Targets of branches that leave functions.
  /// Slots of branch targets; empty where a target is not a stub.
  std::unordered_map<std::uint64_t, std::optional<std::uint64_t>> stubs_;
};

bool Decoder::decode(const CodeRange &function) {
  const auto code = file_.at(function.begin, function.end - function.begin);
  if (!code)
    return false;
  for (std::size_t at = 0; at < code->size();) {
    ZydisDecodedInstruction instruction;
    if (!decoder_.decode(code->subspan(at), instruction))
      return false;
    ++decoded_.instructions;
    look_at(instruction, function.begin + at, function);
    at += instruction.length;
  }
  return true;
}

void Decoder::look_at(const ZydisDecodedInstruction &instruction, std::uint64_t address,
                      const CodeRange &function) {
  data_.look_at(instruction, address);
  const auto &branch = instruction.raw.imm[0];
  if (branch.is_relative && branch.size == 32)
    look_at_branch(instruction, address, function);
  else if (is_relative(instruction) && instruction.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
    look_at_operand(instruction, address);
}

void Decoder::look_at_branch(const ZydisDecodedInstruction &instruction, std::uint64_t address,
                             const CodeRange &function) {
  const std::uint64_t target = target_of(instruction, address);
  if (target >= function.begin && target < function.end)
    return;
  entries_.push_back(target);
  std::optional<CallSite::Kind> kind;
  if (instruction.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && instruction.opcode == 0xe8)
    kind = CallSite::Kind::call_stub;
  else if (instruction.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && instruction.opcode == 0xe9)
    kind = CallSite::Kind::jump_stub;
  else if (instruction.opcode_map == ZYDIS_OPCODE_MAP_0F && (instruction.opcode & 0xf0) == 0x80)
    kind = CallSite::Kind::jump_stub_if;
  if (!kind)
    return;
  if (const auto slot = slot_of_stub(target))
    add(instruction, address, *slot, *kind);
}

void Decoder::look_at_operand(const ZydisDecodedInstruction &instruction, std::uint64_t address) {
  const std::uint64_t slot = operand_of(instruction, address);
  const unsigned extension = instruction.raw.modrm.reg;
  if (instruction.opcode == 0xff && extension == 2)
    add(instruction, address, slot, CallSite::Kind::call_slot);
  else if (instruction.opcode == 0xff && extension == 4)
    add(instruction, address, slot, CallSite::Kind::jump_slot);
  else if (instruction.opcode == 0x8b && instruction.operand_width == 64)
    add(instruction, address, slot, CallSite::Kind::load_slot);
}

/// Returns the slot of a stub. A stub is `jmp *slot(%rip)`, possibly after a landing pad and with a
/// `bnd` prefix.
std::optional<std::uint64_t> Decoder::slot_of_stub(std::uint64_t address) {
  const auto [known, fresh] = stubs_.try_emplace(address);
  if (!fresh)
    return known->second;
  auto code = file_.from(address);
  std::uint64_t at = address;
  const auto skip = [&](std::size_t size) {
    code = code.subspan(size);
    at += size;
  };
  if (code.size() >= landing_pad.size() && std::ranges::equal(code.first(4), landing_pad))
    skip(landing_pad.size());
  if (code.size() >= 1 && code[0] == bnd_prefix)
    skip(1);
  if (code.size() < size_of_jump || code[0] != std::byte{0xff} || code[1] != std::byte{0x25})
    return std::nullopt;
  std::int32_t displacement;
  std::memcpy(&displacement, &code[2], sizeof displacement);
  const std::uint64_t slot = at + size_of_jump + static_cast<std::uint64_t>(displacement);
  if (slots_.contains(slot))
    known->second = slot;
  return known->second;
}

/// Drops the sites in the table of stubs, which has unwind information and is decoded like a
/// function.
void Decoder::forget_stubs() {
  std::erase_if(decoded_.sites, [&](const CallSite &site) {
    if (site.kind != CallSite::Kind::jump_slot)
      return false;
    for (const std::uint64_t begin : {site.address, site.address - landing_pad.size()})
      if (const auto stub = stubs_.find(begin); stub != stubs_.end() && stub->second)
        return true;
    return false;
  });
}

} // namespace

const char *to_string(CallSite::Kind kind) {
  switch (kind) {
  case CallSite::Kind::call_stub:
    return "call stub";
  case CallSite::Kind::jump_stub:
    return "jmp stub";
  case CallSite::Kind::jump_stub_if:
    return "jcc stub";
  case CallSite::Kind::call_slot:
    return "call *slot";
  case CallSite::Kind::jump_slot:
    return "jmp *slot";
  case CallSite::Kind::load_slot:
    return "mov slot";
  }
  std::unreachable();
}

Result<Decoded> find_call_sites(const ElfFile &file) {
  auto unwinding = unwinding_of(file);
  if (!unwinding)
    return std::unexpected(std::move(unwinding.error()));
  return Decoder(file).decode(std::move(*unwinding));
}

} // namespace sartor::loader
