// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A backtrace taken in a signal handler, from the program through a library's function.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>

#include "check.h"
#include "work.h"

static int seen_handler;
static int seen_main;
static int seen_library;
static jmp_buf escape;

static void look(void) {
  void *frames[64];
  const int count = backtrace(frames, 64);
  seen_main = seen_library = 0;
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (!dladdr((char *)frames[i] - 1, &info) || !info.dli_sname)
      continue;
    seen_main += strcmp(info.dli_sname, "main") == 0;
    seen_library += strcmp(info.dli_sname, "work_with") == 0;
  }
}

static void handle(int signal_number) {
  (void)signal_number;
  ++seen_handler;
  look();
}

static void leave(int signal_number) { longjmp(escape, signal_number); }

unsigned long raises(void *data) {
  raise(*(int *)data);
  return 1;
}

int main(void) {
  int number = SIGUSR1;
  void *frames[4];
  backtrace(frames, 4);
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR1, &action, NULL);
  CHECK(work_with(raises, &number) == 1);
  CHECK(seen_handler == 1 && seen_main == 1 && seen_library == 1);
  // On a stack of its own.
  static char stack[1 << 16];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&other, NULL);
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
  CHECK(work_with(raises, &number) == 1);
  CHECK(seen_handler == 2 && seen_main == 1 && seen_library == 1);
  // An actual fault.
  action.sa_handler = leave;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGSEGV, &action, NULL);
  int *volatile nowhere = NULL;
  volatile int reached = 0;
  if (setjmp(escape) == 0) {
    *nowhere = 1;
    reached = 1;
  }
  CHECK(!reached);
  number = SIGUSR1;
  CHECK(work_with(raises, &number) == 1 && seen_handler == 3);
  return wrong_count();
}
