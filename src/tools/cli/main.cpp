// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/keys.h"
#include "base/text/json.h"
#include "tools/cli/commands.h"
#include "tools/cli/economy.h"
#include "tools/cli/explain/explain_all.h"
#include "tools/cli/explain/explain_request.h"
#include "tools/cli/guards.h"
#include "tools/cli/handlers_in.h"
#include "tools/cli/ld/ld.h"
#include "tools/cli/quarantine/quarantine_command.h"
#include "tools/cli/run.h"
#include "tools/cli/server.h"
#include "tools/cli/space.h"
#include "tools/cli/usage.h"
#include "tools/view/commands.h"

namespace sartor::cli {

namespace {

/// Lets every option and argument of the command and its subcommands refuse an empty word, which
/// is often an unset variable of the shell and would otherwise have the effect of the default.
/// Lists of passes may be empty, and so may words of lists, which may be those of another program.
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

struct Arguments {
  std::string program;
  std::string key;
  std::string economy_log;
  std::string request;
  std::string handler;
  std::string label;
  std::string configuration = "{}";
  std::vector<std::string> maps;
  bool json = false;
  Show show;
};

constexpr const char *kFiles =
    "A program or library, an object for the kernel (.bpf.o), or a .bc or .ll file";

Result<void> run_space(const Arguments &arguments) {
  const auto all = handlers_in(arguments.program);
  if (!all)
    return std::unexpected(all.error());
  for (const Handlers &each : *all)
    std::cout << (arguments.json ? each.module.space.json() + "\n" : space_text(each.module));
  return {};
}

Result<void> run_economy(const Arguments &arguments) {
  const auto report = EconomyReport::read(arguments.economy_log);
  if (!report)
    return std::unexpected(report.error());
  std::cout << (arguments.json ? dump(report->json()) + "\n" : report->text());
  return {};
}

Result<void> run_request(const Arguments &arguments, core::HandlerModule module) {
  const auto report = explain_request(arguments.request, std::move(module), arguments.show);
  if (!report)
    return std::unexpected(report.error());
  std::cout << (arguments.json ? dump(json_of(*report, arguments.show)) + "\n"
                               : text_of(*report, arguments.show));
  return {};
}

Result<void> run_explain(const Arguments &arguments) {
  if (!arguments.economy_log.empty())
    return run_economy(arguments);
  auto all = handlers_in(arguments.program);
  if (!all)
    return std::unexpected(all.error());
  if (!arguments.request.empty())
    return run_request(arguments, std::move(all->front().module));
  const ExplainWish wish{arguments.handler, arguments.label,
                         Configuration::from_json(arguments.configuration), arguments.maps,
                         arguments.show};
  const auto reported = explain_all(*all, wish);
  if (!reported)
    return std::unexpected(reported.error());
  std::cout << (arguments.json ? reported->json + "\n" : reported->text);
  return reported->refused ? Result<void>(std::unexpected(*reported->refused)) : Result<void>();
}

Result<void> run_key(const Arguments &arguments) {
  if (auto made = base::make_keys(arguments.key); !made)
    return made;
  std::cout << arguments.key << ".key: the secret key; keep it secret\n"
            << arguments.key << ".pub: the public key; give it to those who check signatures\n";
  return {};
}

void add_key(CLI::App &app, Arguments &arguments) {
  CLI::App *command = app.add_subcommand("key", "Generate an Ed25519 key pair.");
  command
      ->add_option("--output", arguments.key,
                   "Write the secret key to NAME.key, and the public key to NAME.pub")
      ->required()
      ->type_name("NAME");
  add_example(*command, "sartor key --output server");
}

void add_space(CLI::App &app, Arguments &arguments) {
  CLI::App *command = app.add_subcommand("space", "List the points of a program.");
  command->add_option("PROGRAM", arguments.program, kFiles)->required();
  command->add_flag("--json", arguments.json, "Write JSON");
  add_example(*command, "sartor space ./program");
}

void add_explain(CLI::App &app, Arguments &arguments) {
  CLI::App *command =
      app.add_subcommand("explain", "Show the effect of a configuration on the code of a program, "
                                    "or benefit and cost of quasi-invariants.");
  auto *input = command->add_option_group("input")->require_option(1);
  input->add_option("PROGRAM", arguments.program, kFiles);
  input->add_option("--economy", arguments.economy_log,
                    "An event log: show benefit and cost of each quasi-invariant in it");
  // In an option group: otherwise it would be parsed before PROGRAM.
  command->add_option_group("point")->add_option(
      "LABEL", arguments.label,
      "Only this point, and handlers that reach it (default: all of them)");
  command->add_option("--handler", arguments.handler, "Only this handler (default: all of them)");
  command
      ->add_option("--config", arguments.configuration,
                   R"(Settings of points, such as {"B":16,"N":[64,256]})")
      ->capture_default_str();
  command->add_option(
      "--map", arguments.maps,
      "NAME=FILE: declare a map of handlers in the kernel invariant; FILE has its content, "
      "written by `bpftool -j map dump`");
  command
      ->add_option("--request", arguments.request,
                   "Repeat a request of the program, recorded with SARTOR_RECORD_REQUESTS, and "
                   "report the loads that were folded")
      ->excludes("LABEL")
      ->excludes("--handler")
      ->excludes("--config")
      ->excludes("--map")
      ->excludes("--economy");
  command->add_flag("--size", arguments.show.sizes, "Show the size of the code by function");
  command->add_flag("--ir", arguments.show.ir,
                    "Show the IR of generic code and variant side by side");
  command->add_flag("--asm", arguments.show.assembly,
                    "Show the assembly of generic code and variant side by side");
  command->add_flag("--json", arguments.json, "Write JSON");
  add_example(*command, R"(sartor explain ./program --handler blend --config '{"B":16}')");
}

int report(const Failure &failure) {
  std::cerr << "sartor: " << failure.text() << '\n';
  return 1;
}

} // namespace

} // namespace sartor::cli

