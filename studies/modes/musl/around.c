/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Support code for fputc() and malloc(), compiled once for each build: files that discard what
 * is written, and the start and end of threads, as in pthread_create.c. */
#define _GNU_SOURCE
#include "pthread_impl.h"
#include "stdio_impl.h"

#include <string.h>

#include "../modes.h"

static size_t nothing[1];
struct __libc __libc = {.page_size = 4096, .auxv = nothing};

void __stdio_exit_needed(void) {}
void *__mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  return mmap(at, bytes, protection, flags, fd, offset);
}
int __madvise(void *at, size_t bytes, int advice) { return madvise(at, bytes, advice); }

static FILE file;
static unsigned char buffer[1024];
static struct ModesWritten written;

static void keep(const unsigned char *bytes, size_t count) {
  if (count > kModesKept - written.next)
    written.next = 0;
  memcpy(written.kept + written.next, bytes, count);
  written.next += count;
  written.bytes += count;
}

static size_t write_nowhere(FILE *f, const unsigned char *bytes, size_t count) {
  keep(f->wbase, (size_t)(f->wpos - f->wbase));
  keep(bytes, count);
  f->wend = f->buf + f->buf_size;
  f->wpos = f->wbase = f->buf;
  return count;
}

void *MODES_NAME(open)(void) {
  memset(&file, 0, sizeof file);
  memset(&written, 0, sizeof written);
  file.buf = buffer;
  file.buf_size = sizeof buffer;
  file.lbf = EOF;
  file.write = write_nowhere;
  if (!libc.threaded)
    file.lock = -1;
  return &file;
}

const struct ModesWritten *MODES_NAME(written)(void) {
  write_nowhere(&file, (const unsigned char *)"", 0);
  return &written;
}

void MODES_NAME(thread_begins)(void) {
  if (!libc.threaded) {
    if (file.lock < 0)
      file.lock = 0;
    libc.threaded = 1;
  }
  if (!libc.threads_minus_1++)
    libc.need_locks = 1;
}

void MODES_NAME(thread_ends)(void) {
  if (!--libc.threads_minus_1)
    libc.need_locks = -1;
}

struct ModesMemory MODES_NAME(mode)(void) {
  return (struct ModesMemory){&libc, sizeof libc, (void *)&libc.need_locks, sizeof libc.need_locks};
}

struct ModesMemory MODES_NAME(file_mode)(void) {
  return (struct ModesMemory){&file, sizeof file, (void *)&file.lock, sizeof file.lock};
}
