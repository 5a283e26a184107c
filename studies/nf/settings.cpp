// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

namespace nf {

namespace {

constexpr double kYear = 366 * 86'400.0;

/// Parses all of a text as a number in base `base`.
std::optional<std::uint32_t> number_of(std::string_view text, int base = 10) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return {};
  return number;
}

/// Parses `count` bytes with `separator` between them.
std::optional<std::vector<std::uint8_t>> bytes_in(std::string_view text, char separator, int base,
                                                  std::size_t count) {
  std::vector<std::uint8_t> bytes;
  while (bytes.size() < count) {
    const std::size_t length = std::min(text.find(separator), text.size());
    const auto byte = number_of(text.substr(0, length), base);
    if (!byte || *byte > 0xff)
      return {};
    bytes.push_back(static_cast<std::uint8_t>(*byte));
    const bool is_last = bytes.size() == count;
    if (is_last != (length == text.size()))
      return {};
    text.remove_prefix(is_last ? length : length + 1);
  }
  return bytes;
}

std::optional<std::uint32_t> address_of(std::string_view text) {
  const auto bytes = bytes_in(text, '.', 10, 4);
  if (!bytes)
    return {};
  std::uint32_t address = 0;
  for (const std::uint8_t byte : *bytes)
    address = address << 8U | byte;
  return address;
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

} // namespace

Settings::Settings(const toml::table &table, std::string path)
    : table_(&table), path_(std::move(path)) {}

bool Settings::has(std::string_view key) const { return table_->contains(key); }

void Settings::refuse(std::string_view key, std::string_view why) const {
  std::ostringstream message;
  message << path_ << '.' << key;
  const toml::node *const node = table_->get(key);
  if (const auto line = (node ? *node : static_cast<const toml::node &>(*table_)).source().begin;
      line)
    message << " (line " << line.line << ')';
  message << ": " << why;
  throw BadConfiguration(message.str());
}

const toml::node *Settings::find(std::string_view key, bool is_needed) {
  asked_.emplace(key);
  const toml::node *const node = table_->get(key);
  if (!node && is_needed)
    refuse(key, "is missing");
  return node;
}

std::uint64_t Settings::number(std::string_view key, Range range,
                               std::optional<std::uint64_t> otherwise) {
  const toml::node *const node = find(key, !otherwise);
  if (!node)
    return *otherwise;
  const auto number = node->value_exact<std::int64_t>();
  if (!number || *number < 0 || static_cast<std::uint64_t>(*number) < range.least ||
      static_cast<std::uint64_t>(*number) > range.most)
    refuse(key, "must be a whole number from " + std::to_string(range.least) + " to " +
                    std::to_string(range.most));
  return static_cast<std::uint64_t>(*number);
}

std::uint64_t Settings::nanoseconds(std::string_view key, std::optional<double> otherwise) {
  const toml::node *const node = find(key, !otherwise);
  const auto seconds = node ? node->value<double>() : otherwise;
  if (!seconds || !(*seconds > 0) || *seconds > kYear)
    refuse(key, "must be a time in seconds, above 0, a year at most");
  return static_cast<std::uint64_t>(std::llround(*seconds * 1e9));
}

bool Settings::flag(std::string_view key, bool otherwise) {
  const toml::node *const node = find(key, false);
  if (!node)
    return otherwise;
  const auto flag = node->value_exact<bool>();
  if (!flag)
    refuse(key, "must be true or false");
  return *flag;
}

std::string_view Settings::text(std::string_view key) {
  const auto text = find(key, true)->value_exact<std::string_view>();
  if (!text)
    refuse(key, "must be a text, in quotation marks");
  return *text;
}

std::size_t Settings::word(std::string_view key, const std::vector<std::string_view> &words,
                           std::optional<std::size_t> otherwise) {
  if (otherwise && !find(key, false))
    return *otherwise;
  const std::string_view given = text(key);
  const auto found = std::ranges::find(words, given);
  if (found == words.end()) {
    std::string why = quoted(given) + " is not one of";
    for (const std::string_view word : words)
      why += ' ' + quoted(word);
    refuse(key, why);
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::uint32_t Settings::address(std::string_view key) {
  const std::string_view given = text(key);
  const auto address = address_of(given);
  if (!address)
    refuse(key, quoted(given) + " is no address; write it as \"192.0.2.1\"");
  return *address;
}

Network Settings::network(std::string_view key) {
  const std::string_view given = text(key);
  const std::size_t slash = std::min(given.find('/'), given.size());
  const auto address = address_of(given.substr(0, slash));
  const auto bits = slash == given.size() ? 32U : number_of(given.substr(slash + 1));
  if (!address || !bits || *bits > 32)
    refuse(key, quoted(given) + " is no network; write it as \"192.0.2.0/24\"");
  const std::uint32_t mask = *bits == 0 ? 0 : ~0U << (32 - *bits);
  if (*address & ~mask)
    refuse(key, quoted(given) + " has bits set beside its mask");
  return {*address, mask};
}

Mac Settings::mac(std::string_view key) {
  const std::string_view given = text(key);
  Mac mac;
  const auto bytes = bytes_in(given, ':', 16, mac.size());
  if (!bytes)
    refuse(key, quoted(given) + " is no MAC address; write it as \"02:00:00:00:00:01\"");
  std::ranges::copy(*bytes, mac.begin());
  return mac;
}

std::vector<Settings> Settings::list(std::string_view key, std::size_t most) {
  const toml::node *const node = find(key, false);
  std::vector<Settings> tables;
  if (!node)
    return tables;
  const toml::array *const array = node->as_array();
  if (!array || !std::ranges::all_of(*array, [](const toml::node &one) { return one.is_table(); }))
    refuse(key, "must be a list of tables, each under [[" + path_ + '.' + std::string(key) + "]]");
  if (array->size() > most)
    refuse(key, "has more than " + std::to_string(most) + " entries");
  for (std::size_t i = 0; i < array->size(); ++i)
    tables.emplace_back(*array->get(i)->as_table(),
                        path_ + '.' + std::string(key) + '[' + std::to_string(i) + ']');
  return tables;
}

void Settings::finish() const {
  for (const auto &[key, node] : *table_)
    if (!asked_.contains(key.str()))
      refuse(key.str(), "there is no such key");
}

toml::table read_configuration(const std::filesystem::path &file) {
  try {
    return toml::parse_file(file.string());
  } catch (const toml::parse_error &error) {
    std::ostringstream message;
    message << file.string();
    if (error.source().begin)
      message << " (line " << error.source().begin.line << ')';
    message << ": " << error.description();
    throw BadConfiguration(message.str());
  }
}

const toml::table &table_of(const toml::table &configuration, std::string_view function) {
  const toml::table *const table = configuration[function].as_table();
  if (!table)
    throw BadConfiguration(std::string(function) + ": there is no table of that name");
  return *table;
}

} // namespace nf
