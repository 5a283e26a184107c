/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_PLUGIN_PLACES_H
#define SARTOR_TEST_PLUGIN_PLACES_H

#include <link.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The result of dlsym() with RTLD_NEXT, and of a lookup by address. */
void *next_of(const char *name, int way);
/** The names of the objects that dl_iterate_phdr() lists. */
int objects_seen(int way);
/** True if the caller that a helper sees is in an object. */
int is_called_from_an_object(int way);
/** True if the handler's own caller is in an object. */
int has_a_caller_in_an_object(int way);
/** Loads a word; returns -1 if the load faults, by an exception table. */
long load_or_less(const long *from, int way);
/** The number of a jump that is recorded in the file's own table. */
long with_subsection(long value, int way);
/** Contains a probe. */
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
