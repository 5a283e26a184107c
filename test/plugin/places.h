/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_PLUGIN_PLACES_H
#define SARTOR_TEST_PLUGIN_PLACES_H

#include <link.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the dynamic linker finds after this object, and from it. */
void *next_of(const char *name, int way);
/** The names of objects that dl_iterate_phdr() shows. */
int objects_seen(int way);
/** Whether the caller that a helper sees is in an object. */
int is_called_from_an_object(int way);
/** Whether its own caller is. */
int has_a_caller_in_an_object(int way);
/** Loads a word; -1 where that faults, by a table of exceptions. */
long load_or_less(const long *from, int way);
/** The number of a jump that the file's own table notes. */
long with_subsection(long value, int way);
/** Has a probe. */
long probed(long value, int way);

struct Exception {
  unsigned long at;
  unsigned long next;
};
// NOLINTNEXTLINE(readability-identifier-naming): the linker's names
extern const struct Exception __start_place_exceptions[], __stop_place_exceptions[];

#ifdef __cplusplus
}
#endif
#endif
