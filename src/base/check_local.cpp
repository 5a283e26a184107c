// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime part of SARTOR_CHECK_LOCALS (points.h).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace {

constexpr unsigned char kNonsense = 0xa5;

} // namespace

extern "C" {

void sartor_check_local(void *memory, unsigned long bytes, int ends, const char *file,
                        unsigned line) {
  const std::span all(static_cast<unsigned char *>(memory), bytes);
  if (ends == 0) {
    std::ranges::fill(all, kNonsense);
    return;
  }
  const auto changed = std::ranges::find_if(all, [](auto byte) { return byte != kNonsense; });
  if (changed == all.end())
    return;
  (void)std::fprintf(
      stderr,
      "sartor: %s:%u: the byte at %p, which sartor_local() declares to be unchanged, "
      "was changed before the next sartor_publish()\n",
      file, line, static_cast<void *>(&*changed));
  std::abort();
}
}
