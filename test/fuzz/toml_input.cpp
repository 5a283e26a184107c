// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/toml_input.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "base/text/toml.h"
#include "fuzz/require.h"
#include "loader/lib/settings/settings_file.h"

namespace sartor::base {

using fuzz::require;

namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    std::array<char, 8> escaped{};
    if (code < 0x20 || code == 0x7f || letter == '"' || letter == '\\')
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", code);
    else
      escaped[0] = letter;
    result += escaped.data();
  }
  return result + "\"";
}

std::string written(std::vector<std::string>::const_iterator begin,
                    std::vector<std::string>::const_iterator end) {
  std::string result;
  for (auto part = begin; part != end; ++part)
    result += (result.empty() ? "" : ".") + in_quotes(*part);
  return result;
}

std::string written(const TomlValue &value) {
  require(value.text.find('\0') == std::string::npos);
  return value.kind == TomlValue::Kind::string ? in_quotes(value.text) : value.text;
}

std::string written(const std::vector<TomlItem> &items) {
  std::string text;
  std::size_t in_table = 0;
  for (const TomlItem &item : items) {
    require(!item.key.empty());
    if (item.kind == TomlItem::Kind::table) {
      in_table = item.key.size();
      text += "[" + written(item.key.begin(), item.key.end()) + "]\n";
      continue;
    }
    require(item.key.size() > in_table);
    text +=
        written(item.key.begin() + static_cast<std::ptrdiff_t>(in_table), item.key.end()) + " = ";
    if (item.kind == TomlItem::Kind::array) {
      text += "[";
      for (const TomlValue &value : item.values)
        text += written(value) + ",";
      text += "]\n";
    } else {
      require(item.values.size() == 1);
      text += written(item.values.front()) + "\n";
    }
  }
  return text;
}

/// Removes line numbers, which may differ.
std::vector<TomlItem> without_lines(std::vector<TomlItem> items) {
  for (TomlItem &item : items) {
    item.line = 0;
    for (TomlValue &value : item.values)
      value.line = 0;
  }
  return items;
}

} // namespace

bool look_at_toml(std::string_view text) {
  static_cast<void>(loader::parse_settings(text, "settings"));
  const auto items = read_toml(text, "settings");
  if (!items) {
    require(items.error().code == ErrorCode::bad_settings);
    require(items.error().subject.starts_with("settings:"));
    const auto line = std::strtoul(items.error().subject.c_str() + 9, nullptr, 10);
    require(line >= 1 && line <= 1 + static_cast<unsigned long>(std::ranges::count(text, '\n')));
    return false;
  }
  const auto again = read_toml(written(*items), "written");
  require(again && without_lines(*again) == without_lines(*items));
  return true;
}

} // namespace sartor::base
