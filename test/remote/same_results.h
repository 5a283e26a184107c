// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What programs with a compiler elsewhere check, wherever it is.
#ifndef SARTOR_TEST_REMOTE_SAME_RESULTS_H
#define SARTOR_TEST_REMOTE_SAME_RESULTS_H

#include <cstdio>
#include <functional>

#include <sartor/sartor.hpp>

#include "../engine/check.h"
#include "handlers.h"

inline bool has_llvm() { return content_of("/proc/self/maps").contains("libLLVM"); }

/// Prints the error of `work`, and returns its code; returns no code if there is none.
inline sartor::ErrorCode code_of(const std::function<void()> &work) {
  try {
    work();
  } catch (const sartor::Error &error) {
    std::printf("%s\n", error.what());
    return error.code();
  }
  return {};
}

/// Compares variants with the native code.
inline void compare(sartor::Runtime &runtime) {
  const auto call = runtime.handler<&sum_of_steps>();
  for (const long n : {1L, 7L, 100L})
    for (const long step : {1L, 3L}) {
      runtime.specialize({{"n", n}, {"step", step}});
      for (const long other : {n, 5L, 1000L})
        for (const long by : {step, 2L})
          CHECK(call(other, by) == sum_of_steps(other, by));
    }
  CHECK(runtime.statistics().compiles >= 6);
  CHECK(call.function()(10, 3) == sum_of_steps(10, 3));
  CHECK(!has_llvm());
}

#endif
