// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_TLS_H
#define SARTOR_LOADER_PROBE_TLS_H

#define TLS_MODEL(name) __attribute__((tls_model(name)))

// Each variable starts at its number in every thread.
int add_general(int number); // 100
int add_local(int number);   // 200
int add_initial(int number); // 300
int add_zero(int number);    // 0
int *place_of_general(void);
/// Defined in the program; the library also uses it.
extern __thread int exported_variable; // 400

#endif
