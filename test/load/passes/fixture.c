// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes with one property or one mistake each; CMakeLists.txt lists them.
#include <sartor/loader/pass.h>

#ifndef PASS_ABI
#define PASS_ABI SARTOR_PASS_ABI
#endif
#ifndef PASS_SYMBOL
#define PASS_SYMBOL sartor_pass
#endif
#ifndef PASS_RUN
#define PASS_RUN run

static const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  (void)image;
  (void)operations;
  return "only looked at";
}
#endif

const struct sartor_pass PASS_SYMBOL = {.abi = PASS_ABI, .name = PASS_NAME, .run = PASS_RUN};
