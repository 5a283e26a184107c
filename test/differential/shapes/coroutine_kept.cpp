// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A coroutine that a handler starts and the program resumes later, when other code is active.
#include "shape.h"
#include <coroutine>
#include <exception>
struct Task {
  struct promise_type {
    long current = 0;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long value) {
      current = value;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};
static Task endless(long x) {
  for (long i = 0;; ++i)
    co_yield i *sartor_generic("x", x) + 7;
}
SHAPE_C SARTOR_HANDLER void *begin(long x) {
  const Task task = endless(x);
  return task.handle.address();
}
CALLED(begin);
HANDLERS(LISTED(begin));
static void *kept[6];
SHAPE_C void program_run(unsigned input) {
  // One that another configuration has begun, if there is one; taken to its third value.
  void *&mine = kept[LOW(input)];
  if (!mine)
    mine = call_begin(LOW(input));
  auto handle = std::coroutine_handle<Task::promise_type>::from_address(mine);
  for (int i = 0; i < 3; ++i)
    handle.resume();
  observe_number(handle.promise().current);
  handle.destroy();
  mine = call_begin(LOW(input));
}
