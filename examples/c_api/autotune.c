// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Explores a running program, with a bound on latency. */
#include <stdatomic.h>
#include <threads.h>

#include <sartor/c/explorer.h>

#include "failed.h"
#include "lanes.h"

typedef uint32_t (*checksum_function)(const unsigned char *, size_t, size_t);

static checksum_function call;
static atomic_ulong sums;
static atomic_int ended;

/* The work of the program, which counts sums and records latencies. */
static int work(void *latencies) {
  static unsigned char data[1 << 14];
  struct timespec before, after;
  while (!ended) {
    timespec_get(&before, TIME_UTC);
    call(data, sizeof data, 8);
    timespec_get(&after, TIME_UTC);
    const double seconds =
        (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    sartor_histogram_record_seconds(latencies, seconds);
    ++sums;
  }
  return 0;
}

static double count(void *counter) { return (double)atomic_load((atomic_ulong *)counter); }

int main(void) {
  sartor_runtime *runtime;
  void (*function)(void);
  must(sartor_open(&runtime));
  must(sartor_handler(runtime, "checksum", &function));
  call = (checksum_function)function;
  sartor_histogram *const latencies = sartor_histogram_make();
  thrd_t worker;
  if (!latencies || thrd_create(&worker, work, latencies) != thrd_success)
    return 1;

  /* Maximizes sums per second, with a median latency of at most 100 ms. */
  const sartor_objective latency = {
      .kind = SARTOR_PERCENTILE, .histogram = latencies, .percent = 50, .name = "latency"};
  const sartor_bound bounds[] = {{.of = &latency, .most = 0.1}};
  const sartor_objective rate = {.kind = SARTOR_COUNTER,
                                 .read = count,
                                 .user = &sums,
                                 .name = "sums",
                                 .subject_to = bounds,
                                 .subject_to_count = 1};
  /* Any number of lanes gives the same sum, so no guard is needed. 5 % of difference is a tie. */
  const char *const options = "{\"choices\": {\"lanes\": [1, 8]}, \"unguarded\": [\"lanes\"],"
                              " \"tolerance\": 0.05, \"most_samples\": 300, \"confirm_for\": 1}";

  sartor_explorer *explorer;
  char *decision = NULL, *configuration, *verdict;
  must(sartor_explorer_start(runtime, &rate, options, NULL, &explorer)); /* in the background */
  while (!decision) {
    thrd_sleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    must(sartor_explorer_decision(explorer, &decision));
  }
  must(sartor_explorer_stop(explorer)); /* otherwise it continues to detect changes */
  must(sartor_json_text(decision, "/configuration", &configuration));
  must(sartor_json_text(decision, "/verdict", &verdict));
  printf("%s: %s\n", verdict, configuration);

  sartor_free(verdict);
  sartor_free(configuration);
  sartor_free(decision);
  sartor_explorer_free(explorer);
  ended = 1;
  thrd_join(worker, NULL);
  sartor_histogram_free(latencies);
  sartor_close(runtime);
  return 0;
}
