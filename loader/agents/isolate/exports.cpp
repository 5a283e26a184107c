// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/isolate/exports.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <elf.h>
#include <sys/mman.h>

#include "agents/dynamic.h"
#include "agents/isolate/gates.h"
#include "loader/lib/file/gnu_hash.h"
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
  for (Elf64_Half i = 0; i < library.dlpi_phnum; ++i) {
    const Elf64_Phdr &segment = library.dlpi_phdr[i];
    const std::uintptr_t begin = library.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz)
      return ((segment.p_flags & PF_R) != 0 ? PROT_READ : 0) |
             ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
             ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
  }
  return PROT_READ;
}

} // namespace

void make_gates(Domain &domain, const dl_phdr_info &library) {
  const Symbols symbols(library);
  for (const Elf64_Sym &symbol : symbols)
    if (const std::uintptr_t function = symbols.function(symbol); function != 0)
      make_gate(domain, function);
}

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

} // namespace sartor::isolate
