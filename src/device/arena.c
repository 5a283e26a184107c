/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "device/arena.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int open_given(struct sartor_arena *arena, size_t size,
                      const struct sartor_device_system *system) {
  void *writable = NULL;
  void *code = system->open_code(system->context, size, &writable);
  if (!code)
    return 0;
  arena->system = system;
  arena->writable = writable;
  arena->code = code;
  arena->size = size;
  return 1;
}

int sartor_arena_open(struct sartor_arena *arena, size_t size,
                      const struct sartor_device_system *system) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  memset(arena, 0, sizeof *arena);
  arena->file = -1;
  if (size > (size_t)-1 / 2)
    return 0;
  if (system && system->open_code)
    return open_given(arena, size, system);
  size = (size + page - 1) / page * page;
  const int file = memfd_create("sartor code", MFD_CLOEXEC);
  if (file < 0)
    return 0;
  void *writable = MAP_FAILED;
  void *code = MAP_FAILED;
  if (ftruncate(file, (off_t)size) == 0) {
    writable = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    code = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  }
  if (writable != MAP_FAILED && code != MAP_FAILED) {
    arena->writable = writable;
    arena->code = code;
    arena->size = size;
    arena->file = file;
    arena->own = sartor_own_file_of(file);
    return 1;
  }
  close(file);
  if (writable != MAP_FAILED)
    munmap(writable, size);
  if (code != MAP_FAILED)
    munmap(code, size);
  return 0;
}

void sartor_arena_close(struct sartor_arena *arena) {
  if (arena->system) {
    arena->system->close_code(arena->system->context, arena->code, arena->size);
    return;
  }
  if (arena->writable)
    munmap(arena->writable, arena->size);
  if (arena->code)
    munmap(arena->code, arena->size);
  sartor_close_own(arena->file, arena->own);
}

void sartor_arena_written(const struct sartor_arena *arena, size_t at, size_t size) {
  if (arena->system) {
    arena->system->code_written(arena->system->context, arena->code + at, size);
    return;
  }
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t begin = at / page * page;
  unsigned char *code = arena->code + at;
  __builtin___clear_cache((char *)arena->writable + at, (char *)arena->writable + at + size);
  __builtin___clear_cache((char *)code, (char *)code + size);
  /* Maps the same memory again at the same address. Emulators, which have translated the old code,
   * do not notice a write through another view, but do notice this. */
  if (sartor_is_still_ours(arena->file, arena->own))
    (void)mmap(arena->code + begin, at + size - begin, PROT_READ | PROT_EXEC,
               MAP_SHARED | MAP_FIXED, arena->file, (off_t)begin);
}

int sartor_arena_after_fork(struct sartor_arena *arena) {
  if (arena->system)
    return 0;
  void *own = mmap(NULL, arena->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (own == MAP_FAILED)
    return 0;
  memcpy(own, arena->code, arena->size);
  if (mprotect(own, arena->size, PROT_READ | PROT_EXEC) != 0 ||
      mremap(own, arena->size, arena->size, MREMAP_MAYMOVE | MREMAP_FIXED, arena->code) ==
          MAP_FAILED)
    return 0;
  munmap(arena->writable, arena->size);
  sartor_close_own(arena->file, arena->own);
  arena->writable = NULL;
  arena->file = -1;
  return 1;
}
