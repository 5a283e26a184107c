// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld_survey.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include <elf.h>

#include "loader/lib/image/prelink_image.h"
#include "tools/cli/layout.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;

bool is_for_this_machine(const fs::path &path) {
  Elf64_Ehdr header;
  std::ifstream file(path, std::ios::binary);
  return file.read(reinterpret_cast<char *>(&header), sizeof header) &&
         std::string_view(reinterpret_cast<const char *>(header.e_ident), SELFMAG) == ELFMAG &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64;
}

/// Returns each file once, whatever path leads to it. Unreadable directories are ignored.
std::set<fs::path> libraries_in(const std::vector<std::string> &places) {
  std::set<fs::path> paths;
  const auto add = [&](const fs::path &path) {
    std::error_code error;
    if (const fs::path whole = fs::canonical(path, error);
        !error && fs::is_regular_file(whole, error) && is_for_this_machine(whole))
      paths.insert(whole);
  };
  for (const std::string &place : places) {
    std::error_code error;
    if (!fs::is_directory(place, error)) {
      add(place);
      continue;
    }
    constexpr auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator entry(place, options, error), end; entry != end;
         entry.increment(error))
      if (entry->path().filename().string().find(".so") != std::string::npos)
        add(entry->path());
  }
  return paths;
}

/// Returns a reason without the address.
std::string kind_of(const std::string &reason) {
  for (const std::string_view before_address : {" at 0x", ", from 0x"})
    if (const auto at = reason.find(before_address); at != std::string::npos)
      return reason.substr(0, at);
  return reason;
}

} // namespace

LdSurveyCommand::LdSurveyCommand(CLI::App &ld)
    : command_(ld.add_subcommand(
          "survey", "Say which libraries may be packed with others, and why some may not.")) {
  command_->add_option("PLACE", places_, "Libraries, or directories of such")->required();
}

Result<void> LdSurveyCommand::run() const {
  std::size_t packed = 0, all = 0;
  std::map<std::string, std::size_t> reasons;
  std::vector<std::vector<std::string>> staying;
  for (const fs::path &path : libraries_in(places_)) {
    const auto library = loader::library_of(path);
    if (library && (!library->file.dynamic() || !library->file.is_relocatable() ||
                    library->file.dynamic()->is_pie))
      continue; // it is a program
    ++all;
    const std::string reason = library ? library->unmovable : library.error().message;
    if (reason.empty()) {
      ++packed;
      continue;
    }
    ++reasons[kind_of(reason)];
    staying.push_back({path.string(), reason});
  }
  if (all == 0)
    return std::unexpected(Failure{ErrorCode::file_error, places_.front(), "there is no library",
                                   "name libraries for x86-64, or directories"});
  std::vector<std::vector<std::string>> counts;
  for (const auto &[reason, count] : reasons)
    counts.push_back({std::to_string(count), reason});
  std::cout << packed << " of " << all << " libraries may be packed\n";
  if (!staying.empty())
    std::cout << "\nstay as their files have them:\n" << table(counts) << '\n' << table(staying);
  return {};
}

} // namespace sartor::cli
