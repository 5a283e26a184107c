// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of trivial types as bytes, in the layout that files and other programs define.
#ifndef SARTOR_BASE_RAW_BYTES_H
#define SARTOR_BASE_RAW_BYTES_H

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

namespace sartor::base {

template <class T>
  requires std::is_trivially_copyable_v<T>
void append_raw(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// The value at an offset, which need not be aligned. `bytes` must reach so far.
template <class T>
  requires std::is_trivially_copyable_v<T>
T value_at(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

} // namespace sartor::base

#endif
