// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PASS_FIT_H
#define SARTOR_LOADER_LIB_PASS_FIT_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "loader/lib/image/prelink_image.h"
#include "loader/lib/pass/pass_library.h"
#include "loader/lib/pass/pass_manager.h"
#include "loader/lib/settings/settings.h"

namespace sartor::loader {

/// The passes that settings enable, loaded.
struct Passes {
  std::vector<PassLibrary> libraries;
  std::vector<PassOutcome> missing; ///< Passes that cannot be loaded, with the reason.
  /// The program starts with the passes' changes, or not at all.
  bool is_required = false;
};

/// Loads the passes. `own`: directory of Sartor's own passes. Fails with bad_pass if a required
/// pass cannot be loaded.
Result<Passes> load_passes(const Settings &settings, const std::filesystem::path &own);

/// An image after all passes have run.
struct Fitted {
  PrelinkImage image;
  std::vector<PassOutcome> outcomes; ///< In the order in which they ran.
  std::vector<std::string> reports;
};

/// Lays out and binds a program by the stock loader, and runs passes over its image. Fails with
/// bad_pass if the program must not be started: a pass refuses it, or a required one has failed.
/// Otherwise fails with file_error, bad_elf, bad_plan.
Result<Fitted> fit(const std::filesystem::path &program, const Settings &settings,
                   const Passes &passes);

/// Returns files other than libraries that an image depends on: they change the behavior of the
/// stock loader or of passes.
std::vector<std::filesystem::path> other_files(const Settings &settings,
                                               const std::filesystem::path &passes);

} // namespace sartor::loader

#endif
