// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/toml.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <utility>

namespace sartor::base {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// True for the characters of a bare key.
bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-';
}

bool is_control(char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7F; }

bool is_integer(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-'))
    text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit) &&
         (text.size() == 1 || text.front() != '0');
}

/// Appends a character as UTF-8.
void append(std::string &text, std::uint32_t c) {
  const auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80 | ((c >> shift) & 0x3F));
  };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xE0 | (c >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | (c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Representation of a character in an error.
std::string shown(char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  if (!is_control(c) && c >= 0)
    return std::string("'") + c + "'";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

} // namespace

/// Parses a text in one pass. Throws a Failure.
class TomlReader {
public:
  TomlReader(std::string_view text, const std::string &source) : rest_(text), source_(source) {
    if (rest_.starts_with(byte_order_mark))
      rest_.remove_prefix(byte_order_mark.size());
  }

  std::vector<TomlItem> read() {
    std::vector<TomlItem> items;
    for (skip_lines(); !rest_.empty(); skip_lines()) {
      items.push_back(next() == '[' ? table() : assignment());
      skip_blanks();
      skip_comment();
      if (!rest_.empty() && !take_line_end())
        fail("there is " + shown(next()) + " where the line should end",
             "begin another line there, or put a # before it");
    }
    return items;
  }

private:
  [[noreturn]] void fail(std::string message, std::string remedy) const {
    throw Failure{ErrorCode::bad_settings, source_ + ":" + std::to_string(line_),
                  std::move(message), std::move(remedy)};
  }

  /// '\n' at the end of the text.
  [[nodiscard]] char next() const { return rest_.empty() ? '\n' : rest_.front(); }

  bool take(std::string_view what) {
    if (!rest_.starts_with(what))
      return false;
    rest_.remove_prefix(what.size());
    return true;
  }

  bool take_line_end() {
    if (!take("\n") && !take("\r\n"))
      return false;
    ++line_;
    return true;
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }

  void skip_comment() {
    if (next() != '#')
      return;
    while (!rest_.empty() && next() != '\n' && !rest_.starts_with("\r\n"))
      take_printable("a comment");
  }

  void skip_lines() {
    do {
      skip_blanks();
      skip_comment();
    } while (take_line_end());
  }

  char take_printable(const char *in) {
    const char c = next();
    if (is_control(c))
      fail(std::string("there is ") + shown(c) + " in " + in, "leave it out");
    rest_.remove_prefix(1);
    return c;
  }

  TomlItem table() {
    const std::size_t line = line_;
    if (take("[["))
      fail("arrays of tables are not understood here", "begin a table with one [");
    take("[");
    table_ = key();
    if (!take("]"))
      fail("there is no ] after the name of the table", "put one there");
    if (!tables_.insert(table_).second)
      fail("the table is there twice", "join the two");
    return {.kind = TomlItem::Kind::table, .key = table_, .values = {}, .line = line};
  }

  TomlItem assignment() {
    TomlItem item{.kind = TomlItem::Kind::value, .key = table_, .values = {}, .line = line_};
    std::ranges::move(key(), std::back_inserter(item.key));
    if (!take("="))
      fail("there is no = after the key", "write: key = value");
    if (!keys_.insert(item.key).second)
      fail("\"" + item.key.back() + "\" is there twice", "leave one of both out");
    skip_blanks();
    if (take("[")) {
      item.kind = TomlItem::Kind::array;
      item.values = array();
    } else {
      item.values.push_back(value());
    }
    return item;
  }

  /// Reads a key with the blanks around it.
  std::vector<std::string> key() {
    std::vector<std::string> parts;
    do {
      skip_blanks();
      if (next() == '"' || next() == '\'') {
        parts.push_back(string());
      } else {
        const auto end = std::ranges::find_if_not(rest_, is_bare);
        parts.emplace_back(rest_.begin(), end);
        rest_.remove_prefix(parts.back().size());
        if (parts.back().empty())
          fail("there is no key", "write: key = value; keys of other characters than letters, "
                                  "digits, _ and - are in quotes");
      }
      skip_blanks();
    } while (take("."));
    return parts;
  }

  std::vector<TomlValue> array() {
    std::vector<TomlValue> values;
    for (skip_lines(); !take("]"); skip_lines()) {
      if (next() == '[')
        fail("arrays in arrays are not understood here", "write one array");
      values.push_back(value());
      skip_lines();
      if (!take(",") && next() != ']')
        fail("there is neither , nor ] after a value of an array", "put one of them there");
    }
    return values;
  }

  TomlValue value() {
    const std::size_t line = line_;
    if (next() == '"' || next() == '\'')
      return {.kind = TomlValue::Kind::string, .text = string(), .line = line};
    if (next() == '{')
      fail("inline tables are not understood here", "begin a table: [name]");
    const auto end = std::ranges::find_if_not(
        rest_, [](char c) { return is_bare(c) || c == '+' || c == '.' || c == ':'; });
    std::string text(rest_.begin(), end);
    if (text.empty())
      fail("there is no value", "write one; texts are in quotes");
    if (const bool boolean_word = text == "true" || text == "false";
        !boolean_word && !is_integer(text))
      fail(text + " is no value that is understood here", "put it in quotes: \"" + text + "\"");
    rest_.remove_prefix(text.size());
    const auto kind = is_integer(text) ? TomlValue::Kind::integer : TomlValue::Kind::boolean;
    return {.kind = kind, .text = std::move(text), .line = line};
  }

  std::string string() {
    const std::string_view quote = next() == '"' ? "\"" : "'";
    take(quote);
    if (rest_.starts_with(quote) && rest_.substr(1).starts_with(quote))
      fail("strings of several lines are not understood here", "write it in one line");
    std::string text;
    while (!take(quote)) {
      if (next() == '\n' || rest_.starts_with("\r\n"))
        fail("the string has no end", std::string("put ") + quote.front() + " at its end");
      if (quote == "\"" && take("\\"))
        append(text, escape());
      else
        text += take_printable("a string");
    }
    return text;
  }

  std::uint32_t escape() {
    constexpr std::string_view letters = "btnfr\"\\";
    constexpr std::string_view meanings = "\b\t\n\f\r\"\\";
    const char letter = next();
    if (const auto at = letters.find(letter); at != std::string_view::npos) {
      rest_.remove_prefix(1);
      return static_cast<unsigned char>(meanings[at]);
    }
    const std::size_t digits = letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    const std::string_view number = digits == 0 ? "" : rest_.substr(1, digits);
    std::uint32_t c = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), c, 16);
    const bool is_character = (c > 0 && c < 0xD800) || (c >= 0xE000 && c <= 0x10FFFF);
    if (digits == 0 || number.size() < digits || error != std::errc{} ||
        end != number.data() + digits || !is_character)
      fail("there is \\ with no character after it that it goes with",
           "write \\\\ for a backslash, or put the string in ' quotes");
    rest_.remove_prefix(1 + digits);
    return c;
  }

  std::string_view rest_;
  const std::string &source_;
  std::size_t line_ = 1;
  std::vector<std::string> table_; ///< The current table of assignments.
  std::set<std::vector<std::string>> tables_;
  std::set<std::vector<std::string>> keys_;
};

Result<std::vector<TomlItem>> read_toml(std::string_view text, const std::string &source) {
  try {
    return TomlReader(text, source).read();
  } catch (Failure &failure) {
    return std::unexpected(std::move(failure));
  }
}

} // namespace sartor::base
