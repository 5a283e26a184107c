// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <elf.h>

#include "loader/lib/decode/distance_tables.h"
#include "loader/lib/decode/distances.h"
#include "loader/lib/decode/table_use.h"
#include "loader/lib/file/code_range.h"
#include "loader/lib/file/data_bounds.h"
#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/hexadecimal.h"
#include "loader/lib/file/unwind_info.h"

namespace sartor::loader {

namespace {

/// Returns the ranges that the stock loader and unwinders read. Their references to data are known;
/// code neither refers to them nor finds distances in them. Sorted, without overlaps.
std::vector<CodeRange> known_tables(const ElfFile &file, const Unwinding &unwinding) {
  std::vector<CodeRange> tables = unwinding.places;
  const auto add = [&](std::uint64_t begin, std::uint64_t size) {
    if (size > 0 && size <= ~begin)
      tables.push_back({begin, begin + size});
  };
  const auto add_tagged = [&](std::uint64_t which, std::uint64_t size) {
    if (const auto begin = file.tag(which))
      add(*begin, size);
  };
  const std::uint64_t symbols = file.symbols().size();
  add_tagged(DT_SYMTAB, symbols * sizeof(Elf64_Sym));
  add_tagged(DT_VERSYM, symbols * sizeof(Elf64_Half));
  add_tagged(DT_STRTAB, file.tag(DT_STRSZ).value_or(0));
  add_tagged(DT_RELA, file.tag(DT_RELASZ).value_or(0));
  add_tagged(DT_JMPREL, file.tag(DT_PLTRELSZ).value_or(0));
  add_tagged(DT_RELR, file.tag(DT_RELRSZ).value_or(0));
  const std::uint64_t first = file.segments().front().address;
  add(first, sizeof(Elf64_Ehdr));
  add(first + file.program_headers_offset(), file.program_headers().size() * sizeof(Elf64_Phdr));
  for (const Elf64_Phdr &header : file.program_headers())
    if (header.p_type == PT_NOTE || header.p_type == PT_INTERP || header.p_type == PT_DYNAMIC)
      add(header.p_vaddr, header.p_memsz);
  return merged(std::move(tables));
}

/// Returns the target of a relocated word within the file.
std::optional<std::uint64_t> target_of(const ElfFile &file, const Relocation &relocation) {
  switch (relocation.type) {
  case R_X86_64_RELATIVE:
    return static_cast<std::uint64_t>(relocation.addend);
  case R_X86_64_64:
  case R_X86_64_GLOB_DAT:
    if (const Symbol &symbol = file.symbols()[relocation.symbol]; symbol.is_defined)
      return symbol.address +
             static_cast<std::uint64_t>(relocation.type == R_X86_64_64 ? relocation.addend : 0);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

class Search {
public:
  Search(const ElfFile &file, const Decoded &code) : file_(file), code_(code), data_(file) {
    for (const Relocation &relocation : file.relocations())
      if (const auto target = target_of(file, relocation)) {
        slots_.emplace(relocation.address, *target);
        handed_on_.insert(*target);
      }
    for (const Symbol &symbol : file.symbols())
      if (symbol.is_defined && symbol.type != STT_TLS)
        handed_on_.insert(symbol.address);
  }

  std::string doubt();

private:
  [[nodiscard]] std::vector<std::uint64_t> addresses() const;
  void find_users(const std::vector<DistanceTable> &tables);
  [[nodiscard]] CodeRange function_at(std::uint64_t instruction) const;
  [[nodiscard]] bool is_own_code(const Operand &operand) const;
  [[nodiscard]] std::string doubt_about_targets() const;
  [[nodiscard]] bool leads_into_code(const Operand &operand) const;
  [[nodiscard]] bool is_stub(std::uint64_t address) const;
  [[nodiscard]] TableUse use_in(const CodeRange &function) const;
  std::string doubt_about(const CodeRange &function,
                          const std::vector<const DistanceTable *> &taken) const;
  [[nodiscard]] bool is_read(const DistanceTable &table, const TableUse &use) const;
  [[nodiscard]] std::string text(const DistanceTable &table) const {
    return std::string("it may have a table of distances at ") + hexadecimal(table.address);
  }

  const ElfFile &file_;
  const Decoded &code_;
  const DataBounds data_;
  std::unordered_map<std::uint64_t, std::uint64_t> slots_; ///< Targets of words.
  std::unordered_set<std::uint64_t> handed_on_;            ///< Addresses in words and symbols.
  /// Functions that take the address of a table, or of a position in their own code.
  std::map<CodeRange, std::vector<const DistanceTable *>> users_;
};

std::string Search::doubt() {
  if (data_.is_empty())
    return "";
  if (auto doubt = doubt_about_targets(); !doubt.empty())
    return doubt;
  const auto all = addresses();
  for (const std::uint64_t address : all)
    if (is_relative_virtual_table(file_, address, code_.functions()))
      return std::string("it has a relative virtual table at ") + hexadecimal(address);
  const auto tables =
      distance_tables(file_, all, code_.functions(), known_tables(file_, code_.unwinding));
  for (const DistanceTable &table : tables)
    if (table.is_whole && handed_on_.contains(table.address))
      return text(table);
  find_users(tables);
  for (const auto &[function, taken] : users_)
    if (auto doubt = doubt_about(function, taken); !doubt.empty())
      return doubt;
  return "";
}

/// Returns a doubt about operands that lead to no known object: they may mean data plus or minus a
/// constant.
std::string Search::doubt_about_targets() const {
  for (const Operand &operand : code_.operands)
    if (leads_into_code(operand))
      return "code refers into other code at " + hexadecimal(operand.instruction);
  for (const auto &[place, target] : slots_)
    if (target > data_.end() || (target > data_.readonly_end() && target < data_.begin()))
      return "it refers to unmapped memory at " + hexadecimal(place);
  return "";
}

/// True if an operand leads into code, except to a function's beginning, which may follow a `nop`,
/// or to a stub.
bool Search::leads_into_code(const Operand &operand) const {
  const CodeRange *function = range_at(code_.functions(), operand.target);
  if (function == nullptr || function->holds(operand.instruction))
    return false;
  return !operand.is_address || (operand.target > function->begin + 1 && !is_stub(operand.target));
}

bool Search::is_stub(std::uint64_t address) const {
  const auto bytes = file_.at(address, 2);
  return bytes && (*bytes)[0] == std::byte{0xff} && (*bytes)[1] == std::byte{0x25};
}

/// Returns all addresses that are referred to, in order.
std::vector<std::uint64_t> Search::addresses() const {
  std::vector<std::uint64_t> all(handed_on_.begin(), handed_on_.end());
  for (const Operand &operand : code_.operands)
    all.push_back(operand.target);
  std::ranges::sort(all);
  const auto again = std::ranges::unique(all);
  all.erase(again.begin(), again.end());
  return all;
}

void Search::find_users(const std::vector<DistanceTable> &tables) {
  for (const Operand &operand : code_.operands) {
    std::uint64_t address = operand.target;
    if (!operand.is_address) {
      const auto slot = slots_.find(address);
      if (slot == slots_.end())
        continue;
      address = slot->second;
    }
    const auto found = std::ranges::equal_range(tables, address, {}, &DistanceTable::address);
    if (found.empty() && !is_own_code(operand))
      continue;
    auto &taken = users_[function_at(operand.instruction)];
    for (const DistanceTable &table : found)
      taken.push_back(&table);
  }
}

/// Returns the function at an instruction. In code without unwind information, it extends to the
/// begin of other code.
CodeRange Search::function_at(std::uint64_t instruction) const {
  if (const CodeRange *function = range_at(code_.functions(), instruction))
    return *function;
  constexpr std::uint64_t far_enough = 4096;
  const auto next = std::ranges::upper_bound(code_.functions(), instruction, {}, &CodeRange::begin);
  std::uint64_t end =
      instruction + std::min<std::uint64_t>(file_.from(instruction).size(), far_enough);
  if (next != code_.functions().end())
    end = std::min(end, next->begin);
  return {instruction, end};
}

bool Search::is_own_code(const Operand &operand) const {
  return operand.is_address && !data_.moves(operand.target) &&
         function_at(operand.instruction).holds(operand.target);
}

TableUse Search::use_in(const CodeRange &function) const {
  return look_at_use(file_, function, [&](std::uint64_t slot) -> std::optional<std::uint64_t> {
    const auto found = slots_.find(slot);
    return found == slots_.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string Search::doubt_about(const CodeRange &function,
                                const std::vector<const DistanceTable *> &taken) const {
  const TableUse use = use_in(function);
  for (const std::uint64_t sum : use.sums)
    if (data_.moves(sum))
      return "code may compute where data is, from " + hexadecimal(function.begin) + " on";
  const auto is_read_in = [&](const TableUse &where) {
    return std::ranges::find_if(taken,
                                [&](const DistanceTable *table) { return is_read(*table, where); });
  };
  if (const auto table = is_read_in(use); table != taken.end())
    return text(**table);
  if (taken.empty())
    return "";
  // Compilers split parts of functions off.
  std::set<CodeRange> parts;
  for (const std::uint64_t address : use.leads_to)
    if (const CodeRange *part = range_at(code_.functions(), address))
      parts.insert(*part);
  for (const CodeRange &part : parts)
    if (const auto table = is_read_in(use_in(part)); table != taken.end())
      return text(**table);
  return "";
}

/// True if a function may add a table's words to its address, or pass the table on to code that
/// does. Jump targets of a function stay in code, so jumps by tables that stay are valid.
bool Search::is_read(const DistanceTable &table, const TableUse &use) const {
  const bool is_data = data_.moves(table.address);
  for (const DistanceReading &reading : use.readings) {
    if (reading.size != table.size)
      continue;
    if (reading.base == table.address && reading.jumps && !is_data)
      return false;
    if (reading.base == table.address)
      return true;
    if (!reading.base && table.is_likely && (is_data || !reading.jumps))
      return true;
  }
  return table.is_whole && use.handed_on.contains(table.address);
}

} // namespace

std::string doubt_about_distances(const ElfFile &file, const Decoded &code) {
  return Search(file, code).doubt();
}

} // namespace sartor::loader
