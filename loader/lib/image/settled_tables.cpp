// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/settled_tables.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include <elf.h>

#include "loader/lib/file/relocation_tables.h"

namespace sartor::loader {

namespace {

bool is_relative(const Elf64_Rela &entry) {
  return ELF64_R_TYPE(entry.r_info) == R_X86_64_RELATIVE;
}

/// Relative relocations and others, each in their original order.
struct Parted {
  explicit Parted(std::span<const Elf64_Rela> entries) {
    std::ranges::copy_if(entries, std::back_inserter(relative), is_relative);
    std::ranges::remove_copy_if(entries, std::back_inserter(others), is_relative);
  }
  std::vector<Elf64_Rela> relative, others;
};

/// Settles relocations of one library.
class Settler {
public:
  Settler(const ElfFile &file, LibraryMemory &memory)
      : file_(file), memory_(memory), tables_(file), at_once_(read(tables_.at_once())),
        of_slots_(read(tables_.of_slots())) {}

  void settle(std::span<const Settled> settled) {
    for (const Settled &each : settled) {
      if (tables_.at_once().has(each.relocation))
        make_relative(at_once_[each.relocation - tables_.at_once().first], each.addend);
      else if (tables_.binds_at_once())
        make_relative(of_slots_[each.relocation - tables_.of_slots().first], each.addend);
      else
        fill_slot(file_.relocations()[each.relocation].address, each.addend);
    }
    write_tables();
  }

private:
  [[nodiscard]] std::vector<Elf64_Rela> read(const RelocationTables::Table &table) const {
    std::vector<Elf64_Rela> entries(table.count);
    if (!entries.empty())
      std::memcpy(entries.data(), memory_.at(table.address, table.end() - table.address).data(),
                  table.end() - table.address);
    return entries;
  }
  void write(std::uint64_t address, std::span<const Elf64_Rela> entries) {
    if (!entries.empty())
      std::memcpy(memory_.at(address, entries.size_bytes()).data(), entries.data(),
                  entries.size_bytes());
  }

  static void make_relative(Elf64_Rela &entry, std::uint64_t addend) {
    entry.r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE);
    entry.r_addend = static_cast<std::int64_t>(addend);
  }

  /// Fills a lazy slot, whose relocation remains because its stub refers to it by number: the stock
  /// loader adds the base to the value, and does no lookup later.
  void fill_slot(std::uint64_t address, std::uint64_t addend) {
    std::memcpy(memory_.data.data() + (address - memory_.data_begin), &addend, sizeof addend);
  }

  void write_tables();

  const ElfFile &file_;
  LibraryMemory &memory_;
  const RelocationTables tables_;
  std::vector<Elf64_Rela> at_once_, of_slots_;
};

/// Writes the tables with relative relocations first, whose number the stock loader gets. Relative
/// relocations are not permitted among those of lazy slots.
void Settler::write_tables() {
  std::uint64_t added = 0; // bytes that move to the load-time table
  if (tables_.binds_at_once() && tables_.are_adjacent()) {
    Parted slots(of_slots_);
    added = slots.relative.size() * sizeof(Elf64_Rela);
    std::ranges::copy(slots.relative, std::back_inserter(at_once_));
    of_slots_ = std::move(slots.others);
  }
  const Parted all(at_once_);
  write(tables_.at_once().address, all.relative);
  write(tables_.at_once().address + all.relative.size() * sizeof(Elf64_Rela), all.others);
  write(tables_.of_slots().address + added, of_slots_);

  const Elf64_Phdr &dynamic = *file_.program_header(PT_DYNAMIC);
  const auto bytes = memory_.at(dynamic.p_vaddr, dynamic.p_filesz);
  std::vector<Elf64_Dyn> entries(bytes.size() / sizeof(Elf64_Dyn));
  std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(Elf64_Dyn));
  for (Elf64_Dyn &entry : entries) {
    switch (entry.d_tag) {
    case DT_RELACOUNT:
      entry.d_un.d_val = all.relative.size();
      break;
    case DT_RELASZ:
      entry.d_un.d_val += added;
      break;
    case DT_JMPREL:
      entry.d_un.d_ptr += added;
      break;
    case DT_PLTRELSZ:
      entry.d_un.d_val -= added;
      break;
    default:
      break;
    }
  }
  std::memcpy(bytes.data(), entries.data(), entries.size() * sizeof(Elf64_Dyn));
}

} // namespace

void settle(const ElfFile &file, LibraryMemory &memory, std::span<const Settled> settled) {
  if (!settled.empty())
    Settler(file, memory).settle(settled);
}

} // namespace sartor::loader
