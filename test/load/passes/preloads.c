// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloads the library that its options name; every other time `other`, if it is given.
#include <sartor/loader/pass.h>

static const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  static int round = 0;
  operations->report(image, "done");
  const char *path = operations->option(image, "library");
  const char *other = operations->option(image, "other");
  if (other != NULL && round++ % 2 != 0)
    path = other;
  return operations->preload(image, path) == 0 ? NULL : "it cannot be preloaded";
}

const struct sartor_pass sartor_pass = {
    .abi = SARTOR_PASS_ABI,
    .name = "preloads",
    .run = run,
};
