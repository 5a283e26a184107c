// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/isolate/setup.h"

#include <cstdlib>
#include <cstring>
#include <span>

#include <link.h>
#include <pthread.h>

#include "agents/environment.h"
#include "agents/isolate/domain.h"
#include "agents/isolate/exports.h"
#include "agents/isolate/gates.h"
#include "agents/slots.h"
#include "loader/lib/file/written_memory.h"

namespace sartor::isolate {

namespace {

/// Calls `visit` with each object of the process.
template <class Visit> void for_each_object(Visit &&visit) {
  dl_iterate_phdr(
      [](dl_phdr_info *info, std::size_t, void *visitor) {
        (*static_cast<Visit *>(visitor))(*info);
        return 0;
      },
      &visit);
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
  for_each_object([&](const dl_phdr_info &object) {
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
  for_each_object([](const dl_phdr_info &object) {
    if (domain_of(object) && !lead_symbols_to_gates(object))
      give_up("the symbols of a domain cannot be written");
  });
  for_each_object([](const dl_phdr_info &object) { lead_through_gates(object); });
  for (Domain &domain : domains)
    domain.close();
}

} // namespace sartor::isolate
