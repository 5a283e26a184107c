// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/commands.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/space/declaration_section.h"
#include "tools/cli/installation.h"
#include "tools/cli/section.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr UnloadedSection kDeclarations{core::kDeclarationSection, core::kDeclarationMagic,
                                        "its list of declarations"};

Result<std::string> plugin() {
  const auto here = Installation::of_this_command();
  if (!here)
    return std::unexpected(here.error());
  std::error_code error;
  if (fs::exists(here->plugin, error))
    return here->plugin.string();
  return std::unexpected(Failure{ErrorCode::file_error, "SartorPlugin.so",
                                 "is missing in the installation of the command sartor",
                                 "install Sartor as a whole"});
}

Failure became_nothing(const char *clang) {
  return {ErrorCode::no_clang, clang,
          "cannot be executed: " + std::error_code(errno, std::generic_category()).message(),
          std::string("install it: apt-get install ") + clang};
}

/// Whether a declaration has matched in any of the files, by place and text.
using Found = std::map<std::pair<std::string, std::string>, bool>;

Result<void> add_found(const std::string &object, Found &found) {
  const auto pieces = pieces_of(object, kDeclarations);
  if (!pieces)
    return std::unexpected(pieces.error());
  for (const std::string &piece : *pieces) {
    try {
      for (const json &row : json::parse(piece)) {
        const std::string place = row.at("file").get<std::string>() + ":" +
                                  std::to_string(row.at("line").get<unsigned>());
        found[{place, row.at("what").get<std::string>()}] |= row.at("found").get<bool>();
      }
    } catch (const json::exception &) {
      return std::unexpected(damaged(object, kDeclarations));
    }
  }
  return {};
}

Result<void> check(const std::vector<std::string> &objects) {
  Found found;
  for (const std::string &object : objects)
    if (auto added = add_found(object, found); !added)
      return added;
  std::string place;
  std::string missing;
  for (const auto &[declared, is_found] : found) {
    if (is_found)
      continue;
    place = place.empty() ? declared.first : place;
    missing += (missing.empty() ? "" : "; " + declared.first + ": ") + std::string("no ") +
               declared.second + " is defined in the files that were compiled with it";
  }
  if (missing.empty())
    return {};
  return std::unexpected(
      Failure{ErrorCode::bad_settings, place, missing,
              "fix the name, or give sartor_add_handler() or sartor_watch() the file that has it"});
}

} // namespace

DeclareCommand::DeclareCommand(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "declare", "Draft declarations outside the source for one handler, or check them.");
  auto *place =
      command->add_option("PLACE", place_, "The handler: FILE:FUNCTION, such as stack.c:deliver");
  command->add_option("OPTIONS", options_, "Options of clang for the file, after --");
  command
      ->add_option("--check", objects_,
                   "Check that each declaration of these object files matches in one of them")
      ->excludes(place);
  command->callback([this] {
    if (place_.empty() && objects_.empty())
      throw CLI::RequiredError("PLACE");
  });
  add_example(*command, "sartor declare stack.c:deliver -- -Iinclude");
}

Result<void> DeclareCommand::run() const { return objects_.empty() ? draft() : check(objects_); }

Result<void> DeclareCommand::draft() const {
  // "::" belongs to the name of a function in a namespace.
  std::size_t colon = place_.find(':');
  while (colon != std::string::npos && place_.find(':', colon + 1) == colon + 1)
    colon = place_.find(':', colon + 2);
  if (colon == std::string::npos || colon + 1 == place_.size())
    return std::unexpected(Failure{ErrorCode::bad_argument, place_, "names no function",
                                   "write FILE:FUNCTION, such as stack.c:deliver"});
  const std::string file = place_.substr(0, colon);
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return std::unexpected(Failure{ErrorCode::file_error, file, "is no source file",
                                   "write FILE:FUNCTION, such as stack.c:deliver"});
  const auto found = plugin();
  if (!found)
    return std::unexpected(found.error());
  const char *clang = "clang-" SARTOR_LLVM_VERSION;
  std::vector<std::string> words{clang,
                                 "-fsyntax-only",
                                 "-fplugin=" + *found,
                                 "-Xclang",
                                 "-add-plugin",
                                 "-Xclang",
                                 "sartor-draft",
                                 "-Xclang",
                                 "-plugin-arg-sartor-draft",
                                 "-Xclang",
                                 place_.substr(colon + 1)};
  std::ranges::copy(options_, std::back_inserter(words));
  // Files of other extensions would be the linker's, and clang would succeed without reading them.
  const auto extension = fs::path(file).extension();
  const bool is_c = extension == ".c" || extension == ".h";
  if (std::ranges::none_of(options_, [](const auto &word) { return word.starts_with("-x"); }))
    words.insert(words.end(), {"-x", is_c ? "c" : "c++"});
  words.push_back(file);
  std::vector<char *> arguments;
  std::ranges::transform(words, std::back_inserter(arguments),
                         [](std::string &word) { return word.data(); });
  arguments.push_back(nullptr);
  execvp(clang, arguments.data());
  return std::unexpected(became_nothing(clang));
}

} // namespace sartor::cli
