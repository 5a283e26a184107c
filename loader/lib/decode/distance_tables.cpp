// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/distance_tables.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <unordered_set>

namespace sartor::loader {

namespace {

/// Largest size of a table beyond the next object's begin: parts of a table may be referred to.
constexpr std::uint64_t largest_part = 1024;

class Finder {
public:
  Finder(const ElfFile &file, const std::vector<CodeRange> &code,
         const std::vector<CodeRange> &known)
      : file_(file), data_(file), code_(code), known_(known) {
    for (const Relocation &relocation : file.relocations())
      relocated_.insert(relocation.address);
  }

  template <class Word>
  void look_at(std::uint64_t address, std::uint64_t next, std::vector<DistanceTable> &tables) const;

private:
  template <class Word>
  void look_at(DistanceTable &table, std::uint64_t next, bool from_itself) const;
  template <class Word>
  void find_any(DistanceTable &table, std::uint64_t from, std::uint64_t next) const;
  [[nodiscard]] bool is_relocated(std::uint64_t address) const {
    return relocated_.contains(address) || relocated_.contains(address - 4);
  }
  [[nodiscard]] bool is_something(std::uint64_t address) const {
    return data_.moves(address) ||
           (std::ranges::any_of(file_.segments(),
                                [&](const Segment &segment) { return segment.holds(address); }) &&
            range_at(known_, address) == nullptr);
  }

  const ElfFile &file_;
  const DataBounds data_;
  const std::vector<CodeRange> &code_;
  const std::vector<CodeRange> &known_;
  std::unordered_set<std::uint64_t> relocated_;
};

/// True for round numbers, which are masks and sizes, not distances.
template <class Word> bool is_round(Word word) { return (word & 0xfff) == 0; }

/// Reads the table as far as each word leads to memory of the file. Numbers that are round or lead
/// into the table itself are not distances, and compilers align the targets of a table's words.
template <class Word>
void Finder::look_at(DistanceTable &table, std::uint64_t next, bool from_itself) const {
  const auto bytes = file_.from(table.address);
  const std::uint64_t size = next - table.address;
  const bool is_data = data_.moves(table.address);
  unsigned words = 0, inside = 0, crossing = 0, round = 0;
  bool is_odd = table.address % 4 != 0;
  const auto judge = [&](bool is_whole) {
    if (crossing == 0)
      return;
    (from_itself ? table.from_itself : table.from_table) = true;
    const bool is_likely = !is_odd && 2 * inside <= words && 2 * round < crossing;
    table.is_likely = table.is_likely || is_likely;
    table.is_whole =
        table.is_whole || (is_likely && is_whole && words > 1 && 2 * crossing >= words);
  };
  for (std::uint64_t at = 0; at + sizeof(Word) <= std::min(bytes.size(), size + largest_part);
       at += sizeof(Word)) {
    const std::uint64_t place = table.address + at;
    if (at >= size && at < size + sizeof(Word))
      judge(true);
    if (is_relocated(place) || range_at(known_, place) != nullptr)
      return judge(true);
    Word word;
    std::memcpy(&word, &bytes[at], sizeof word);
    if (word == 0)
      continue;
    const std::uint64_t target =
        (from_itself ? place : table.address) + static_cast<std::uint64_t>(std::int64_t{word});
    if (!is_something(target)) {
      judge(false);
      find_any<Word>(table, at, next);
      return;
    }
    ++words;
    inside += target >= table.address && target < next ? 1 : 0;
    if (data_.moves(target) == is_data)
      continue;
    ++crossing;
    round += is_round(word) ? 1 : 0;
    is_odd = is_odd || (!is_data && target % 4 != 0);
  }
  judge(true);
}

/// Looks for a table among other data.
template <class Word>
void Finder::find_any(DistanceTable &table, std::uint64_t from, std::uint64_t next) const {
  const auto bytes = file_.from(table.address);
  const bool is_data = data_.moves(table.address);
  for (std::uint64_t at = from;
       at + sizeof(Word) <= std::min(bytes.size(), next - table.address) && !table.from_table;
       at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, &bytes[at], sizeof word);
    const std::uint64_t target = table.address + static_cast<std::uint64_t>(std::int64_t{word});
    table.from_table = word != 0 && !is_relocated(table.address + at) && is_something(target) &&
                       data_.moves(target) != is_data;
  }
}

template <class Word>
void Finder::look_at(std::uint64_t address, std::uint64_t next,
                     std::vector<DistanceTable> &tables) const {
  if (range_at(code_, address) != nullptr || range_at(known_, address) != nullptr)
    return;
  DistanceTable table{address, sizeof(Word)};
  look_at<Word>(table, next, false);
  look_at<Word>(table, next, true);
  if (table.from_table || table.from_itself)
    tables.push_back(table);
}

} // namespace

std::vector<DistanceTable> distance_tables(const ElfFile &file,
                                           const std::vector<std::uint64_t> &addresses,
                                           const std::vector<CodeRange> &code,
                                           const std::vector<CodeRange> &known) {
  const Finder finder(file, code, known);
  std::vector<DistanceTable> tables;
  for (auto address = addresses.begin(); address != addresses.end(); ++address) {
    std::uint64_t next = *address + file.from(*address).size();
    if (const auto after = std::next(address); after != addresses.end())
      next = std::min(next, *after);
    finder.look_at<std::int32_t>(*address, next, tables);
    finder.look_at<std::int64_t>(*address, next, tables);
  }
  return tables;
}

namespace {

/// True if a function or a stub begins at an address.
bool is_function(const ElfFile &file, std::uint64_t address, const std::vector<CodeRange> &code) {
  const CodeRange *function = range_at(code, address);
  if (function == nullptr)
    return false;
  constexpr std::uint16_t jump_through_slot = 0x25ff;
  std::uint16_t first = 0;
  if (const auto bytes = file.at(address, sizeof first))
    std::memcpy(&first, bytes->data(), sizeof first);
  return function->begin == address || first == jump_through_slot;
}

/// True if objects of a class could refer to the address as a virtual table.
bool is_relative_virtual_table_from(const ElfFile &file, std::uint64_t address,
                                    const std::vector<CodeRange> &code) {
  const auto target = [&](std::uint64_t place) -> std::optional<std::uint64_t> {
    std::int32_t word;
    const auto bytes = file.at(place, sizeof word);
    if (!bytes)
      return std::nullopt;
    std::memcpy(&word, bytes->data(), sizeof word);
    return address + static_cast<std::uint64_t>(std::int64_t{word});
  };
  const auto function = target(address), type = target(address - sizeof(std::int32_t));
  return function && type && is_function(file, *function, code) &&
         std::ranges::find(file.relocations(), *type, &Relocation::address) !=
             file.relocations().end();
}

} // namespace

bool is_relative_virtual_table(const ElfFile &file, std::uint64_t address,
                               const std::vector<CodeRange> &code) {
  constexpr std::uint64_t before = 2 * sizeof(std::int32_t); // offset to top, type
  return range_at(code, address) == nullptr &&
         (is_relative_virtual_table_from(file, address, code) ||
          is_relative_virtual_table_from(file, address + before, code));
}

} // namespace sartor::loader
