// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Profiles: recorded, read and loaded again. */
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

  must(sartor_instrument(runtime, "{\"rounds\": 1}")); /* each call; 100: one in 100 */
  for (uint64_t i = 0; i < 1000; ++i)
    ((mix_function)function)(i, i % 10 == 0 ? 20 : 5);
  must(sartor_instrument(runtime, "{}")); /* stop recording */
  must(sartor_profile(runtime, &profile));
  must(sartor_profile_share(profile, "rounds", 1, &share));
  printf("the most frequent: %g of all\n", share);
  sartor_close(runtime);

  /* In another run of the program, or later in this one. */
  must(sartor_open(&runtime));
  must(sartor_load_profile(runtime, profile));
  must(sartor_json_text(profile, "/points/rounds/entries/0/inputs/0", &popular));
  snprintf(configuration, sizeof configuration, "{\"rounds\": %s}", popular);
  must(sartor_specialize(runtime, configuration));
  printf("active: %s\n", configuration);
  sartor_free(popular);
  sartor_free(profile);
  sartor_close(runtime);
  return 0;
}
