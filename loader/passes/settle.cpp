// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// settle: resolves at plan time the symbols that the stock loader looks up by name at start, and
// later for lazy functions. All libraries are in one part of the address space, so the distance
// from a library to a symbol of another is known. The stock loader adds this distance to the
// library's address and looks up nothing. References that are not found, or that differ between
// starts, are left unchanged.
#include <cstddef>
#include <map>
#include <string>

#include <sartor/loader/pass.h>

namespace {

const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  for (std::size_t i = 0; i < operations->libraries(image); ++i) {
    sartor_library library;
    operations->library(image, i, &library);
    std::size_t settled = 0, all = 0;
    std::map<std::string, std::size_t> left; // by reason
    for (std::size_t j = 0; j < library.relocations; ++j) {
      sartor_relocation relocation;
      operations->relocation(image, i, j, &relocation);
      if (relocation.symbol == 0)
        continue;
      ++all;
      if (const char *why = operations->settle(image, i, j))
        ++left[why];
      else
        ++settled;
    }
    if (all == 0)
      continue;
    std::string line = std::string(library.path) + ": " + std::to_string(settled) + " of " +
                       std::to_string(all) + " symbolic relocations";
    for (const auto &[why, count] : left)
      line += ", " + std::to_string(count) + " " + why;
    operations->report(image, line.c_str());
  }
  return nullptr;
}

} // namespace

extern "C" const sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI,
                                            .name = "settle",
                                            .needs = nullptr,
                                            .conflicts = nullptr,
                                            .after = nullptr,
                                            .before = nullptr,
                                            .run = run,
                                            .judges = 0};
