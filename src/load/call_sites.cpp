// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load/call_sites.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include <Zydis/Zydis.h>
#include <elf.h>

namespace sartor::load {

namespace {

constexpr std::array landing_pad = {std::byte{0xf3}, std::byte{0x0f}, std::byte{0x1e},
                                    std::byte{0xfa}}; // endbr64
constexpr std::byte bnd_prefix{0xf2};
constexpr std::size_t size_of_jump = 6; ///< `jmp *slot(%rip)`.

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 2 + 16 + 1> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return text.data();
}

/// Whether an operand in memory is relative to the instruction.
bool is_relative(const ZydisDecodedInstruction &instruction) {
  const auto &raw = instruction.raw;
  return raw.modrm.offset != 0 && raw.modrm.mod == 0 && raw.modrm.rm == 5 && raw.disp.size == 32;
}

/// Whether what follows an instruction is not reached from it.
bool ends(const ZydisDecodedInstruction &instruction) {
  return instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
         instruction.meta.category == ZYDIS_CATEGORY_RET ||
         instruction.mnemonic == ZYDIS_MNEMONIC_UD2 || instruction.mnemonic == ZYDIS_MNEMONIC_HLT;
}

/// Which relocation fills a word, by its address.
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

/// Where what is writable lies, and what nothing should refer to from code.
struct DataRange {
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  std::uint64_t readonly_end = 0;
  std::uint64_t unwind = 0, unwind_end = 0; ///< Between them there is only unwind information.
  std::uint64_t dynamic = 0, dynamic_end = 0;

  static DataRange of(const ElfFile &file) {
    DataRange range;
    for (const Segment &segment : file.segments()) {
      const std::uint64_t end = segment.address + segment.memory_size;
      if (segment.protection.write) {
        range.begin = std::min(range.begin, segment.address);
        range.end = std::max(range.end, end);
      } else {
        range.readonly_end = std::max(range.readonly_end, end);
      }
    }
    range.unwind = range.unwind_end = range.readonly_end;
    for (const Segment &segment : file.segments())
      if (file.unwind_table() && segment.holds(*file.unwind_table())) {
        range.unwind = *file.unwind_table();
        range.unwind_end = segment.address + segment.memory_size;
      }
    if (const Elf64_Phdr *dynamic = file.program_header(PT_DYNAMIC)) {
      range.dynamic = dynamic->p_vaddr;
      range.dynamic_end = dynamic->p_vaddr + dynamic->p_memsz;
    }
    return range;
  }
};

/// Decodes one function after the other.
class Decoder {
public:
  explicit Decoder(const ElfFile &file)
      : file_(file), slots_(slots_of(file)), data_(DataRange::of(file)) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }

  Decoded decode(const std::vector<CodeRange> &functions) {
    for (const CodeRange &function : functions) {
      const std::size_t before = decoded_.sites.size();
      if (!decode(function)) {
        decoded_.sites.resize(before);
        decoded_.undecoded.push_back(function);
      }
    }
    forget_stubs();
    if (!decoded_.undecoded.empty())
      doubt("a function cannot be decoded", decoded_.undecoded.front().begin);
    look_between(functions);
    decoded_.functions = functions;
    return std::move(decoded_);
  }

private:
  bool decode(const CodeRange &function);
  void look_at(const ZydisDecodedInstruction &instruction, std::uint64_t address,
               const CodeRange &function);
  void look_at_branch(const ZydisDecodedInstruction &instruction, std::uint64_t address,
                      const CodeRange &function);
  void look_at_operand(const ZydisDecodedInstruction &instruction, std::uint64_t address);
  void look_for_data(const ZydisDecodedInstruction &instruction, std::uint64_t address);
  void look_between(const std::vector<CodeRange> &functions);
  void look_into(CodeRange gap);
  void follow(CodeRange gap, std::span<const std::byte> code);
  void decode_all(CodeRange gap, std::span<const std::byte> code);
  [[nodiscard]] std::vector<std::uint64_t> may_refer_to_data(std::uint64_t address,
                                                             std::span<const std::byte> code) const;
  [[nodiscard]] bool may_be_code(std::span<const std::byte> code, std::size_t displacement) const;
  bool decode_one(std::span<const std::byte> code, ZydisDecodedInstruction &instruction) const;
  void doubt(const char *what, std::uint64_t address) {
    if (decoded_.doubt.empty())
      decoded_.doubt = std::string(what) + " at " + hexadecimal(address);
  }
  std::optional<std::uint64_t> slot_of_stub(std::uint64_t address);
  void forget_stubs();
  void add(const ZydisDecodedInstruction &instruction, std::uint64_t address, std::uint64_t slot,
           CallSite::Kind kind) {
    if (const auto found = slots_.find(slot); found != slots_.end())
      decoded_.sites.push_back({address, slot, found->second, kind, instruction.length});
  }

