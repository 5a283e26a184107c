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

/// The value that a parameter is bound to: a number, an address, or the bytes of an object. A value
/// type.
class BoundArgument {
public:
  /// Binds a scalar; pointers and references are bound as addresses.
  template <class T>
    requires std::convertible_to<T, Value>
  BoundArgument(T value) // NOLINT(google-explicit-constructor): values are written as literals
      : data_(Value(std::move(value))) {}
  /// Binds an object, which may be a scalar: copies its bytes now.
  static BoundArgument object(const void *memory, std::size_t bytes);

  [[nodiscard]] bool is_object() const noexcept { return data_.index() == 1; }
  /// Requires !is_object().
  [[nodiscard]] const Value &value() const { return std::get<0>(data_); }
  /// Requires is_object().
  [[nodiscard]] const std::string &bytes() const { return std::get<1>(data_).all; }
  /// Returns Value::text() for a value; for an object, all bytes as hexadecimal digits.
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
