/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Watched fields: fields whose stores the compiler plugin finds and guards, so that a
 * quasi-invariant about such a field can be invalidated before it is violated. See
 * docs/guides/write_guards.md.
 *
 *     struct file {
 *       SARTOR_WATCHED int references;
 *       ...
 *     };
 *
 * In every file that is compiled with the plugin (sartor_watch(), sartor_add_handler()), code that
 * may change a watched field first checks one byte, which is zero while no quasi-invariant depends
 * on the field.
 */
#ifndef SARTOR_WATCH_H
#define SARTOR_WATCH_H

#include <stdint.h>

/** Placed before a field of a struct, class or union, or a global variable, also a static one or
 *  a static member: it is watched. Not for references and thread-local variables. Compilers other
 *  than clang ignore it, and their stores are not guarded. */
#ifdef __clang__
#define SARTOR_WATCHED __attribute__((annotate("sartor.watched")))
#else
#define SARTOR_WATCHED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** A watched field or variable that a file can store to: the plugin writes one for each file and
 *  field into the section `sartor_watches`. Several may describe one field: they share `armed`.
 *  Immutable. */
struct sartor_watch {
  const char *record; /**< As in the source: `file`, `net::Route`; empty for a variable. */
  const char *field;
  uint64_t record_size; /**< In bytes, like the other sizes here. */
  uint64_t offset;      /**< In the record; of the first byte with bits of a bit-field. */
  uint64_t size;        /**< Size; for a bit-field: of all bytes that it has bits in. */
  /** Nonzero while a quasi-invariant depends on such a field, of any object: stores call
   *  sartor_may_write() then. One for each field and program or shared library; it must be set in
   *  each of them. */
  unsigned char *armed;
  const void *variable; /**< Address of a variable; null for a field. */
};

/* Bounds of the records of this program or shared library, defined by the linker; null if there
 * is none. */
// NOLINTBEGIN(readability-identifier-naming): the linker chose these names
extern const struct sartor_watch __start_sartor_watches[]
    __attribute__((weak, visibility("hidden")));
extern const struct sartor_watch __stop_sartor_watches[]
    __attribute__((weak, visibility("hidden")));
// NOLINTEND(readability-identifier-naming)

/** Called once by a constructor of the program or library to register its watched fields, if the
 *  process has this function (in libsartor). It has no counterpart when a library is unloaded. */
void sartor_register_watches(const struct sartor_watch *begin, const struct sartor_watch *end);

/** Called before a guarded store of `size` bytes to `address` while `*armed` of a watched field
 *  that it may change is not zero; from any thread, also in signal handlers and destructors, and
 *  within handlers. The bytes need not belong to an object of a quasi-invariant, nor change.
 *  Nonzero: the store is made, and sartor_written() called right afterwards by the same thread.
 *  Zero: the store is skipped, and the program continues as if it had been made; an atomic
 *  operation returns the value that it would have returned. Does not throw. */
int sartor_may_write(void *address, uint64_t size);

/** Called after a guarded store that sartor_may_write() has allowed, with the same arguments. */
void sartor_written(void *address, uint64_t size);

#ifdef __cplusplus
}
#endif

#endif
