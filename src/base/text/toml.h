// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_TEXT_TOML_H
#define SARTOR_BASE_TEXT_TOML_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sartor::base {

/// A single value; an integer or a boolean is stored as its text.
struct TomlValue {
  enum class Kind : std::uint8_t { string, integer, boolean };
  Kind kind;
  std::string text; ///< Without quotes and escapes. Contains no zero character.
  std::size_t line;

  bool operator==(const TomlValue &) const = default;
};

/// `key = value`, `key = [values]` or `[key]`.
struct TomlItem {
  enum class Kind : std::uint8_t { value, array, table };
  Kind kind;
  std::vector<std::string> key; ///< The complete key: the table's and its own. Never empty.
  std::vector<TomlValue> values;
  std::size_t line;

  bool operator==(const TomlItem &) const = default;
};

/// Reads the part of TOML 1.0 that settings need: tables, keys (bare, quoted, dotted), strings of
/// one line, decimal integers, booleans, arrays of those, comments. The rest of TOML is an error as
/// well, with an alternative in the message. Returns the items in the order of the text; no key and
/// no table occurs twice. `source` is for errors. Fails with bad_settings, whose subject is
/// SOURCE:LINE.
Result<std::vector<TomlItem>> read_toml(std::string_view text, const std::string &source);

} // namespace sartor::base

#endif
