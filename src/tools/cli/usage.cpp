// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/usage.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string_view>
#include <utility>

#include "core/space/nearest.h"
#include "tools/cli/layout.h"

namespace sartor::cli {

namespace {

/// An unknown name, and the nearest known ones.
struct Unknown {
  const char *kind;
  std::string name;
  std::string remedy;
};

/// The command that a command line names.
struct Named {
  const CLI::App *command;
  std::string parents; ///< `sartor ld` of `sartor ld show`; empty for `sartor`.
  std::optional<Unknown> unknown;

  [[nodiscard]] std::string path() const {
    return (parents.empty() ? "" : parents + " ") + command->get_name();
  }
};

bool is_named(const CLI::App *command) { return !command->get_name().empty(); }

std::vector<const CLI::App *> commands_of(const CLI::App &group) {
  return group.get_subcommands(is_named);
}

std::vector<std::string> names_of(const std::vector<const CLI::App *> &commands) {
  std::vector<std::string> names;
  for (const CLI::App *command : commands)
    names.push_back(command->get_name());
  return names;
}

/// Adds the long name of each option, also of those in option groups, which are commands without a
/// name.
void add_options(const CLI::App &command, std::vector<std::string> &names) {
  for (const CLI::Option *option : command.get_options({}))
    for (const std::string &name : option->get_lnames())
      names.push_back(name);
  for (const CLI::App *group :
       command.get_subcommands([](const CLI::App *each) { return !is_named(each); }))
    add_options(*group, names);
}

const CLI::Option *find_option(const CLI::App *command, const std::string &name) {
  for (; command; command = command->get_parent())
    if (const CLI::Option *option = command->get_option_no_throw(name))
      return option;
  return nullptr;
}

Unknown unknown_option(const CLI::App *command, std::string name) {
  std::vector<std::string> names;
  for (; command; command = command->get_parent())
    add_options(*command, names);
  std::ranges::sort(names); // each command has --help
  names.erase(std::ranges::unique(names).begin(), names.end());
  std::string remedy =
      nearest_names(std::string_view(name).substr(name.find_first_not_of('-')), names);
  // The names there are quoted.
  bool is_name = false;
  for (std::size_t i = remedy.find('"'); i != std::string::npos; i = remedy.find('"', i + 1))
    if (is_name = !is_name; is_name)
      remedy.insert(i + 1, "--");
  return {"option", std::move(name), std::move(remedy)};
}

/// False for numbers, which are values.
bool is_short_option(const std::string &word) {
  return word.size() > 1 && word[0] == '-' &&
         std::isalpha(static_cast<unsigned char>(word[1])) != 0;
}

/// Stops at the first unknown name, and at `--`.
Named named_by(const CLI::App &app, const std::vector<std::string> &words) {
  Named named{&app, "", {}};
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string &word = words[i];
    const bool is_long = word.starts_with("--");
    if (is_long || is_short_option(word)) {
      const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
      const CLI::Option *option = find_option(named.command, name);
      if (!option) {
        named.unknown = unknown_option(named.command, is_long ? name : word);
        break;
      }
      if (option->get_items_expected_max() > 0 && name == word)
        ++i; // its value
      continue;
    }
    const std::vector<const CLI::App *> commands = commands_of(*named.command);
    if (commands.empty() || word.starts_with('-'))
      continue;
    const auto found = std::ranges::find(commands, word, &CLI::App::get_name);
    if (found == commands.end()) {
      named.unknown = Unknown{"command", word, nearest_names(word, names_of(commands))};
      break;
    }
    named.parents = named.path();
    named.command = *found;
  }
  return named;
}

/// CLI::App::help() would return the help of the command that was parsed.
std::string help_of(const Named &named) {
  return named.command->get_formatter()->make_help(named.command, named.path(),
                                                   CLI::AppFormatMode::Normal);
}

int report(const Named &named, const std::string &message) {
  std::cerr << "sartor: " << message << "\nRun `" << named.path() << " --help` for its "
            << (commands_of(*named.command).empty() ? "options" : "commands and options") << ".\n";
  return kWrongUsage;
}

int report(const Named &named, const Unknown &unknown) {
  return report(named, std::string("unknown ") + unknown.kind + " \"" + unknown.name + "\"; " +
                           unknown.remedy);
}

void add_rows(const CLI::App &command, const std::string &parents,
              std::vector<std::vector<std::string>> &rows) {
  const std::string path = Named{&command, parents, {}}.path();
  rows.push_back({path, command.get_description()});
  for (const CLI::App *each : commands_of(command))
    add_rows(*each, path, rows);
}

} // namespace

void add_example(CLI::App &command, const std::string &example) {
  command.footer("Example:\n  " + example);
}

HelpCommand::HelpCommand(CLI::App &app) : app_(&app) {
  CLI::App *command = app.add_subcommand("help", "Print the help of a command.");
  command->add_option("COMMAND", words_, "A command, such as cache, or cache ls");
  command->add_flag("--all", all_, "List all commands");
  add_example(*command, "sartor help cache ls");
  command_ = command;
}

int HelpCommand::run() const {
  if (all_) {
    std::vector<std::vector<std::string>> rows;
    for (const CLI::App *command : commands_of(*app_))
      add_rows(*command, app_->get_name(), rows);
    std::cout << table(rows);
    return 0;
  }
  const Named named = named_by(*app_, words_);
  if (named.unknown)
    return report(named, *named.unknown);
  const auto commands = std::ranges::count(named.path(), ' ');
  if (const auto extra = static_cast<std::size_t>(commands); extra < words_.size())
    return report(named, Unknown{"command", words_[extra], named.path() + " has no commands"});
  std::cout << help_of(named);
  return 0;
}

int report_usage(const CLI::App &app, const std::vector<std::string> &words,
                 const CLI::ParseError &error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
    return app.exit(error);
  const Named named = named_by(app, words);
  if (named.unknown)
    return report(named, *named.unknown);
  const bool lacks_command = named.command->get_require_subcommand_min() > 0 &&
                             dynamic_cast<const CLI::RequiredError *>(&error) != nullptr;
  if (!lacks_command)
    return report(named, error.what());
  std::cerr << help_of(named);
  return kWrongUsage;
}

} // namespace sartor::cli
