// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers that large functions call again, directly, through small functions and pointers, from a
// second handler, and with exceptions on the way.
#include "shape.h"
#include <stdexcept>
static long counts[8];
#define MIX(k)                                                                                     \
  x = static_cast<long>(static_cast<unsigned long>(x) * (2 * (k) + 3)) ^ (x >> ((k) & 7));         \
  if ((x & 31) == (k))                                                                             \
    counts[(k) & 7] += x & 255;
#define MIX_OFTEN(k) MIX(k) MIX((k) + 1) MIX((k) + 2) MIX((k) + 3) MIX((k) + 4) MIX((k) + 5)
#define MIX_ALL                                                                                    \
  MIX_OFTEN(0)                                                                                     \
  MIX_OFTEN(6)                                                                                     \
  MIX_OFTEN(12)                                                                                    \
  MIX_OFTEN(18)                                                                                    \
  MIX_OFTEN(24)                                                                                    \
  MIX_OFTEN(30)                                                                                    \
  x &= 0xffffff;
SHAPE_C long evaluate(long x, long depth);
namespace {
struct Depth {
  Depth() { ++counts[0]; }
  ~Depth() { counts[1] = counts[1] * 3 + 1; }
};
} // namespace
static long again(long x, long depth) { return evaluate(x & 63, depth - 1); }
static long (*volatile by_pointer)(long, long) = again;
[[gnu::noinline]] static long directly(long x, long depth) {
  const Depth inside;
  MIX_ALL
  return x + evaluate(x & 127, depth - 1);
}
[[gnu::noinline]] static long by_small_function(long x, long depth) {
  MIX_ALL
  if ((x & 7) == 3)
    throw std::runtime_error("three");
  return x ^ again(x, depth);
}
[[gnu::noinline]] static long through_pointer(long x, long depth) {
  MIX_ALL
  const long first = by_pointer(x, depth);
  return depth > 1 ? first + directly(first, depth - 1) : first;
}
[[gnu::noinline]] static long marked(long x, long depth) {
  MIX_ALL
  const long by = sartor_enum("by", depth & 3, 0, 1, 2, 3);
  return depth > 0 ? by + directly(x + by, depth) : by;
}
SHAPE_C SARTOR_HANDLER long evaluate(long x, long depth) {
  const long kind = sartor_generic("kind", x & 3);
  if (depth <= 0)
    return x * 5 + kind;
  try {
    switch (kind) {
    case 0:
      return directly(x, depth) + 1;
    case 1:
      return by_small_function(x, depth) + 2;
    case 2:
      return through_pointer(x, depth) + 3;
    default:
      return marked(x, depth) + 4;
    }
  } catch (const std::exception &) {
    if (sartor_enum("thrown_again", depth > 2, false, true))
      throw;
    return depth * 1000;
  }
}
SHAPE_C SARTOR_HANDLER long from_outside(long x, long y) {
  const long depth = sartor_generic("depth", y & 3);
  return directly(x, depth) - marked(x + 1, depth);
}
CALLED(evaluate);
CALLED(from_outside);
HANDLERS(LISTED(evaluate), LISTED(from_outside));
const char *program_configurations[] = {"{\"kind\": 1}", "{\"kind\": 3, \"by\": 2}",
                                        "{\"depth\": 2}", "{\"kind\": 0, \"thrown_again\": false}",
                                        nullptr};
SHAPE_C void program_run(unsigned input) {
  for (long &count : counts)
    count = 0;
  try {
    observe_number(call_evaluate(LOW(input), HIGH(input)));
  } catch (const std::exception &thrown) {
    observe_text(thrown.what());
  }
  try {
    observe_number(call_from_outside(LOW(input), HIGH(input)));
  } catch (const std::exception &thrown) {
    observe_text(thrown.what());
  }
  for (const long count : counts)
    observe_number(count);
}
