// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/relocation_tables.h"

#include <algorithm>

namespace sartor::loader {

namespace {

/// True if no prelinker has filled the second word of the procedure linkage table's data with the
/// slots' previous target. The stock loader fills that word, so otherwise it is empty.
bool has_no_prelinked_slots(const ElfFile &file) {
  const auto slots = file.tag(DT_PLTGOT);
  if (!slots)
    return false;
  const auto own = file.at(*slots + sizeof(std::uint64_t), sizeof(std::uint64_t));
  return own && std::ranges::all_of(*own, [](std::byte byte) { return byte == std::byte{0}; });
}

bool has_dynamic_section(const ElfFile &file) {
  const Elf64_Phdr *dynamic = file.program_header(PT_DYNAMIC);
  const auto there = dynamic ? file.at(dynamic->p_vaddr, dynamic->p_filesz) : std::nullopt;
  return there && there->data() == file.bytes().data() + dynamic->p_offset;
}

} // namespace

RelocationTables::RelocationTables(const ElfFile &file) {
  const std::uint64_t address = file.tag(DT_RELA).value_or(0);
  const std::uint64_t size = file.tag(DT_RELASZ).value_or(0);
  const std::uint64_t slots = file.tag(DT_JMPREL).value_or(0);
  const std::uint64_t slots_size = file.tag(DT_PLTRELSZ).value_or(0);
  is_within_ = slots != 0 && slots >= address && slots - address < size;
  are_in_order_ = has_dynamic_section(file) &&
                  (slots == 0 || address == 0 ||
                   (slots < address ? slots_size <= address - slots
                                    : !is_within_ || slots_size == size - (slots - address)));
  std::size_t next = file.packed_relocations().size();
  if (address != 0) {
    const std::uint64_t before = is_within_ ? slots - address : size;
    at_once_ = {address, next, before / sizeof(Elf64_Rela)};
    next += at_once_.count;
  }
  if (slots != 0)
    of_slots_ = {slots, next, slots_size / sizeof(Elf64_Rela)};
  binds_at_once_ = file.tag(DT_BIND_NOW) || (file.tag(DT_FLAGS).value_or(0) & DF_BIND_NOW) != 0 ||
                   (file.tag(DT_FLAGS_1).value_or(0) & DF_1_NOW) != 0;
  has_plain_slots_ = has_no_prelinked_slots(file);
}

} // namespace sartor::loader
