// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_HELPER_H
#define SARTOR_RUNTIME_JIT_HELPER_H

#include <chrono>
#include <future>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/compiler/find_compiler.h"

namespace sartor::runtime {

/// While it exists, its thread waits for code, or is about to: create it before the request, so
/// that a worker that is quicker finds it. A thread in a library's constructor has the dynamic
/// linker's lock; a thread that loads the compiler would wait for this lock while the constructor
/// waits for the compiler. So the waiting thread loads the compiler.
class Helper {
public:
  Helper();
  ~Helper();
  Helper(const Helper &) = delete;
  Helper &operator=(const Helper &) = delete;

  /// Loads the compiler if it is wanted.
  void help();
};

/// True if helpers are not needed any more.
bool is_compiler_loaded();

/// As find_compiler(), by a helper if there is one.
Result<core::InProcessCompiler *> find_compiler_helped();

/// Returns the result of `future`, and helps while it waits.
template <class Future>
decltype(auto) get_helping(Future &future) SARTOR_EXCLUDES(base::any_mutex) {
  if (!is_compiler_loaded()) {
    Helper helper;
    while (future.wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout)
      helper.help();
  }
  return future.get();
}

} // namespace sartor::runtime

#endif
