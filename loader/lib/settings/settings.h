// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_SETTINGS_SETTINGS_H
#define SARTOR_LOADER_LIB_SETTINGS_SETTINGS_H

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "loader/lib/settings/settings_file.h"

namespace sartor::loader {

/// An enabled pass.
struct PassSettings {
  std::string name;
  PassOptions options;
  bool is_enforced = false; ///< Enforced by the machine's file, whose options apply.

  bool operator==(const PassSettings &) const = default;
};

/// The loader's settings for an application.
struct Settings {
  std::vector<PassSettings> passes;               ///< In listed order, without duplicates.
  std::vector<std::filesystem::path> directories; ///< Absolute; before Sartor's own directory.
  /// Directories for enforced passes: only those of the machine's configuration.
  std::vector<std::filesystem::path> machine_directories = {};
  bool strict = false;
  bool observable = false; ///< Tracers find unchanged code in the libraries' own files.
  /// Files that were examined, whether they exist or not: settings may change when one of them
  /// does.
  std::vector<std::filesystem::path> files;

  bool operator==(const Settings &) const = default;
};

/// The sources of settings. Settings for the application's path override those for its name, which
/// override those for all applications; among equals, later files override earlier ones. `config`
/// overrides all of `files`, and options of this run override `config`. An overriding key replaces
/// the other; each option of a pass is a key of its own. Passes that the machine enforces run
/// additionally, with the machine's options, and make all settings strict: other sources cannot
/// change that.
struct SettingsSources {
  std::vector<std::filesystem::path> files; ///< The machine's first; need not exist.
  std::filesystem::path application;        ///< Path as the program is started; it may be a link.
  std::optional<std::filesystem::path> config; ///< Must exist.
  std::optional<std::string> passes;           ///< Passes for this run: `a,b,c`; empty: none.
  bool strict = false;     ///< For this run; false leaves the decision to the files.
  bool observable = false; ///< As `strict`.
};

/// Returns the settings files of the machine and of the user ($XDG_CONFIG_HOME, ~/.config).
std::vector<std::filesystem::path> standard_settings_files();

/// Reads the settings. Without any file, the passes are `bind`, `concat` and `settle`.
/// Fails with file_error, bad_settings.
Result<Settings> read_settings(const SettingsSources &sources);

} // namespace sartor::loader

#endif
