/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * How a handler module lies in a program: one descriptor for each handler file in the section
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

/** The address that a name of the bitcode has in the running program. */
struct sartor_symbol {
  const char *name;
  void *address; /**< Null where the program has nothing of that name. */
  /** The handler file's own definition, where the linker may prefer another of that name (it is
   *  weak, or can be interposed); or null. */
  void *own;
};

/** How a handler that the program calls directly is reached: its symbol is code of the plugin's
 * that reads this, with a word before it that says how far away this is. Until a runtime leads it,
 * and when that has ended, calls go to the native code. */
struct sartor_direct {
  void *code;             /**< Where calls go while `active` is not 0. */
  uintptr_t active;       /**< 0 while native code is in force, else what `*reader` is. */
  const uintptr_t *epoch; /**< `sartor_epoch`. */
  void *(*enter)(uintptr_t frame, uintptr_t place); /**< `sartor_enter`. */
  void (*leave)(void);                              /**< `sartor_leave`. */
  void *owner; /**< Who has written what is above; null if it is nobody. */
  /** What `code` is at first, and what variants leave into: ends the section that a direct call has
   *  begun there, and goes to the native code. */
  void *out;
  void *native;
  /** How far from the thread pointer the address of a thread's record is; 0 at first. One for a
   *  program or library: what variants return to reads it as well. */
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

/* Bounds of the descriptors of this program or shared library, made by the linker; null where there
 * is no handler module. */
// NOLINTBEGIN(readability-identifier-naming): the linker chose these names
extern const struct sartor_module __start_sartor_modules[]
    __attribute__((weak, visibility("hidden")));
extern const struct sartor_module __stop_sartor_modules[]
    __attribute__((weak, visibility("hidden")));
// NOLINTEND(readability-identifier-naming)

/** Constructors of files with handlers tell of all modules of their program or library, where
 *  somebody wants to hear it: the loader's pass `handlers`. `code`: a function beside them. */
void sartor_register_modules(const struct sartor_module *begin, const struct sartor_module *end,
                             const void *code);

#ifdef __cplusplus
}
#endif

#endif
