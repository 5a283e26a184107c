// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions through handlers, out of them, nested, thrown again, with destructors on the way.
#include "shape.h"
#include <stdexcept>
#include <string>
static long destroyed;
namespace {
struct Guard {
  explicit Guard(long k) : k_(k) {}
  ~Guard() { destroyed = destroyed * 3 + k_; }
  long k_;
};
} // namespace
[[gnu::noinline]] static long deep(long x) {
  const Guard guard(x);
  if (sartor_generic("deep", x) == 3)
    throw std::runtime_error("three, with a text that is not kept inside");
  if (x == 4)
    throw x;
  return x;
}
SHAPE_C SARTOR_HANDLER long outer(long x, long y) {
  const Guard guard(7);
  try {
    return deep(x) + deep(y);
  } catch (const long &thrown) {
    if (sartor_generic("again", y) == 2)
      throw;
    return thrown * 100;
  }
}
SHAPE_C SARTOR_HANDLER long never(long x) noexcept {
  try {
    return deep(x);
  } catch (...) {
    return -1;
  }
}
CALLED(outer);
CALLED(never);
HANDLERS(LISTED(outer), LISTED(never));
SHAPE_C void program_run(unsigned input) {
  destroyed = 0;
  try {
    observe_number(call_outer(LOW(input), HIGH(input)));
  } catch (const std::exception &thrown) {
    observe_text(thrown.what());
  } catch (long thrown) {
    observe_number(thrown + 1000);
  }
  observe_number(call_never(LOW(input)));
  observe_number(destroyed);
}
