// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/pass/fit.h"

#include <utility>

#include "loader/lib/pass/pass_image.h"
#include "loader/lib/pass/pass_order.h"

namespace sartor::loader {

namespace {

/// Returns the directories to search for a pass. A pass that the machine enforces is not searched
/// for in directories of users.
std::vector<std::filesystem::path> directories(const Settings &settings, const PassSettings &pass,
                                               const std::filesystem::path &own) {
  std::vector<std::filesystem::path> all =
      pass.is_enforced ? settings.machine_directories : settings.directories;
  all.push_back(own);
  return all;
}

std::string joined(const std::vector<std::string> &paths) {
  std::string all;
  for (const std::string &path : paths)
    all += (all.empty() ? "" : ":") + path;
  return all;
}

} // namespace

Result<Passes> load_passes(const Settings &settings, const std::filesystem::path &own) {
  Passes passes;
  passes.is_required = settings.strict;
  for (const PassSettings &pass : settings.passes) {
    auto library = PassLibrary::load(pass.name, directories(settings, pass, own));
    if (!library && settings.strict)
      return std::unexpected(std::move(library.error()));
    if (library) {
      passes.is_required |= library->pass().judges != 0;
      passes.libraries.push_back(std::move(*library));
    } else {
      passes.missing.push_back({pass.name, std::move(library.error())});
    }
  }
  return passes;
}

Result<Fitted> fit(const std::filesystem::path &program, const Settings &settings,
                   const Passes &passes) {
  std::vector<const sartor_pass *> enabled;
  for (const PassLibrary &library : passes.libraries)
    enabled.push_back(&library.pass());
  const auto order = ordered(enabled);
  if (!order)
    return std::unexpected(order.error());
  // Passes run again on an image with the libraries that they request, until these do not change.
  constexpr int most_rounds = 3;
  std::string preload;
  for (int round = 0; round < most_rounds; ++round) {
    auto image = bound_image_of(program, preload);
    if (!image)
      return std::unexpected(std::move(image.error()));
    PassImage target(std::move(*image), settings);
    auto ran = run_passes(target, *order, settings.strict);
    if (!ran)
      return std::unexpected(std::move(ran.error()));
    std::vector<std::string> reports = target.reports();
    PrelinkImage fitted = std::move(target).take();
    if (std::string wanted = joined(fitted.changes.preloaded); wanted != preload) {
      preload = std::move(wanted);
      continue;
    }
    std::vector<PassOutcome> outcomes = passes.missing;
    outcomes.insert(outcomes.end(), std::make_move_iterator(ran->begin()),
                    std::make_move_iterator(ran->end()));
    return Fitted{std::move(fitted), std::move(outcomes), std::move(reports)};
  }
  return std::unexpected(Failure{ErrorCode::bad_plan, program.string(),
                                 "passes want other libraries in it each time that they run",
                                 "have them preload the same ones"});
}

std::vector<std::filesystem::path> other_files(const Settings &settings,
                                               const std::filesystem::path &passes) {
  std::vector<std::filesystem::path> files = settings.files;
  files.emplace_back("/etc/ld.so.preload");
  for (const PassSettings &pass : settings.passes)
    for (const std::filesystem::path &directory : directories(settings, pass, passes))
      files.push_back(directory / (pass.name + ".so"));
  return files;
}

} // namespace sartor::loader
