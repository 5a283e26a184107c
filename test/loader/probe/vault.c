// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls libraries that may be in domains, with all ways of passing arguments and results: `vault`.
// Makes one forbidden access: `vault touch`, and so on.
#include "vault.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { threads = 8, rounds = 2000, depth = 3000 };

static long (*const table[])(void) = {vault_calls, vault_other_calls};

static long add_one(void *data) { return *(long *)data + 1; }
static long deeper(int rest) { return vault_deep(rest, deeper); }

static void check_arguments(void) {
  CHECK(vault_integers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 385);
  CHECK(vault_doubles(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) == 396);
  CHECK(vault_mixed(6, 1L, 1.0, 2L, 4.0, 3L, 9.0, 4L, 16.0, 5L, 25.0, 6L, 36.0) == 91 + 21);
  const struct VaultPair pair = vault_pair(-2, 5);
  CHECK(pair.one == 40 && pair.other == 2.5);
  const struct VaultLarge large = vault_large((struct VaultLarge){{1, 2, 3, 4, 5, 6, 7, 8}}, 3);
  CHECK(large.numbers[0] == 4 && large.numbers[7] == 11);
  CHECK(vault_long_double(6) == 2);
  CHECK(vault_complex(1.0 + 2.0 * I) == -3.0 + 4.0 * I);
  const VaultVector vector = vault_vector_of((VaultVector){1, 2}, (VaultVector){3, 4});
  CHECK(vector[0] == 4 && vector[1] == 6);
  CHECK(vault_of_thread == 7);
}

static void check_calls(void) {
  long number = 5;
  CHECK(vault_call(add_one, &number) == 6);
  CHECK(vault_deep(depth, deeper) == 42 + depth);
  CHECK(vault_other(number) == 5 + 11);
  CHECK(table[0]() > 1000 && table[1]() == 2);
  CHECK(table[0] == vault_calls);
  long (*const found)(void) = (long (*)(void))dlsym(RTLD_DEFAULT, "vault_calls");
  CHECK(found && found() == vault_calls());
  CHECK(vault_thread());
}

static void check_plugin(const char *path) {
  void *plugin = dlopen(path, RTLD_LAZY);
  if (!CHECK(plugin != NULL))
    return;
  double (*const number)(void) = (double (*)(void))dlsym(plugin, "plugin_number");
  CHECK(number && number() == 7.5 + 5 + 2);
}

static void *call_often(void *argument) {
  long wrong = 0;
  for (int i = 0; i < rounds; ++i) {
    long number = i;
    wrong += vault_call(add_one, &number) != i + 1;
    wrong += vault_other(number) != i + 11;
  }
  vault_at_thread_end();
  *(long *)argument += wrong;
  return NULL;
}

static long end_thread(void *data) {
  (void)data;
  pthread_exit(NULL);
}
static void *end_inside(void *argument) {
  vault_call(end_thread, argument);
  return NULL;
}

static long handled;
// NOLINTBEGIN(bugprone-signal-handler): calls into the vault must work here
static void handle(int signal) {
  (void)signal;
  long number = 1;
  __atomic_fetch_add(&handled, vault_call(add_one, &number), __ATOMIC_SEQ_CST);
}
// NOLINTEND(bugprone-signal-handler)
static void check_threads(void) {
  pthread_t thread[threads];
  // The signal interrupts any thread at any moment.
  const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
  signal(SIGALRM, handle);
  setitimer(ITIMER_REAL, &often, NULL);
  long wrong = 0, of_thread[threads] = {0};
  for (int i = 0; i < threads; ++i)
    CHECK(pthread_create(&thread[i], NULL, i == 3 ? end_inside : call_often, &of_thread[i]) == 0);
  for (int i = 0; i < threads; ++i) {
    CHECK(pthread_join(thread[i], NULL) == 0);
    wrong += of_thread[i];
  }
  CHECK(wrong == 0);
  setitimer(ITIMER_REAL, &never, NULL);
}

/// The exit status of a child that calls the vault; the child is inside already if `data` is not
/// NULL.
static long in_child(void *data) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    long number = 1;
    _exit(vault_call(add_one, &number) == 2 && (!data || *(long *)data == 3) ? 17 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static long raise_inside(void *data) {
  raise(SIGUSR1);
  return *(long *)data;
}

static jmp_buf jump;
static long jump_out(void *data) { longjmp(jump, *(int *)data); }

static void check_others(void) {
  long number = 3;
  CHECK(in_child(NULL) == 17);
  CHECK(vault_call(in_child, &number) == 17);
  handled = 0;
  signal(SIGUSR1, handle);
  raise(SIGUSR1);
  CHECK(vault_call(raise_inside, &number) == 3 && handled == 4);
  int way = 1;
  if (setjmp(jump) == 0)
    vault_call(jump_out, &way);
  CHECK(vault_call(add_one, &number) == 4);
}

static void *wait_inside(void *flags) {
  vault_wait((int *)flags, (int *)flags + 1);
  return NULL;
}

/// Nanoseconds of a call from outside, and of a call by code that is inside already: `vault time`.
static long call_from_inside(void *data) {
  for (int i = 0; i < *(int *)data; ++i)
    vault_calls();
  return 0;
}
static double time_of(long (*calls)(void *), int count) {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  calls(&count);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
}
static long enter_and_call(void *data) { return vault_call(call_from_inside, data); }
static int say_times(void) {
  const int few = 20000, many = 2000000;
  printf("%.1f ns from outside, %.1f ns from inside\n", time_of(call_from_inside, few) / few,
         time_of(enter_and_call, many) / many);
  return 0;
}

/// Makes a forbidden access.
static long misuse(const char *how) {
  int flags[2] = {0, 0};
  pthread_t thread;
  long number = 0;
  if (strcmp(how, "touch") == 0)
    return *vault_secret();
  if (strcmp(how, "pointer") == 0)
    return vault_pointer()();
  if (strcmp(how, "jump") == 0) { // left the domain with longjmp(), without returning
    flags[0] = 1;
    if (setjmp(jump) == 0)
      vault_call(jump_out, flags);
    return *vault_secret();
  }
  if (strcmp(how, "raise") == 0)
    return raise(SIGSEGV);
  if (strcmp(how, "child") == 0) { // the child is not inside the domain
    number = fork() == 0 ? *vault_secret() : 0;
    wait(&flags[0]);
    return WIFSIGNALED(flags[0]) ? 100 + WTERMSIG(flags[0]) : number;
  }
  // Accesses the data while another thread is inside.
  pthread_create(&thread, NULL, wait_inside, flags);
  while (!__atomic_load_n(&flags[0], __ATOMIC_SEQ_CST))
    ;
  number = *vault_secret();
  flags[1] = 1;
  pthread_join(thread, NULL);
  return number;
}

int main(int argc, char **argv) {
  CHECK(vault_ends_early_thread());
  if (argc > 2)
    check_plugin(argv[2]);
  else if (argc == 2 && strcmp(argv[1], "time") == 0)
    return say_times();
  else if (argc == 2)
    return printf("%ld\n", misuse(argv[1])) > 0 ? 0 : 1;
  check_arguments();
  check_calls();
  check_threads();
  check_others();
  vault_at_exit();
  printf("LD_PRELOAD %s, SARTOR_DOMAINS %s\n", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "-",
         getenv("SARTOR_DOMAINS") ? "set" : "-");
  return wrong_count();
}
