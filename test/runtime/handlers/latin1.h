/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_HANDLERS_LATIN1_H
#define SARTOR_TEST_HANDLERS_LATIN1_H

#define LATIN1_LABEL "caf\xe9"

#ifdef __cplusplus
extern "C" {
#endif

/** 2 * x; its point has a label that is no UTF-8. */
unsigned latin1(unsigned x);

#ifdef __cplusplus
}
#endif

#endif
