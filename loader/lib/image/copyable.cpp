// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/copyable.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <elf.h>

#include "loader/lib/decode/instructions.h"
#include "loader/lib/file/call_frame.h"
#include "loader/lib/file/language_data.h"

namespace sartor::loader {

namespace {

constexpr const char *odd_frames = "with unwind information of an unknown kind";
constexpr const char *odd_exceptions = "with exception tables of an unknown kind";

constexpr unsigned near_itself = unwind::relative_to_itself | unwind::sdata4;

/// True if a pointer in unwind information can be written elsewhere.
bool can_move(unsigned encoding, bool is_relocatable) {
  switch (encoding & unwind::format_mask) {
  case unwind::absolute:
  case unwind::udata4:
  case unwind::udata8:
  case unwind::sdata4:
  case unwind::sdata8:
    break;
  default:
    return false;
  }
  const unsigned relation = encoding & unwind::relation_mask;
  return relation == unwind::relative_to_itself || (relation == 0 && !is_relocatable);
}

bool is_readonly(const ElfFile &file, std::uint64_t address) {
  return std::ranges::any_of(file.segments(), [&](const Segment &segment) {
    return !segment.protection.write && segment.holds(address);
  });
}

/// Returns the reason why unwind information cannot be written for a copy; nullptr if it can.
const char *doubt_about(const ElfFile &file, const unwind::Frame &frame,
                        const unwind::Common &common) {
  const auto is_independent = [&](std::uint64_t begin, std::uint64_t end) {
    const auto bytes = end >= begin ? file.at(begin, end - begin) : std::nullopt;
    return bytes && unwind::is_independent_of_position(unwind::Cursor(*bytes, begin));
  };
  if (common.is_signal_frame)
    return "that signal handlers return to";
  const bool is_movable =
      common.is_known && common.pointers == near_itself &&
      (!common.personality || can_move(common.personality->encoding, file.is_relocatable())) &&
      (!common.language_data || can_move(*common.language_data, file.is_relocatable()));
  if (!is_movable || !is_readonly(file, frame.common) || !is_readonly(file, frame.place.begin) ||
      !is_independent(common.instructions, common.end) ||
      !is_independent(frame.instructions, frame.place.end))
    return odd_frames;
  return nullptr;
}

/// Marks the functions that are referred to other than by their beginnings, from outside of them.
/// Code may compare such an address with that of an instruction that was interrupted.
class InnerReferences {
public:
  explicit InnerReferences(const Library &library)
      : library_(library), functions_(library.code.functions()), marked_(functions_.size()) {}

  std::vector<bool> find() {
    const ElfFile &file = library_.file;
    for (const Relocation &relocation : file.relocations()) {
      auto target = static_cast<std::uint64_t>(relocation.addend);
      if (relocation.symbol != 0 && relocation.symbol < file.symbols().size())
        target += file.symbols()[relocation.symbol].address;
      mark(target, 0);
    }
    for (const Symbol &symbol : file.symbols())
      if (symbol.is_defined && symbol.type != STT_TLS)
        mark(symbol.address, 0);
    if (const auto code = find_call_sites(file))
      for (const Operand &operand : code->operands)
        mark(operand.target, operand.instruction);
    if (!file.is_relocatable())
      find_absolute();
    return std::move(marked_);
  }

private:
  void mark(std::uint64_t address, std::uint64_t from) {
    const CodeRange *function = range_at(functions_, address);
    if (function != nullptr && address != function->begin && !function->holds(from))
      marked_[static_cast<std::size_t>(function - functions_.data())] = true;
  }
  void find_absolute();