  const ElfFile &file_;
  const Slots slots_;
  const DataRange data_;
  ZydisDecoder decoder_{};
  Decoded decoded_;
  std::vector<std::uint64_t> entries_; ///< Where branches lead out of functions.
  /// What branches lead to; nothing where it is no stub.
  std::unordered_map<std::uint64_t, std::optional<std::uint64_t>> stubs_;
};

bool Decoder::decode(const CodeRange &function) {
  const auto code = file_.at(function.begin, function.end - function.begin);
  if (!code)
    return false;
  for (std::size_t at = 0; at < code->size();) {
    ZydisDecodedInstruction instruction;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder_, nullptr, code->data() + at,
                                                    code->size() - at, &instruction)))
      return false;
    ++decoded_.instructions;
    look_at(instruction, function.begin + at, function);
    at += instruction.length;
  }
  return true;
}

void Decoder::look_at(const ZydisDecodedInstruction &instruction, std::uint64_t address,
                      const CodeRange &function) {
  const auto &branch = instruction.raw.imm[0];
  if (branch.is_relative && branch.size == 32)
    look_at_branch(instruction, address, function);
  else if (is_relative(instruction)) {
    look_for_data(instruction, address);
    if (instruction.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
      look_at_operand(instruction, address);
  }
}

void Decoder::look_for_data(const ZydisDecodedInstruction &instruction, std::uint64_t address) {
  if (data_.end == 0)
    return;
  const std::uint64_t target =
      address + instruction.length + static_cast<std::uint64_t>(instruction.raw.disp.value);
  if (target >= data_.dynamic && target < data_.dynamic_end)
    return;                                         // which stays where it is
  if (target >= data_.begin && target <= data_.end) // a pointer to the end, too
    decoded_.data_references.push_back(address + instruction.raw.disp.offset);
  else if ((target > data_.unwind && target < data_.unwind_end) ||
           (target > data_.readonly_end && target < data_.begin)) // or is it data, less a constant?
    doubt("code refers to unwind information", address);
  else if (target > data_.end)
    doubt("code refers to what is not there", address);
}

/// Code that has no unwind information: hand-written, and what starts and ends programs.
void Decoder::look_between(const std::vector<CodeRange> &functions) {
  for (const Symbol &symbol : file_.symbols())
    if (symbol.is_defined && symbol.type == STT_FUNC)
      entries_.push_back(symbol.address);
  std::ranges::sort(entries_);
  std::vector<CodeRange> executable;
  for (const Section &section : file_.sections())
    if (section.protection.execute)
      executable.push_back({section.address, section.address + section.size});
  if (executable.empty())
    for (const Segment &segment : file_.segments())
      if (segment.protection.execute)
        executable.push_back({segment.address, segment.address + segment.file_size});
  std::ranges::sort(executable);
  for (const CodeRange &range : executable) {
    std::uint64_t from = range.begin;
    auto function = std::ranges::lower_bound(functions, from, {}, &CodeRange::end);
    for (; function != functions.end() && function->begin < range.end; ++function) {
      if (function->begin > from)
        look_into({from, function->begin});
      from = std::max(from, function->end);
    }
    if (from < range.end)
      look_into({from, range.end});
  }
}

/// What is led to from code is code; of the rest, what can all be decoded. Whatever else there is,
/// is of no concern as long as no bytes of it could be an instruction that refers to data.
void Decoder::look_into(CodeRange gap) {
  const auto code = file_.at(gap.begin, gap.end - gap.begin);
  if (!code || std::ranges::all_of(*code, [](std::byte byte) {
        return byte == std::byte{0} || byte == std::byte{0x90} || byte == std::byte{0xcc};
      }))
    return;
  const std::size_t before = decoded_.data_references.size();
  follow(gap, *code);
  const auto is_known = [&](std::uint64_t place) {
    return std::find(decoded_.data_references.begin() + static_cast<std::ptrdiff_t>(before),
                     decoded_.data_references.end(), place) != decoded_.data_references.end();
  };
  const auto others = may_refer_to_data(gap.begin, *code);
  if (std::ranges::all_of(others, is_known))
    return;
  decode_all(gap, *code);
  if (const auto other = std::ranges::find_if_not(others, is_known); other != others.end())
    doubt("it cannot be told whether there is code", *other);
}

/// From where branches lead, along the code.
void Decoder::follow(CodeRange gap, std::span<const std::byte> code) {
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
        break; // what refers to data behind it is in doubt
      if (is_relative(instruction))
        look_for_data(instruction, gap.begin + at);
      if (instruction.raw.imm[0].is_relative)
        add(gap.begin + at + instruction.length +
            static_cast<std::uint64_t>(instruction.raw.imm[0].value.s));
      if (ends(instruction))
        break;
      at += instruction.length;
    }
  }
}

