// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld/commands.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <system_error>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "base/trust.h"
#include "loader/lib/format/key.h"
#include "loader/lib/image/written_image.h"
#include "tools/cli/child.h"
#include "tools/cli/ld/probe.h"
#include "tools/cli/run.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_plan{900}; // the planner ends by itself then

enum class Outcome : std::uint8_t { current, planned, removed, later, foreign, failed };

/// True if only this user and root could have written the file: its command is executed.
bool is_trusted(const fs::path &path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         !base::distrust(path, status, S_IWGRP | S_IWOTH);
}

/// True if a start in this environment would take the image: others are planned in theirs.
bool is_of_this_environment(const loader::WrittenImage &image) {
  std::string settings;
  for (std::size_t i = 1; i < image.again().size(); ++i)
    settings += (image.again()[i] == "--passes=" ? "--no-passes" : image.again()[i]) + '\n';
  std::error_code error;
  const std::string directory = fs::current_path(error).string();
  const loader::KnownFile &program = image.files().front();
  return image.key() == loader::key_of({.program = program.identity,
                                        .path = program.path.c_str(),
                                        .settings = settings.c_str(),
                                        .directory = directory.c_str(),
                                        .environment = environ});
}

/// True if only this user and root could have written all files of an image. Planning runs
/// resolvers of libraries; other users' libraries run code only when their program is started.
bool has_trusted_files(const loader::WrittenImage &image) {
  return std::ranges::all_of(image.files(), [](const loader::KnownFile &file) {
    struct stat status{};
    return stat(file.path.c_str(), &status) != 0 || !base::distrust(file.path, status, S_IWOTH);
  });
}

Outcome replan(const fs::path &path, const loader::WrittenImage &image, const fs::path &front) {
  if (image.is_current())
    return Outcome::current;
  const loader::KnownFile &program = image.files().front();
  std::error_code error;
  if (!fs::exists(program.path, error)) {
    fs::remove(path, error);
    return error ? Outcome::failed : Outcome::removed;
  }
  if (image.again().empty() || !is_of_this_environment(image))
    return Outcome::later;
  if (!has_trusted_files(image))
    return Outcome::foreign;
  std::vector<std::string> words{front.string()};
  words.insert(words.end(), image.again().begin() + 1, image.again().end());
  words.insert(words.end(), {"--plan-only", "--", program.path.string()});
  const auto ended = run_child(words, longest_plan);
  if (!ended || ended->status != 0) {
    std::cout << program.path.string() << ": "
              << (ended ? ended->first_line() : ended.error().message) << '\n';
    return Outcome::failed;
  }
  // The image of a program that was itself replaced has another key.
  if (loader::identity_of(program.path).inode != program.identity.inode)
    fs::remove(path, error);
  return Outcome::planned;
}

const char *text_of(Outcome outcome) {
  switch (outcome) {
  case Outcome::current:
    return "is current";
  case Outcome::planned:
    return "planned again";
  case Outcome::removed:
    return "the program has gone: image deleted";
  case Outcome::later:
    return "is planned at its next start, which had other variables of the environment";
  case Outcome::foreign:
    return "is planned at its next start, since others could have written one of its files";
  case Outcome::failed:
    break;
  }
  return "cannot be planned";
}

} // namespace

LdReplanCommand::LdReplanCommand(CLI::App &ld)
    : command_(ld.add_subcommand(
          "replan", "Plan programs again whose files have changed, before their next start.")) {
  command_->add_option("DIRECTORY", directory_,
                       "The directory of images (default: as for sartor-ld)");
  add_example(*command_, "sartor ld replan");
}

Result<void> LdReplanCommand::run() const {
  const fs::path directory = directory_.empty() ? image_directory() : fs::path(directory_);
  const auto front = sibling("sartor-ld");
  if (!front)
    return std::unexpected(front.error());
  if (access(front->c_str(), X_OK) != 0)
    return std::unexpected(Failure{ErrorCode::file_error, front->string(), "cannot be executed",
                                   "install sartor-ld in the same directory as sartor"});
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(directory, error))
    if (entry.path().extension() == ".image" && is_trusted(entry.path()))
      paths.push_back(entry.path());
  if (error && error != std::errc::no_such_file_or_directory)
    return std::unexpected(Failure{ErrorCode::file_error, directory.string(), error.message(),
                                   "check its permissions"});
  std::map<Outcome, std::size_t> counts;
  for (const fs::path &path : paths) {
    const auto image = loader::WrittenImage::read(path);
    if (!image || image->files().empty())
      continue; // sartor ld check deletes it
    const Outcome outcome = replan(path, *image, *front);
    ++counts[outcome];
    if (outcome != Outcome::current)
      std::cout << image->files().front().path.string() << ": " << text_of(outcome) << '\n';
  }
  std::cout << counts[Outcome::current] << " current, " << counts[Outcome::planned]
            << " planned again, " << counts[Outcome::removed] << " deleted, "
            << counts[Outcome::later] + counts[Outcome::foreign] << " left, "
            << counts[Outcome::failed] << " failed\n";
  return {};
}

} // namespace sartor::cli
