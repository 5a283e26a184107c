// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld/ld.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file/elf_sections.h"
#include "loader/lib/image/prelink_image.h"
#include "loader/lib/image/written_image.h"
#include "loader/lib/signature/signature.h"
#include "loader/lib/stock/stock_loader.h"
#include "tools/cli/layout.h"
#include "tools/cli/ld/show.h"
#include "tools/cli/run.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;

/// True if a file has the name of an image, as the planner gives it, and is a regular file. The
/// directory may be any.
bool may_be_image(const fs::path &path) {
  constexpr std::size_t digits = 16;
  const std::string name = path.stem().string();
  std::error_code error;
  return path.extension() == ".image" && name.size() == digits &&
         name.find_first_not_of("0123456789abcdef") == std::string::npos &&
         fs::is_regular_file(fs::symlink_status(path, error));
}

/// True if the kernel guarantees that the content is as it was written.
bool is_sealed(const fs::path &path) {
  struct statx status{};
  return statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_VERITY) != 0;
}

} // namespace

LdCheckCommand::LdCheckCommand(CLI::App &ld)
    : command_(
          ld.add_subcommand("check", "Check stored prelink images, and delete damaged ones.")) {
  command_->add_option("DIRECTORY", directory_,
                       "The directory of images (default: as for sartor-ld)");
  add_example(*command_, "sartor ld check");
}

Result<void> LdCheckCommand::run() const {
  const fs::path directory = directory_.empty() ? image_directory() : fs::path(directory_);
  std::size_t sound = 0;
  std::size_t sealed = 0;
  std::size_t damaged = 0;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(directory, error)) {
    if (!may_be_image(entry.path()))
      continue;
    const auto image = loader::WrittenImage::read(entry.path());
    const auto checked = image ? image->check() : std::unexpected(image.error());
    if (checked) {
      ++sound;
      sealed += is_sealed(entry.path()) ? 1 : 0;
      continue;
    }
    ++damaged;
    std::error_code kept;
    fs::remove(entry.path(), kept);
    std::cout << entry.path().string() << ": " << checked.error().message
              << (kept ? ", and cannot be deleted\n" : "; deleted\n");
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return std::unexpected(Failure{ErrorCode::file_error, directory.string(), error.message(),
                                   "check its permissions"});
  std::cout << sound << " sound, " << damaged << " damaged";
  if (sealed > 0)
    std::cout << "; " << sealed << " sealed by the file system (fs-verity)";
  std::cout << '\n';
  if (damaged > 0)
    return std::unexpected(Failure{ErrorCode::bad_plan, directory.string(), "had damaged images",
                                   "check the disk; programs are planned again"});
  return {};
}

LdPlanCommand::LdPlanCommand(CLI::App &ld)
    : command_(ld.add_subcommand("plan", "Show the changes that passes would make to a program.")) {
  command_->add_option("PROGRAM", program_, "A program for x86-64, by its path")->required();
  command_->add_option("--passes", passes_,
                       "Run only these passes, such as bind,concat (default: as configured)");
  command_->add_option("--config", config_, "A configuration file in addition to the usual ones");
  command_->add_flag("--observable", is_observable_, "As with sartor-ld --observable");
  add_example(*command_, "sartor ld plan /usr/bin/program --passes bind,concat");
}

Result<void> LdPlanCommand::run() const {
  std::vector<std::string> arguments{"--report"};
  if (command_->count("--passes") > 0)
    arguments.push_back(passes_.empty() ? "--no-passes" : "--passes=" + passes_);
  if (command_->count("--config") > 0)
    arguments.push_back("--config=" + config_);
  if (is_observable_)
    arguments.emplace_back("--observable");
  arguments.insert(arguments.end(), {"--", program_});
  return std::unexpected(become_sibling("sartor-ld-plan", arguments));
}

