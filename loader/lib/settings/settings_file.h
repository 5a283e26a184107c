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

/// What the configuration says of a pass: option → text.
using PassOptions = std::map<std::string, std::string>;

/// What one place of the configuration says; what it leaves out is for others to say.
struct SettingsTable {
  std::optional<std::vector<std::string>> passes;
  std::optional<std::vector<std::string>> enforce; ///< Passes; only the machine may say so.
  std::optional<bool> strict;
  std::optional<std::vector<std::filesystem::path>> directories;
  std::map<std::string, PassOptions> options; ///< By the name of the pass.

  bool operator==(const SettingsTable &) const = default;
};

struct SettingsFile {
  SettingsTable general;
  /// By absolute path or by base name.
  std::map<std::string, SettingsTable> applications;

  bool operator==(const SettingsFile &) const = default;
};

/// `source` is for errors. Fails with bad_settings, whose subject is SOURCE:LINE.
Result<SettingsFile> parse_settings(std::string_view text, const std::string &source);

/// Nothing if there is no such file. Fails with file_error, also if the file belongs to somebody
/// else than this user and root, or anybody may write it; with bad_settings.
Result<std::optional<SettingsFile>> read_settings_file(const std::filesystem::path &path);

} // namespace sartor::loader

#endif
