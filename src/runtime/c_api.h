// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_C_API_H
#define SARTOR_RUNTIME_C_API_H

#include <exception>
#include <string>

#include <sartor/runtime.hpp>
#include <sartor/sartor.h>

struct sartor_runtime {
  sartor::Runtime runtime;
};

namespace sartor {

/// What sartor_last_error() tells this thread.
std::string &last_c_error();

/// For the caller to free with sartor_free().
char *copy_for_c(const std::string &text);

/// Exceptions end here: C programs get codes.
template <class Body> sartor_status guarded(Body body) noexcept {
  try {
    body();
    return SARTOR_OK;
  } catch (const Error &error) {
    last_c_error() = error.what();
    return static_cast<sartor_status>(error.code());
  } catch (const std::exception &error) {
    last_c_error() = error.what();
    return SARTOR_INTERNAL_ERROR;
  }
}

} // namespace sartor

#endif
