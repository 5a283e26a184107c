// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PASS_FIT_H
#define SARTOR_LOADER_LIB_PASS_FIT_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "loader/lib/image/image.h"
#include "loader/lib/pass/pass_library.h"
#include "loader/lib/pass/pass_manager.h"
#include "loader/lib/settings/settings.h"

namespace sartor::loader {

/// The passes that settings name, loaded.
struct Passes {
  std::vector<PassLibrary> libraries;
  std::vector<PassOutcome> missing; ///< Those that cannot be loaded, and why.
  /// The program starts as they have seen it, or not at all.
  bool is_required = false;
};

/// `own`: where Sartor's own passes are. Fails with bad_pass if one must run and cannot be loaded.
Result<Passes> load_passes(const Settings &settings, const std::filesystem::path &own);

/// An image that all passes have run over.
struct Fitted {
  Image image;
  std::vector<PassOutcome> outcomes; ///< In the order in which they ran.
  std::vector<std::string> reports;
};

/// Lays out and binds a program by the stock loader, and runs passes over its image. Fails with
/// bad_pass if the program must not be started: a pass refuses it, or one that must run has failed;
/// otherwise with file_error, bad_elf, bad_plan.
Result<Fitted> fit(const std::filesystem::path &program, const Settings &settings,
                   const Passes &passes);

/// Files that a program's image depends on besides its libraries: which change what the stock
/// loader or its passes do.
std::vector<std::filesystem::path> other_files(const Settings &settings,
                                               const std::filesystem::path &passes);

} // namespace sartor::loader

#endif
