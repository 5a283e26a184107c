// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_TOML_H
#define SARTOR_BASE_TOML_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sartor::base {

/// A single value; an integer and a boolean as they are written.
struct TomlValue {
  enum class Kind : std::uint8_t { string, integer, boolean };
  Kind kind;
  std::string text; ///< Without quotes and escapes. Holds no zero character.
  std::size_t line;

  bool operator==(const TomlValue &) const = default;
};

/// `key = value`, `key = [values]` or `[key]`.
struct TomlItem {
  enum class Kind : std::uint8_t { value, array, table };
  Kind kind;
  std::vector<std::string> key; ///< In full: the table's and its own. Never empty.
  std::vector<TomlValue> values;
  std::size_t line;

  bool operator==(const TomlItem &) const = default;
};

/// Reads what settings need of TOML 1.0: tables, keys (bare, quoted, dotted), strings of one line,
/// decimal integers, booleans, arrays of those, comments. The rest of TOML is an error as well,
/// which says how to write it instead. Gives the items in the order of the text; no key and no
/// table is there twice. `source` is for errors. Fails with bad_settings, whose subject is
/// SOURCE:LINE.
Result<std::vector<TomlItem>> read_toml(std::string_view text, const std::string &source);

} // namespace sartor::base

#endif
