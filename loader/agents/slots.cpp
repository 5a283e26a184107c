// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/slots.h"

#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>

#include "agents/dynamic.h"

namespace sartor::agents {

namespace {

constexpr std::uintptr_t page = 4096;

struct Range {
  std::uintptr_t begin;
  std::uintptr_t end;
  bool is_writable;
};

/// Returns the mapping at an address, read from /proc/self/maps; empty if there is none.
Range range_at(std::uintptr_t address) {
  std::FILE *maps = std::fopen("/proc/self/maps", "re");
  if (!maps)
    return {};
  Range found{};
  char *line = nullptr; // BEGIN-END rwxp ...
  std::size_t room = 0;
  while (getline(&line, &room, maps) > 0) {
    char *rest = nullptr;
    const std::uintptr_t begin = std::strtoul(line, &rest, 16);
    const std::uintptr_t end = std::strtoul(rest + 1, &rest, 16);
    if (begin <= address && address < end) {
      found = {begin, end, rest[2] == 'w'};
      break;
    }
  }
  std::free(line);
  std::fclose(maps);
  return found;
}

bool protect(std::uintptr_t address, int protection) {
  return mprotect(reinterpret_cast<void *>(address & -page), page, protection) == 0;
}

} // namespace

Object::Object(const dl_phdr_info &info) : base_(info.dlpi_addr) {
  for_each_dynamic_entry(info, [&](const Elf64_Dyn &entry, std::uintptr_t address) {
    switch (entry.d_tag) {
    case DT_RELA:
      tables_[0].first = reinterpret_cast<const Elf64_Rela *>(address);
      break;
    case DT_RELASZ:
      tables_[0].count = entry.d_un.d_val / sizeof(Elf64_Rela);
      break;
    case DT_JMPREL:
      tables_[1].first = reinterpret_cast<const Elf64_Rela *>(address);
      break;
    case DT_PLTRELSZ:
      tables_[1].count = entry.d_un.d_val / sizeof(Elf64_Rela);
      break;
    case DT_SYMTAB:
      symbols_ = reinterpret_cast<const Elf64_Sym *>(address);
      break;
    case DT_STRTAB:
      strings_ = reinterpret_cast<const char *>(address);
      break;
    default:
      break;
    }
  });
}

bool write_all(const Write *writes, std::size_t count) {
  Range range{};
  std::uintptr_t open = 0; // a page that is otherwise read-only
  bool is_complete = true;
  const auto close = [&] {
    if (open != 0)
      protect(open, PROT_READ);
    open = 0;
  };
  for (const Write *write = writes; write != writes + count; ++write) {
    const auto address = reinterpret_cast<std::uintptr_t>(write->address);
    if (address < range.begin || address >= range.end)
      range = range_at(address);
    if (!range.is_writable && (address & -page) != open) {
      close();
      if (!protect(address, PROT_READ | PROT_WRITE)) {
        is_complete = false;
        continue;
      }
      open = address & -page;
    }
    __atomic_store_n(write->address, write->value, __ATOMIC_RELEASE);
  }
  close();
  return is_complete;
}

} // namespace sartor::agents