namespace {

int execute(int argc, char **argv) {
  using namespace sartor;
  CLI::App app{
      "Creates, inspects and controls programs that Sartor can specialize, checks installations,\n"
      "lists the code in caches, controls servers, and starts programs through the loader.",
      "sartor"};
  app.set_version_flag("--version", "sartor " SARTOR_VERSION);
  app.require_subcommand(1);
  cli::Arguments arguments;
  cli::add_space(app, arguments);
  cli::add_explain(app, arguments);
  const cli::CompileCommand compile(app);
  const cli::CacheCommand cache(app);
  const cli::DeclareCommand declare(app);
  const cli::DeviceCommand device(app);
  const cli::DoctorCommand doctor(app);
  const cli::GuardsCommand guards(app);
  cli::add_key(app, arguments);
  const cli::LdCommand ld(app);
  const cli::LiveCommands live(app);
  const cli::NewCommand project(app);
  const cli::PolicyCommand policy(app);
  const cli::QuarantineCommand quarantine(app);
  const cli::ReplayCommand replay(app);
  const view::ReportCommand report(app);
  const cli::ServerCommand server(app);
  const cli::RunCommand run(app, {argv, argv + argc});
  const cli::TopCommand top(app);
  const view::ViewCommand viewer(app);
  const cli::HelpCommand help(app);
  cli::refuse_empty_words(app);
  cli::add_example(app, "sartor space ./program");
  try {
    app.parse(run.own_arguments());
    if (run.is_meant()) {
      cli::report(run.run());
      return cli::RunCommand::no_front;
    }
  } catch (const CLI::ParseError &error) {
    std::vector<std::string> words = run.own_arguments();
    std::ranges::reverse(words);
    return cli::report_usage(app, words, error);
  }
  if (help.is_meant())
    return help.run();
  try {
    if (app.got_subcommand("cache") || app.got_subcommand("doctor")) {
      const auto outcome = app.got_subcommand("cache") ? cache.run() : doctor.run();
      return outcome ? static_cast<int>(!*outcome) : cli::report(outcome.error());
    }
    const auto outcome = live.is_meant()                 ? live.run()
                         : policy.is_meant()             ? policy.run()
                         : quarantine.is_meant()         ? quarantine.run()
                         : top.is_meant()                ? top.run()
                         : app.got_subcommand("space")   ? cli::run_space(arguments)
                         : app.got_subcommand("compile") ? compile.run()
                         : app.got_subcommand("declare") ? declare.run()
                         : app.got_subcommand("device")  ? device.run()
                         : app.got_subcommand("guards")  ? guards.run()
                         : app.got_subcommand("key")     ? cli::run_key(arguments)
                         : app.got_subcommand("ld")      ? ld.run()
                         : app.got_subcommand("new")     ? project.run()
                         : app.got_subcommand("replay")  ? replay.run()
                         : app.got_subcommand("report")  ? report.run()
                         : app.got_subcommand("server")  ? server.run()
                         : app.got_subcommand("view")    ? viewer.run()
                                                         : cli::run_explain(arguments);
    return outcome ? 0 : cli::report(outcome.error());
  } catch (const Error &error) {
    return cli::report(error.failure());
  }
}

} // namespace

int main(int argc, char **argv) {
  try {
    const int status = execute(argc, argv);
    if (std::cout.flush())
      return status;
    return std::max(status,
                    sartor::cli::report({sartor::ErrorCode::file_error, "standard output",
                                         "cannot be written to", "see whether the disk is full"}));
  } catch (const std::exception &error) {
    std::cerr << "sartor: " << error.what() << '\n';
    return 1;
  }
}
