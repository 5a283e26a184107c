// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BOUND_ARGUMENT_HPP
#define SARTOR_BOUND_ARGUMENT_HPP

#include <concepts>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include <sartor/value.hpp>

namespace sartor {

/// What a parameter is bound to: a number or an address, or the bytes of an object. A value.
class BoundArgument {
public:
  /// Of a scalar; pointers and references are bound to addresses.
  template <class T>
    requires std::convertible_to<T, Value>
  BoundArgument(T value) // NOLINT(google-explicit-constructor): values are written as literals
      : data_(Value(std::move(value))) {}
  /// Of an object, a scalar too: its bytes, read now.
  static BoundArgument object(const void *memory, std::size_t bytes);

  [[nodiscard]] bool is_object() const noexcept { return data_.index() == 1; }
  /// Requires !is_object().
  [[nodiscard]] const Value &value() const { return std::get<0>(data_); }
  /// Requires is_object().
  [[nodiscard]] const std::string &bytes() const { return std::get<1>(data_).all; }
  /// Like Value::text(); of an object all bytes, as hexadecimal digits.
  [[nodiscard]] std::string text() const;

  bool operator==(const BoundArgument &) const = default;
  auto operator<=>(const BoundArgument &) const = default;

private:
  struct Bytes {
    std::string all;
    bool operator==(const Bytes &) const = default;
    auto operator<=>(const Bytes &) const = default;
  };

  explicit BoundArgument(Bytes bytes) : data_(std::move(bytes)) {}

  std::variant<Value, Bytes> data_;
};

} // namespace sartor

#endif
