// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_PLUGIN_LASTING_H
#define SARTOR_TEST_PLUGIN_LASTING_H

#include <coroutine>
#include <exception>
#include <memory>

// Handlers that create objects which must outlive their variants.

struct Animal {
  virtual ~Animal() = default;
  [[nodiscard]] virtual long legs() const = 0;
};

struct Counting {
  struct promise_type { // NOLINT(readability-identifier-naming): the language's name
    long value = 0;
    Counting get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long next) {
      value = next;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

extern "C" {
const char *size_class(long n);
const char *own_name(long n);
const char *place(long n);
const char *unit(long n);
void throw_text(long n);
long is_yes(const char *word, long n);
long is_beast(const Animal *animal, long legs);
const char *asm_static(long n);
}

/// The word for yes, returned by code that is never specialized.
const char *native_yes();
const char *native_size_class(long n);
Animal *make_beast(long legs);
Animal *make_native_beast(long legs);
std::shared_ptr<long> share(long n);
Counting count_from(long n);
Counting coroutine_handler(long key, long n);

/// An interpreter that writes addresses of its labels into the program, as direct threading does.
long threaded(void **program, long n);

#endif
