// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// argv[1]: the directory of the plug-in.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "check.h"
#include "tls.h"

enum { threads = 8 };

__thread int exported_variable = 400;
extern __thread int general_variable;
static __thread int own_variable TLS_MODEL("local-exec") = 600;
static __thread int aligned_variable __attribute__((aligned(64))) = 700;
static int (*add_late)(int);
static pthread_barrier_t barrier;

static void *check_all(void *argument) {
  const int number = (int)(intptr_t)argument;
  CHECK(add_general(number) == 100 + number);
  CHECK(add_general(number) == 100 + 2 * number);
  CHECK(general_variable == 100 + 2 * number);
  CHECK(place_of_general() == &general_variable);
  CHECK(add_local(number) == 200 + number);
  CHECK(add_initial(number) == 300 + number);
  CHECK(add_zero(number) == number);
  exported_variable += 1;
  CHECK(add_zero(0) == number + 1);
  CHECK((own_variable += number) == 600 + number);
  CHECK((aligned_variable += number) == 700 + number);
  CHECK((uintptr_t)&aligned_variable % 64 == 0);
  errno = number;
  CHECK(errno == number);
  return NULL;
}

static void *waits_for_plugin(void *argument) {
  check_all(argument);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  const int number = (int)(intptr_t)argument;
  CHECK(add_late(number) == 500 + number);
  CHECK(add_late(number) == 500 + 3 * number);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t thread[threads];
  char path[4096];
  check_all((void *)1);
  pthread_barrier_init(&barrier, NULL, threads + 1);
  for (intptr_t i = 0; i < threads; ++i)
    pthread_create(&thread[i], NULL, waits_for_plugin, (void *)(i + 2));
  pthread_barrier_wait(&barrier);
  snprintf(path, sizeof path, "%s/libprobe_tls_plugin.so", argc > 1 ? argv[1] : ".");
  void *plugin = dlopen(path, RTLD_NOW);
  add_late = plugin ? (int (*)(int))dlsym(plugin, "add_late") : NULL;
  if (!CHECK(add_late != NULL))
    return 1;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < threads; ++i)
    pthread_join(thread[i], NULL);
  CHECK(add_late(1) == 501);
  dlclose(plugin);
  return wrong_count();
}
