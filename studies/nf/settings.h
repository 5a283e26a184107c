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

/// Addresses with a common beginning. Host order; the address has no bits beside the mask.
struct Network {
  std::uint32_t address;
  std::uint32_t mask;
};

/// What a number must keep to.
struct Range {
  std::uint64_t least;
  std::uint64_t most;
};

/// A table of a configuration file, read key by key. Everything that cannot be is refused by
/// BadConfiguration, which names the key, where it stands, and what may be written.
class Settings {
public:
  /// `path` is how messages name the table: "policer". The table must outlive this.
  Settings(const toml::table &table, std::string path);

  /// Whether the key is there.
  [[nodiscard]] bool has(std::string_view key) const;
  /// Without `otherwise`, the key must be there.
  std::uint64_t number(std::string_view key, Range range,
                       std::optional<std::uint64_t> otherwise = {});
  /// Written in seconds, which may have a fraction; in nanoseconds. A year at most.
  std::uint64_t nanoseconds(std::string_view key, std::optional<double> otherwise = {});
  bool flag(std::string_view key, bool otherwise);
  /// One of `words`, by its index.
  std::size_t word(std::string_view key, const std::vector<std::string_view> &words,
                   std::optional<std::size_t> otherwise = {});
  /// Host order.
  std::uint32_t address(std::string_view key);
  /// "10.0.0.0/8"; an address alone is a network of one.
  Network network(std::string_view key);
  Mac mac(std::string_view key);
  /// The tables of a list, `most` at most; none if the key is not there.
  std::vector<Settings> list(std::string_view key, std::size_t most);

  /// Refuses keys that nobody has asked for.
  void finish() const;
  /// Refuses a key for a reason.
  [[noreturn]] void refuse(std::string_view key, std::string_view why) const;

private:
  /// Null if it is not there and need not be.
  const toml::node *find(std::string_view key, bool is_needed);
  std::string_view text(std::string_view key);

  const toml::table *table_;
  std::string path_;
  std::set<std::string, std::less<>> asked_;
};

/// Throws BadConfiguration if it is no TOML or cannot be read.
toml::table read_configuration(const std::filesystem::path &file);
/// The table of a function in a configuration. Throws BadConfiguration if there is none.
const toml::table &table_of(const toml::table &configuration, std::string_view function);

} // namespace nf

#endif
