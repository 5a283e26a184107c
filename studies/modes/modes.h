/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The three builds of the code whose modes are studied. */
#ifndef MODES_MODES_H
#define MODES_MODES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kModesKept = 65536 };

/* The number of bytes written to a file, and the last ones. */
struct ModesWritten {
  unsigned long bytes;
  unsigned long next; /* Index in `kept`. */
  unsigned char kept[kModesKept];
};

/* A mode: a part of an object. */
struct ModesMemory {
  void *object;
  size_t object_size;
  void *part;
  size_t size;
};

#define MODES_MUSL(way)                                                                            \
  int way##_fputc(int c, void *file);                                                              \
  void *way##_malloc(size_t bytes);                                                                \
  void way##_free(void *memory);                                                                   \
  void *way##_open(void); /* Opens the file anew. */                                               \
  const struct ModesWritten *way##_written(void);                                                  \
  void way##_thread_begins(void); /* Before and after another thread. */                           \
  void way##_thread_ends(void);                                                                    \
  struct ModesMemory way##_mode(void);                                                             \
  struct ModesMemory way##_file_mode(void);

#define MODES_GREP(way)                                                                            \
  long way##_Fexecute(void *pattern, const char *text, long size, long *match_size,                \
                      const char *start);                                                          \
  void way##_locale_changes(void);                    /* After setlocale(). */                     \
  void *way##_pattern(const char *word, int as_word); /* Never freed. */                           \
  struct ModesMemory way##_multibyte(void);                                                        \
  struct ModesMemory way##_utf8(void);

#ifndef MODES_NAME /* the sources have their own types */
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
