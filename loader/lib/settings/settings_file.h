// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_SETTINGS_SETTINGS_FILE_H
#define SARTOR_LOADER_LIB_SETTINGS_SETTINGS_FILE_H

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sartor::loader {

/// The options of a pass in the configuration: option → text.
using PassOptions = std::map<std::string, std::string>;

/// The settings in one table of the configuration; unset values are left to other tables.
struct SettingsTable {
  std::optional<std::vector<std::string>> passes;
  std::optional<std::vector<std::string>> enforce; ///< For the machine's file only.
  std::optional<bool> strict;
  std::optional<bool> observable;
  std::optional<std::vector<std::filesystem::path>> directories;
  std::map<std::string, PassOptions> options; ///< By the pass's name.

  bool operator==(const SettingsTable &) const = default;
};

struct SettingsFile {
  SettingsTable general;
  /// By absolute path or by base name.
  std::map<std::string, SettingsTable> applications;

  bool operator==(const SettingsFile &) const = default;
};

/// Parses settings. `source` is used in errors. Fails with bad_settings, whose subject is
/// SOURCE:LINE.
Result<SettingsFile> parse_settings(std::string_view text, const std::string &source);

/// Reads a settings file; returns nothing if it does not exist. Fails with bad_settings, and with
/// file_error, also if the file belongs to another user than this one and root, or is writable by
/// everyone.
Result<std::optional<SettingsFile>> read_settings_file(const std::filesystem::path &path);

} // namespace sartor::loader

#endif
