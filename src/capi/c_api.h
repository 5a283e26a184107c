// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CAPI_C_API_H
#define SARTOR_CAPI_C_API_H

#include <exception>
#include <string>
#include <vector>

#include <cxxabi.h>

#include <sartor/runtime.hpp>
#include <sartor/sartor.h>

struct sartor_runtime {
  sartor::Runtime runtime;
};

struct sartor_invariant {
  sartor::Invariant invariant;
};

namespace sartor {

/// What sartor_last_error() and the like tell this thread.
struct LastError {
  sartor_status status = SARTOR_OK;
  Failure failure{};
  std::string text;
};
LastError &last_c_error();

/// For the caller to free with sartor_free().
char *copy_for_c(const std::string &text);

/// Reads a list of at least one. Throws bad_json.
std::vector<Configuration> c_configurations(const char *json);

/// Throws bad_argument if there is nothing where something is needed.
template <class T> void need(T *pointer, const char *name) {
  if (!pointer)
    throw Error(
        {ErrorCode::bad_argument, name, "is a null pointer", "see sartor.h for which may be null"});
}

/// Remembers it.
inline sartor_status internal_error(const char *message) {
  last_c_error() = {SARTOR_INTERNAL_ERROR, {{}, {}, message, {}}, message};
  return SARTOR_INTERNAL_ERROR;
}

/// Exceptions end here: C programs get codes. But for what ends the thread.
template <class Body> sartor_status guarded(Body body) {
  try {
    body();
    return SARTOR_OK;
  } catch (const Error &error) {
    const auto status = static_cast<sartor_status>(error.code());
    last_c_error() = {status, error.failure(), error.what()};
    return status;
  } catch (const std::exception &error) {
    return internal_error(error.what());
  } catch (const abi::__forced_unwind &) {
    throw;
  } catch (...) { // of a function of the program's
    return internal_error("an exception of unknown type");
  }
}

} // namespace sartor

#endif
