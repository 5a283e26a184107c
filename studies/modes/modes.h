/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The three builds of the code whose modes are studied. */
#ifndef MODES_MODES_H
#define MODES_MODES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MODES_KEPT = 65536 };

/* What has been written to a file, and the last of it. */
struct modes_written {
  unsigned long bytes;
  unsigned long next; /* In `kept`. */
  unsigned char kept[MODES_KEPT];
};

/* A mode: a part of an object. */
struct modes_memory {
  void *object;
  size_t object_size;
  void *part;
  size_t size;
};

#define MODES_MUSL(way)                                                                            \
  int way##_fputc(int c, void *file);                                                              \
  void *way##_malloc(size_t bytes);                                                                \
  void way##_free(void *memory);                                                                   \
  void *way##_open(void); /* The one file, anew. */                                                \
  const struct modes_written *way##_written(void);                                                 \
  void way##_thread_begins(void); /* Before another thread, and after it has ended. */             \
  void way##_thread_ends(void);                                                                    \
  struct modes_memory way##_mode(void);                                                            \
  struct modes_memory way##_file_mode(void);

#define MODES_GREP(way)                                                                            \
  long way##_Fexecute(void *pattern, const char *text, long size, long *match_size,                \
                      const char *start);                                                          \
  void way##_locale_changes(void);                    /* After setlocale(). */                     \
  void *way##_pattern(const char *word, int as_word); /* Not freed. */                             \
  struct modes_memory way##_multibyte(void);                                                       \
  struct modes_memory way##_utf8(void);

#ifndef MODES_NAME /* the sources have types of its own */
MODES_MUSL(dynamic)
MODES_MUSL(folded)
MODES_MUSL(fixed)
MODES_GREP(dynamic)
MODES_GREP(folded)
MODES_GREP(fixed)
#endif

#ifdef __cplusplus
}
#endif

#endif
