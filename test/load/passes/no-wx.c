// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass that lets no program start whose memory is writable and executable at once.
#include <sartor/loader/pass.h>

#include <stdio.h>

static const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  const int may_start = operations->option(image, "report-only") != NULL;
  char line[5000];
  sartor_library library;
  for (size_t i = 0; i < operations->libraries(image); ++i) {
    if (operations->library(image, i, &library) != 0)
      return "a library cannot be looked at";
    for (size_t j = 0; j < library.segments; ++j) {
      sartor_segment segment;
      if (operations->segment(image, i, j, &segment) != 0)
        return "a segment cannot be looked at";
      if (!(segment.protection & SARTOR_WRITE) || !(segment.protection & SARTOR_EXECUTE))
        continue;
      snprintf(line, sizeof line,
               "%s has memory that is writable and executable: link it without -N", library.path);
      (may_start ? operations->report : operations->refuse)(image, line);
    }
  }
  return NULL;
}

static const char *const after[] = {"verify", NULL};

const struct sartor_pass sartor_pass = {
    .abi = SARTOR_PASS_ABI,
    .name = "no-wx",
    .after = after,
    .run = run,
    .judges = 1,
};
