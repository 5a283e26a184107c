// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/call_sites.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include <elf.h>

#include "loader/lib/decode/code_between.h"
#include "loader/lib/decode/data_operands.h"
#include "loader/lib/decode/instructions.h"

namespace sartor::loader {

namespace {

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
