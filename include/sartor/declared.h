/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What a file of declarations (docs/declarations.md) says of global variables, as the compiler
 * plugin writes it into the program: a row for each in the section `sartor_declared`. While there
 * is a Runtime in the process, libsartor keeps the promises and facts that they declare.
 */
#ifndef SARTOR_DECLARED_H
#define SARTOR_DECLARED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SARTOR_DECLARED_STATIC 0u /**< An invariant. */
#define SARTOR_DECLARED_FACT 1u   /**< A quasi-invariant. */

#define SARTOR_ANSWER_REPLUG 0u
#define SARTOR_ANSWER_REFUSE 1u
#define SARTOR_ANSWER_ASK_TO_REFUSE 2u
#define SARTOR_ANSWER_ASK_TO_REINFORCE 3u

struct sartor_declared {
  const char *name; /**< As the source has it. */
  const void *variable;
  uint64_t size;   /**< In bytes. */
  uint32_t kind;   /**< SARTOR_DECLARED_… */
  uint32_t answer; /**< SARTOR_ANSWER_… to writes */
  /** Who is asked: not 0 is a yes. Null where nobody is. */
  int (*asked)(void *address, uint64_t size);
};

/** A constructor of the program or library tells of its rows, where somebody wants to hear it. */
void sartor_register_declared(const struct sartor_declared *begin,
                              const struct sartor_declared *end);

#ifdef __cplusplus
}
#endif

#endif
