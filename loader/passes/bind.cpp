// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bind: makes calls, tail calls and loads of addresses use the stock loader's targets directly,
// without a stub or a slot. Libraries that a program starts with are never unloaded, and later ones
// come after them in search order, so these bindings are final. References that the stock loader
// has not bound, or that it binds outside of the image (the kernel's vDSO), are left unchanged.
#include <cstddef>
#include <string>

#include <sartor/loader/pass.h>

namespace {

const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
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
