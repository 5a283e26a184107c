// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sartor-ld-plan: makes the image file of a program. Started by sartor-ld when there is none, and
// by people who want to see what passes do.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <sys/stat.h>

#include "load/file_identity.h"
#include "load/image_file.h"
#include "load/plan.h"
#include "load/settings.h"

namespace {

using namespace sartor;
using namespace sartor::load;

constexpr int stock = 1;   ///< The stock loader is to start the program.
constexpr int refused = 3; ///< It must not be started.

struct Options {
  std::filesystem::path program;
  std::string key;
  std::filesystem::path output;
  std::optional<std::string> passes;
  std::optional<std::filesystem::path> config;
  bool strict = false;
  bool report = false;
};

void say(const Failure &failure) { std::cerr << "sartor-ld: " << failure.text() << '\n'; }

/// Sartor's own passes: beside this program, as installed and as built.
std::filesystem::path own_passes() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path().parent_path() / "lib" / "sartor" / "passes";
}

void report(const Fitted &fitted) {
  for (const PassOutcome &outcome : fitted.outcomes)
    std::cout << outcome.name << ": " << (outcome.failure ? "failed" : "done") << '\n';
  for (const std::string &line : fitted.reports)
    std::cout << line << '\n';
}

/// The directory is nobody else's business.
void make_directory_of(const std::filesystem::path &file) {
  std::error_code error;
  umask(S_IRWXG | S_IRWXO);
  std::filesystem::create_directories(file.parent_path(), error);
}

/// Forgets what has not been made anew for longest, so that there is no end to what is kept. Who
/// has mapped an image keeps it.
void trim(const std::filesystem::path &directory) {
  constexpr std::uintmax_t most = std::uintmax_t{4} << 30;
  std::error_code error;
  std::vector<std::filesystem::directory_entry> images;
  std::uintmax_t size = 0;
  for (const auto &entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() != ".image")
      continue;
    images.push_back(entry);
    size += entry.file_size(error);
  }
  std::ranges::sort(images, {}, [&](const auto &entry) { return entry.last_write_time(error); });
  for (auto oldest = images.begin(); size > most && oldest != images.end(); ++oldest) {
    size -= oldest->file_size(error);
    std::filesystem::remove(oldest->path(), error);
  }
}

int run(const Options &options) {
  const auto settings = read_settings({.files = standard_settings_files(),
                                       .application = options.program,
                                       .config = options.config,
                                       .passes = options.passes,
                                       .strict = options.strict});
  if (!settings) {
    say(settings.error());
    return options.strict ? refused : stock;
  }
  const std::filesystem::path passes = own_passes();
  const Planned planned{options.key.empty() ? 0 : std::stoull(options.key, nullptr, 16),
                        other_files(*settings, passes)};
  if (!options.output.empty())
    make_directory_of(options.output);
  const format::FileIdentity program = identity_of(options.program);
  auto fitted = fit(options.program, *settings, passes);
  if (!fitted) {
    say(fitted.error());
    if (fitted.error().code == ErrorCode::bad_pass || settings->strict)
      return refused;
    const bool may_pass = fitted.error().code == ErrorCode::file_error;
    if (!options.output.empty() && !may_pass)
      static_cast<void>(write_stock_image(std::vector<KnownFile>{{options.program, program}},
                                          planned, options.output));
    return stock;
  }
  for (const PassOutcome &outcome : fitted->outcomes)
    if (outcome.failure)
      say(*outcome.failure);
  if (options.report)
    report(*fitted);
  if (options.output.empty())
    return 0;
  // If there can be no image, passes must still look at files again that change.
  const std::vector<KnownFile> files = files_of(fitted->image);
  const auto written = write_image(std::move(fitted->image), planned, options.output);
  if (written) {
    trim(options.output.parent_path());
    return 0;
  }
  say(written.error());
  if (written.error().code == ErrorCode::bad_plan)
    static_cast<void>(write_stock_image(files, planned, options.output));
  return stock;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Plans how a program's libraries are laid out and bound.", "sartor-ld-plan");
  Options options;
  app.add_option("--key", options.key, "What the image is for, in hexadecimal");
  app.add_option("--output", options.output, "Where the image goes; without, nothing is written");
  app.add_option("--passes", options.passes, "Run these passes, and no others");
  app.add_flag_callback("--no-passes", [&] { options.passes = ""; }, "Run none");
  app.add_option("--config", options.config, "A configuration besides the usual ones");
  app.add_flag("--strict", options.strict, "Refuse the program if a pass fails");
  app.add_flag("--report", options.report, "Print what the passes have done");
  app.add_option("program", options.program, "The program")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception &error) {
    std::cerr << "sartor-ld: " << error.what() << '\n';
    return stock;
  }
}
