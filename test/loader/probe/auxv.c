// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "check.h"

// NOLINTBEGIN(*-identifier-naming): the linker's and the C library's
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
void _start(void);
// NOLINTEND(*-identifier-naming)

int main(int argc, char **argv) {
  const uintptr_t base = (uintptr_t)&__ehdr_start;
  CHECK(getauxval(AT_ENTRY) == (unsigned long)(uintptr_t)_start);
  CHECK(getauxval(AT_PHDR) == base + __ehdr_start.e_phoff);
  CHECK(getauxval(AT_PHNUM) == __ehdr_start.e_phnum);
  CHECK(getauxval(AT_PHENT) == sizeof(ElfW(Phdr)));
  CHECK(getauxval(AT_PAGESZ) == (unsigned long)sysconf(_SC_PAGESIZE));
  CHECK(getauxval(AT_UID) == getuid());
  CHECK(getauxval(AT_SECURE) == 0);
  CHECK(getauxval(AT_RANDOM) != 0);
  CHECK(getauxval(AT_PLATFORM) && strcmp((const char *)getauxval(AT_PLATFORM), "x86_64") == 0);
  const char *name = (const char *)getauxval(AT_EXECFN);
  char ours[PATH_MAX] = "";
  char theirs[PATH_MAX] = "";
  CHECK(name && realpath(name, ours) && realpath(argv[argc - 1], theirs) &&
        strcmp(ours, theirs) == 0);
  const ElfW(Ehdr) *loader = (const ElfW(Ehdr) *)getauxval(AT_BASE);
  CHECK(loader && memcmp(loader->e_ident, ELFMAG, SELFMAG) == 0 && loader->e_type == ET_DYN);
  if (getauxval(AT_SYSINFO_EHDR))
    CHECK(memcmp((const void *)getauxval(AT_SYSINFO_EHDR), ELFMAG, SELFMAG) == 0);
  return wrong_count();
}
