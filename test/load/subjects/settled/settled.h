/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_LOAD_SETTLED_H
#define SARTOR_TEST_LOAD_SETTLED_H

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by the target. */
extern int settled_data[4];
extern __thread int settled_thread;
extern int settled_begun;
extern int settled_unique;
int settled_function(void);
int settled_protected(void);
int settled_interposed(void);
void settled_begin(void);
int settled_indirect(void);
int settled_versioned(void);
int settled_missing(void) __attribute__((weak));

/* Defined by the client. */
enum { settled_addresses = 12 };
extern const void *settled_words[settled_addresses];
int settled_own(void);
/** Returns the sum of everything that can be called and read by name. */
int settled_sum(void);
/** Returns true if classes of other libraries are identified by their types. */
int settled_classes(void);

#ifdef __cplusplus
}
#endif
#endif
