/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Declarations of global variables from a file (docs/guides/declarations.md), as the compiler
 * plugin writes them into the program: one row for each variable in the section `sartor_declared`.
 * While a Runtime exists in the process, libsartor maintains the invariants and quasi-invariants
 * that they declare.
 */
#ifndef SARTOR_DECLARED_H
#define SARTOR_DECLARED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SARTOR_DECLARED_INVARIANT 0u       /**< An invariant. */
#define SARTOR_DECLARED_QUASI_INVARIANT 1u /**< A quasi-invariant. */

#define SARTOR_ANSWER_REPLUG 0u
#define SARTOR_ANSWER_REFUSE 1u
#define SARTOR_ANSWER_ASK_TO_REFUSE 2u
#define SARTOR_ANSWER_ASK_TO_REINFORCE 3u

struct sartor_declared {
  const char *name; /**< As in the source: `threaded`, `settings.mode`. */
  const void *variable;
  uint64_t variable_size; /**< In bytes, like the other sizes here. */
  uint64_t offset;        /**< Offset of the field, or 0. */
  uint64_t size;          /**< Size of the field, or of the variable. */
  uint32_t kind;          /**< SARTOR_DECLARED_… */
  uint32_t answer;        /**< SARTOR_ANSWER_… to writes */
  /** Called before a write, depending on `answer`; a nonzero result means yes. Null if no
   *  function is called. */
  int (*asked)(void *address, uint64_t size);
};

/** Called by a constructor of the program or library to register its rows, if the process has
 *  this function (in libsartor). */
void sartor_register_declared(const struct sartor_declared *begin,
                              const struct sartor_declared *end);

#ifdef __cplusplus
}
#endif

#endif
