/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The thread calls nothing of PostgreSQL's, which may be called by one thread only. */
#include "pgsartor_sets.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "postgres.h"

#include "miscadmin.h"

enum { MOST = 100000 };

static PgsartorSets opened;
static int is_open; /* accessed atomically */
static char options[2 * MAXPGPATH];
static char why_not[300];
static sartor_guest_limits limits;

static void open_sets(void) {
  sartor_runtime *runtime;
  sartor_status failed = sartor_open_with(options, &runtime);
  if (!failed)
    failed = sartor_limit_bindings(runtime, "pgsartor_run", MOST, NULL, 0);
  if (!failed)
    failed = sartor_guest_programs_open(runtime, &limits, &opened.trusting);
  limits.measures = 1;
  if (!failed)
    failed = sartor_guest_programs_open(runtime, &limits, &opened.measuring);
  if (failed) {
    strlcpy(why_not, sartor_last_error(), sizeof why_not);
    opened.why_not = why_not;
  }
  __atomic_store_n(&is_open, 1, __ATOMIC_RELEASE);
}

static void *open_on_thread(void *nothing) {
  open_sets();
  return nothing;
}

static bool begin_thread(void) {
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the backend's */
  const bool has_begun = !pthread_create(&thread, NULL, open_on_thread, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (has_begun)
    pthread_detach(thread);
  return has_begun;
}

const PgsartorSets *pgsartor_sets(const char *compiler, int waits, PgsartorReport report) {
  static bool has_begun;
  if (!has_begun) {
    char cache[MAXPGPATH];
    snprintf(cache, sizeof cache, "%s/sartor_jit.cache", DataDir);
    mkdir(cache, 0700);
    snprintf(options, sizeof options,
             "{\"quick_tier\": false, \"verify\": \"off\", \"compile_timeout\": 300, "
             "\"compiler\": \"%s\", \"cache_directory\": \"%s\"}",
             compiler, cache);
    limits = (sartor_guest_limits){.most = MOST, .waits = waits, .in_part = 1, .report = report};
    if (waits || !begin_thread())
      open_sets();
  }
  has_begun = true;
  return __atomic_load_n(&is_open, __ATOMIC_ACQUIRE) ? &opened : NULL;
}
