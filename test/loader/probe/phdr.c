// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

int chosen(void);

/// True if the memory is readable: write() fails on memory that is not, without ending the process.
static int readable(const char *address, size_t size, int pipe_end) {
  for (size_t i = 0; i < size; i += 4096) {
    if (write(pipe_end, address + i, 1) != 1)
      return 0;
  }
  return size == 0 || write(pipe_end, address + size - 1, 1) == 1;
}

static int inside(const struct dl_phdr_info *info, ElfW(Addr) address) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    const ElfW(Addr) begin = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && begin <= address && address < begin + header->p_memsz)
      return 1;
  }
  return 0;
}

static void check_object(const struct dl_phdr_info *info, int null) {
  const int wrong_before = wrong_checks;
  int loads = 0;
  int dynamic = 0;
  ElfW(Addr) last = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    const ElfW(Addr) begin = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD) {
      CHECK(header->p_filesz <= header->p_memsz);
      CHECK(begin >= last);
      last = begin + header->p_memsz;
      if (header->p_flags & PF_R)
        CHECK(readable((const char *)begin, header->p_memsz, null));
      ++loads;
    } else if (header->p_type == PT_DYNAMIC) {
      CHECK(inside(info, begin));
      for (const ElfW(Dyn) *entry = (const ElfW(Dyn) *)begin; entry->d_tag != DT_NULL; ++entry)
        ++dynamic;
    } else if (header->p_type == PT_GNU_EH_FRAME) {
      CHECK(inside(info, begin));
      CHECK(*(const unsigned char *)begin == 1);
    } else if (header->p_type == PT_TLS) {
      CHECK(header->p_filesz == 0 || inside(info, begin));
      CHECK(info->dlpi_tls_modid > 0);
    }
  }
  CHECK(loads > 0);
  CHECK(dynamic > 0 || strstr(info->dlpi_name, "vdso"));
  if (wrong_checks != wrong_before)
    printf("wrong in: \"%s\"\n", info->dlpi_name);
}

struct Seen {
  int null;
  int objects;
  int program;
  int library;
  int c_library;
  int of_function;
};

static int look(struct dl_phdr_info *info, size_t size, void *data) {
  struct Seen *seen = data;
  CHECK(size >= sizeof *info);
  check_object(info, seen->null);
  ++seen->objects;
  seen->program += info->dlpi_name[0] == '\0';
  seen->library += strstr(info->dlpi_name, "libprobe_choice.so") != NULL;
  seen->c_library += strstr(info->dlpi_name, "/libc.so.6") != NULL;
  seen->of_function += inside(info, (ElfW(Addr))dlsym(RTLD_DEFAULT, "chosen")) &&
                       strstr(info->dlpi_name, "libprobe_choice.so") != NULL;
  return 0;
}

extern struct r_debug _r_debug;

static void check_link_maps(void) {
  int maps = 0;
  for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
    if (strstr(map->l_name, "libprobe_choice.so") || strstr(map->l_name, "libc.so.6")) {
      CHECK(access(map->l_name, R_OK) == 0);
      CHECK(memcmp((const void *)map->l_addr, "\177ELF", 4) == 0);
      ++maps;
    }
    CHECK(!map->l_next || map->l_next->l_prev == map);
  }
  CHECK(maps == 2);
}

int main(void) {
  int ends[2];
  CHECK(chosen() > 0);
  if (!CHECK(pipe(ends) == 0))
    return 1;
  // A child empties the pipe, because /dev/null accepts memory that cannot be read.
  const pid_t drain = fork();
  if (drain == 0) {
    char buffer[65536];
    close(ends[1]);
    while (read(ends[0], buffer, sizeof buffer) > 0) {
    }
    _exit(0);
  }
  close(ends[0]);
  struct Seen seen = {.null = ends[1]};
  dl_iterate_phdr(look, &seen);
  CHECK(seen.program == 1);
  CHECK(seen.library == 1);
  CHECK(seen.c_library == 1);
  CHECK(seen.of_function == 1);
  check_link_maps();
  printf("%d objects\n", seen.objects);
  return wrong_count();
}
