// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld_plan.h"

#include <vector>

#include "tools/cli/sibling.h"

namespace sartor::cli {

LdPlanCommand::LdPlanCommand(CLI::App &ld)
    : command_(ld.add_subcommand("plan", "Say what the passes would do to a program.")) {
  command_->add_option("PROGRAM", program_, "A program for x86-64, by its path")->required();
  command_->add_option("--passes", passes_,
                       "These passes, and no others, such as bind,concat (default: as configured)");
  command_->add_option("--config", config_, "A configuration besides the usual ones");
}

Result<void> LdPlanCommand::run() const {
  std::vector<std::string> arguments{"--report"};
  if (command_->count("--passes") > 0)
    arguments.push_back(passes_.empty() ? "--no-passes" : "--passes=" + passes_);
  if (command_->count("--config") > 0)
    arguments.push_back("--config=" + config_);
  arguments.insert(arguments.end(), {"--", program_});
  return std::unexpected(become_sibling("sartor-ld-plan", arguments));
}

} // namespace sartor::cli
