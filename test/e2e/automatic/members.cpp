// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ functions without any annotation.
#include <coroutine>

#include "work.h"

namespace net {

template <class T> [[gnu::noinline]] T twice(T x, int times) { return x * static_cast<T>(times); }
template <class... T> [[gnu::noinline]] long all(T... x) {
  return (0L + ... + static_cast<long>(x));
}
[[gnu::noinline]] long send(int x) { return x + 1; }
[[gnu::noinline]] long send(double x) { return static_cast<long>(x * 2); }
constexpr int known(int x) { return x * x; }

struct Shape {
  explicit Shape(int size) : size(size) {}
  virtual ~Shape() = default;
  virtual long area(int scale) const { return static_cast<long>(size) * scale; }
  [[gnu::noinline]] long grow(int by) { return size += by; }
  [[gnu::noinline]] static long count(unsigned n) { return n % 7; }
  int size;
};
struct Round : Shape {
  using Shape::Shape;
  long area(int scale) const override { return 3L * size * scale; }
};

} // namespace net

namespace {

int depth = 3; // as static

[[gnu::noinline]] long hidden(int x) { return x * depth; }

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

Task coroutine(int &x) {
  ++x;
  co_return;
}

} // namespace

long members(int x) {
  net::Shape shape(x);
  net::Round round(x);
  const net::Shape *shapes[] = {&shape, &round};
  long total = 0;
  for (const net::Shape *each : shapes)
    total += each->area(x);
  const auto by_lambda = [&](int y) __attribute__((noinline)) { return total * y; };
  struct Local {
    [[gnu::noinline]] long half(int y) const { return y / 2; }
  };
  coroutine(x);
  depth += x > 100;
  return total + by_lambda(2) + shape.grow(x) + net::Shape::count(static_cast<unsigned>(x)) +
         net::twice(x, 3) + static_cast<long>(net::twice(1.5, x)) + net::all(x, 2.5, 'a') +
         net::send(x) + net::send(x * 0.5) + net::known(x) + hidden(x) + Local().half(x);
}
