// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vault.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static long calls;
static long secret = 42;
static char large_bss[20000];
__thread long vault_of_thread = 7;

/// For a thread that begins before any code of the program and runs until this is set.
static int may_end;
static pthread_t early;
static void *run_early(void *argument) {
  while (!__atomic_load_n(&may_end, __ATOMIC_SEQ_CST))
    sched_yield();
  return argument;
}

__attribute__((constructor)) static void begin(void) {
  calls = 1000;
  pthread_create(&early, NULL, run_early, &secret);
}
__attribute__((destructor)) static void end(void) {
  printf("the vault ends after %s calls\n", calls > 1000 ? "some" : "no");
}

static void count(void) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
  large_bss[calls % sizeof large_bss] = 1;
}

int vault_ends_early_thread(void) {
  void *result = NULL;
  __atomic_store_n(&may_end, 1, __ATOMIC_SEQ_CST);
  return pthread_join(early, &result) == 0 && result == &secret;
}

long vault_calls(void) { return __atomic_load_n(&calls, __ATOMIC_SEQ_CST); }

long vault_integers(long a, int b, short c, long d, long e, long f, char g, long h, long i,
                    long j) {
  count();
  return a + 2L * b + 3L * c + 4 * d + 5 * e + 6 * f + 7L * g + 8 * h + 9 * i + 10 * j;
}

double vault_doubles(double a, float b, double c, double d, double e, double f, double g, double h,
                     double i, double j, long k) {
  count();
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + (double)k;
}

double vault_mixed(int pairs, ...) {
  va_list list;
  double sum = 0;
  count();
  va_start(list, pairs);
  for (int i = 0; i < pairs; ++i) {
    sum += (double)va_arg(list, long) * (i + 1);
    sum += va_arg(list, double) / (i + 1);
  }
  va_end(list);
  return sum;
}

struct VaultPair vault_pair(long one, double other) {
  count();
  return (struct VaultPair){one + secret, other / 2};
}

struct VaultLarge vault_large(struct VaultLarge in, long add) {
  count();
  for (int i = 0; i < 8; ++i)
    in.numbers[i] += add;
  return in;
}

long double vault_long_double(long double number) {
  count();
  return number / 3;
}

double complex vault_complex(double complex number) {
  count();
  return number * number;
}

VaultVector vault_vector_of(VaultVector one, VaultVector other) {
  count();
  return one + other;
}

long vault_call(long (*callback)(void *), void *data) {
  count();
  const long before = secret;
  const long result = callback(data);
  return result + secret - before;
}

long vault_deep(int depth, long (*callback)(int)) {
  count();
  return depth == 0 ? secret : callback(depth - 1) + 1;
}

void vault_wait(int *inside, const int *until) {
  count();
  __atomic_store_n(inside, 1, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(until, __ATOMIC_SEQ_CST))
    sched_yield();
  count();
}

static void *count_often(void *argument) {
  for (int i = 0; i < 100; ++i)
    count();
  return argument;
}

int vault_thread(void) {
  pthread_t thread;
  const long before = vault_calls();
  if (pthread_create(&thread, NULL, count_often, NULL) != 0 || pthread_join(thread, NULL) != 0)
    return 0;
  return vault_calls() == before + 100;
}

static void say_secret(void) { printf("the secret is %ld\n", secret); }

void vault_at_exit(void) { atexit(say_secret); }

static pthread_key_t key;
static void count_end(void *value) {
  (void)value;
  count();
}

void vault_at_thread_end(void) {
  static int has_key;
  if (!has_key)
    has_key = pthread_key_create(&key, count_end) == 0;
  pthread_setspecific(key, &secret);
}

long *vault_secret(void) {
  count();
  return &secret;
}

static long of_pointer(void) { return secret; }

long (*vault_pointer(void))(void) {
  count();
  return of_pointer;
}
