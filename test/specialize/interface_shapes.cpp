// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Handlers at the interface between a variant and native code: passing of vectors, features of the
/// machine, functions of the C library.
#include "interface_shapes.h"

#include <cmath>
#include <coroutine>
#include <exception>

#include <sartor/points.h>

SARTOR_HANDLER Eight scaled(Eight values, int by) {
  return values * static_cast<float>(sartor_generic("scaled", by));
}

SARTOR_HANDLER Sixteen scaled_more(Sixteen values, int by) {
  return values * static_cast<float>(sartor_generic("scaled_more", by));
}

SARTOR_HANDLER float from_native(int seed) {
  seed = sartor_generic("from_native", seed);
  const Eight values = counted_from(static_cast<float>(seed));
  float sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += values[i] * static_cast<float>(i + 1);
  return sum;
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] static long sum_of_eight(const long *values) {
  long __attribute__((vector_size(64))) doubled;
  __builtin_memcpy(&doubled, values, sizeof doubled);
  doubled += doubled;
  long sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += doubled[i];
  return sum;
}
static bool has_wide_registers() { return __builtin_cpu_supports("avx512f"); }
#else
static long sum_of_eight(const long *) { return 0; }
static bool has_wide_registers() { return false; }
#endif

SARTOR_HANDLER long on_any_machine(const long *values, int by) {
  by = sartor_generic("on_any_machine", by);
  if (has_wide_registers())
    return sum_of_eight(values) * by;
  long sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += values[i] * 2;
  return sum * by;
}

SARTOR_HANDLER float sine(float x) { return std::sin(sartor_generic("sine", x)); }
SARTOR_HANDLER float exponential(float x) { return std::exp(sartor_generic("exponential", x)); }
SARTOR_HANDLER float power(float x, float y) { return std::pow(x, sartor_generic("power", y)); }
SARTOR_HANDLER double squared(double x, double exponent) {
  return std::pow(x, sartor_generic("squared", exponent));
}

#pragma clang fp contract(fast)
SARTOR_HANDLER double fused(double x, double y, double z, int n) {
  return x * y + z * sartor_generic("fused", n);
}
#pragma clang fp contract(on)

static thread_local int slots[8];
static int *slot_of(int i) { return &slots[i & 7]; }
SARTOR_HANDLER int *thread_slot(int i) { return sartor_fast_path("thread_slot", slot_of, i); }

struct Pair {
  unsigned a, b;
};
static unsigned hash(const Pair *pair) { return pair->a * 31 + pair->b; }
static unsigned hash_by_key(const Pair *pair) {
  return sartor_fast_path("keyed_by_local", hash, pair);
}
SARTOR_HANDLER unsigned keyed_by_local(unsigned a, unsigned b) {
  const Pair pair{a, b};
  return hash_by_key(&pair);
}

SARTOR_HANDLER int computes_nothing_from_it(int x) {
  sartor_generic("computes_nothing_from_it", x);
  return x + 1;
}

namespace {
class Steps {
public:
  struct promise_type {
    int value = 0;
    Steps get_return_object() { return Steps(Handle::from_promise(*this)); }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int next) {
      value = next;
      return {};
    }
    static void return_void() {}
    static void unhandled_exception() { std::terminate(); }
  };
  using Handle = std::coroutine_handle<promise_type>;

  explicit Steps(Handle handle) : handle_(handle) {}
  ~Steps() { handle_.destroy(); }
  Steps(const Steps &) = delete;
  bool go_on() {
    handle_.resume();
    return !handle_.done();
  }
  [[nodiscard]] int value() const { return handle_.promise().value; }

private:
  Handle handle_;
};

Steps threes(int count) {
  for (int i = 0; i < count; ++i)
    co_yield i * 3;
}
} // namespace

SARTOR_HANDLER int resumes(int steps) {
  Steps all = threes(sartor_generic("resumes", steps));
  int sum = 0;
  while (all.go_on())
    sum += all.value();
  return sum;
}

int not_a_handler(int x) { return sartor_generic("not_a_handler", x) + 1; }

SARTOR_HANDLER double sum_in_any_order(const double *values, int n) {
#pragma clang fp reassociate(on)
  double sum = 0;
  for (int i = 0; i < sartor_generic("sum_in_any_order", n); ++i)
    sum += values[i];
  return sum;
}