/// From the beginning to the end; nothing unless all of it is instructions.
void Decoder::decode_all(CodeRange gap, std::span<const std::byte> code) {
  std::vector<std::pair<std::uint64_t, ZydisDecodedInstruction>> relative;
  for (std::size_t at = 0; at < code.size();) {
    ZydisDecodedInstruction instruction;
    if (code[at] == std::byte{0} || code[at] == std::byte{0xcc}) { // between functions
      ++at;
      continue;
    }
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder_, nullptr, code.data() + at,
                                                    code.size() - at, &instruction)))
      return;
    if (is_relative(instruction))
      relative.emplace_back(gap.begin + at, instruction);
    at += instruction.length;
  }
  for (const auto &[address, instruction] : relative)
    look_for_data(instruction, address);
}

/// Where there could be a displacement to data.
std::vector<std::uint64_t> Decoder::may_refer_to_data(std::uint64_t address,
                                                      std::span<const std::byte> code) const {
  std::vector<std::uint64_t> places;
  for (std::size_t at = 1; at + 4 <= code.size(); ++at) {
    // What says that a displacement is relative to the instruction, which an immediate may follow.
    if ((code[at - 1] & std::byte{0xc7}) != std::byte{0x05})
      continue;
    std::int32_t displacement;
    std::memcpy(&displacement, &code[at], sizeof displacement);
    const std::uint64_t target = address + at + 4 + static_cast<std::uint64_t>(displacement);
    const bool is_data = std::ranges::any_of(std::array{0U, 1U, 2U, 4U}, [&](unsigned immediate) {
      return target + immediate >= data_.begin && target + immediate <= data_.end;
    });
    if (is_data && may_be_code(code, at))
      places.push_back(address + at);
  }
  return places;
}

/// Whether a displacement could be an instruction's, behind which more instructions follow. Tables
/// do not look like that for long.
bool Decoder::may_be_code(std::span<const std::byte> code, std::size_t displacement) const {
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

/// Nothing that only a kernel would do.
bool Decoder::decode_one(std::span<const std::byte> code,
                         ZydisDecodedInstruction &instruction) const {
  return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder_, nullptr, code.data(), code.size(),
                                                    &instruction)) &&
         (instruction.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) == 0;
}

void Decoder::look_at_branch(const ZydisDecodedInstruction &instruction, std::uint64_t address,
                             const CodeRange &function) {
  const std::uint64_t target =
      address + instruction.length + static_cast<std::uint64_t>(instruction.raw.imm[0].value.s);
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
  const std::uint64_t slot =
      address + instruction.length + static_cast<std::uint64_t>(instruction.raw.disp.value);
  const unsigned extension = instruction.raw.modrm.reg;
  if (instruction.opcode == 0xff && extension == 2)
    add(instruction, address, slot, CallSite::Kind::call_slot);
  else if (instruction.opcode == 0xff && extension == 4)
    add(instruction, address, slot, CallSite::Kind::jump_slot);
  else if (instruction.opcode == 0x8b && instruction.operand_width == 64)
    add(instruction, address, slot, CallSite::Kind::load_slot);
}

/// A stub is `jmp *slot(%rip)`, perhaps behind a landing pad and with a `bnd` prefix.
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

/// The table of stubs has unwind information, too, and is decoded like a function.
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
  auto functions = function_bounds(file);
  if (!functions)
    return std::unexpected(std::move(functions.error()));
  return Decoder(file).decode(*functions);
}

} // namespace sartor::load
