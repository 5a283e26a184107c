/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Watched fields: fields whose stores the compiler plugin finds and guards, so that a fact about
 * such a field can be taken back before it becomes wrong. See docs/guards.md.
 *
 *     struct file {
 *       SARTOR_WATCHED int references;
 *       ...
 *     };
 *
 * In every file that is compiled with the plugin (sartor_watch(), sartor_add_handler()), what may
 * change a watched field checks one byte first, which is zero while no fact leans on the field.
 */
#ifndef SARTOR_WATCH_H
#define SARTOR_WATCH_H

#include <stdint.h>

/** Before a field of a struct, class or union, or a global variable, also a static one or a static
 *  member: it is watched. Not for references, and what threads have each. Other compilers than clang do not know it, and their stores are not guarded. */
#ifdef __clang__
#define SARTOR_WATCHED __attribute__((annotate("sartor.watched")))
#else
#define SARTOR_WATCHED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** A watched field or variable that a file can store to: the plugin writes one for each file and field into the
 *  section `sartor_watches`. Several may speak of one field: they share `armed`. Immutable. */
struct sartor_watch {
  const char *record; /**< As the source has it: `file`, `net::Route`; empty for a variable. */
  const char *field;
  uint64_t record_size; /**< In bytes, as all of these. */
  uint64_t offset; /**< In the record; of a bit-field: of the first byte that it has bits in. */
  uint64_t size;   /**< Of a bit-field: of all bytes that it has bits in. */
  /** Not zero while a fact leans on such a field, of whatever object: stores ask. One for each
   * field and program or shared library. Whoever sets it sets it in each program and library. */
  unsigned char *armed;
  const void *variable; /**< Its address, if it is a variable: an object of its own. Else null. */
};

/* Bounds of those of this program or shared library, made by the linker; null where there is none.
 */
// NOLINTBEGIN(readability-identifier-naming): the linker chose these names
extern const struct sartor_watch __start_sartor_watches[]
    __attribute__((weak, visibility("hidden")));
extern const struct sartor_watch __stop_sartor_watches[]
    __attribute__((weak, visibility("hidden")));
// NOLINTEND(readability-identifier-naming)

/** A constructor of the program or library tells of its watched fields, once, where somebody wants
 *  to hear it: libsartor. It has no counterpart when a library is unloaded. */
void sartor_register_watches(const struct sartor_watch *begin, const struct sartor_watch *end);

/** Called before a guarded store of `size` bytes to `address` while `*armed` of a watched field
 * that it may change is not zero; from any thread, in signal handlers and destructors, too, and
 * within handlers. The bytes need not belong to an object that there is a fact about, nor change.
 *  Not zero: the store is made, and sartor_written() called right afterwards by the same thread.
 *  Zero: the store is left out, and the program goes on as if it had been made; an atomic operation
 *  gives what it would have given. Does not throw. */
int sartor_may_write(void *address, uint64_t size);

/** Called after a guarded store that sartor_may_write() has been asked for, with the same
 * arguments. */
void sartor_written(void *address, uint64_t size);

#ifdef __cplusplus
}
#endif

#endif
