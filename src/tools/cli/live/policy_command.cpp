// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/commands.h"

#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/cache/build_id.h"
#include "runtime/control/policy.h"
#include "tools/cli/layout.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

PolicyCommand::PolicyCommand(CLI::App &app)
    : command_(app.add_subcommand("policy", "Show or change what programs switch off at their "
                                            "start.")) {
  command_->require_subcommand(1);
  add_example(*command_, "sartor policy list");
  add_example(*command_->add_subcommand("list", "List the rules of the machine and of this user."),
              "sartor policy list");
  add_ = command_->add_subcommand("add", "Add a rule to this user's policy file.");
  add_->add_option("--program", program_,
                   "Only in this program, known by its build id (default: in all)");
  add_->add_option("NAME", name_, "A handler, or a label of points (default: all handlers)");
  add_example(*add_, "sartor policy add --program ./server blend");
  remove_ = command_->add_subcommand("remove", "Remove a rule from this user's policy file.");
  remove_->add_option("NUMBER", number_, "Its number in `sartor policy list`")
      ->required()
      ->check(CLI::Range(1, 1'000'000));
  add_example(*remove_, "sartor policy remove 1");
}

Result<void> PolicyCommand::run() const {
  return add_->parsed() ? add() : remove_->parsed() ? remove() : list();
}

Result<void> PolicyCommand::list() const {
  std::vector<std::vector<std::string>> rows{{"RULE", "OFF", "IN PROGRAMS WITH BUILD ID", "FILE"}};
  for (const auto &path : {users_policy(), machines_policy()}) {
    auto policy = Policy::read(path);
    if (!policy)
      return std::unexpected(std::move(policy.error()));
    for (std::size_t i = 0; i < policy->off.size(); ++i) {
      const OffRule &rule = policy->off[i];
      rows.push_back({path == users_policy() ? std::to_string(i + 1) : "-",
                      rule.name.empty() ? "all handlers" : rule.name,
                      rule.build_id.empty() ? "any" : rule.build_id, path.string()});
    }
  }
  std::cout << (rows.size() == 1 ? "No rules.\n" : table(rows));
  return {};
}

Result<void> PolicyCommand::add() const {
  OffRule rule{.build_id = {}, .name = name_};
  if (!program_.empty()) {
    auto build_id = core::build_id_in_file(program_);
    if (std::error_code error; !build_id && !std::filesystem::is_regular_file(program_, error))
      return std::unexpected(Failure{ErrorCode::file_error, program_, "is not a file",
                                     "name a program that is linked with -Wl,--build-id"});
    if (!build_id)
      return std::unexpected(Failure{ErrorCode::bad_elf, program_, "has no build id",
                                     "name a program that is linked with -Wl,--build-id"});
    rule.build_id = std::move(*build_id);
  }
  auto policy = Policy::read(users_policy());
  if (!policy)
    return std::unexpected(std::move(policy.error()));
  std::erase(policy->off, rule);
  policy->off.push_back(std::move(rule));
  return policy->write(users_policy());
}

Result<void> PolicyCommand::remove() const {
  auto policy = Policy::read(users_policy());
  if (!policy)
    return std::unexpected(std::move(policy.error()));
  if (number_ == 0 || number_ > policy->off.size())
    return std::unexpected(Failure{ErrorCode::bad_argument, std::to_string(number_),
                                   "is no rule of " + users_policy().string(),
                                   "list the numbers with `sartor policy list`"});
  policy->off.erase(policy->off.begin() + static_cast<std::ptrdiff_t>(number_ - 1));
  return policy->write(users_policy());
}

} // namespace sartor::cli
