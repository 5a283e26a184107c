// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/commands.h"

#include <iostream>

#include "tools/cli/doctor/checks_of_installation.h"
#include "tools/cli/doctor/checks_of_machine.h"
#include "tools/cli/doctor/checks_of_program.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

DoctorCommand::DoctorCommand(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "doctor", "Check the installation and this machine, or a program; exit status 1 after an "
                "error.");
  command->add_option("PROGRAM", program_,
                      "Check the handlers, points and libraries of this program or library only");
  command->add_flag("--json", json_, "Write JSON");
  add_example(*command, "sartor doctor ./program");
}

Result<bool> DoctorCommand::run() const {
  Checks checks;
  if (program_.empty()) {
    const auto here = Installation::of_this_command();
    if (!here)
      return std::unexpected(here.error());
    checks = checks_of_installation(*here);
    const Checks more = checks_of_machine();
    checks.insert(checks.end(), more.begin(), more.end());
  } else {
    checks = checks_of_program(program_);
  }
  std::cout << (json_ ? json_of(checks) + "\n" : text_of(checks));
  return !has_error(checks);
}

} // namespace sartor::cli
