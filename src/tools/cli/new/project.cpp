// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/new/project.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string_view>
#include <system_error>

#include "tools/cli/commands.h"
#include "tools/cli/new/templates.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_in_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

// CMake reserves names of targets, and cargo those of crates.
constexpr std::string_view kReserved[] = {
    "all",        "clean",         "handlers",   "help",      "main",     "sartor",
    "test",       "install",       "build",      "deps",      "examples", "incremental",
    "edit_cache", "rebuild_cache", "preinstall", "ALL_BUILD", "INSTALL",  "ZERO_CHECK"};

Result<void> check_name(const std::string &name) {
  if (name.empty() || !is_letter(name.front()) || !std::ranges::all_of(name, is_in_name))
    return std::unexpected(Failure{ErrorCode::bad_argument, name, "cannot name a program",
                                   "use letters, digits, - and _, beginning with a letter"});
  if (std::ranges::find(kReserved, name) != std::end(kReserved))
    return std::unexpected(Failure{ErrorCode::bad_argument, name,
                                   "is a name that build systems or the project itself use",
                                   "choose another name"});
  return {};
}

Result<void> check_directory(const fs::path &directory) {
  std::error_code error;
  if (!fs::exists(directory, error) ||
      (fs::is_directory(directory, error) && fs::is_empty(directory, error)))
    return {};
  return std::unexpected(Failure{ErrorCode::file_error, directory, "exists and is not empty",
                                 "choose another name, or remove it"});
}

Result<void> check_crates(const Installation &here) {
  std::error_code error;
  if (fs::exists(here.crates / "sartor" / "Cargo.toml", error))
    return {};
  return std::unexpected(Failure{ErrorCode::file_error, here.crates,
                                 "has no Rust crates, which a project in Rust refers to",
                                 "install Sartor as a whole, or the package libsartor-dev"});
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  for (std::size_t at = 0; (at = result.find(from, at)) != std::string::npos; at += to.size())
    result.replace(at, from.size(), to);
  return result;
}

Result<void> write(const fs::path &path, const std::string &text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file)
    return {};
  return std::unexpected(Failure{ErrorCode::file_error, path, "cannot be written",
                                 "choose a directory that you may write to"});
}

/// A word for a shell.
std::string quoted(const fs::path &path) {
  const std::string word = path.string();
  const bool is_plain =
      std::ranges::all_of(word, [](char c) { return is_in_name(c) || c == '/' || c == '.'; });
  return is_plain ? word : "'" + replaced(word, "'", R"('\'')") + "'";
}

bool is_found_without_help(const Installation &here) {
  return here.prefix == "/usr" || here.prefix == "/usr/local";
}

} // namespace

Result<std::vector<fs::path>> write_project(const Project &project, const fs::path &directory,
                                            const Installation &here) {
  auto checked = check_name(project.name);
  if (checked)
    checked = check_directory(directory);
  if (checked && project.language == "rust")
    checked = check_crates(here);
  if (!checked)
    return std::unexpected(checked.error());
  std::vector<fs::path> written;
  for (const Template &file : templates()) {
    if (file.language != project.language)
      continue;
    const std::string text =
        replaced(replaced(file.text, "@NAME@", project.name), "@CRATES@", here.crates.string());
    written.push_back(directory / file.path);
    if (auto done = write(written.back(), text); !done)
      return std::unexpected(done.error());
  }
  return written;
}

std::string commands_for(const Project &project, const fs::path &directory,
                         const Installation &here) {
  const std::string folder = quoted(directory);
  if (project.language == "rust") {
    const std::string found =
        is_found_without_help(here) ? "" : "SARTOR_LIBRARIES=" + quoted(here.libraries) + " ";
    return found + "cargo run --release --manifest-path " + folder + "/Cargo.toml\n";
  }
  const std::string build =
      "cmake -S " + folder + " -B " + folder + "/build" +
      (is_found_without_help(here) ? "" : " -DCMAKE_PREFIX_PATH=" + quoted(here.prefix)) +
      "\ncmake --build " + folder + "/build\n";
  return build + (project.language == "python" ? "# the module sartor is in Sartor's wheel: pip "
                                                 "install sartor-*.whl\npython3 " +
                                                     folder + "/main.py\n"
                                               : folder + "/build/" + project.name + "\n");
}

NewCommand::NewCommand(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "new", "Write a project with one handler, and a program that specializes it.");
  command->add_option("NAME", project_.name, "The name of the program and of its directory")
      ->required();
  command->add_option("--lang", project_.language, "The language: c, c++, rust or python")
      ->check(CLI::IsMember({"c", "c++", "rust", "python"}))
      ->capture_default_str();
  add_example(*command, "sartor new hello --lang c");
}

Result<void> NewCommand::run() const {
  const auto here = Installation::of_this_command();
  if (!here)
    return std::unexpected(here.error());
  const auto files = write_project(project_, project_.name, *here);
  if (!files)
    return std::unexpected(files.error());
  for (const std::filesystem::path &file : *files)
    std::cout << file.string() << '\n';
  std::cout << "\nbuild and run it:\n" << commands_for(project_, project_.name, *here);
  return {};
}

} // namespace sartor::cli
