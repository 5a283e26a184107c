// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/isolate/setup.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>

#include "agents/dynamic.h"
#include "agents/environment.h"
#include "agents/isolate/domain.h"
#include "agents/isolate/gates.h"
#include "agents/slots.h"
#include "loader/lib/file/gnu_hash.h"
#include "loader/lib/file/written_memory.h"
#include "loader/lib/format/pages.h"

namespace sartor::isolate {

namespace {

/// The dynamic symbols of a library, as the stock loader sees them.
class Symbols {
public:
  explicit Symbols(const dl_phdr_info &library) : base_(library.dlpi_addr) {
    agents::for_each_dynamic_entry(library, [&](const Elf64_Dyn &entry, std::uintptr_t address) {
      if (entry.d_tag == DT_SYMTAB)
        first_ = reinterpret_cast<Elf64_Sym *>(address);
      else if (entry.d_tag == DT_GNU_HASH)
        count_ = std::max(count_, count_by(reinterpret_cast<const std::byte *>(address)));
      else if (entry.d_tag == DT_HASH)
        count_ = std::max<std::size_t>(count_, reinterpret_cast<const Elf64_Word *>(address)[1]);
    });
  }

  [[nodiscard]] Elf64_Sym *begin() const { return first_; }
  [[nodiscard]] Elf64_Sym *end() const { return first_ + size(); }
  [[nodiscard]] std::size_t size() const { return first_ ? count_ : 0; }

  /// Returns the address of an exported function; 0 if the symbol is something else.
  [[nodiscard]] std::uintptr_t function(const Elf64_Sym &symbol) const {
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS ||
        ELF64_ST_BIND(symbol.st_info) == STB_LOCAL || (type != STT_FUNC && type != STT_GNU_IFUNC))
      return 0;
    const std::uintptr_t address = base_ + symbol.st_value;
    return type == STT_FUNC ? address : reinterpret_cast<std::uintptr_t (*)()>(address)();
  }
  [[nodiscard]] std::uintptr_t base() const { return base_; }

private:
  static std::size_t count_by(const std::byte *table) {
    const auto hashed = loader::hashed_symbols({table, std::size_t{SIZE_MAX / 2}});
    return hashed ? hashed->end : 0;
  }

