// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_RESULT_H
#define SARTOR_BASE_RESULT_H

#include <expected>
#include <utility>

#include <sartor/error.hpp>

namespace sartor {

/// The form of errors inside Sartor. Only the public functions of Runtime, Configuration and
/// Explorer convert a Failure to an exception, with or_throw().
template <class T> using Result = std::expected<T, Failure>;

template <class T> T or_throw(Result<T> result) {
  if (!result)
    throw Error(std::move(result.error()));
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

} // namespace sartor

#endif
