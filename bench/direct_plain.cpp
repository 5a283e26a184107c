// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "direct_handler.h"

namespace sartor::bench {

Modes modes;
std::uint64_t factor = 3;

namespace {

std::uint64_t touches = 0;

} // namespace

std::uint64_t touch_plainly(std::uint64_t state, std::uint64_t key) { return (state ^ key) * 3; }

std::uint64_t touch_by_mode_plainly(std::uint64_t state, std::uint64_t key) {
  return touched(modes, state, key);
}

void count_touch() { ++touches; }
void trace_touch(std::uint64_t key) { touches ^= key; }

} // namespace sartor::bench
