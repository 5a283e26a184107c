// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/commands.h"

#include <iostream>

#include "tools/cli/usage.h"

namespace sartor::cli {

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
