/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Layout of a handler module in a program: one descriptor for each handler file in the section
 * `sartor_modules`, its bitcode in `.sartor.bitcode`, and the table of the addresses of all symbols
 * that the bitcode refers to. Written by the compiler plugin; read by Runtime. Immutable.
 */
#ifndef SARTOR_MODULE_H
#define SARTOR_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/foldable.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SARTOR_MODULE_VERSION 3u

/** The address of a bitcode symbol in the running program. */
struct sartor_symbol {
  const char *name;
  void *address; /**< Null if the program has no such symbol. */
  /** The handler file's own definition, if the linker may prefer another of that name (it is
   *  weak, or can be interposed); or null. */
  void *own;
};

/** Route of a handler that the program calls directly: its symbol is a stub of the plugin that
 *  reads this record; a word before the stub has the distance to the record. Before a runtime
 *  takes the route, and after that runtime has ended, calls go to the native code. */
struct sartor_direct {
  void *code;             /**< Target of calls while `active` is not 0. */
  uintptr_t active;       /**< 0 while native code is active, else the value of `*reader`. */
  const uintptr_t *epoch; /**< `sartor_epoch`. */
  void *(*enter)(uintptr_t frame, uintptr_t place); /**< `sartor_enter`. */
  void (*leave)(void);                              /**< `sartor_leave`. */
  void *owner; /**< The runtime that has written the fields above; null if none has. */
  /** The initial value of `code`, and the target of variants' side exits: ends the read section
   *  that a direct call has begun there, and goes to the native code. */
  void *out;
  void *native;
  /** Offset of the address of a thread's record from the thread pointer; initially 0. One for a
   *  program or library; the code that variants return to reads it as well. */
  uintptr_t *reader;
};

struct sartor_module {
  uint64_t version;             /**< SARTOR_MODULE_VERSION of the plugin that wrote it. */
  const char *source;           /**< The handler file, for messages. */
  const unsigned char *bitcode; /**< `bitcode_size` bytes. */
  uint64_t bitcode_size;
  const struct sartor_symbol *symbols;
  uint64_t symbol_count;
  const struct sartor_foldable *foldables;
  uint64_t foldable_count;
};

/* Bounds of the descriptors of this program or shared library, defined by the linker; null if
 * there is no handler module. */
// NOLINTBEGIN(readability-identifier-naming): the linker chose these names
extern const struct sartor_module __start_sartor_modules[]
    __attribute__((weak, visibility("hidden")));
extern const struct sartor_module __stop_sartor_modules[]
    __attribute__((weak, visibility("hidden")));
// NOLINTEND(readability-identifier-naming)

/** Called by constructors of files with handlers to register all modules of their program or
 *  library, if the process has this function (in the loader's pass `handlers`). `code` is a
 *  function of the same library. */
void sartor_register_modules(const struct sartor_module *begin, const struct sartor_module *end,
                             const void *code);

#ifdef __cplusplus
}
#endif

#endif
