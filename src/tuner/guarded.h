// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_GUARDED_H
#define SARTOR_TUNER_GUARDED_H

#include <exception>
#include <string>
#include <utility>

#include <cxxabi.h>

#include <sartor/error.hpp>

namespace sartor {

/// Converts exceptions of a user's strategy into bad_strategy.
template <class Call> auto guarded(Call &&call) {
  const auto threw = [](const std::string &what) {
    return Error({ErrorCode::bad_strategy, "strategy", "threw: " + what,
                  "fix the strategy; the previous configuration has been restored"});
  };
  try {
    return std::forward<Call>(call)();
  } catch (const Error &error) {
    throw error.code() == ErrorCode::bad_strategy ? error : threw(error.what());
  } catch (const std::exception &error) {
    throw threw(error.what());
  } catch (const abi::__forced_unwind &) { // the thread is being cancelled
    throw;
  } catch (...) {
    throw threw("something of unknown type");
  }
}

} // namespace sartor

#endif
