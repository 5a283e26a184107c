// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prune/reach.h"

#include <algorithm>
#include <cstring>
#include <map>

#include <elf.h>

#include "base/raw_bytes.h"

namespace sartor::prune {

namespace {

/// A table of offsets ends after this number of consecutive words that lead to no code.
constexpr unsigned most_gaps_in_table = 16;

/// Limit of words that are examined as parts of such tables. Adjacent tables are each read through
/// the following ones, which would take minutes in the largest libraries.
constexpr std::size_t most_words = std::size_t{1} << 26;

bool is_in_writable(const Library &library, std::uint64_t address) {
  // Zero-initialized memory has no content in the file.
  const Segment *segment = library.segment_at(address);
  return segment == nullptr || segment->is_writable;
}

class Finder {
public:
  Finder(const Library &library, const Unwinding &unwinding)
      : library_(library), code_(decode(library)), reached_(library.functions().size()) {
    for (const auto &[function, address] : unwinding.landing_pads)
      landing_pads_.emplace(function, address);
    skipped_ = unwinding.places;
    if (const auto symbols = library.tag(DT_SYMTAB))
      skipped_.push_back({*symbols, *symbols + library.symbols().size() * sizeof(Elf64_Sym)});
    if (const auto relocations = library.tag(DT_RELA))
      skipped_.push_back({*relocations, *relocations + library.tag(DT_RELASZ).value_or(0)});
    std::ranges::sort(skipped_);
  }

  [[nodiscard]] std::string doubt() const {
    return words_ < most_words ? code_.doubt
                               : "its tables of distances are too many to be followed";
  }

  void reach_from_outside(const Outside &outside);
  void reach_from_relocations();
  void reach_from_memory();
  void reach_from_gaps(const GapUses &uses);
  void reach(std::uint64_t address) {
    if (const auto function = library_.function_at(address))
      reach_function(*function);
  }
  void follow();
  [[nodiscard]] std::vector<Range> unreached() const;

private:
  void reach_function(std::size_t index) {
    if (!reached_[index]) {
      reached_[index] = true;
      pending_.push_back(index);
    }
  }
  void follow(std::size_t index);
  void reach_by_table(std::uint64_t table, std::uint64_t base);
  [[nodiscard]] bool is_skipped(std::uint64_t address) const {
    const auto next = std::ranges::upper_bound(skipped_, address, {}, &Range::begin);
    return next != skipped_.begin() && std::prev(next)->holds(address);
  }

