// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/frames.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unwind.h>

#include "base/address_tree.h"
#include "base/file/elf_sections.h"
#include "runtime/codemem/near.h"

namespace sartor::runtime {

namespace {

/// Pieces of code begin at cache lines.
constexpr unsigned kLineBits = 6;
constexpr std::size_t kLine = 1U << kLineBits;

constinit base::AddressTree<FramesHeader, kLineBits> headers;
/// All code is in this range; most addresses that are looked up are not.
std::atomic<std::uintptr_t> lowest = UINTPTR_MAX, highest = 0;

using FindObject = int (*)(void *, dl_find_object *) noexcept;

/// The function that the unwinder called before.
std::atomic<FindObject> next = &_dl_find_object;

/// Replaces the dynamic linker's function. May be called in signal handlers.
int find_object(void *address, dl_find_object *found) noexcept {
  const auto of = reinterpret_cast<std::uintptr_t>(address);
  const bool may_be_ours =
      of >= lowest.load(std::memory_order_acquire) && of < highest.load(std::memory_order_acquire);
  FramesHeader *header = may_be_ours ? headers.find(of) : nullptr;
  if (!header)
    return next.load(std::memory_order_acquire)(address, found);
  // The code is reported as a part of this library.
  if (_dl_find_object(reinterpret_cast<void *>(&find_object), found) != 0)
    return -1;
  found->dlfo_map_start = reinterpret_cast<void *>(of & ~(kLine - 1));
  found->dlfo_map_end = static_cast<std::byte *>(found->dlfo_map_start) + kLine;
  found->dlfo_eh_frame = header;
  return 0;
}

/// Returns an entry of an object's dynamic section (System V ABI, "Dynamic Section").
std::uintptr_t entry_of(const link_map &object, ElfW(Sxword) tag) {
  for (const ElfW(Dyn) *entry = object.l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == tag)
      return entry->d_un.d_ptr;
  return 0;
}

std::span<const ElfW(Rela)> relocations(const link_map &object, ElfW(Sxword) table,
                                        ElfW(Sxword) bytes) {
  return {reinterpret_cast<const ElfW(Rela) *>(entry_of(object, table)),
          entry_of(object, bytes) / sizeof(ElfW(Rela))};
}

/// Returns the location in which an object keeps the address of a function of another object; null
/// if it has none.
std::atomic<FindObject> *place_of(const link_map &object, std::string_view function) {
  const auto *symbols = reinterpret_cast<const ElfW(Sym) *>(entry_of(object, DT_SYMTAB));
  const auto *names = reinterpret_cast<const char *>(entry_of(object, DT_STRTAB));
  for (const auto table :
       {relocations(object, DT_JMPREL, DT_PLTRELSZ), relocations(object, DT_RELA, DT_RELASZ)})
    for (const ElfW(Rela) &relocation : table) {
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) &&
          names + symbols[ELF64_R_SYM(relocation.r_info)].st_name == function)
        return reinterpret_cast<std::atomic<FindObject> *>(object.l_addr + relocation.r_offset);
    }
  return nullptr;
}

/// True if the dynamic linker has made the address read-only after relocation.
bool is_read_only(const dl_find_object &object, std::uintptr_t address) {
  const auto segments =
      base::program_headers_in({static_cast<const std::byte *>(object.dlfo_map_start),
                                static_cast<const std::byte *>(object.dlfo_map_end)});
  return segments.empty() || std::ranges::any_of(segments, [&](const Elf64_Phdr &segment) {
           return segment.p_type == PT_GNU_RELRO &&
                  address - (object.dlfo_link_map->l_addr + segment.p_vaddr) < segment.p_memsz;
         });
}

class OwnUnwinder {
public:
  OwnUnwinder() {
    auto *unwinds = reinterpret_cast<void *>(&_Unwind_RaiseException);
    if (_dl_find_object(unwinds, &object_) == 0)
      place_ = place_of(*object_.dlfo_link_map, "_dl_find_object");
  }

  /// Checks on each call: the dynamic linker may have been about to store its own function.
  bool redirect() {
    if (!place_)
      return false;
    const FindObject now = place_->load(std::memory_order_acquire);
    const bool is_linkers = now == &_dl_find_object || is_in_it(now); // or about to be looked up
    // A function that was installed later calls this one.
    if (now == &find_object || (is_redirected_ && !is_linkers))
      return true;
    const auto address = reinterpret_cast<std::uintptr_t>(place_);
    auto *const page = reinterpret_cast<void *>(address & ~(page_size() - 1));
    const bool read_only = is_read_only(object_, address);
    if (read_only && mprotect(page, page_size(), PROT_READ | PROT_WRITE) != 0)
      return false;
    if (!is_linkers)
      next.store(now, std::memory_order_release);
    place_->store(&find_object, std::memory_order_release);
    is_redirected_ = true;
    if (read_only)
      mprotect(page, page_size(), PROT_READ);
    return true;
  }

private:
  [[nodiscard]] bool is_in_it(FindObject function) const {
    auto *const address = reinterpret_cast<void *>(function);
    return address >= object_.dlfo_map_start && address < object_.dlfo_map_end;
  }

  dl_find_object object_{};
  bool is_redirected_ = false;
  std::atomic<FindObject> *place_ = nullptr;
};

} // namespace

bool Frames::are_asked_for() {
  static OwnUnwinder unwinder;
  return unwinder.redirect();
}

bool Frames::add(const std::byte *code, std::size_t bytes, FramesHeader *header) {
  const auto begin = reinterpret_cast<std::uintptr_t>(code);
  for (std::uintptr_t line = begin; line < begin + bytes; line += kLine)
    if (!headers.set(line, header)) {
      remove(code, line - begin);
      return false;
    }
  lowest = std::min(lowest.load(), begin);
  highest = std::max(highest.load(), begin + bytes);
  return true;
}

void Frames::remove(const std::byte *code, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(code);
  for (std::uintptr_t line = begin; line < begin + bytes; line += kLine)
    headers.set(line, nullptr);
}

} // namespace sartor::runtime
