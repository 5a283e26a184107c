// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a thread's own: plain, static, in a function, and made when first used.
#include "shape.h"
#include <string>
#include <thread>
// inputs: 8
thread_local long plain = 3;
static thread_local long hidden = 4;
namespace {
struct Made {
  Made() : text("made when it is first used, and long enough") {}
  std::string text;
};
thread_local Made made;
} // namespace
SHAPE_C SARTOR_HANDLER long count(long x) {
  thread_local long calls = 0;
  plain += sartor_generic("x", x);
  hidden ^= plain;
  calls += x + 1;
  return plain * 1000 + hidden * 10 + calls + long(made.text.size());
}
CALLED(count);
HANDLERS(LISTED(count));
SHAPE_C void program_run(unsigned input) {
  std::thread([&] {
    for (int i = 0; i < 3; ++i)
      observe_number(call_count(LOW(input)));
    observe_number(plain);
  }).join();
}