  std::uintptr_t base_;
  Elf64_Sym *first_ = nullptr;
  std::size_t count_ = 0;
};

/// Returns the protection that the file requests for the memory at an address.
int protection_at(const dl_phdr_info &library, std::uintptr_t address) {
  const Elf64_Phdr *segment = agents::segment_at(library, address);
  if (!segment)
    return PROT_READ;
  return ((segment->p_flags & PF_R) != 0 ? PROT_READ : 0) |
         ((segment->p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
         ((segment->p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

/// Creates a gate for each function that a library of the domain exports.
void make_gates(Domain &domain, const dl_phdr_info &library) {
  const Symbols symbols(library);
  for (const Elf64_Sym &symbol : symbols)
    if (const std::uintptr_t function = symbols.function(symbol); function != 0)
      make_gate(domain, function);
}

/// Points the library's symbols to these gates. The stock loader then finds the gates in place of
/// the functions for every lookup: slots that are filled on first use, libraries that are loaded
/// later (before their first code runs), and dlsym(). Only the symbols in memory change; debuggers
/// and profilers read the file. Returns false if memory cannot be written.
bool lead_symbols_to_gates(const dl_phdr_info &library) {
  const Symbols symbols(library);
  if (symbols.size() == 0)
    return true;
  // All gates are found before a symbol is written: while a symbol table that shares a page with
  // code is writable, no resolver of indirect functions can run.
  auto *gates = static_cast<std::uintptr_t *>(std::calloc(symbols.size(), sizeof(std::uintptr_t)));
  if (!gates)
    return false;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (const std::uintptr_t function = symbols.function(symbols.begin()[i]); function != 0)
      gates[i] = find_gate(function);
  const auto table = reinterpret_cast<std::uintptr_t>(symbols.begin());
  auto *page = reinterpret_cast<void *>(loader::format::down(table));
  const std::size_t size =
      reinterpret_cast<std::uintptr_t>(symbols.end()) - (loader::format::down(table));
  const bool is_done = mprotect(page, size, PROT_READ | PROT_WRITE) == 0;
  for (std::size_t i = 0; i < symbols.size() && is_done; ++i)
    if (gates[i] != 0) {
      Elf64_Sym &symbol = symbols.begin()[i];
      symbol.st_value = gates[i] - symbols.base();
      symbol.st_info = ELF64_ST_INFO(ELF64_ST_BIND(symbol.st_info), STT_FUNC);
    }
  std::free(gates);
  return is_done && mprotect(page, size, protection_at(library, table)) == 0;
}

/// True if `name` is the object's path, or, if it contains no '/', its file name.
bool is_called(const dl_phdr_info &object, const char *name, std::size_t length) {
  const char *own = object.dlpi_name;
  if (std::memchr(name, '/', length) == nullptr)
    if (const char *last = std::strrchr(own, '/'))
      own = last + 1;
  return std::strlen(own) == length && std::memcmp(own, name, length) == 0;
}

/// Adds all writable memory of a library. Memory that is read-only by now is also read by the stock
/// loader and others.
void add_memory(Domain &domain, const dl_phdr_info &library) {
  const std::span headers(library.dlpi_phdr, library.dlpi_phnum);
  for (const Elf64_Phdr &segment : headers)
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
      const std::uintptr_t begin = library.dlpi_addr + segment.p_vaddr;
      domain.add_code({begin, begin + segment.p_memsz});
    }
  loader::for_each_written(
      headers, library.dlpi_addr,
      [&](std::uintptr_t begin, std::uintptr_t end) { domain.add_data({begin, end}); });
}

/// Adds a library that the description names.
void add_library(Domain &domain, const char *name, std::size_t length) {
  bool is_there = false;
  agents::for_each_object([&](const dl_phdr_info &object) {
    if (!is_called(object, name, length))
      return;
    is_there = true;
    add_memory(domain, object);
    make_gates(domain, object);
  });
  if (!is_there)
    give_up("SARTOR_DOMAINS names a library that has not been loaded");
}

/// Adds the domains of a description: NAME=LIBRARY:LIBRARY...;NAME=...
void add_domains(const char *description) {
  char *kept = strdup(description); // never freed: the domains refer to their names in it
  if (!kept)
    give_up("there is no memory for its domains");
  for (char *rest = nullptr, *name = strtok_r(kept, ";", &rest); name;
       name = strtok_r(nullptr, ";", &rest)) {
    char *libraries = std::strchr(name, '=');
    if (!libraries || libraries == name)
      give_up("SARTOR_DOMAINS is to be NAME=LIBRARY:LIBRARY...;NAME=...");
    *libraries++ = '\0';
    Domain *domain = domains.add();
    if (!domain)
      give_up("there are too many domains");
    domain->begin(name, libraries);
    for (const char *library = libraries; *library != '\0';) {
      const std::size_t length = std::strcspn(library, ":");
      add_library(*domain, library, length);
      library += length + (library[length] != '\0' ? 1 : 0);
    }
  }
}

Domain *domain_of(const dl_phdr_info &object) {
  for (Elf64_Half i = 0; i < object.dlpi_phnum; ++i)
    if (const Elf64_Phdr &segment = object.dlpi_phdr[i];
        segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0)
      return domains.of_code(object.dlpi_addr + segment.p_vaddr);
  return nullptr;
}

/// Visits the slots by which an object refers to functions of domains that it does not belong to:
/// functions that are called and functions whose address is taken.
template <class Visit> void for_each_way(const dl_phdr_info &object, Visit &&visit) {
  const Domain *own = domain_of(object);
  agents::Object(object).for_each_slot([&](const agents::Slot &slot) {
    if (slot.type != R_X86_64_JUMP_SLOT && slot.type != R_X86_64_GLOB_DAT &&
        slot.type != R_X86_64_64)
      return;
    const Domain *domain = domains.of_code(*slot.address);
    if (!domain || domain == own)
      return;
    if (const std::uintptr_t gate = find_gate(*slot.address); gate != 0)
      visit(agents::Write{slot.address, gate});
  });
}

void lead_through_gates(const dl_phdr_info &object) {
  std::size_t count = 0;
  for_each_way(object, [&](const agents::Write &) { ++count; });
  if (count == 0)
    return;
  auto *writes = static_cast<agents::Write *>(std::calloc(count, sizeof(agents::Write)));
  if (!writes)
    give_up("there is no memory for its domains");
  // A thread that a constructor has started may call functions and fill slots meanwhile. It fills
  // them with gates, as the symbols already point to gates.
  std::size_t found = 0;
  for_each_way(object, [&](const agents::Write &write) {
    if (found < count)
      writes[found++] = write;
  });
  if (!agents::write_all(writes, found))
    give_up("a word that leads into a domain cannot be written");
  std::free(writes);
}

} // namespace

void find_domains() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] {
    if (const char *description = agents::take_variable("SARTOR_DOMAINS"))
      add_domains(description);
  });
}

void close_domains() {
  agents::for_each_object([](const dl_phdr_info &object) {
    if (domain_of(object) && !lead_symbols_to_gates(object))
      give_up("the symbols of a domain cannot be written");
  });
  agents::for_each_object([](const dl_phdr_info &object) { lead_through_gates(object); });
  for (Domain &domain : domains)
    domain.close();
}

} // namespace sartor::isolate
