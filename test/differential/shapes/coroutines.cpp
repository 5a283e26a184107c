// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coroutines that a handler starts, resumes and destroys; points inside of them.
#include "shape.h"
#include <coroutine>
#include <exception>
#include <utility>
namespace {
struct Numbers {
  struct promise_type {
    long current = 0;
    Numbers get_return_object() {
      return Numbers(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long value) {
      current = value;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  explicit Numbers(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Numbers(Numbers &&other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  ~Numbers() {
    if (handle_)
      handle_.destroy();
  }
  bool next(long &value) {
    handle_.resume();
    value = handle_.promise().current;
    return !handle_.done();
  }
  std::coroutine_handle<promise_type> handle_;
};
Numbers count(long from, long step) {
  for (long i = from; i < 40; i += sartor_generic("step", step) + 1)
    co_yield i * 3;
}
} // namespace
SHAPE_C SARTOR_HANDLER long sum(long from, long step) {
  Numbers numbers = count(from, step);
  long total = 0, value = 0;
  while (numbers.next(value) && sartor_assume("small", total < 1000))
    total = total * 3 + value;
  return total;
}
CALLED(sum);
HANDLERS(LISTED(sum));
SHAPE_C void program_run(unsigned input) { observe_number(call_sum(LOW(input) * 6, HIGH(input))); }
