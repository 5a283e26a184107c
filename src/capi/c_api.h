// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CAPI_C_API_H
#define SARTOR_CAPI_C_API_H

#include <chrono>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <cxxabi.h>

#include <sartor/bound_argument.hpp>
#include <sartor/c/explorer.h>
#include <sartor/c/generator.h>
#include <sartor/c/sartor.h>
#include <sartor/generator.hpp>
#include <sartor/objective.hpp>
#include <sartor/quasi_invariant.hpp>
#include <sartor/runtime.hpp>

struct sartor_runtime {
  sartor::Runtime runtime;
};

struct sartor_invariant {
  sartor::Invariant invariant;
};

struct sartor_quasi_invariant {
  std::shared_ptr<const sartor::QuasiInvariant> quasi_invariant;
  std::shared_ptr<sartor::QuasiInvariant> own; ///< Null if it was declared outside the source.
};

/// Converts a C program's description of an objective. Throws bad_objective, and bad_argument
/// for null pointers.
sartor::Objective objective_of(const sartor_objective &given);

namespace sartor {

/// The last error of this thread, as sartor_last_error() and related functions return it.
struct LastError {
  sartor_status status = SARTOR_OK;
  Failure failure{};
  std::string text;
};
LastError &last_c_error();
/// Records that there was no memory to record an error, if an error was ever recorded.
void note_exhausted() noexcept;

/// Returns a copy; the caller frees it with sartor_free().
char *copy_for_c(const std::string &text);

/// Converts a duration; longer ones than base::kLongest are cut. NaN is zero.
std::chrono::nanoseconds c_duration(double seconds);

/// Reads a list of at least one configuration. Throws bad_json.
std::vector<Configuration> c_configurations(const char *json);
/// Reads a list of values. Throws bad_json.
std::vector<Value> c_choices(const char *json);

/// Wraps a C program's generator; empty for null.
Generator c_generator(sartor_generator generator, void *user);

/// Throws bad_argument.
BoundArgument bound_to(const sartor_argument &argument);
/// Returns the bound arguments, by the index of their parameter. Throws bad_argument.
std::map<unsigned, BoundArgument> bound_arguments(std::span<const sartor_argument> arguments);

/// Throws bad_argument for the first null pointer. Each is followed by its name.
template <class T, class... More> void need(T *pointer, const char *name, More... more) {
  if (!pointer)
    throw Error(
        {ErrorCode::bad_argument, name, "is a null pointer", "see sartor.h for which may be null"});
  if constexpr (sizeof...(more) > 0)
    need(more...);
}

/// Throws bad_argument if the program gives the length of a list, but no list.
inline void need_list(const void *list, std::size_t count, const char *name) {
  if (!list && count > 0)
    throw Error({ErrorCode::bad_argument, name,
                 "has " + std::to_string(count) + " members, but is null",
                 "give the list, or 0 for its length"});
}

/// Records the error as the last one.
inline sartor_status internal_error(const char *message) {
  last_c_error() = {SARTOR_INTERNAL_ERROR, {{}, {}, message, {}}, message};
  return SARTOR_INTERNAL_ERROR;
}

/// Calls `body` and records what it throws. The exception that cancels a thread passes through.
template <class Body> sartor_status recorded(Body &body) {
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
  } catch (...) { // an exception of a function of the program's
    return internal_error("an exception of unknown type");
  }
}

/// Converts exceptions to codes for C programs, even if there is no memory to record them.
template <class Body> sartor_status guarded(Body body) {
  try {
    return recorded(body);
  } catch (const std::bad_alloc &) {
    note_exhausted();
    return SARTOR_INTERNAL_ERROR;
  }
}

} // namespace sartor

#endif
