// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// concat: packs libraries together, code with code and data with data, on huge pages where the
// system has them. Their order is another each time a program is planned, so that nobody can tell
// from one machine where things lie on another.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <sartor/pass.h>

namespace {

const char *run(sartor_image *image, const sartor_image_operations *operations) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < operations->libraries(image); ++i) {
    sartor_library library;
    operations->library(image, i, &library);
    if (library.is_program != 0)
      continue;
    if (library.unmovable == nullptr)
      order.push_back(i);
    else
      operations->report(
          image, (std::string(library.path) + ": stays as it is: " + library.unmovable).c_str());
  }
  // Fisher, Yates.
  for (std::size_t rest = order.size(); rest > 1; --rest)
    std::swap(order[rest - 1], order[operations->random(image) % rest]);
  operations->report(image, (std::to_string(order.size()) + " libraries packed").c_str());
  return operations->pack(image, order.data(), order.size()) == 0
             ? nullptr
             : "the libraries cannot be packed";
}

} // namespace

extern "C" const sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI,
                                            .name = "concat",
                                            .needs = nullptr,
                                            .conflicts = nullptr,
                                            .after = nullptr,
                                            .before = nullptr,
                                            .run = run};
