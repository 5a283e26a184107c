/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_PLUGIN_REPLACED_H
#define SARTOR_TEST_PLUGIN_REPLACED_H

#ifdef __cplusplus
extern "C" {
#endif

/* Weak definitions, which the test replaces by strong ones, and file-scope assembly. */
int hook(int x);
extern int limit;
int call_hook(int x);
int weak_handler(int x);
int kept_weak_handler(int x);
int weak_callee(int x);
int call_weak_callee(int x);
long add_to_state(long x);
extern long assembly_state;

#ifdef __cplusplus
}
#endif

#endif