  const Library &library_;
  const Code code_;
  std::multimap<std::size_t, std::uint64_t> landing_pads_;
  std::vector<Range> skipped_; ///< Ranges of tables that refer to functions without using them.
  std::size_t words_ = 0;      ///< Number of words examined in tables.
  std::vector<bool> reached_;
  std::vector<std::size_t> pending_;
};

void Finder::reach_from_outside(const Outside &outside) {
  reach(library_.about().entry);
  for (const std::int64_t tag : {DT_INIT, DT_FINI})
    if (const auto address = library_.tag(tag))
      reach(*address);
  for (const sartor_library_symbol &symbol : library_.symbols())
    if (symbol.is_defined != 0 && symbol.type != STT_TLS && outside.is_used(symbol.name))
      reach(symbol.address);
  std::ranges::for_each(outside.targets, [&](std::uint64_t target) { reach(target); });
}

void Finder::reach_from_relocations() {
  for (const sartor_relocation &relocation : library_.relocations()) {
    auto target = static_cast<std::uint64_t>(relocation.addend);
    if (relocation.symbol != 0 && relocation.symbol < library_.symbols().size()) {
      const sartor_library_symbol &symbol = library_.symbols()[relocation.symbol];
      if (symbol.is_defined == 0)
        continue;
      target += symbol.address;
    }
    reach(target);
    // Data may refer to tables that code accesses through it.
    if (!is_in_writable(library_, target))
      reach_by_table(target, target);
  }
}

/// Reaches functions through words of memory that look like a function's address or, in read-only
/// memory, like a distance to a function.
void Finder::reach_from_memory() {
  for (const Segment &segment : library_.segments()) {
    if (segment.is_executable)
      continue;
    const std::uint64_t begin = (segment.range.begin + 7) / 8 * 8;
    for (std::uint64_t address = begin; address + 8 <= segment.range.end; address += 4) {
      const std::size_t at = address - segment.range.begin;
      const auto word = base::value_at<std::uint64_t>(segment.bytes, at);
      const std::uint64_t near =
          address + static_cast<std::uint64_t>(base::value_at<std::int32_t>(segment.bytes, at));
      const bool is_address = address % 8 == 0 && library_.is_executable(word);
      const bool is_near = !segment.is_writable && library_.is_executable(near);
      if ((!is_address && !is_near) || is_skipped(address))
        continue;
      if (is_address)
        reach(word);
      if (is_near)
        reach(near);
    }
  }
}

void Finder::reach_from_gaps(const GapUses &uses) {
  for (const std::uint64_t target : uses.targets) {
    reach(target);
    if (!is_in_writable(library_, target))
      reach_by_table(target, target);
  }
}

/// Reads a table of 32-bit offsets from a base, which may differ from the table.
void Finder::reach_by_table(std::uint64_t table, std::uint64_t base) {
  const Segment *segment = library_.segment_at(table);
  if (segment == nullptr || library_.function_at(table))
    return;
  const auto bytes = library_.from(table);
  unsigned others = 0;
  for (std::size_t at = 0;
       at + 4 <= bytes.size() && others < most_gaps_in_table && words_ < most_words; at += 4) {
    ++words_;
    const std::uint64_t target =
        base + static_cast<std::uint64_t>(base::value_at<std::int32_t>(bytes, at));
    if (library_.is_executable(target) && !is_skipped(table + at)) {
      reach(target);
      others = 0;
    } else {
      ++others;
    }
  }
}

void Finder::follow() {
  while (!pending_.empty()) {
    const std::size_t index = pending_.back();
    pending_.pop_back();
    follow(index);
  }
}

void Finder::follow(std::size_t index) {
  const Uses &uses = code_.functions[index];
  std::ranges::for_each(uses.branches, [&](std::uint64_t target) { reach(target); });
  for (const std::uint64_t operand : uses.operands) {
    reach(operand);
    if (!is_in_writable(library_, operand))
      reach_by_table(operand, operand);
    if (!library_.is_executable(operand))
      continue;
    // Offsets may be relative to a position in the code. Offsets in writable memory count only if
    // the position is in the function itself.
    const bool is_own = library_.functions()[index].holds(operand);
    for (const std::uint64_t table : uses.operands)
      if (is_own || !is_in_writable(library_, table))
        reach_by_table(table, operand);
  }
  if (uses.runs_on && index + 1 < reached_.size())
    reach_function(index + 1);
  const auto [begin, end] = landing_pads_.equal_range(index);
  for (auto each = begin; each != end; ++each)
    reach(each->second);
}

std::vector<Range> Finder::unreached() const {
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < reached_.size(); ++i)
    if (!reached_[i])
      ranges.push_back(library_.functions()[i]);
  return ranges;
}

/// Returns the reason why a library's relocations may hide references; empty if they do not.
std::string doubt_about_relocations(const Library &library) {
  for (const sartor_relocation &relocation : library.relocations()) {
    switch (relocation.type) {
    case R_X86_64_NONE:
      continue;
    case R_X86_64_64:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
    case R_X86_64_RELATIVE:
    case R_X86_64_IRELATIVE:
    case R_X86_64_COPY:
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
    case R_X86_64_TLSDESC:
      break;
    default:
      return "it has a relocation of an unknown kind";
    }
    if (!is_in_writable(library, relocation.address))
      return "read-only memory is relocated";
  }
  return "";
}

} // namespace

Unreached find_unreached(const Library &library, const Outside &outside) {
  if (library.about().is_relocatable == 0)
    return {{}, "its code may hold addresses as numbers"};
  if (std::string doubt = doubt_about_relocations(library); !doubt.empty())
    return {{}, std::move(doubt)};
  const auto unwinding = look_at_unwinding(library);
  if (!unwinding)
    return {{}, "its unwind information is missing, or of an unknown kind"};
  const GapUses between = look_between(library);
  if (!between.doubt.empty())
    return {{}, between.doubt};
  Finder finder(library, *unwinding);
  if (!finder.doubt().empty())
    return {{}, finder.doubt()};
  finder.reach_from_outside(outside);
  finder.reach_from_relocations();
  finder.reach_from_memory();
  finder.reach_from_gaps(between);
  std::ranges::for_each(unwinding->personalities,
                        [&](std::uint64_t address) { finder.reach(address); });
  finder.follow();
  if (!finder.doubt().empty())
    return {{}, finder.doubt()};
  return {finder.unreached(), ""};
}

} // namespace sartor::prune
