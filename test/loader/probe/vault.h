// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_VAULT_H
#define SARTOR_LOADER_PROBE_VAULT_H

#include <complex.h>
#include <stddef.h>

/// Two libraries that keep secrets in their own data.

struct VaultPair {
  long one;
  double other;
};
struct VaultLarge {
  long numbers[8];
};
typedef double VaultVector __attribute__((vector_size(16)));

// Functions of libprobe_vault.so.
long vault_calls(void); ///< Number of calls of any of these.
long vault_integers(long a, int b, short c, long d, long e, long f, char g, long h, long i, long j);
double vault_doubles(double a, float b, double c, double d, double e, double f, double g, double h,
                     double i, double j, long k);
double vault_mixed(int count, ...); ///< The arguments are `count` pairs of a long and a double.
struct VaultPair vault_pair(long one, double other);
struct VaultLarge vault_large(struct VaultLarge in, long add);
long double vault_long_double(long double number);
double complex vault_complex(double complex number);
VaultVector vault_vector_of(VaultVector one, VaultVector other);
long vault_call(long (*callback)(void *), void *data);
long vault_deep(int depth, long (*callback)(int)); ///< Recurses through `callback`.
void vault_wait(int *inside, const int *until);
int vault_thread(void);            ///< Counts in a thread of the library.
int vault_ends_early_thread(void); ///< Counts in the thread that began before the program. Once.
void vault_at_exit(void);
void vault_at_thread_end(void);
extern __thread long vault_of_thread;
/// An address of the library's own data, which callers outside must not access.
long *vault_secret(void);
long (*vault_pointer(void))(void);

// A function of libprobe_vault_other.so, which calls the other library.
long vault_other(long number);
long vault_other_calls(void);

#endif
