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

/// A pass that is to run.
struct PassSettings {
  std::string name;
  PassOptions options;
  bool is_enforced = false; ///< By the machine: it runs as the machine says, whatever others say.

  bool operator==(const PassSettings &) const = default;
};

/// What the loader is to do with an application.
struct Settings {
  std::vector<PassSettings> passes;               ///< As they are listed; none is there twice.
  std::vector<std::filesystem::path> directories; ///< Absolute; searched before Sartor's own.
  /// Likewise, for passes that are enforced: the machine's own only.
  std::vector<std::filesystem::path> machine_directories = {};
  bool strict = false;
  /// Those that were looked at, whether they exist or not: settings may change when one of them
  /// does.
  std::vector<std::filesystem::path> files;

  bool operator==(const Settings &) const = default;
};

/// Where settings come from. What is said of the application by its path wins over what is said of
/// it by its name, and that over what is said of all; of each, later files win. `config` wins over
/// all of `files`, and what is said for this run over `config`. A key that wins replaces the other;
/// options of passes are a key each. What the machine enforces runs besides, with the machine's
/// options, and makes all of it strict: nothing else of it can be said by others.
struct SettingsSources {
  std::vector<std::filesystem::path> files;    ///< The machine's first; need not exist.
  std::filesystem::path application;           ///< As it is started: its name may be a link's.
  std::optional<std::filesystem::path> config; ///< Must exist.
  std::optional<std::string> passes;           ///< For this run: `a,b,c`; empty: none.
  bool strict = false;                         ///< For this run; false leaves it to the files.
};

/// Of the machine, then of the user ($XDG_CONFIG_HOME, ~/.config).
std::vector<std::filesystem::path> standard_settings_files();

/// Without any file, passes are `bind` and `concat`. Fails with file_error, bad_settings.
Result<Settings> read_settings(const SettingsSources &sources);

} // namespace sartor::loader

#endif
