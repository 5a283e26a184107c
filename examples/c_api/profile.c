// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* What points have seen: read, kept, and loaded again. */
#include "failed.h"
#include "rounds.h"

typedef uint64_t (*mix_function)(uint64_t, unsigned);

int main(void) {
  sartor_runtime *runtime;
  void (*function)(void);
  char *profile, *popular, configuration[80];
  double share;
  must(sartor_open(&runtime));
  must(sartor_handler(runtime, "mix", &function));

  must(sartor_instrument(runtime, "{\"rounds\": 1}")); /* every time; 100: every hundredth */
  for (uint64_t i = 0; i < 1000; ++i)
    ((mix_function)function)(i, i % 10 == 0 ? 20 : 5);
  must(sartor_instrument(runtime, "{}")); /* off again */
  must(sartor_profile(runtime, &profile));
  must(sartor_profile_share(profile, "rounds", 1, &share));
  printf("the most frequent: %g of all\n", share);
  sartor_close(runtime);

  /* Another run of the program, or this one later: */
  must(sartor_open(&runtime));
  must(sartor_load_profile(runtime, profile));
  must(sartor_json_text(profile, "/points/rounds/entries/0/inputs/0", &popular));
  snprintf(configuration, sizeof configuration, "{\"rounds\": %s}", popular);
  must(sartor_specialize(runtime, configuration));
  printf("in force: %s\n", configuration);
  sartor_free(popular);
  sartor_free(profile);
  sartor_close(runtime);
  return 0;
}
