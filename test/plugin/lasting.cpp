// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lasting.h"

#include <source_location>

#include <sartor/points.h>

namespace {

struct Beast final : Animal {
  explicit Beast(long legs) : count(legs) {}
  [[nodiscard]] long legs() const override { return count; }
  long count;
};

constexpr const char *kUnits[] = {"bytes", "pages", "blocks"};

const char *yes() { return "yes"; }

Counting from(long n) {
  for (;; ++n)
    co_yield n;
}

} // namespace

const char *native_yes() { return yes(); }
const char *native_size_class(long n) { return size_class(n); }
Animal *make_native_beast(long legs) { return new Beast(legs); }

SARTOR_HANDLER const char *size_class(long n) {
  return sartor_enum("size", n, 1, 2) == 1 ? "small" : "large";
}

SARTOR_HANDLER const char *own_name(long n) {
  return sartor_generic("own", n) > 0 ? __func__ : nullptr;
}

SARTOR_HANDLER const char *place(long n) {
  const auto here = std::source_location::current();
  return sartor_generic("place", n) > 0 ? here.function_name() : nullptr;
}

SARTOR_HANDLER const char *unit(long n) { return kUnits[sartor_range("unit", n, 0, 2)]; }

SARTOR_HANDLER void throw_text(long n) {
  if (sartor_generic("thrown", n) > 0)
    throw "thrown by a handler";
}

SARTOR_HANDLER long is_yes(const char *word, long n) {
  const char *known = sartor_enum("word", word, "yes", "no");
  return known == yes() ? n : -n;
}

SARTOR_HANDLER long is_beast(const Animal *animal, long legs) {
  legs = sartor_generic("legs", legs);
  const auto *beast = dynamic_cast<const Beast *>(animal);
  return beast && beast->count == legs ? legs : -legs;
}

SARTOR_HANDLER Animal *make_beast(long legs) { return new Beast(sartor_generic("made", legs)); }

SARTOR_HANDLER std::shared_ptr<long> share(long n) {
  return {new long(sartor_generic("shared", n)), [](const long *shared) { delete shared; }};
}

SARTOR_HANDLER Counting count_from(long n) { return from(sartor_generic("first", n)); }

SARTOR_HANDLER Counting coroutine_handler(long key, long n) {
  key = sartor_generic("key", key);
  for (;; n += key)
    co_yield n;
}

SARTOR_HANDLER long threaded(void **program, long n) {
  static void *const labels[] = {&&add, &&done};
  if (!program[0])
    program[0] = labels[n & 1];
  n = sartor_generic("threaded", n);
  goto *program[0];
add:
  return n + 1;
done:
  return n;
}

namespace {
[[gnu::used, gnu::noinline]] long thrice(long x) asm("test_plugin_thrice");
long thrice(long x) { return 3 * x; }
} // namespace

extern "C" SARTOR_HANDLER const char *asm_static(long n) {
  long result = 0;
  asm volatile("call test_plugin_thrice"
               : "=a"(result)
               : "D"(sartor_generic("assembly", n))
               : "memory", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc");
  return result == 3 * n ? "thrice" : nullptr;
}
