// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld/commands.h"

#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "loader/lib/profile/perf_script.h"
#include "loader/lib/profile/profile.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

LdProfileCommand::LdProfileCommand(CLI::App &ld)
    : command_(ld.add_subcommand(
          "profile", "Make a profile of functions, for the pass `hot`, of what perf recorded.")) {
  command_->add_option("--output", output_, "The profile to write (default: standard output)");
  command_
      ->add_option("FILE", files_,
                   "Outputs of `perf script --show-mmap-events --show-task-events`, or profiles; "
                   "their counts are added")
      ->required();
  add_example(*command_, "sartor ld profile --output hot.profile samples.txt");
}

Result<void> LdProfileCommand::run() const {
  loader::Profile all;
  std::uint64_t samples = 0;
  std::map<std::string, std::uint64_t> left_out;
  for (const std::string &path : files_) {
    std::ifstream file(path, std::ios::binary);
    std::string first_line;
    if (!std::getline(file, first_line))
      return std::unexpected(Failure{ErrorCode::file_error, path, "is empty, or cannot be read",
                                     "name an output of `perf script`, or a profile"});
    if (loader::Profile::is_profile(first_line)) {
      const auto profile = loader::Profile::read(path);
      if (!profile)
        return std::unexpected(profile.error());
      all.add(*profile);
      continue;
    }
    const loader::PerfSamples found = loader::samples_of(file, first_line); // it may be a pipe
    if (found.samples == 0)
      return std::unexpected(Failure{ErrorCode::file_error, path, "has no samples",
                                     "write it with `perf script --show-mmap-events`"});
    all.add(found.profile);
    samples += found.samples;
    for (const auto &[name, count] : found.left_out)
      left_out[name] += count;
  }
  for (const auto &[name, count] : left_out)
    std::cerr << "sartor: " << count << " of " << samples << " samples are in " << name
              << ", which is no file with a build id\n";
  if (output_.empty()) {
    std::cout << all.text();
    return {};
  }
  std::ofstream to(output_, std::ios::binary | std::ios::trunc);
  if (!(to << all.text()).flush())
    return std::unexpected(Failure{ErrorCode::file_error, output_, "cannot be written",
                                   "see whether the directory exists and the disk has room"});
  return {};
}

} // namespace sartor::cli
