// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the library that an address belongs to, as the stock loader reports it: for code, for
// data, and for calls of dlsym() that depend on the caller.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

int chain(void);

static int segments;

static void check_owner(const struct dl_phdr_info *object, ElfW(Addr) address) {
  Dl_info info;
  CHECK(dladdr((void *)address, &info));
  if (object->dlpi_name[0] != '\0' && strcmp(info.dli_fname, object->dlpi_name) != 0) {
    printf("%s has an address of %s's\n", info.dli_fname, object->dlpi_name);
    CHECK(0);
  }
  CHECK((ElfW(Addr))info.dli_fbase == object->dlpi_addr);
  ++segments;
}

static int check_object(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  (void)data;
  if (strstr(object->dlpi_name, "vdso"))
    return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || header->p_memsz == 0)
      continue;
    const ElfW(Addr) begin = object->dlpi_addr + header->p_vaddr;
    check_owner(object, begin);
    check_owner(object, begin + header->p_memsz - 1);
  }
  return 0;
}

int main(void) {
  CHECK(chain() == 1234);
  dl_iterate_phdr(check_object, NULL);
  CHECK(segments > 20);
  return wrong_count();
}
