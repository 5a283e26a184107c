// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that are right or wrong in one thing each; CMakeLists.txt says which.
#include <sartor/pass.h>

#ifndef PASS_ABI
#define PASS_ABI SARTOR_PASS_ABI
#endif
#ifndef PASS_SYMBOL
#define PASS_SYMBOL sartor_pass
#endif
#ifndef PASS_RUN
#define PASS_RUN run

static const char *run(sartor_image *image, const sartor_image_operations *operations) {
  (void)image;
  (void)operations;
  return "only looked at";
}
#endif

const struct sartor_pass PASS_SYMBOL = {.abi = PASS_ABI, .name = PASS_NAME, .run = PASS_RUN};
