// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CONFIGURATION_HPP
#define SARTOR_CONFIGURATION_HPP

#include <compare>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sartor/value.hpp>

namespace sartor {

/// The setting of one point: one value, or several (the guard is then a switch over specialized
/// bodies). With an unguarded setting, the program guarantees the value: the behavior for any other
/// value is undefined.
struct Setting {
  std::vector<Value> values; ///< Sorted, unique, never empty in a Configuration.
  bool guarded = true;

  Setting(Value value) : values{std::move(value)} {} // NOLINT(google-explicit-constructor)
  template <class T>
    requires std::constructible_from<Value, T>
  Setting(T value) : Setting(Value(value)) {} // NOLINT(google-explicit-constructor)
  explicit Setting(std::vector<Value> several, bool guard = true);

  bool operator==(const Setting &) const = default;
  auto operator<=>(const Setting &) const = default;
};

/// A setting that allows any of several values.
Setting any_of(std::vector<Value> values);
/// The same setting without its guard.
Setting unguarded(Setting setting);

/// Maps labels to settings. A plain value: copy, compare, hash, print it. Labels that are not named
/// stay generic; an empty configuration is the generic code.
class Configuration {
public:
  Configuration() = default;
  /// Throws Error (conflicting_label) if a label is set twice.
  Configuration(std::initializer_list<std::pair<const std::string, Setting>> settings);

  /// Sets a label, replacing its previous setting.
  Configuration &set(std::string label, Setting setting);
  /// Makes a label generic.
  Configuration &unset(std::string_view label);
  /// Null if the label is generic.
  [[nodiscard]] const Setting *find(std::string_view label) const;

  [[nodiscard]] bool empty() const noexcept { return settings_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return settings_.size(); }
  [[nodiscard]] auto begin() const { return settings_.begin(); }
  [[nodiscard]] auto end() const { return settings_.end(); }

  /// `{B=16,N=64|256}`; an unguarded setting is written `B=16!`. The empty configuration is `{}`.
  [[nodiscard]] std::string text() const;
  /// `{"B":16,"N":[64,256],"K":{"values":[3],"guard":false}}`.
  [[nodiscard]] std::string json() const;
  /// Reads the output of json(). Throws Error (bad_json) with the position of the mistake.
  static Configuration from_json(std::string_view text);

  bool operator==(const Configuration &) const = default;
  auto operator<=>(const Configuration &) const = default;

private:
  std::map<std::string, Setting, std::less<>> settings_;
};

std::ostream &operator<<(std::ostream &out, const Configuration &configuration);

} // namespace sartor

template <> struct std::hash<sartor::Configuration> {
  std::size_t operator()(const sartor::Configuration &configuration) const noexcept;
};

#endif
