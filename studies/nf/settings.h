// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_SETTINGS_H
#define SARTOR_STUDY_NF_SETTINGS_H

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frames.h"
#include "functions.h"

namespace nf {

/// Addresses with a common prefix. Host order; the address has no bits outside of the mask.
struct Network {
  std::uint32_t address;
  std::uint32_t mask;
};

/// The allowed values of a number.
struct Range {
  std::uint64_t least;
  std::uint64_t most;
};

/// A table of a configuration file, read key by key. Invalid content throws BadConfiguration with
/// the key, its position, and the allowed values.
class Settings {
public:
  /// `path` is the name of the table in messages: "policer". The table must outlive this object.
  Settings(const toml::table &table, std::string path);

  /// Returns whether the key is present.
  [[nodiscard]] bool has(std::string_view key) const;
  /// The key is required unless `otherwise` is given.
  std::uint64_t number(std::string_view key, Range range,
                       std::optional<std::uint64_t> otherwise = {});
  /// Given in seconds, possibly with a fraction; returned in nanoseconds. At most a year.
  std::uint64_t nanoseconds(std::string_view key, std::optional<double> otherwise = {});
  bool flag(std::string_view key, bool otherwise);
  /// The index of the value in `words`.
  std::size_t word(std::string_view key, const std::vector<std::string_view> &words,
                   std::optional<std::size_t> otherwise = {});
  /// An address in host order.
  std::uint32_t address(std::string_view key);
  /// "10.0.0.0/8"; a single address is a network of one.
  Network network(std::string_view key);
  Mac mac(std::string_view key);
  /// The tables of a list, at most `most`; none if the key is missing.
  std::vector<Settings> list(std::string_view key, std::size_t most);

  /// Rejects keys that were not read.
  void finish() const;
  /// Rejects a key's value with a reason.
  [[noreturn]] void refuse(std::string_view key, std::string_view why) const;

private:
  /// Null if the key is missing and optional.
  const toml::node *find(std::string_view key, bool is_needed);
  std::string_view text(std::string_view key);

  const toml::table *table_;
  std::string path_;
  std::set<std::string, std::less<>> asked_;
};

/// Throws BadConfiguration if the file cannot be read or is not valid TOML.
toml::table read_configuration(const std::filesystem::path &file);
/// The table of a function in a configuration. Throws BadConfiguration if it is missing.
const toml::table &table_of(const toml::table &configuration, std::string_view function);

} // namespace nf

#endif
