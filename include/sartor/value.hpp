// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_VALUE_HPP
#define SARTOR_VALUE_HPP

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace sartor {

/// A possible setting of a point: an integer of up to 64 bits, a floating-point number, or the name
/// of a symbol (for pointers). bool and enumerations are integers. One number has one
/// representation: an integer that fits int64_t is stored as int64_t, whatever type it came from.
class Value {
public:
  Value() = default;

  template <class T>
    requires(std::integral<T> || std::is_enum_v<T>)
  Value(T value) { // NOLINT(google-explicit-constructor): values are written as literals
    if constexpr (std::is_enum_v<T>)
      *this = Value(static_cast<std::underlying_type_t<T>>(value));
    else if (std::in_range<std::int64_t>(static_cast<Plain<T>>(value)))
      data_ = static_cast<std::int64_t>(value);
    else
      data_ = static_cast<std::uint64_t>(value);
  }
  Value(double value) : data_(value) {}                     // NOLINT(google-explicit-constructor)
  Value(std::string symbol) : data_(std::move(symbol)) {}   // NOLINT(google-explicit-constructor)
  Value(const char *symbol) : data_(std::string(symbol)) {} // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool is_integer() const noexcept { return data_.index() <= 1; }
  [[nodiscard]] bool is_floating() const noexcept { return data_.index() == 2; }
  [[nodiscard]] bool is_symbol() const noexcept { return data_.index() == 3; }
  /// True for integers above INT64_MAX.
  [[nodiscard]] bool is_large() const noexcept { return data_.index() == 1; }

  /// The integer's bits, sign-extended to 64. Requires is_integer().
  [[nodiscard]] std::uint64_t bits() const {
    return is_large() ? std::get<1>(data_) : static_cast<std::uint64_t>(std::get<0>(data_));
  }
  /// Requires is_integer() && !is_large().
  [[nodiscard]] std::int64_t integer() const { return std::get<0>(data_); }
  /// Requires is_floating().
  [[nodiscard]] double floating() const { return std::get<2>(data_); }
  /// Requires is_symbol().
  [[nodiscard]] const std::string &symbol() const { return std::get<3>(data_); }

  /// Readable text: `16`, `0.5`, `table_a`.
  [[nodiscard]] std::string text() const;

  bool operator==(const Value &) const = default;
  auto operator<=>(const Value &) const = default;

private:
  // std::in_range does not accept bool and character types.
  template <class T>
  using Plain = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

  std::variant<std::int64_t, std::uint64_t, double, std::string> data_;
};

} // namespace sartor

#endif
