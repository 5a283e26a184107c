// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/empty_words.h"

#include <string>

namespace sartor::cli {

void refuse_empty_words(CLI::App &command) {
  const CLI::Validator not_empty(
      [](const std::string &word) {
        return word.empty() ? std::string("is empty; give it a value") : std::string();
      },
      "");
  for (CLI::Option *option : command.get_options([](const CLI::Option *) { return true; })) {
    const bool is_list = option->get_positional() && option->get_items_expected_max() > 1;
    if (option->get_items_expected_max() > 0 && !is_list && !option->check_lname("passes"))
      option->check(not_empty);
  }
  for (CLI::App *each : command.get_subcommands([](const CLI::App *) { return true; }))
    refuse_empty_words(*each);
}

} // namespace sartor::cli
