// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// concat: packs libraries together, code with code and data with data, on huge pages where the
// system has them. The gaps between them get a new random size each time a program is planned, so
// that distances on one machine do not reveal those on another. (The order cannot be random: see
// ARCHITECTURE.md.)
#include <cstddef>
#include <string>

#include <sartor/loader/pass.h>

namespace {

constexpr unsigned gaps = 8; ///< 0 to 7 pages.

const char *run(sartor_prelink_image *image, const sartor_prelink_operations *operations) {
  std::size_t packed = 0;
  for (std::size_t i = 0; i < operations->libraries(image); ++i) {
    sartor_library library;
    operations->library(image, i, &library);
    if (library.is_program != 0)
      continue;
    const auto gap = static_cast<unsigned>(operations->random(image) % gaps);
    if (operations->pack(image, i, gap) == 0)
      ++packed;
    else
      operations->report(image, (std::string(library.path) + ": stays as it is: " +
                                 (library.unmovable ? library.unmovable : "its shape is unknown"))
                                    .c_str());
  }
  operations->report(image, (std::to_string(packed) + " libraries packed").c_str());
  return nullptr;
}

} // namespace

extern "C" const sartor_pass sartor_pass = {.abi = SARTOR_PASS_ABI,
                                            .name = "concat",
                                            .needs = nullptr,
                                            .conflicts = nullptr,
                                            .after = nullptr,
                                            .before = nullptr,
                                            .run = run,
                                            .judges = 0};
