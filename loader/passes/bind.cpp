// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bind: has calls, tail calls and loads of addresses lead to where the stock loader binds them,
// without a stub and without a slot. What a program starts with is never unloaded, and nothing that
// comes later is searched before it, so these bindings are for good. Left alone is what the stock
// loader has not bound, or binds to what is not in the image (the kernel's own functions).
#include <cstddef>
#include <string>

#include <sartor/pass.h>

namespace {

const char *run(sartor_image *image, const sartor_image_operations *operations) {
  for (std::size_t i = 0; i < operations->libraries(image); ++i) {
    sartor_library library;
    operations->library(image, i, &library);
    std::size_t bound = 0;
    for (std::size_t site = 0; site < library.call_sites; ++site)
      bound += operations->bind(image, i, site) == 0 ? 1 : 0;
    if (library.call_sites > 0)
      operations->report(image, (std::string(library.path) + ": " + std::to_string(bound) + " of " +
                                 std::to_string(library.call_sites) + " call sites")
                                    .c_str());
  }
  return nullptr;
}

} // namespace

extern "C" const sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI,
                                            .name = "bind",
                                            .needs = nullptr,
                                            .conflicts = nullptr,
                                            .after = nullptr,
                                            .before = nullptr,
                                            .run = run,
                                            .judges = 0};
