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

/// Throws bad_argument if there is nothing where something is needed.
template <class T> void need(T *pointer, const char *name) {
  if (!pointer)
    throw Error(
        {ErrorCode::bad_argument, name, "is a null pointer", "see sartor.h for which may be null"});
}

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
  } catch (...) { // of a function of the program's
    last_c_error() = "an exception of unknown type";
    return SARTOR_INTERNAL_ERROR;
  }
}

} // namespace sartor

#endif