  const Library &library_;
  const std::vector<CodeRange> &functions_;
  std::vector<bool> marked_;
};

/// Finds references by absolute address: the code of a program that cannot be moved contains them
/// without relocations.
void InnerReferences::find_absolute() {
  const ElfFile &file = library_.file;
  for (const Segment &segment : file.segments()) {
    if (segment.protection.execute)
      continue;
    const auto bytes = file.from(segment.address);
    for (std::uint64_t at = (8 - segment.address % 8) % 8; at + 8 <= bytes.size(); at += 8) {
      std::uint64_t word;
      std::memcpy(&word, &bytes[at], sizeof word);
      mark(word, 0);
    }
  }
  const InstructionDecoder decoder;
  for (const CodeRange &function : functions_) {
    const auto code = file.at(function.begin, function.end - function.begin);
    ZydisDecodedInstruction instruction;
    for (std::uint64_t at = 0; code && at < code->size(); at += instruction.length) {
      if (!decoder.decode(code->subspan(at), instruction))
        break;
      const auto &raw = instruction.raw;
      if (raw.imm[0].size >= 32 && !raw.imm[0].is_relative)
        mark(raw.imm[0].value.u, function.begin);
      if (raw.disp.size == 32 && !is_relative(instruction))
        mark(static_cast<std::uint64_t>(raw.disp.value), function.begin);
    }
  }
}

} // namespace

unwind::Bytes bytes_of(const ElfFile &file) {
  return [&file](std::uint64_t address) { return file.from(address); };
}

FunctionFrames::FunctionFrames(const unwind::Bytes &bytes, std::uint64_t table) {
  unwind::Frames frames(bytes, table);
  for (const unwind::Frame &frame : frames.read_all())
    frames_.emplace(frame.code.begin, frame);
  commons_ = frames.commons();
}

const unwind::Frame *FunctionFrames::of(const CodeRange &function) const {
  const auto [first, last] = frames_.equal_range(function.begin);
  return first != last && std::next(first) == last && first->second.code == function
             ? &first->second
             : nullptr;
}

std::expected<std::vector<std::uint64_t>, const char *>
landing_pads_of(const unwind::Bytes &bytes, const unwind::Frame &frame) {
  std::vector<std::uint64_t> offsets;
  if (frame.language_data == 0)
    return offsets;
  try {
    const unwind::LanguageData data(bytes, frame);
    // Other landing pads are in the original function, also for a copy.
    if (data.counts_from_function())
      for (const std::uint64_t pad : data.landing_pads())
        offsets.push_back(pad - frame.code.begin);
  } catch (const unwind::CutOff &) {
    return std::unexpected(odd_exceptions);
  }
  return offsets;
}

TableReader tables_in(const ElfFile &file, std::uint64_t function) {
  return [&file, function](std::int64_t offset,
                           std::uint32_t count) -> std::optional<std::vector<std::int32_t>> {
    const std::uint64_t address = function + static_cast<std::uint64_t>(offset);
    const auto bytes = file.at(address, count * sizeof(std::int32_t));
    if (!bytes || !is_readonly(file, address))
      return std::nullopt;
    std::vector<std::int32_t> entries(count);
    std::memcpy(entries.data(), bytes->data(), bytes->size());
    return entries;
  };
}

bool can_own_copies(const Library &library) {
  const auto table = library.file.unwind_table();
  if (!table || !library.memory)
    return false;
  try {
    unwind::Cursor at(library.file.from(*table), *table);
    constexpr unsigned version = 1;
    const bool is_usual = at.read<std::uint8_t>() == version &&
                          at.read<std::uint8_t>() == near_itself &&
                          at.read<std::uint8_t>() == unwind::udata4 &&
                          at.read<std::uint8_t>() == (unwind::relative_to_header | unwind::sdata4);
    if (!is_usual)
      return false;
    at.skip(4);
    at.skip(std::uint64_t{at.read<std::uint32_t>()} * 8);
    return true;
  } catch (const unwind::CutOff &) {
    return false;
  }
}

/// A library's functions, as far as they have been examined.
struct Copyable::Known {
  std::optional<FunctionFrames> frames;
  std::vector<bool> is_referred_to_inside; ///< By index of the function.
  bool is_relocated = false;               ///< The stock loader changes read-only memory.
};

Copyable::Copyable(const PrelinkImage &image) : image_(image), callers_(image) {}
Copyable::~Copyable() = default;

Copyable::Known &Copyable::known(std::size_t index) {
  auto &known = known_[index];
  if (known)
    return *known;
  known = std::make_unique<Known>();
  const Library &library = image_.libraries[index];
  known->is_referred_to_inside = InnerReferences(library).find();
  known->is_relocated =
      std::ranges::any_of(library.file.relocations(), [&](const Relocation &relocation) {
        return relocation.type != R_X86_64_NONE && is_readonly(library.file, relocation.address);
      });
  if (const auto table = library.file.unwind_table())
    try {
      known->frames.emplace(bytes_of(library.file), *table);
    } catch (const unwind::CutOff &) {
      known->frames.reset();
    }
  return *known;
}

const char *Copyable::why_not(Target target) {
  if (target.library >= image_.libraries.size())
    return "that are not there";
  const Library &library = image_.libraries[target.library];
  const LibraryChanges &changes = image_.changes.libraries[target.library];
  if (library.is_stock_loader)
    return "of the stock loader";
  if (!library.memory)
    return "of libraries of unknown shape";
  if (!changes.domain.empty())
    return "of a domain";
  if (changes.kept.contains(target.address))
    return "that are kept";
  const auto &functions = library.code.functions();
  const CodeRange *function = range_at(functions, target.address);
  if (function == nullptr || function->begin != target.address)
    return "without unwind information";
  const auto is_changed = [&](const Patch &patch) {
    return patch.address < function->end && patch.address + patch.bytes.size() > function->begin;
  };
  if (std::ranges::any_of(changes.patches, is_changed))
    return "that another pass has changed";
  const auto &undecoded = library.code.undecoded;
  if (std::ranges::find(undecoded, *function) != undecoded.end())
    return "with bytes that are no instructions";
  const Known &known = this->known(target.library);
  if (known.is_relocated)
    return "of libraries with relocated code";
  const auto index = static_cast<std::size_t>(function - functions.data());
  if (known.is_referred_to_inside[index])
    return "with inner addresses that others use";
  const unwind::Frame *frame = known.frames ? known.frames->of(*function) : nullptr;
  if (frame == nullptr)
    return "that share unwind information with others";
  try {
    if (const char *why = doubt_about(library.file, *frame, known.frames->common_of(*frame)))
      return why;
  } catch (const unwind::CutOff &) {
    return odd_frames;
  }
  const auto pads = landing_pads_of(bytes_of(library.file), *frame);
  if (!pads)
    return pads.error();
  const auto bytes = library.file.at(function->begin, function->end - function->begin);
  if (!bytes)
    return "that are not in the file";
  const auto code = follow_function(*bytes, *pads, tables_in(library.file, function->begin));
  if (!code)
    return code.error();
  if (callers_.may_call(target.library, *function, *code))
    return "that may call dlopen() or dlsym()";
  return nullptr;
}

} // namespace sartor::loader