namespace {

/// Adds a file once, under the name that signatures use.
Result<void> add(const fs::path &path, std::vector<fs::path> &files) {
  std::error_code error;
  fs::path file = fs::canonical(path, error);
  if (error)
    return std::unexpected(Failure{ErrorCode::file_error, path.string(),
                                   "cannot be found: " + error.message(), "name a file"});
  if (std::ranges::find(files, file) == files.end())
    files.push_back(std::move(file));
  return {};
}

Result<void> add_libraries(const fs::path &program, std::vector<fs::path> &files) {
  const auto list = loader::list_libraries(program);
  if (!list)
    return std::unexpected(list.error());
  if (!list->missing.empty())
    return std::unexpected(Failure{ErrorCode::file_error, program.string(),
                                   "the stock loader does not find " + list->missing.front(),
                                   "install it, or name its directory in LD_LIBRARY_PATH"});
  for (const fs::path &library : list->found)
    if (auto added = add(library, files); !added)
      return added;
  return {};
}

Result<void> sign(const fs::path &file, const fs::path &to, const base::SecretKey &key) {
  const auto digest = loader::FileDigest::of(file);
  if (!digest)
    return std::unexpected(digest.error());
  const auto there = loader::read_signature(to);
  const bool is_signed = there && digest->fits(*there, key.public_key());
  if (!is_signed)
    if (auto written = loader::write_signature(digest->sign(key), to); !written)
      return written;
  std::cout << to.string() << (is_signed ? ": unchanged\n" : ": written\n");
  return {};
}

} // namespace

LdSignCommand::LdSignCommand(CLI::App &ld)
    : command_(ld.add_subcommand("sign", "Sign programs and libraries for the pass `verify`.")) {
  command_->add_option("--key", key_, "The secret key, from `sartor key`")->required();
  command_->add_option("--signatures", signatures_,
                       "The directory for signatures (default: the directory of each file)");
  command_->add_flag("--with-libraries", with_libraries_,
                     "Sign the libraries that each program starts with, too");
  command_->add_option("FILE", files_, "Programs and libraries")->required();
  add_example(*command_, "sartor ld sign --key vendor.key --with-libraries /usr/bin/program");
}

Result<void> LdSignCommand::run() const {
  const auto key = base::SecretKey::read(key_);
  if (!key)
    return std::unexpected(key.error());
  std::vector<fs::path> files;
  for (const std::string &file : files_) {
    if (auto added = add(file, files); !added)
      return added;
    if (with_libraries_)
      if (auto added = add_libraries(file, files); !added)
        return added;
  }
  for (const fs::path &file : files) {
    const fs::path to = signatures_.empty() ? loader::signature_beside(file)
                                            : loader::signature_in(signatures_, file);
    if (auto done = sign(file, to, *key); !done)
      return done;
  }
  return {};
}

namespace {

bool is_for_this_machine(const fs::path &path) {
  std::array<char, sizeof(Elf64_Ehdr)> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  const auto header = base::elf_header_of(std::as_bytes(std::span(start)));
  return header && header->e_machine == EM_X86_64;
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
          "survey",
          "List libraries that can be packed with others, and the reasons why others cannot.")) {
  command_->add_option("PLACE", places_, "Libraries, or directories with libraries")->required();
  add_example(*command_, "sartor ld survey /usr/lib/x86_64-linux-gnu");
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
  std::cout << packed << " of " << all << " libraries can be packed\n";
  if (!staying.empty())
    std::cout << "\nnot packed:\n" << table(counts) << '\n' << table(staying);
  return {};
}

LdCommand::LdCommand(CLI::App &app)
    : command_(app.add_subcommand(
          "ld", "Inspect programs and stored images as the loader does, and sign files.")),
      check_(*command_), enable_(*command_), plan_(*command_), probe_(*command_),
      profile_(*command_), replan_(*command_), sign_(*command_), survey_(*command_),
      verify_(*command_) {
  command_->require_subcommand(1);
  CLI::App *show = command_->add_subcommand(
      "show", "Show a program and its libraries: segments, symbols, relocations, call sites.");
  show->add_option("PROGRAM", program_, "A program or library for x86-64, or a stored image")
      ->required();
  show->add_flag("--json", json_, "Write JSON, with all symbols, relocations and call sites");
  add_example(*show, "sartor ld show /usr/bin/program");
  add_example(*command_, "sartor ld show /usr/bin/program");
}

Result<void> LdCommand::run() const {
  if (check_.is_meant())
    return check_.run();
  if (enable_.is_meant())
    return enable_.run();
  if (plan_.is_meant())
    return plan_.run();
  if (probe_.is_meant())
    return probe_.run();
  if (profile_.is_meant())
    return profile_.run();
  if (replan_.is_meant())
    return replan_.run();
  if (survey_.is_meant())
    return survey_.run();
  if (verify_.is_meant())
    return verify_.run();
  return sign_.is_meant() ? sign_.run() : show_image(program_, json_);
}

} // namespace sartor::cli
